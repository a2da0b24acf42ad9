package dronemission

import (
	"context"
	"errors"
	"sync"
)

// A line is the present connection of a channel, for who has something to say over it.
type line struct {
	mutex    sync.Mutex
	current  *socket
	hasEnded bool
	// changed is closed with the next change.
	changed chan struct{}
}

func newLine() *line { return &line{changed: make(chan struct{})} }

// connect makes a socket the present one.
func (l *line) connect(opened *socket) { l.change(opened, false) }

// end: the channel is no longer followed.
func (l *line) end() { l.change(nil, true) }

func (l *line) change(current *socket, hasEnded bool) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.current, l.hasEnded = current, hasEnded
	close(l.changed)
	l.changed = make(chan struct{})
}

// get returns the present socket, and waits for one that is being made.
func (l *line) get(ctx context.Context) (*socket, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerWithin,
		errors.New("there is no connection: there is one while the messages are read"))
	defer cancel()
	for {
		l.mutex.Lock()
		current, hasEnded, changed := l.current, l.hasEnded, l.changed
		l.mutex.Unlock()
		if hasEnded {
			return nil, errors.New("the share is no longer watched")
		}
		if current != nil && !current.hasClosed() {
			return current, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
