package dronemission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// Telemetry is what devices report, about once a second each.
type Telemetry struct {
	channels  *channels
	publisher *publisher
}

const telemetryPath, deviceTelemetry = "/telemetry", "device.telemetry"

// A TelemetrySource is one device, or all devices of a group: one of the two is set.
type TelemetrySource struct {
	DeviceID      string `json:"deviceId,omitempty"`
	DeviceGroupID string `json:"deviceGroupId,omitempty"`
}

// A TelemetryMessage is a sample of a device, or at first its last known state.
type TelemetryMessage struct {
	DeviceState
	DeviceID      string    `json:"deviceId"`
	DeviceGroupID string    `json:"deviceGroupId"`
	Sequence      int64     `json:"sequence"`
	ReceivedAt    time.Time `json:"receivedAt"`
	Snapshot      bool      `json:"snapshot"`
	// SnapshotAge in seconds, of a snapshot; see Age.
	SnapshotAge *float64 `json:"age,omitempty"`
}

// Age is how old the state was when the service sent it: of a snapshot as the service says, of a sample the time from
// its measurement to its arrival at the service. It is never negative, and does not depend on the clock of this
// machine.
func (m TelemetryMessage) Age() time.Duration {
	if m.SnapshotAge != nil {
		return time.Duration(*m.SnapshotAge * float64(time.Second))
	}
	return max(0, m.ReceivedAt.Sub(m.Timestamp))
}

// Follow returns the last known state of each device, then every sample. It ends only by a break or the context.
func (t *Telemetry) Follow(ctx context.Context, source TelemetrySource, options FollowOptions) iter.Seq2[TelemetryMessage, error] {
	return follow(ctx, t.channels, channel{
		path:    telemetryPath,
		kind:    deviceTelemetry,
		subject: "Following telemetry",
		greeting: struct {
			Action string `json:"action"`
			Batch  bool   `json:"batch"`
			TelemetrySource
		}{"subscribe", true, source},
		isLast: func(envelope) bool { return false },
	}, options, as[TelemetryMessage])
}

// A Sample is what a device reports at one moment. Its JobId, if it has one, is the job that the device flies.
type Sample struct {
	DeviceID string `json:"deviceId"`
	DeviceState
}

const (
	// maxSamples and maxBytes are the limits of one message: a frame has 32 KB, of which some is the envelope's.
	maxSamples, maxBytes = 40, 31_000

	publishing = "Publishing telemetry"
	// samplesRefused is the code of the answer to a message of which every sample is refused.
	samplesRefused = "invalid_request"
)

// A publisher publishes samples over one connection, which is opened when it is needed and again after it was lost.
type publisher struct {
	channels *channels
	// turn is full while a list is sent: one message waits for its answer at a time.
	turn    chan struct{}
	current *socket
	// ended is closed when the connection is to be replaced.
	ended chan struct{}
}

func newPublisher(channels *channels) *publisher {
	return &publisher{channels: channels, turn: make(chan struct{}, 1)}
}

// Publish publishes samples of the organisation's devices, over a connection that stays open until Close. Long lists
// are sent in parts; what may not have arrived is sent again, since the service ignores what it already has. Each
// sample is judged by itself: when some are refused, all others are published, and an APIError with the code
// invalid_request says so at the end, with the place of each in the list, such as telemetry.2.timestamp. It returns how
// many were accepted.
func (t *Telemetry) Publish(ctx context.Context, samples ...Sample) (int, error) {
	parts, err := partsOf(samples)
	if err != nil {
		return 0, err
	}
	select {
	case t.publisher.turn <- struct{}{}:
		defer func() { <-t.publisher.turn }()
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	accepted, sent := 0, 0
	refused := &APIError{Request: publishing, Text: "Some samples are invalid", Code: samplesRefused}
	for _, part := range parts {
		answered, err := t.publisher.publishPart(ctx, part)
		if err != nil {
			return accepted, err
		}
		accepted += answered.Accepted
		for _, detail := range append(answered.Details, answered.Refused...) {
			refused.Details = append(refused.Details, ErrorDetail{Path: shifted(detail.Path, sent), Message: detail.Message})
		}
		sent += len(part)
	}
	if len(refused.Details) > 0 {
		return accepted, refused
	}
	return accepted, nil
}

// Close closes the connection that samples are published over; the next sample opens another one.
func (t *Telemetry) Close() {
	t.publisher.turn <- struct{}{}
	defer func() { <-t.publisher.turn }()
	t.publisher.drop()
}

func (p *publisher) drop() {
	if p.current != nil {
		p.current.close()
		p.current = nil
	}
}

func (p *publisher) publishPart(ctx context.Context, part []json.RawMessage) (envelope, error) {
	for attempt := 1; ; attempt++ {
		answered, err := p.ask(ctx, part)
		isFirstRefusal := statusOf(err) == http.StatusUnauthorized && attempt == 1
		if err == nil || ctx.Err() != nil || attempt > p.channels.maxRetries || !isTemporary(err) && !isFirstRefusal {
			return answered, err
		}
		if err := sleep(ctx, waitBefore(attempt, retryAfterOf(err))); err != nil {
			return answered, err
		}
	}
}

// ask sends one message and waits for its answer, which may be that its samples are refused.
func (p *publisher) ask(ctx context.Context, part []json.RawMessage) (envelope, error) {
	if err := p.open(ctx); err != nil {
		return envelope{}, err
	}
	answered, err := p.current.ask(ctx, map[string]any{"action": "publish", "telemetry": part})
	var lost *ConnectionError
	if errors.As(err, &lost) {
		p.drop()
	}
	if err == nil && answered.Type == "error" && answered.Code != samplesRefused {
		return envelope{}, answered.refusal(publishing)
	}
	return answered, err
}

// open makes a connection if there is none, or none that can go on.
func (p *publisher) open(ctx context.Context) error {
	if p.current != nil {
		select {
		case <-p.ended:
			p.drop()
		default:
			return nil
		}
	}
	opened, err := p.channels.connect(ctx, channel{path: telemetryPath, subject: publishing}, &received{}, "")
	if err != nil {
		return err
	}
	p.current, p.ended = opened, make(chan struct{})
	go func(ended chan struct{}) {
		defer close(ended)
		// It ends with its connection.
		_ = opened.last(context.Background())
	}(p.ended)
	return nil
}

// partsOf splits samples into lists that each fit into a message.
func partsOf(samples []Sample) ([][]json.RawMessage, error) {
	var parts [][]json.RawMessage
	bytes := maxBytes
	for index, sample := range samples {
		text, err := json.Marshal(sample)
		if err != nil {
			return nil, fmt.Errorf("telemetry.%d: %w", index, err)
		}
		last := len(parts) - 1
		if last >= 0 && len(parts[last]) < maxSamples && bytes+len(text)+1 <= maxBytes {
			parts[last] = append(parts[last], text)
		} else {
			parts = append(parts, []json.RawMessage{text})
			bytes = 0
		}
		bytes += len(text) + 1
	}
	return parts, nil
}

var place = regexp.MustCompile(`^telemetry\.(\d+)`)

// shifted is a path of a part as that of the whole list: the service counts from the beginning of the part.
func shifted(path string, offset int) string {
	return place.ReplaceAllStringFunc(path, func(found string) string {
		index, err := strconv.Atoi(found[len("telemetry."):])
		if err != nil {
			return found
		}
		return fmt.Sprintf("telemetry.%d", index+offset)
	})
}
