package dronemission

import (
	"context"
	"iter"
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
