package dronemission_test

import (
	"context"
	"errors"
	"iter"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	dronemission "drone-mission-api/clients/go"
)

// overEach runs a test over each protocol of status channels.
func overEach(t *testing.T, test func(t *testing.T, over dronemission.Protocol)) {
	for name, over := range map[string]dronemission.Protocol{"WSS": dronemission.WSS, "MQTTS": dronemission.MQTTS} {
		t.Run(name, func(t *testing.T) { test(t, over) })
	}
}

// stackOptions are those of newClient.
func stackOptions() dronemission.Options {
	return dronemission.Options{
		BaseURL: stack["BASE_URL"], WSURL: stack["WS_URL"], MQTTURL: stack["MQTT_URL"], CAFile: stack["CA_FILE"],
		ClientID: stack["CLIENT_ID"], ClientSecret: stack["CLIENT_SECRET"], APIKey: stack["API_KEY"],
	}
}

// newClientBehindAProxy makes a client whose channels can be disturbed.
func newClientBehindAProxy(t *testing.T, over dronemission.Protocol, pingAfter time.Duration) (*proxy, *dronemission.Client) {
	t.Helper()
	options := stackOptions()
	address := &options.WSURL
	if over == dronemission.MQTTS {
		address = &options.MQTTURL
	}
	stands := newProxy(t, *address)
	*address = stands.url
	options.PingAfter = pingAfter
	client, err := dronemission.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return stands, client
}

