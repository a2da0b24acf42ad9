package dronemission

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// A seen change is what a caller got.
type seen struct {
	status   JobStatus
	sequence int64
}

// readAll follows a job until its end.
func readAll(t *testing.T, client *Client, options FollowOptions) ([]seen, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var all []seen
	for message, err := range client.Jobs.Follow(ctx, "job-1", options) {
		if err != nil {
			return all, err
		}
		all = append(all, seen{message.JobState, message.Sequence})
	}
	return all, nil
}

var wholeStory = []seen{{JobStatusPENDING, 1}, {JobStatusQUEUED, 2}, {JobStatusCANCELLED, 3}}

func TestChannels(t *testing.T) {
	pending, queued, cancelled := jobState(1, "PENDING", ""), jobState(2, "QUEUED", ""), jobState(3, "CANCELLED", "")
	for _, each := range []struct {
		name string
		// connections are what each one brings before it is cut.
		connections [][]string
		// afters are the cursors that they were opened with.
		afters []string
		gaps   []Gap
	}{
		{"the state, then each change", [][]string{{pending, queued, cancelled}}, []string{""}, nil},
		{"a cut connection goes on after the last cursor", [][]string{{pending, queued}, {cancelled}}, []string{"", "event-2"}, nil},
		{"what comes again is dropped", [][]string{{pending, pending, queued}, {queued, `{"type":"heartbeat"}`, cancelled}}, []string{"", "event-2"}, nil},
		{"what is not known is passed over", [][]string{{pending, `{"type":"job.weather","sequence":9}`, "no JSON", queued, cancelled}}, []string{""}, nil},
		{
			"a log that no longer reaches back is a gap",
			[][]string{{pending}, {`{"type":"gap"}`, queued, cancelled}},
			[]string{"", "event-1"}, []Gap{{Cursor: "event-1"}},
		},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			afters := make(chan string, len(each.connections))
			_, client := newFakeChannel(t, func(_ context.Context, p peer, count int) {
				afters <- p.after
				p.say(t, each.connections[count-1]...)
			})
			var gaps []Gap
			lost := 0
			all, err := readAll(t, client, FollowOptions{
				OnGap:       func(gap Gap) { gaps = append(gaps, gap) },
				OnReconnect: func(error) { lost++ },
			})
			if err != nil || !slices.Equal(all, wholeStory) {
				t.Errorf("got %v, %v", all, err)
			}
			close(afters)
			var asked []string
			for after := range afters {
				asked = append(asked, after)
			}
			if !slices.Equal(asked, each.afters) || !slices.Equal(gaps, each.gaps) || lost != len(each.connections)-1 {
				t.Errorf("connected after %q, gaps %v, lost %d times", asked, gaps, lost)
			}
		})
	}
}

func TestCommandsAreToldBesideTheLoop(t *testing.T) {
	t.Parallel()
	told := `{"type":"command.status","commandId":"command-1","deviceId":"device-1","status":"DONE","sequence":2,"cursor":"event-9"}`
	_, client := newFakeChannel(t, func(_ context.Context, p peer, _ int) {
		p.say(t, jobState(1, "PENDING", ""), told, told, jobState(2, "QUEUED", ""), jobState(3, "CANCELLED", ""))
	})
	var commands []string
	all, err := readAll(t, client, FollowOptions{OnCommand: func(m CommandMessage) { commands = append(commands, m.CommandId) }})
	if err != nil || !slices.Equal(all, wholeStory) || !slices.Equal(commands, []string{"command-1"}) {
		t.Errorf("got %v, %v, commands %v", all, err, commands)
	}
}

func TestRefusedHandshakes(t *testing.T) {
	for _, each := range []struct {
		name     string
		statuses []int
		final    int
	}{
		{"a job that does not exist", []int{404}, 404},
		{"a token that is refused twice", []int{401, 401}, 401},
		{"a service that fails for a moment", []int{503, 404}, 404},
		{"no seat for a moment", []int{429, 403}, 403},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			service, client := newFakeService(t, func(w http.ResponseWriter, _ *http.Request, count int) {
				writeJSON(w, each.statuses[min(count, len(each.statuses))-1], map[string]string{"error": "No"})
			})
			_, err := readAll(t, client, FollowOptions{})
			if statusOf(err) != each.final {
				t.Errorf("got %v", err)
			}
			if asked, _ := service.asked(); len(asked) != len(each.statuses) {
				t.Errorf("asked %d times", len(asked))
			}
		})
	}
}

