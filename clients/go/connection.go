package dronemission

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// pongWithin is how long a ping waits for its answer.
	pongWithin = 10 * time.Second
	// replaceAfter: API Gateway closes a connection after two hours.
	replaceAfter = 110 * time.Minute
)

// errDue says that a connection is to be replaced, since its token or its time ends.
var errDue = errors.New("the connection is to be replaced")

// A connection brings the messages of a channel until it closes.
type connection interface {
	// confirmation is closed with the first message about the resource, or when there is none to be sent after a cursor.
	confirmation() <-chan struct{}
	// end is closed when no more messages come.
	end() <-chan struct{}
	// last waits until the connection has closed, and returns why, or until it is to be replaced: errDue.
	last(ctx context.Context) error
	// close ends the connection and waits until no more messages come from it.
	close()
}

// A life says how far a connection has come.
type life struct {
	confirmed chan struct{}
	confirm   func()
	closed    chan struct{}
	// err is set before closed is closed: what the service said when it closed the connection, or what broke it.
	err error
}

func newLife() life {
	confirmed := make(chan struct{})
	return life{confirmed: confirmed, confirm: sync.OnceFunc(func() { close(confirmed) }), closed: make(chan struct{})}
}

func (l *life) confirmation() <-chan struct{} { return l.confirmed }

func (l *life) end() <-chan struct{} { return l.closed }

func (l *life) hasClosed() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

// until waits for a time, at which it returns nil. Before it returns why the connection has closed, or the cause of the context.
func (l *life) until(ctx context.Context, at time.Time) error {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-l.closed:
		return l.err
	case <-timer.C:
		return nil
	}
}

// earlier is the one of two times that comes first.
func earlier(one, other time.Time) time.Time {
	if one.Before(other) {
		return one
	}
	return other
}

// An inbox is a queue between connections and one reader, who may be slow. What arrived before the end is read first,
// so none is lost.
type inbox[Message any] struct {
	mutex   sync.Mutex
	waiting []Message
	isEnded bool
	err     error
	// changed holds a sign when there is something to read.
	changed chan struct{}
}

func newInbox[Message any]() *inbox[Message] {
	return &inbox[Message]{changed: make(chan struct{}, 1)}
}

func (b *inbox[Message]) change(how func()) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if b.isEnded {
		return
	}
	how()
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

func (b *inbox[Message]) add(message Message) {
	b.change(func() { b.waiting = append(b.waiting, message) })
}

// end ends the queue; the reader gets an error after the last message. Only the first call counts.
func (b *inbox[Message]) end(err error) {
	b.change(func() { b.isEnded, b.err = true, err })
}

// take returns what has arrived, and whether and why nothing else will come.
func (b *inbox[Message]) take() ([]Message, bool, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	messages := b.waiting
	b.waiting = nil
	return messages, b.isEnded, b.err
}

// read passes everything on until the end, or until yield returns false.
func (b *inbox[Message]) read(yield func(Message, error) bool) {
	for range b.changed {
		messages, isEnded, err := b.take()
		for _, message := range messages {
			if !yield(message, nil) {
				return
			}
		}
		if isEnded {
			if err != nil {
				var none Message
				yield(none, err)
			}
			return
		}
	}
}
