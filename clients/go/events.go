package dronemission

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Events are the log of the organisation: changes of jobs, devices, shares and commands.
type Events struct{ caller *caller }

const (
	// longestHold is how long a call is held until there is something, and holdReserve what it needs beside.
	longestHold, holdReserve = 20 * time.Second, 5 * time.Second
	// notHeldPause follows a call that was not held although nothing had happened: as many wait as the service can hold.
	notHeldPause = 5 * time.Second
	// longestPage is how many events a call returns at most.
	longestPage = 100
)

// FollowEventsOptions are what a caller may want of the log.
type FollowEventsOptions struct {
	// After is a cursor to go on after; "oldest" begins with the oldest event, and nothing with the next one.
	After string
	// OnGap is told when the log no longer reaches back to the cursor: then it goes on with the oldest event.
	OnGap func(Gap)
}

// List returns one page of what has happened after a cursor, oldest first; its Cursor is what to ask for the next page
// with. Without a cursor it is empty, and its Cursor that of now. The call may be held for wait, up to 20 seconds,
// until there is something.
func (e *Events) List(ctx context.Context, after string, limit int, wait time.Duration) (ListEventsReply, error) {
	query := withQuery(queryOf("after", after, "limit", numberOf(limit), "wait", numberOf(int(wait.Seconds()))))
	return call[ListEventsReply](ctx, e.caller, "GET /v3/events", nil, nil, query)
}

// Follow returns what happens, each change once and in order, by calls that the service holds until there is something.
// It goes on after failures that are temporary.
func (e *Events) Follow(ctx context.Context, options FollowEventsOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := e.follow(ctx, options, func(event Event) bool { return yield(event, nil) }); err != nil {
			yield(Event{}, err)
		}
	}
}

// follow returns nil when deliver has returned false.
func (e *Events) follow(ctx context.Context, options FollowEventsOptions, deliver func(Event) bool) error {
	hold := max(time.Second, min(longestHold, e.caller.sender.timeout-holdReserve))
	cursor, hasRead := options.After, options.After == ""
	if hasRead {
		page, err := e.List(ctx, "", 0, 0)
		if err != nil {
			return err
		}
		cursor = page.Cursor
	}
	for failures := 0; ; {
		began := time.Now()
		page, err := e.List(ctx, cursor, 0, hold)
		switch {
		case err == nil:
			wasHeld := page.Cursor != cursor || time.Since(began) > hold/2
			for _, event := range page.Events {
				if !deliver(event) {
					return nil
				}
			}
			cursor, hasRead, failures = page.Cursor, true, 0
			if wasHeld {
				continue
			}
			if err := sleep(ctx, waitBefore(1, notHeldPause)); err != nil {
				return err
			}
		case cursor != "oldest" && isUnknownCursor(err, hasRead):
			if options.OnGap != nil {
				options.OnGap(Gap{Cursor: cursor})
			}
			cursor = "oldest"
		case ctx.Err() != nil || !hasRead || !isTemporary(err):
			return err
		default:
			failures++
			if err := sleep(ctx, waitBefore(failures, retryAfterOf(err))); err != nil {
				return err
			}
		}
	}
}

// missed returns what a channel has had since a cursor, oldest first, as a WebSocket would replay it.
func (e *Events) missed(ctx context.Context, identifier, after string) ([]envelope, error) {
	var missed []envelope
	for {
		page, err := e.List(ctx, after, longestPage, 0)
		if err != nil {
			return nil, err
		}
		for _, event := range page.Events {
			text, err := event.MarshalJSON()
			if err != nil {
				return nil, err
			}
			if envelopeOf(text).isAbout(identifier) {
				missed = append(missed, envelopeOf(marked(text, "replayed")))
			}
		}
		if page.Cursor == after {
			return missed, nil
		}
		after = page.Cursor
	}
}

// isUnknownCursor says whether the log no longer knows a cursor: it has expired, or the service has lost its data.
// isOurs tells that the service has issued it to this caller.
func isUnknownCursor(err error, isOurs bool) bool {
	status := statusOf(err)
	return status == http.StatusGone || isOurs && status == http.StatusBadRequest
}

// Type says which of its As methods reads an event: job.status, device.status, share.status, command.status, or another
// one of a later service, which AsUnknownEvent reads.
func (t Event) Type() (string, error) {
	event, err := t.AsUnknownEvent()
	return event.Type, err
}