// aMinute is longer than what a test waits for takes.
func aMinute(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// setStates moves a job on as its drone would.
func setStates(t *testing.T, client *dronemission.Client, jobID string, states ...dronemission.JobStatus) {
	t.Helper()
	for _, state := range states {
		if _, err := client.Jobs.Update(t.Context(), jobID, dronemission.UpdateJobRequest{Status: &state}, 0); err != nil {
			t.Fatal(err)
		}
	}
}

// until returns the messages up to the one that brings a state of a job.
func until(t *testing.T, next func() (dronemission.JobMessage, error, bool), state dronemission.JobStatus) []dronemission.JobMessage {
	t.Helper()
	var all []dronemission.JobMessage
	for {
		message, err, isOpen := next()
		if err != nil || !isOpen {
			t.Fatalf("got no %s after %v: %v", state, all, err)
		}
		if all = append(all, message); message.JobState == state {
			return all
		}
	}
}

func TestFollowsAJobToItsEndAndReadsTheLog(t *testing.T) {
	overEach(t, func(t *testing.T, over dronemission.Protocol) {
		client, ctx := newClient(t), aMinute(t)
		job, _ := newJob(t, client)
		var states []dronemission.JobStatus
		var first string
		for message, err := range client.Jobs.Follow(ctx, job.JobId, dronemission.FollowOptions{Over: over}) {
			if err != nil {
				t.Fatal(err)
			}
			if states = append(states, message.JobState); first == "" {
				first = message.Cursor
				if _, err := client.Jobs.Cancel(ctx, job.JobId); err != nil {
					t.Fatal(err)
				}
			}
		}
		want := []dronemission.JobStatus{dronemission.JobStatusPENDING, dronemission.JobStatusCANCELLED}
		if !slices.Equal(states, want) {
			t.Errorf("followed %v", states)
		}
		for message, err := range client.Jobs.Follow(ctx, job.JobId, dronemission.FollowOptions{Over: over, After: first}) {
			if err != nil || !message.Replayed || message.JobState != dronemission.JobStatusCANCELLED {
				t.Errorf("after a restart: %v, %v", message, err)
			}
		}
		for event, err := range client.Events.Follow(ctx, dronemission.FollowEventsOptions{After: first}) {
			if err != nil {
				t.Fatal(err)
			}
			change, err := event.AsJobEvent()
			if kind, _ := event.Type(); err == nil && kind == "job.status" && change.JobId == job.JobId && change.JobState == dronemission.JobStatusCANCELLED {
				break
			}
		}
		if timeline, err := client.Jobs.Events(ctx, job.JobId); err != nil || len(timeline) != 2 {
			t.Errorf("timeline %v, %v", timeline, err)
		}
	})
}

func TestWhatWasMissedIsReplayed(t *testing.T) {
	overEach(t, func(t *testing.T, over dronemission.Protocol) {
		client, ctx := newClient(t), aMinute(t)
		stands, disturbed := newClientBehindAProxy(t, over, 0)
		job, _ := newJob(t, client)
		// What is published only after the new connection would not have been missed.
		witness, end := iter.Pull2(client.Jobs.Follow(ctx, job.JobId, dronemission.FollowOptions{Over: over}))
		defer end()
		until(t, witness, dronemission.JobStatusPENDING)
		next, stop := iter.Pull2(disturbed.Jobs.Follow(ctx, job.JobId, dronemission.FollowOptions{
			Over: over, OnGap: func(gap dronemission.Gap) { t.Errorf("a gap: %v", gap) },
		}))
		defer stop()
		all := until(t, next, dronemission.JobStatusPENDING)
		stands.cut()
		setStates(t, client, job.JobId, dronemission.JobStatusQUEUED, dronemission.JobStatusINPROGRESS)
		until(t, witness, dronemission.JobStatusINPROGRESS)
		stands.mend()
		all = append(all, until(t, next, dronemission.JobStatusINPROGRESS)...)
		var replayed []bool
		for _, message := range all {
			replayed = append(replayed, message.Replayed)
		}
		if len(all) != 3 || all[1].JobState != dronemission.JobStatusQUEUED || !slices.Equal(replayed, []bool{false, true, true}) {
			t.Errorf("got %v", all)
		}
	})
}

func TestAJobThatIsDeletedWhileNobodyListensEndsTheLoop(t *testing.T) {
	overEach(t, func(t *testing.T, over dronemission.Protocol) {
		client, ctx := newClient(t), aMinute(t)
		stands, disturbed := newClientBehindAProxy(t, over, 0)
		job, _ := newJob(t, client)
		for _, err := range disturbed.Jobs.Follow(ctx, job.JobId, dronemission.FollowOptions{Over: over}) {
			if err != nil {
				t.Fatal(err)
			}
			stands.cut()
			// The last message, too, comes here.
			if err := client.Jobs.Delete(ctx, job.JobId); err != nil && !isStatus(err, 404) {
				t.Fatal(err)
			}
			stands.mend()
		}
	})
}

func isStatus(err error, status int) bool {
	var refused *dronemission.APIError
	return errors.As(err, &refused) && refused.Status == status
}

func TestAConnectionThatIsOpenButDeadIsMadeAgain(t *testing.T) {
	overEach(t, func(t *testing.T, over dronemission.Protocol) {
		client, ctx := newClient(t), aMinute(t)
		stands, disturbed := newClientBehindAProxy(t, over, time.Second)
		job, _ := newJob(t, client)
		lost := make(chan struct{}, 100)
		next, stop := iter.Pull2(disturbed.Jobs.Follow(ctx, job.JobId, dronemission.FollowOptions{
			Over: over, OnReconnect: func(error) { lost <- struct{}{} },
		}))
		defer stop()
		until(t, next, dronemission.JobStatusPENDING)
		stands.stall()
		setStates(t, client, job.JobId, dronemission.JobStatusQUEUED)
		select {
		case <-lost:
		case <-ctx.Done():
			t.Fatal("it is taken for alive")
		}
		stands.mend()
		until(t, next, dronemission.JobStatusQUEUED)
	})
}

func TestASessionIsReplacedBeforeItsTokenEnds(t *testing.T) {
	client, ctx := newClient(t), aMinute(t)
	options := stackOptions()
	stands := newProxy(t, options.MQTTURL)
	options.MQTTURL = stands.url
	// A token that lasts longer than it says: the broker would refuse one that doesn't.
	options.Token = func(ctx context.Context) (string, time.Duration, error) {
		token, err := client.AccessToken(ctx)
		return token, 3 * time.Second, err
	}
	renewing, err := dronemission.New(options)
	if err != nil {
		t.Fatal(err)
	}
	job, _ := newJob(t, client)
	next, stop := iter.Pull2(renewing.Jobs.Follow(ctx, job.JobId, dronemission.FollowOptions{
		Over:        dronemission.MQTTS,
		OnReconnect: func(err error) { t.Errorf("lost: %v", err) },
		OnGap:       func(gap dronemission.Gap) { t.Errorf("a gap: %v", gap) },
	}))
	defer stop()
	all := until(t, next, dronemission.JobStatusPENDING)
	for range 2 {
		select {
		case <-stands.opened:
		case <-ctx.Done():
			t.Fatal("no second session")
		}
	}
	setStates(t, client, job.JobId, dronemission.JobStatusQUEUED, dronemission.JobStatusINPROGRESS)
	if all = append(all, until(t, next, dronemission.JobStatusINPROGRESS)...); len(all) != 3 {
		t.Errorf("got %v", all)
	}
}

func TestACursorThatTheServiceDoesNotKnowIsAGap(t *testing.T) {
	overEach(t, func(t *testing.T, over dronemission.Protocol) {
		client := newClient(t)
		job, _ := newJob(t, client)
		unknown := "event-00000000-0000000001"
		var gaps []dronemission.Gap
		for message, err := range client.Jobs.Follow(aMinute(t), job.JobId, dronemission.FollowOptions{
			Over: over, After: unknown, OnGap: func(gap dronemission.Gap) { gaps = append(gaps, gap) },
		}) {
			if err != nil || message.JobState != dronemission.JobStatusPENDING {
				t.Errorf("got %v, %v", message, err)
			}
			break
		}
		if !slices.Equal(gaps, []dronemission.Gap{{Cursor: unknown}}) {
			t.Errorf("gaps %v", gaps)
		}
	})
}

func TestAChannelThatHasEndedLeavesNothingRunning(t *testing.T) {
	overEach(t, func(t *testing.T, over dronemission.Protocol) {
		client, ctx := newClient(t), aMinute(t)
		job, _ := newJob(t, client)
		follow := func() {
			for _, err := range client.Jobs.Follow(ctx, job.JobId, dronemission.FollowOptions{Over: over}) {
				if err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		// What the client keeps is there after the first time.
		follow()
		before := runtime.NumGoroutine()
		for range 5 {
			follow()
		}
		// Two are those of an idle connection for requests.
		for runtime.NumGoroutine() > before+2 {
			select {
			case <-time.After(100 * time.Millisecond):
			case <-ctx.Done():
				t.Fatalf("%d goroutines have become %d", before, runtime.NumGoroutine())
			}
		}
	})
}

func TestAGroupYieldsEachOfItsDevices(t *testing.T) {
	overEach(t, func(t *testing.T, over dronemission.Protocol) {
		client := newClient(t)
		groups, err := client.DeviceGroups.List(t.Context())
		if err != nil || len(groups) == 0 {
			t.Fatalf("device groups: %v, %v", groups, err)
		}
		missing := map[string]bool{}
		for _, device := range groups[0].Devices {
			missing[device.DeviceId] = true
		}
		for message, err := range client.DeviceGroups.Follow(aMinute(t), groups[0].DeviceGroupId, dronemission.FollowOptions{Over: over}) {
			if err != nil || !message.Snapshot || !missing[message.DeviceId] {
				t.Fatalf("got %v, %v; not seen yet: %v", message, err, missing)
			}
			if delete(missing, message.DeviceId); len(missing) == 0 {
				break
			}
		}
	})
}

func TestSharesADeviceAndFollowsTheShareToItsEnd(t *testing.T) {
	overEach(t, func(t *testing.T, over dronemission.Protocol) {
		client, ctx := newClient(t), aMinute(t)
		share, err := client.Shares.Create(ctx, dronemission.CreateShareRequest{
			ResourceId: firstDevice(t, client), ShareType: dronemission.DEVICESTATUS,
		})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := client.Shares.Get(ctx, share.ShareCode); err != nil || found.MaxViewers != share.MaxViewers {
			t.Errorf("got %v, %v", found, err)
		}
		if resources, err := client.Shares.Resources(ctx, share.ShareCode); err != nil || len(resources) != 1 {
			t.Errorf("resources %v, %v", resources, err)
		}
		var states []string
		for message, err := range client.Shares.Follow(ctx, share.ShareCode, dronemission.FollowOptions{Over: over}) {
			if err != nil {
				t.Fatal(err)
			}
			if states = append(states, string(message.ShareState)); len(states) == 1 {
				if err := client.Shares.Revoke(ctx, share.ShareCode); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !slices.Equal(states, []string{"ACTIVE", "REVOKED"}) {
			t.Errorf("followed %v", states)
		}
	})
}

func TestAJobThatDoesNotExistIsRefused(t *testing.T) {
	overEach(t, func(t *testing.T, over dronemission.Protocol) {
		client := newClient(t)
		job, _ := newJob(t, client)
		// Of the same organisation.
		unknown := job.JobId[:len(job.JobId)-6] + "zzzzzz"
		for message, err := range client.Jobs.Follow(aMinute(t), unknown, dronemission.FollowOptions{Over: over}) {
			if !isStatus(err, 404) {
				t.Errorf("got %v, %v", message, err)
			}
		}
	})
}

func TestSessionsThatAreRefused(t *testing.T) {
	for _, each := range []struct {
		name   string
		change func(*dronemission.Options)
		want   string
	}{
		{"a topic of another organisation", func(*dronemission.Options) {}, "the subscription is not allowed (the client lacks the scope"},
		{
			"a token of somebody else",
			func(options *dronemission.Options) {
				options.Token = func(context.Context) (string, time.Duration, error) { return "nobody’s", time.Hour, nil }
			},
			"check ClientID",
		},
		{
			"a token that ends soon",
			func(options *dronemission.Options) {
				options.Token = func(context.Context) (string, time.Duration, error) { return "nobody’s", time.Minute, nil }
			},
			"use a longer lifetime",
		},
		{"an authority that is not trusted", func(options *dronemission.Options) { options.CAFile = "" }, "certificate"},
		{"no address", func(options *dronemission.Options) { options.MQTTURL = "" }, "MQTTURL is missing"},
	} {
		t.Run(each.name, func(t *testing.T) {
			options := stackOptions()
			each.change(&options)
			client, err := dronemission.New(options)
			if err != nil {
				t.Fatal(err)
			}
			var last error
			for _, err := range client.Jobs.Follow(aMinute(t), "job-aaaaaaaa-01kb1x5m9v3f8q2r7t6w4y0z1a", dronemission.FollowOptions{Over: dronemission.MQTTS}) {
				last = err
			}
			if last == nil || !strings.Contains(last.Error(), each.want) {
				t.Errorf("got %v", last)
			}
		})
	}
}

func TestTelemetryDoesNotComeOverMQTTS(t *testing.T) {
	client := newClient(t)
	for message, err := range client.Telemetry.Follow(aMinute(t), dronemission.TelemetrySource{DeviceID: "device"}, dronemission.FollowOptions{Over: dronemission.MQTTS}) {
		if err == nil || !strings.Contains(err.Error(), "over WSS") {
			t.Errorf("got %v, %v", message, err)
		}
	}
}