func TestAJobThatWasDeletedMeanwhileEndsTheLoop(t *testing.T) {
	t.Parallel()
	service, client := newFakeChannel(t, func(_ context.Context, p peer, _ int) { p.say(t, jobState(1, "PENDING", "")) })
	channel := service.answer
	service.answer = func(w http.ResponseWriter, r *http.Request, count int) {
		if count == 1 {
			channel(w, r, count)
			return
		}
		writeJSON(w, http.StatusNotFound, map[string]string{"error": "Job not found"})
	}
	if all, err := readAll(t, client, FollowOptions{}); err != nil || len(all) != 1 {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestAnOpenConnectionGoesOnWithANewToken(t *testing.T) {
	t.Parallel()
	service, client := newFakeChannel(t, func(ctx context.Context, p peer, count int) {
		if count > 1 {
			t.Error("connected again")
			return
		}
		p.say(t, jobState(1, "PENDING", ""), jobState(2, "QUEUED", ""))
		_, text, err := p.Read(ctx)
		if err != nil || string(text) != `{"action":"authenticate","id":1,"token":"token 2"}` {
			t.Errorf("got %s, %v", text, err)
		}
		p.say(t, `{"type":"authenticated","id":1}`, jobState(3, "CANCELLED", ""))
	})
	service.lifetime = 2 * time.Second
	if all, err := readAll(t, client, FollowOptions{}); err != nil || !slices.Equal(all, wholeStory) {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestAConnectionWhoseNewTokenIsNotTakenIsReplacedWithoutALoss(t *testing.T) {
	t.Parallel()
	service, client := newFakeChannel(t, func(ctx context.Context, p peer, count int) {
		if count > 1 {
			p.say(t, jobState(2, "QUEUED", ""), jobState(3, "CANCELLED", ""))
			return
		}
		p.say(t, jobState(1, "PENDING", ""))
		_, _, _ = p.Read(ctx)
		p.say(t, `{"type":"error","id":1,"code":"internal_error","error":"No"}`)
		// It is open until the other one has brought a message.
		_, _, _ = p.Read(ctx)
	})
	service.lifetime = 2 * time.Second
	all, err := readAll(t, client, FollowOptions{OnReconnect: func(err error) { t.Errorf("lost: %v", err) }})
	if err != nil || !slices.Equal(all, wholeStory) {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestASilentConnectionIsReplaced(t *testing.T) {
	t.Parallel()
	service, client := newFakeChannel(t, func(ctx context.Context, p peer, count int) {
		if count > 1 {
			p.say(t, jobState(2, "QUEUED", ""), jobState(3, "CANCELLED", ""))
			return
		}
		p.say(t, jobState(1, "PENDING", ""))
		for {
			if _, _, err := p.Read(ctx); err != nil {
				return
			}
		}
	})
	impatient, err := New(Options{
		BaseURL: service.URL, WSURL: client.Jobs.channels.wsURL, PingAfter: 100 * time.Millisecond,
		Token: func(context.Context) (string, time.Duration, error) { return "token", time.Hour, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := readAll(t, impatient, FollowOptions{}); err != nil || !slices.Equal(all, wholeStory) {
		t.Errorf("got %v, %v", all, err)
	}
}

func TestTheContextEndsALoop(t *testing.T) {
	t.Parallel()
	_, client := newFakeChannel(t, func(ctx context.Context, p peer, _ int) {
		p.say(t, jobState(1, "PENDING", ""))
		_, _, _ = p.Read(ctx)
	})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var last error
	for _, err := range client.Jobs.Follow(ctx, "job-1", FollowOptions{}) {
		last = err
		cancel()
	}
	if !errors.Is(last, context.Canceled) {
		t.Errorf("got %v", last)
	}
}

func TestFollowsTelemetryInBatches(t *testing.T) {
	t.Parallel()
	sample := func(sequence int, more string) string {
		return fmt.Sprintf(`{"type":"device.telemetry","deviceId":"device-1","deviceGroupId":"group-1","sequence":%d,"timestamp":"2026-11-27T10:30:15.000Z","receivedAt":"2026-11-27T10:30:15.250Z"%s}`, sequence, more)
	}
	_, client := newFakeChannel(t, func(ctx context.Context, p peer, _ int) {
		_, text, err := p.Read(ctx)
		if err != nil || string(text) != `{"action":"subscribe","batch":true,"deviceGroupId":"group-1"}` {
			t.Errorf("got %s, %v", text, err)
		}
		batch := fmt.Sprintf(`{"type":"device.telemetry.batch","samples":[%s,%s,%s]}`, sample(4, ""), sample(5, ""), sample(5, ""))
		p.say(t, `{"type":"subscribed"}`, sample(4, `,"snapshot":true,"age":1.5`), `{"type":"snapshot.end","count":1}`, batch)
		_, _, _ = p.Read(ctx)
	})
	var ages []time.Duration
	for message, err := range client.Telemetry.Follow(t.Context(), TelemetrySource{DeviceGroupID: "group-1"}, FollowOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if ages = append(ages, message.Age()); message.Sequence == 5 {
			break
		}
	}
	if !slices.Equal(ages, []time.Duration{1500 * time.Millisecond, 250 * time.Millisecond}) {
		t.Errorf("ages %v", ages)
	}
}

func TestTheLogIsReadFromBeforeWhatMayStillComeInAnotherOrder(t *testing.T) {
	began := time.Now()
	for _, each := range []struct {
		name string
		// after is the cursor that the caller had kept, and noted are those that came, with the seconds since the beginning.
		after string
		noted map[string]int
		want  string
	}{
		{"nothing yet", "", nil, ""},
		{"what the caller had kept", "event-1", nil, "event-1"},
		{"it counts until later ones are settled", "event-1", map[string]int{"event-2": 0, "event-3": 9}, "event-1"},
		{"then the last settled one", "event-1", map[string]int{"event-2": 0, "event-3": 9, "event-4": 10}, "event-2"},
		{"a lower one that comes late", "", map[string]int{"event-3": 0, "event-2": 11}, "event-3"},
	} {
		t.Run(each.name, func(t *testing.T) {
			r := received{cursor: each.after}
			for second := range 12 {
				for cursor, at := range each.noted {
					if at == second {
						r.noteCursor(cursor, began.Add(time.Duration(at)*time.Second))
					}
				}
			}
			if got := r.settledAfter(); got != each.want {
				t.Errorf("it is read after %q", got)
			}
		})
	}
}
