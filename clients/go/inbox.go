package dronemission

import "sync"

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
