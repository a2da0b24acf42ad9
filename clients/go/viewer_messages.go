package dronemission

import (
	"encoding/json"
	"time"
)

// A ViewerMessage is what a viewer of a share receives: a WatchedShare, a ShareVideo, a TelemetryMessage or a ControlOutcome.
type ViewerMessage interface{ viewerMessage() }

func (WatchedShare) viewerMessage()     {}
func (ShareVideo) viewerMessage()       {}
func (TelemetryMessage) viewerMessage() {}
func (ControlOutcome) viewerMessage()   {}

// A WatchedShare is the state of the share that a viewer watches. ShareType, Permissions and Commands are in the first
// message only.
type WatchedShare struct {
	ShareCode string `json:"shareCode"`
	// ShareState is ACTIVE; in the final message REVOKED or EXPIRED.
	ShareState     ShareEventShareState `json:"shareState"`
	CurrentViewers int                  `json:"currentViewers"`
	MaxViewers     int                  `json:"maxViewers"`
	ExpiresAt      time.Time            `json:"expiresAt"`
	Sequence       int64                `json:"sequence"`
	Timestamp      time.Time            `json:"timestamp"`
	Snapshot       bool                 `json:"snapshot"`
	Deleted        bool                 `json:"deleted"`
	ShareType      ShareType            `json:"shareType"`
	// Permissions: what the viewer may do.
	Permissions []Permission `json:"permissions"`
	// Commands that the viewer may send, if the share names them; without them all but LAND.
	Commands []string `json:"commands"`
}

// A ShareVideo says where the live video can be played, for five minutes: ask for another one before its end.
type ShareVideo struct {
	// Playback is nil while the device has no video.
	Playback *Playback `json:"playback"`
	// Code is no_video_stream while there is nothing to play.
	Code string `json:"code"`
	// Error is a text for people while there is nothing to play.
	Error string `json:"error"`
}

// A ControlOutcome is what has become of a command of a viewer.
type ControlOutcome struct {
	// RequestID is what Control returned.
	RequestID string `json:"requestId"`
	DeviceID  string `json:"deviceId"`
	// Name of the command.
	Name string `json:"name"`
	// Outcome is DELIVERED (begun), DONE, REFUSED, FAILED, TIMED_OUT (nobody knows) or SUPERSEDED.
	Outcome string `json:"outcome"`
	// Reason why it was refused or has failed, if the platform says so. Accept others than those that you know.
	Reason    string    `json:"reason"`
	Timestamp time.Time `json:"timestamp"`
}

// A DeviceFlight is the flight that a shared device is in.
type DeviceFlight struct {
	DeviceName string `json:"deviceName"`
	// JobName is empty when the device flies no job.
	JobName string `json:"jobName"`
	// Place is where the device flies to for its job; nil when there is none.
	Place *FlightPlace `json:"place"`
	// Route to the place, as longitude and latitude in degrees.
	Route [][2]float64 `json:"route"`
	// TakeOff is nil when the device is not in flight.
	TakeOff *TakeOff `json:"takeOff"`
	// Track since the take-off, oldest position first, five seconds apart or more. It is empty when the device is not in flight.
	Track []FlightPoint `json:"track"`
}

// A FlightPlace is where a device flies to.
type FlightPlace struct {
	// Coordinates are longitude and latitude in degrees.
	Coordinates     [2]float64      `json:"coordinates"`
	ActionOnArrival ActionOnArrival `json:"actionOnArrival"`
}

// A TakeOff began a flight.
type TakeOff struct {
	Timestamp time.Time `json:"timestamp"`
	// Altitude in metres above mean sea level.
	Altitude float64 `json:"altitude"`
}

// A FlightPoint is a position of a flight.
type FlightPoint struct {
	Timestamp time.Time `json:"timestamp"`
	// Coordinates are longitude and latitude in degrees, and the altitude in metres above mean sea level.
	Coordinates [3]float64 `json:"coordinates"`
	// GroundSpeed in metres per second; nil when it is not known.
	GroundSpeed *float64 `json:"groundSpeed"`
}

// readViewerMessage passes over what a later service may send.
func readViewerMessage(m envelope) (ViewerMessage, bool, error) {
	switch m.Type {
	case "share.status":
		return viewerMessageOf[WatchedShare](m)
	case "share.playback":
		return viewerMessageOf[ShareVideo](m)
	case deviceTelemetry:
		return viewerMessageOf[TelemetryMessage](m)
	case "control.outcome":
		return viewerMessageOf[ControlOutcome](m)
	}
	return nil, false, nil
}

func viewerMessageOf[Message ViewerMessage](m envelope) (ViewerMessage, bool, error) {
	var message Message
	err := json.Unmarshal(m.text, &message)
	return message, true, err
}
