package dronemission

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// sharing is a message about the share that is watched.
func sharing(sequence int, state string, more string) string {
	return fmt.Sprintf(`{"type":"share.status","shareCode":"code","shareState":%q,"currentViewers":1,"maxViewers":10,"expiresAt":"2026-11-27T11:30:15.123Z","sequence":%d,"timestamp":"2026-11-27T10:30:15.123Z"%s}`,
		state, sequence, more)
}

// newView watches a share that serve shows; see newFakeChannel.
func newView(t *testing.T, serve func(ctx context.Context, p peer, count int)) (*fakeService, *ShareView) {
	t.Helper()
	service, client := newFakeChannel(t, serve)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return service, WatchShare(ctx, client.Jobs.channels.wsURL, "code", WatchOptions{})
}

func TestAViewerSeesTheShareItsVideoItsDeviceAndItsCommands(t *testing.T) {
	t.Parallel()
	service, view := newView(t, func(_ context.Context, p peer, _ int) {
		p.say(t,
			sharing(1, "ACTIVE", `,"snapshot":true,"shareType":"STREAM","permissions":["view","control"],"commands":["PAUSE"]`),
			`{"type":"share.playback","playback":null,"code":"no_video_stream","error":"The device has no video stream"}`,
			`{"type":"device.telemetry","deviceId":"device-1","sequence":7,"receivedAt":"2026-11-27T10:30:15.208Z","timestamp":"2026-11-27T10:30:15.123Z","droneState":"HOVER"}`,
			`{"type":"share.weather","sequence":9}`,
			`{"type":"control.outcome","requestId":"command-1","deviceId":"device-1","name":"PAUSE","outcome":"REFUSED","reason":"DEVICE_BUSY","timestamp":"2026-11-27T10:30:16.000Z"}`,
			sharing(2, "REVOKED", `,"deleted":true`))
	})
	var all []ViewerMessage
	for message, err := range view.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, message)
	}
	var kinds []string
	for _, message := range all {
		kinds = append(kinds, reflect.TypeOf(message).Name())
	}
	if !slices.Equal(kinds, []string{"WatchedShare", "ShareVideo", "TelemetryMessage", "ControlOutcome", "WatchedShare"}) {
		t.Fatalf("saw %v", kinds)
	}
	first, video, sample, outcome := all[0].(WatchedShare), all[1].(ShareVideo), all[2].(TelemetryMessage), all[3].(ControlOutcome)
	if !first.Snapshot || first.ShareType != STREAM || len(first.Permissions) != 2 || !slices.Equal(first.Commands, []string{"PAUSE"}) {
		t.Errorf("share %+v", first)
	}
	if video.Playback != nil || video.Code != "no_video_stream" || *sample.DroneState != "HOVER" || outcome.Reason != "DEVICE_BUSY" {
		t.Errorf("saw %+v, %+v, %+v", video, sample, outcome)
	}
	requests, tokens := service.asked()
	if asked := requests[0]; asked.URL.String() != "/telemetry?shareCode=code" || asked.Header.Get("Authorization") != "" || tokens != 0 {
		t.Errorf("asked for %s, with %v", asked.URL, asked.Header)
	}
}

func TestAViewersLostConnectionIsMadeAgain(t *testing.T) {
	t.Parallel()
	_, view := newView(t, func(_ context.Context, p peer, count int) {
		p.say(t, sharing(1, "ACTIVE", `,"snapshot":true`))
		if count == 2 {
			p.say(t, sharing(1, "REVOKED", `,"deleted":true`))
		}
	})
	var states []string
	for message, err := range view.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, string(message.(WatchedShare).ShareState))
	}
	if !slices.Equal(states, []string{"ACTIVE", "REVOKED"}) {
		t.Errorf("saw %v", states)
	}
}

// A step is what a viewer does, and how that went.
type step func(context.Context, *ShareView) (any, error)

