package dronemission

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// WatchOptions are what a viewer may want beside the messages. The functions are called one at a time.
type WatchOptions struct {
	// HTTPClient opens the channel; http.DefaultClient without it.
	HTTPClient *http.Client
	// OnReconnect is told when the connection is lost and will be made again.
	OnReconnect func(error)
	// OnGap is told when changes were missed.
	OnGap func(Gap)
}

// A ShareView is what a viewer sees of a share, and what a viewer may do. All methods but Messages work only while the
// messages are read.
type ShareView struct {
	messages iter.Seq2[ViewerMessage, error]
	line     *line
}

// answerWithin and viewerRetries are those of a client without options.
const answerWithin, viewerRetries = 30 * time.Second, 4

// WatchShare shows what a viewer of a share link sees, without a token. The code is the last part of the link. It
// connects when the messages are read.
func WatchShare(ctx context.Context, wsURL, shareCode string, options WatchOptions) *ShareView {
	view := &ShareView{line: newLine()}
	view.messages = func(yield func(ViewerMessage, error) bool) {
		defer view.line.end()
		address, err := addressOf("wsURL", wsURL, "wss", "ws")
		if err == nil && shareCode == "" {
			err = errors.New("shareCode is missing: it is the last part of the share link")
		}
		if err != nil {
			yield(nil, err)
			return
		}
		watched := channel{
			path:    telemetryPath + "?shareCode=" + url.QueryEscape(shareCode),
			subject: "Watching a share",
			isLast:  isEndOfShare,
			opened:  view.line.connect,
		}
		told := FollowOptions{OnReconnect: options.OnReconnect, OnGap: options.OnGap}
		follow(ctx, viewerChannels(address, options.HTTPClient), watched, told, readViewerMessage)(yield)
	}
	return view
}

func viewerChannels(wsURL string, client *http.Client) *channels {
	if client == nil {
		client = http.DefaultClient
	}
	// A viewer needs no token.
	none := func(context.Context) (string, time.Duration, error) { return "", 2 * replaceAfter, nil }
	return &channels{
		wsURL: wsURL, tokens: &tokenSource{issue: none}, http: client,
		pingAfter: time.Minute, maxRetries: viewerRetries, answerWithin: answerWithin,
	}
}

// Messages returns the share, its video if it has one, the device's last known state, then every change and every
// sample. It ends when the share is revoked or expires. Lost connections are made again.
func (v *ShareView) Messages() iter.Seq2[ViewerMessage, error] { return v.messages }

// Control sends a command to the drone, once: nothing is repeated, and after a ConnectionError it may have been
// executed. The share must permit it. It returns the RequestID that the ControlOutcome will have: the command was taken
// by the service, not yet executed.
func (v *ShareView) Control(ctx context.Context, command DeviceCommand) (string, error) {
	body, err := bodyOf(command)
	if err != nil {
		return "", err
	}
	var accepted struct {
		RequestID string `json:"requestId"`
	}
	err = v.ask(ctx, "The command", map[string]any{"action": "control", "command": body}, &accepted)
	return accepted.RequestID, err
}

// TakeControl holds the control of the drone for a minute, and returns until when: commands of other viewers are
// refused. Call it again to go on holding it; it ends with the connection, too. An APIError with the code held_by says
// that somebody else holds it.
func (v *ShareView) TakeControl(ctx context.Context) (time.Time, error) {
	var taken struct {
		Until time.Time `json:"until"`
	}
	err := v.ask(ctx, "The control", map[string]any{"action": "takeControl"}, &taken)
	return taken.Until, err
}

// ReleaseControl ends what TakeControl began.
func (v *ShareView) ReleaseControl(ctx context.Context) error {
	return v.ask(ctx, "The release of the control", map[string]any{"action": "releaseControl"}, &struct{}{})
}

// Playback returns a new address of the live video, for when that of the ShareVideo ends. It is nil when the device has
// no video. The share must be of the type STREAM.
func (v *ShareView) Playback(ctx context.Context) (*Playback, error) {
	var video ShareVideo
	err := v.ask(ctx, "The live video", map[string]any{"action": "playback"}, &video)
	return video.Playback, err
}

// Flight returns the names of the device and its job, and the flight that it is in.
func (v *ShareView) Flight(ctx context.Context) (DeviceFlight, error) {
	var flight DeviceFlight
	err := v.ask(ctx, "The flight", map[string]any{"action": "flight"}, &flight)
	return flight, err
}

// ask reads the answer to a message; an APIError has the code of a refusal.
func (v *ShareView) ask(ctx context.Context, subject string, message map[string]any, answer any) error {
	over, err := v.line.get(ctx)
	if err != nil {
		return err
	}
	answered, err := over.ask(ctx, message)
	if err != nil {
		return err
	}
	if answered.Type == "error" {
		return answered.refusal(subject)
	}
	return json.Unmarshal(answered.text, answer)
}

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
