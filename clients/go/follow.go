package dronemission

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"
)

// FollowOptions are what a caller may want of a channel beside its messages. The functions are called one at a time.
type FollowOptions struct {
	// After is the cursor of the last message that the caller has received, before its program was started again: what was missed since
	// then comes first, marked as Replayed, instead of a snapshot.
	After string
	// OnReconnect is told when the connection is lost and will be made again.
	OnReconnect func(error)
	// OnGap is told when changes were missed.
	OnGap func(Gap)
	// OnCommand is told what becomes of commands, each change once. They are not among the messages of the loop.
	OnCommand func(CommandMessage)
}

// A JobMessage is the state of a job, a change of it, or where its drone is.
type JobMessage struct {
	JobEvent
	Snapshot bool `json:"snapshot"`
	Replayed bool `json:"replayed"`
}

// A DeviceMessage is the state of a device of a group.
type DeviceMessage struct {
	DeviceEvent
	Snapshot bool `json:"snapshot"`
	Replayed bool `json:"replayed"`
}

// A ShareMessage is the state of a share.
type ShareMessage struct {
	ShareEvent
	Snapshot bool `json:"snapshot"`
	Replayed bool `json:"replayed"`
}

// A CommandMessage is what has become of a command.
type CommandMessage struct {
	CommandEvent
	Replayed bool `json:"replayed"`
}

// channels are what all channels of a client share.
type channels struct {
	wsURL     string
	tokens    *tokenSource
	http      *http.Client
	pingAfter time.Duration
	// maxRetries counts attempts before the first connection. Later a lost channel is reconnected until its caller ends it.
	maxRetries   int
	answerWithin time.Duration
}

// A channel to follow.
type channel struct {
	path string
	// subject is what is followed, for errors; without identifiers.
	subject string
	// kind is the type of the messages to deliver: others, which a later service may send, are passed over.
	kind   string
	isLast func(envelope) bool
	// answers gets the answers to messages; without it an error ends the connection.
	answers chan<- envelope
	// greeting is sent on each new connection, unless it is nil.
	greeting any
}

// overlap is how long a connection that is being replaced waits for the first message of the new one.
const overlap = 5 * time.Second

// follow returns the messages of a channel: the state at first, then every change, each once and in order. Lost connections are made again
// after the last cursor, so that what was missed meanwhile comes first. An error is the last thing that comes; that of the context too.
func follow[Message any](ctx context.Context, c *channels, to channel, options FollowOptions) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		if c.wsURL == "" {
			var none Message
			yield(none, errors.New("WSURL is missing: the client needs the address of the channels, wss://…"))
			return
		}
		ctx, stop := context.WithCancel(ctx)
		box := newInbox[Message]()
		received := &received{kind: to.kind, cursor: options.After, last: map[string]state{}, onGap: func(gap Gap) {
			if options.OnGap != nil {
				options.OnGap(gap)
			}
		}}
		received.deliver = func(m envelope) {
			switch m.Type {
			case commandStatus:
				var command CommandMessage
				if options.OnCommand != nil && box.understands(m, &command) {
					options.OnCommand(command)
				}
			case to.kind:
				var message Message
				if box.understands(m, &message) {
					box.add(message)
				}
				if to.isLast(m) {
					box.end(nil)
					stop()
				}
			}
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			box.end(c.keepConnected(ctx, to, received, options.OnReconnect))
		}()
		// No function of the caller is called after its loop.
		defer func() {
			stop()
			<-done
		}()
		box.read(yield)
	}
}

// keepConnected returns nil when the resource no longer exists. A connection that is to be replaced is closed only after its successor has
// brought the first message, so that no change falls between the two.
func (c *channels) keepConnected(ctx context.Context, to channel, received *received, onReconnect func(error)) error {
	var current *connection
	defer func() {
		if current != nil {
			current.close()
		}
	}()
	hasConnected, isUnauthorised, failures := false, false, 0
	for {
		next, token, err := c.resume(ctx, to, received)
		if err != nil {
			status := statusOf(err)
			// It was deleted, revoked or expired while there was no connection.
			if hasConnected && status == http.StatusNotFound {
				return nil
			}
			mayTry := isTemporary(err) && (hasConnected || failures < c.maxRetries)
			if ctx.Err() != nil || !mayTry && (status != http.StatusUnauthorized || isUnauthorised) {
				return err
			}
			isUnauthorised = status == http.StatusUnauthorized
			// All seats of the client may be taken, one of them by the connection to be replaced.
			if status == http.StatusTooManyRequests && current != nil {
				current.close()
				current = nil
			}
			failures++
			if err := sleep(ctx, waitBefore(failures, retryAfterOf(err))); err != nil {
				return err
			}
			continue
		}
		handOver(ctx, current, next)
		current, hasConnected, isUnauthorised = next, true, false
		why := current.last(ctx, c.tokens, token, c.answerWithin)
		if errors.Is(why, errDue) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		select {
		case <-current.confirmed:
			failures = 0
		default:
		}
		current = nil
		if !mayReconnect(why) {
			return why
		}
		if onReconnect != nil {
			onReconnect(why)
		}
		failures++
		if err := sleep(ctx, waitBefore(failures, 0)); err != nil {
			return err
		}
	}
}

// resume connects after the last cursor; without it when the service does not know it any more, such as after its data were lost.
func (c *channels) resume(ctx context.Context, to channel, received *received) (*connection, accessToken, error) {
	after := received.resumeAfter()
	next, token, err := c.connect(ctx, to, received, after)
	if after != "" && statusOf(err) == http.StatusBadRequest {
		return c.connect(ctx, to, received, "")
	}
	return next, token, err
}

// handOver closes a connection once its successor has brought a message, has closed, or brings nothing.
func handOver(ctx context.Context, old, next *connection) {
	if old == nil {
		return
	}
	select {
	case <-next.confirmed:
	case <-next.closed:
	case <-time.After(overlap):
	case <-ctx.Done():
	}
	old.close()
}

// mayReconnect says whether a connection that has closed may be made again.
func mayReconnect(why error) bool {
	var refused *APIError
	if !errors.As(why, &refused) {
		return true
	}
	return refused.Code == "internal_error" || refused.Code == "too_many_requests"
}

func retryAfterOf(err error) time.Duration {
	var refused *APIError
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return 0
}