func TestAViewerActsWhileTheMessagesAreRead(t *testing.T) {
	until := time.Date(2026, 11, 27, 10, 31, 15, 123e6, time.UTC)
	for _, each := range []struct {
		name string
		do   step
		// asked is what the service gets, and answer what it says; without one the connection breaks.
		asked, answer string
		want          any
		problem       string
	}{
		{
			"a command",
			func(ctx context.Context, view *ShareView) (any, error) { return view.Control(ctx, PauseCommand{}) },
			`{"action":"control","command":{"name":"PAUSE"},"id":1}`, `{"type":"accepted","requestId":"command-1","id":1}`, "command-1", "",
		},
		{
			"a command of the platform's own",
			func(ctx context.Context, view *ShareView) (any, error) {
				return view.Control(ctx, OwnCommand{Name: "x-light", AdditionalProperties: map[string]any{"on": true}})
			},
			`{"action":"control","command":{"name":"x-light","on":true},"id":1}`, `{"type":"accepted","requestId":"command-2","id":1}`, "command-2", "",
		},
		{
			"a command that is refused",
			func(ctx context.Context, view *ShareView) (any, error) { return view.Control(ctx, LandCommand{}) },
			`{"action":"control","command":{"name":"LAND"},"id":1}`,
			`{"type":"error","code":"held_by","error":"Another viewer holds the drone","id":1}`, "",
			"The command was refused: Another viewer holds the drone",
		},
		{
			"a command whose answer is lost",
			func(ctx context.Context, view *ShareView) (any, error) { return view.Control(ctx, PauseCommand{}) },
			`{"action":"control","command":{"name":"PAUSE"},"id":1}`, "", "", "could not be reached",
		},
		{
			"the control",
			func(ctx context.Context, view *ShareView) (any, error) { return view.TakeControl(ctx) },
			`{"action":"takeControl","id":1}`, `{"type":"control.taken","until":"2026-11-27T10:31:15.123Z","id":1}`, until, "",
		},
		{
			"the end of the control",
			func(ctx context.Context, view *ShareView) (any, error) { return nil, view.ReleaseControl(ctx) },
			`{"action":"releaseControl","id":1}`, `{"type":"control.released","id":1}`, nil, "",
		},
		{
			"the video",
			func(ctx context.Context, view *ShareView) (any, error) { return view.Playback(ctx) },
			`{"action":"playback","id":1}`,
			`{"type":"share.playback","playback":{"protocol":"HLS","url":"https://video.example/1","expiresAt":"2026-11-27T10:31:15.123Z"},"id":1}`,
			&Playback{Protocol: HLS, Url: "https://video.example/1", ExpiresAt: until}, "",
		},
		{
			"no video",
			func(ctx context.Context, view *ShareView) (any, error) { return view.Playback(ctx) },
			`{"action":"playback","id":1}`, `{"type":"share.playback","playback":null,"code":"no_video_stream","id":1}`, (*Playback)(nil), "",
		},
		{
			"the flight",
			func(ctx context.Context, view *ShareView) (any, error) { return view.Flight(ctx) },
			`{"action":"flight","id":1}`,
			`{"type":"share.flight","deviceName":"Kestrel 1","place":{"coordinates":[8.54,47.37],"actionOnArrival":"HOVER"},"route":[[8.5,47.3],[8.54,47.37]],` +
				`"takeOff":{"timestamp":"2026-11-27T10:31:15.123Z","altitude":443.2},"track":[{"timestamp":"2026-11-27T10:31:15.123Z","coordinates":[8.5,47.3,443.4]}],"id":1}`,
			DeviceFlight{
				DeviceName: "Kestrel 1", Place: &FlightPlace{[2]float64{8.54, 47.37}, "HOVER"}, Route: [][2]float64{{8.5, 47.3}, {8.54, 47.37}},
				TakeOff: &TakeOff{until, 443.2}, Track: []FlightPoint{{until, [3]float64{8.5, 47.3, 443.4}, nil}},
			}, "",
		},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			_, view := newView(t, func(ctx context.Context, p peer, count int) {
				if count > 1 {
					p.say(t, sharing(2, "REVOKED", ""))
					return
				}
				p.say(t, sharing(1, "ACTIVE", `,"snapshot":true`))
				_, text, err := p.Read(ctx)
				if err != nil || string(text) != each.asked {
					t.Errorf("asked %s, %v", text, err)
				}
				if each.answer != "" {
					p.say(t, each.answer, sharing(2, "REVOKED", ""))
				}
			})
			done := 0
			for _, err := range view.Messages() {
				if err != nil {
					t.Fatal(err)
				}
				if done++; done > 1 {
					break
				}
				got, err := each.do(t.Context(), view)
				hasFailed := err != nil && each.problem != "" && strings.Contains(err.Error(), each.problem)
				if err == nil && each.problem != "" || err != nil && !hasFailed || !reflect.DeepEqual(got, each.want) {
					t.Errorf("got %v, %v", got, err)
				}
			}
		})
	}
}

func TestARefusalToAViewerHasItsCode(t *testing.T) {
	t.Parallel()
	_, view := newView(t, func(ctx context.Context, p peer, _ int) {
		p.say(t, sharing(1, "ACTIVE", `,"snapshot":true`))
		_, _, _ = p.Read(ctx)
		p.say(t, `{"type":"error","code":"forbidden","error":"Forbidden","id":1}`)
		_, _, _ = p.Read(ctx)
	})
	for _, err := range view.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		var refused *APIError
		if _, err := view.Control(t.Context(), LandCommand{}); !errors.As(err, &refused) || refused.Code != "forbidden" {
			t.Errorf("got %v", err)
		}
		break
	}
	if _, err := view.TakeControl(t.Context()); err == nil || !strings.Contains(err.Error(), "no longer watched") {
		t.Errorf("after its end: %v", err)
	}
}

func TestAViewerWhoseMessagesAreNotReadMayGiveUp(t *testing.T) {
	t.Parallel()
	view := WatchShare(t.Context(), "wss://channels.example", "code", WatchOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := view.Flight(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestSharesThatCannotBeWatched(t *testing.T) {
	for _, each := range []struct{ name, wsURL, code, want string }{
		{"an address of another kind", "https://channels.example", "code", "wsURL must be an address"},
		{"a share link as the address", "https://channels.example/s/secret", "code", "wsURL must be an address"},
		{"no code", "wss://channels.example", "", "shareCode is missing"},
		{"an unknown code", "", "code", "Watching a share was refused with 404: Share not found"},
		{"nothing answers", "ws://127.0.0.1:1", "secret", "connection refused"},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			_, client := newFakeService(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				writeJSON(w, http.StatusNotFound, map[string]string{"error": "Share not found"})
			})
			if each.wsURL == "" {
				each.wsURL = client.Jobs.channels.wsURL
			}
			var last error
			for _, err := range WatchShare(t.Context(), each.wsURL, each.code, WatchOptions{}).Messages() {
				last = err
			}
			if last == nil || !strings.Contains(last.Error(), each.want) || strings.Contains(last.Error(), "secret") {
				t.Errorf("got %v", last)
			}
		})
	}
}
