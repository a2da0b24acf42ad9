package dronemission

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"time"
)

// A Protocol carries the messages of a status channel.
type Protocol int

const (
	// WSS is a WebSocket with TLS.
	WSS Protocol = iota
	// MQTTS is MQTT 3.1.1 with TLS. Its first message about each device of a group, but for the one that changed last,
	// has the status only, and the sequence 0.
	MQTTS
)

// FollowOptions are what a caller may want of a channel beside its messages. The functions are called one at a time.
type FollowOptions struct {
	// Over is WSS unless it is set. Telemetry comes over WSS alone.
	Over Protocol
	// After is the cursor of the last message that the caller has received, before its program was started again: what
	// was missed since then comes first, marked as Replayed, instead of a snapshot.
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
	broker    broker
	tokens    *tokenSource
	http      *http.Client
	events    *Events
	pingAfter time.Duration
	// maxRetries counts attempts before the first connection. Later a lost channel is reconnected until its caller ends it.
	maxRetries   int
	answerWithin time.Duration
}

// A channel to follow.
type channel struct {
	path string
	// topic over MQTT; nil for a channel that MQTT does not carry.
	topic *topic
	// kind is the type of the messages beside those about commands; empty for a channel with several types.
	kind string
	// subject is what is followed, for errors; without identifiers.
	subject string
	isLast  func(envelope) bool
	// greeting is sent on each new WebSocket, unless it is nil.
	greeting any
	// opened is told of each new WebSocket, unless it is nil.
	opened func(*socket)
}

// A reader makes the messages of a channel for its caller. It returns false for others, which a later service may send:
// they are passed over.
type reader[Message any] func(envelope) (Message, bool, error)

// as is the reader of a channel whose messages have one type.
func as[Message any](m envelope) (message Message, isKnown bool, err error) {
	return message, true, json.Unmarshal(m.text, &message)
}

// overlap is how long a connection that is being replaced waits for the first message of the new one.
const overlap = 5 * time.Second

// follow returns the messages of a channel: the state at first, then every change, each once and in order. Lost
// connections are made again after the last cursor, so that what was missed meanwhile comes first. An error is the last
// thing that comes; that of the context too.
func follow[Message any](ctx context.Context, c *channels, to channel, options FollowOptions, read reader[Message]) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		box := newInbox[Message]()
		received := &received{kind: to.kind, cursor: options.After, last: map[string]state{}, onGap: func(gap Gap) {
			if options.OnGap != nil {
				options.OnGap(gap)
			}
		}}
		received.deliver = func(m envelope) {
			if m.Type == commandStatus {
				var command CommandMessage
				if err := json.Unmarshal(m.text, &command); err != nil {
					box.end(err)
				} else if options.OnCommand != nil {
					options.OnCommand(command)
				}
				return
			}
			message, isKnown, err := read(m)
			switch {
			case err != nil:
				box.end(err)
			case isKnown:
				box.add(message)
				if to.isLast(m) {
					box.end(nil)
					stop()
				}
			}
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			connect, err := c.connectorOf(options.Over, to, received)
			if err == nil {
				err = c.keepConnected(ctx, connect, options.OnReconnect)
			}
			box.end(err)
		}()
		// No function of the caller is called after its loop.
		defer func() {
			stop()
			<-done
		}()
		box.read(yield)
	}
}

// A connector opens a connection that goes on after the last message.
type connector func(context.Context) (connection, error)

// connectorOf returns an error when the client does not know the address, or the channel is not carried.
func (c *channels) connectorOf(over Protocol, to channel, received *received) (connector, error) {
	if over == MQTTS {
		if err := c.mayUseMQTTS(to); err != nil {
			return nil, err
		}
		return func(ctx context.Context) (connection, error) { return c.openSession(ctx, to, received) }, nil
	}
	if c.wsURL == "" {
		return nil, errors.New("WSURL is missing: the client needs the address of the channels, wss://…")
	}
	return func(ctx context.Context) (connection, error) { return c.resume(ctx, to, received) }, nil
}

// keepConnected returns nil when the resource no longer exists. A connection that is to be replaced is closed only
// after its successor has brought the first message, so that no change falls between the two.
func (c *channels) keepConnected(ctx context.Context, connect connector, onReconnect func(error)) error {
	var current connection
	defer func() {
		if current != nil {
			current.close()
		}
	}()
	hasConnected, isUnauthorised, failures := false, false, 0
	for {
		next, err := connect(ctx)
		if err != nil {
			status := statusOf(err)
			// It was deleted, revoked or expired while there was no connection.
			if hasConnected && status == http.StatusNotFound {
				return nil
			}
			mayTry := isTemporary(err) && (hasConnected || failures < c.maxRetries)
			if ctx.Err() != nil || !mayTry && (!wasUnauthorised(err) || isUnauthorised) {
				return err
			}
			isUnauthorised = wasUnauthorised(err)
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
		why := current.last(ctx)
		if errors.Is(why, errDue) {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		select {
		case <-current.confirmation():
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
func (c *channels) resume(ctx context.Context, to channel, received *received) (connection, error) {
	after := received.resumeAfter()
	next, err := c.connect(ctx, to, received, after)
	if after != "" && statusOf(err) == http.StatusBadRequest {
		next, err = c.connect(ctx, to, received, "")
	}
	if err != nil {
		return nil, err
	}
	return next, nil
}

// handOver closes a connection once its successor has brought a message, has closed, or brings nothing.
func handOver(ctx context.Context, old, next connection) {
	if old == nil {
		return
	}
	select {
	case <-next.confirmation():
	case <-next.end():
	case <-time.After(overlap):
	case <-ctx.Done():
	}
	old.close()
}

// mayReconnect says whether a connection that has closed may be made again.
func mayReconnect(why error) bool {
	var refused *APIError
	return !errors.As(why, &refused) || isTemporary(why)
}

// wasUnauthorised says whether a token was refused.
func wasUnauthorised(err error) bool {
	var refused *APIError
	return errors.As(err, &refused) && (refused.Status == http.StatusUnauthorized || refused.Code == "unauthorized")
}

func retryAfterOf(err error) time.Duration {
	var refused *APIError
	if errors.As(err, &refused) {
		return refused.RetryAfter
	}
	return 0
}
