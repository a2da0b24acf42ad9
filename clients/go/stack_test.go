package dronemission_test

import (
	"context"
	"errors"
	"testing"
	"time"

	dronemission "drone-mission-api/clients/go"
)

// newClient makes a client of the stack that the environment names.
func newClient(t *testing.T) *dronemission.Client {
	t.Helper()
	if stack["BASE_URL"] == "" {
		t.Fatal("no stack: run npm run test:go, or set the variables of its demo.env")
	}
	for name, value := range stack {
		t.Setenv(name, value)
	}
	client, err := dronemission.FromEnvironment()
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// firstDevice is one of the client's organisation.
func firstDevice(t *testing.T, client *dronemission.Client) string {
	t.Helper()
	groups, err := client.DeviceGroups.List(t.Context())
	if err != nil || len(groups) == 0 || len(groups[0].Devices) == 0 {
		t.Fatalf("device groups: %v, %v", groups, err)
	}
	return groups[0].Devices[0].DeviceId
}

// newJob creates a job that nothing flies: it is due in years.
func newJob(t *testing.T, client *dronemission.Client) (dronemission.CreatedJob, string) {
	t.Helper()
	groups, err := client.DeviceGroups.List(t.Context())
	if err != nil || len(groups) == 0 {
		t.Fatalf("device groups: %v, %v", groups, err)
	}
	due := time.Now().AddDate(5, 0, 0).UTC().Truncate(time.Millisecond)
	job, err := client.Jobs.Create(t.Context(), dronemission.CreateJobRequest{
		Name: "Survey", DeviceGroupId: groups[0].DeviceGroupId, ScheduledAt: &due,
	})
	if err != nil {
		t.Fatal(err)
	}
	return job, groups[0].DeviceGroupId
}

func TestReadsChangesAndDeletesJobs(t *testing.T) {
	client, ctx := newClient(t), t.Context()
	created, group := newJob(t, client)
	name := "Dawn patrol"
	updated, err := client.Jobs.Update(ctx, created.JobId, dronemission.UpdateJobRequest{Name: &name}, 1)
	if err != nil || updated.Name != name {
		t.Errorf("updated %v, %v", updated, err)
	}
	var refused *dronemission.APIError
	if _, err := client.Jobs.Update(ctx, created.JobId, dronemission.UpdateJobRequest{Name: &name}, 1); !errors.As(err, &refused) || refused.Status != 412 {
		t.Errorf("an old version: %v", err)
	}
	if job, err := client.Jobs.Get(ctx, created.JobId); err != nil || job.Name != name {
		t.Errorf("got %v, %v", job, err)
	}
	isListed := false
	for job, err := range client.Jobs.List(ctx, dronemission.JobFilter{DeviceGroupID: group, Status: dronemission.JobStatusPENDING, Limit: 1}) {
		if err != nil {
			t.Fatal(err)
		}
		if isListed = job.JobId == created.JobId; isListed {
			break
		}
	}
	if !isListed {
		t.Error("the list does not have the job")
	}
	if err := client.Jobs.Delete(ctx, created.JobId); err != nil {
		t.Error(err)
	}
	if _, err := client.Jobs.Get(ctx, created.JobId); !errors.As(err, &refused) || refused.Status != 404 {
		t.Errorf("after its end: %v", err)
	}
}

func TestCreatesOnceByAKeyOfItsOwn(t *testing.T) {
	client, ctx := newClient(t), t.Context()
	_, group := newJob(t, client)
	key := dronemission.CreateOptions{IdempotencyKey: "3b241101-e2bb-4255-8caf-4136c566a962"}
	var identifiers []string
	for range 2 {
		job, err := client.Jobs.Create(ctx, dronemission.CreateJobRequest{Name: "Once", DeviceGroupId: group}, key)
		if err != nil {
			t.Fatal(err)
		}
		identifiers = append(identifiers, job.JobId)
	}
	if identifiers[0] != identifiers[1] {
		t.Errorf("created %v", identifiers)
	}
}

func TestPublishesSamplesAndFollowsThem(t *testing.T) {
	client := newClient(t)
	defer client.Telemetry.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	device := firstDevice(t, client)
	now := time.Now().UTC().Truncate(time.Millisecond)
	sampleAt := func(at time.Time) dronemission.Sample {
		return dronemission.Sample{DeviceID: device, DeviceState: dronemission.DeviceState{Timestamp: at}}
	}
	var samples []dronemission.Sample
	for index := range 45 {
		samples = append(samples, sampleAt(now.Add(time.Duration(index-45)*time.Millisecond)))
	}
	// In the second part: the service counts from its beginning.
	samples[42].DeviceID = "device-of-nobody"
	var refused *dronemission.APIError
	accepted, err := client.Telemetry.Publish(ctx, samples...)
	if accepted != 44 || !errors.As(err, &refused) || refused.Details[0].Path != "telemetry.42.deviceId" {
		t.Errorf("published %d, %v", accepted, err)
	}
	for message, err := range client.Telemetry.Follow(ctx, dronemission.TelemetrySource{DeviceID: device}, dronemission.FollowOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		if message.Snapshot {
			if count, err := client.Telemetry.Publish(ctx, sampleAt(time.Now().UTC().Truncate(time.Millisecond))); err != nil || count != 1 {
				t.Errorf("published %d, %v", count, err)
			}
			continue
		}
		if message.DeviceID != device {
			t.Errorf("got %v", message)
		}
		break
	}
}

func TestKeepsMissions(t *testing.T) {
	client, ctx := newClient(t), t.Context()
	line := []byte(`{"type":"Feature","properties":{"name":"Along the dam"},"geometry":{"type":"LineString","coordinates":[[8.54,47.37,60],[8.55,47.38,60]]}}`)
	mission, err := client.Missions.Create(ctx, dronemission.MissionFile{Content: line, MediaType: "application/geo+json"})
	if err != nil {
		t.Fatal(err)
	}
	if file, err := client.Missions.File(ctx, mission.MissionId, dronemission.GetMissionParamsFormatOriginal); err != nil || string(file) != string(line) {
		t.Errorf("file %s, %v", file, err)
	}
	if found, err := client.Missions.Get(ctx, mission.MissionId); err != nil || len(found.Geometry.Coordinates) != 2 {
		t.Errorf("got %v, %v", found, err)
	}
	if err := client.Missions.Delete(ctx, mission.MissionId); err != nil {
		t.Error(err)
	}
}

func TestAsksWhatADeviceCanDoAndWhoHoldsIt(t *testing.T) {
	client, ctx := newClient(t), t.Context()
	device := firstDevice(t, client)
	if _, err := client.Devices.Capabilities(ctx, device); err != nil {
		t.Error(err)
	}
	if held, err := client.Devices.Hold(ctx, device); err != nil || held.Until == nil {
		t.Errorf("held %v, %v", held, err)
	}
	if err := client.Devices.Release(ctx, device); err != nil {
		t.Error(err)
	}
	// It stands: the refusal says so, and nothing reaches the drone.
	var refused *dronemission.APIError
	if _, err := client.Devices.Command(ctx, device, dronemission.PauseCommand{}); !errors.As(err, &refused) || refused.Status != 409 {
		t.Errorf("a command on the ground: %v", err)
	}
	if limits, err := client.Limits(ctx); err != nil || len(limits.Rates) == 0 {
		t.Errorf("limits %v, %v", limits, err)
	}
}

func TestAViewerWatchesAShareAndAPilotCommandsItsDrone(t *testing.T) {
	client, ctx := newClient(t), aMinute(t)
	share, err := client.Shares.Create(ctx, dronemission.CreateShareRequest{
		ResourceId: firstDevice(t, client), ShareType: dronemission.STREAM,
		Permissions: &[]dronemission.Permission{dronemission.View, dronemission.Control}, Commands: &[]string{"RETURN_HOME", "HOVER"},
	})
	if err != nil {
		t.Fatal(err)
	}
	pilot := dronemission.WatchShare(ctx, stack["WS_URL"], share.ShareCode, dronemission.WatchOptions{})
	var states []string
	for message, err := range pilot.Messages() {
		if err != nil {
			t.Fatal(err)
		}
		shown, isShare := message.(dronemission.WatchedShare)
		if !isShare {
			continue
		}
		if states = append(states, string(shown.ShareState)); !shown.Snapshot {
			continue
		}
		if request, err := pilot.Control(ctx, dronemission.OwnCommand{Name: "HOVER"}); err != nil || request == "" {
			t.Errorf("sent %q, %v", request, err)
		}
		var refused *dronemission.APIError
		if _, err := pilot.Control(ctx, dronemission.LandCommand{}); !errors.As(err, &refused) || refused.Code != "forbidden" {
			t.Errorf("a command that the share does not name: %v", err)
		}
		if until, err := pilot.TakeControl(ctx); err != nil || until.IsZero() {
			t.Errorf("held until %v, %v", until, err)
		}
		if err := pilot.ReleaseControl(ctx); err != nil {
			t.Error(err)
		}
		if video, err := pilot.Playback(ctx); err != nil || video == nil || video.Protocol != dronemission.HLS {
			t.Errorf("video %v, %v", video, err)
		}
		if flight, err := pilot.Flight(ctx); err != nil || flight.DeviceName == "" || flight.Track == nil {
			t.Errorf("flight %v, %v", flight, err)
		}
		if err := client.Shares.Revoke(ctx, share.ShareCode); err != nil {
			t.Fatal(err)
		}
	}
	if len(states) < 2 || states[0] != "ACTIVE" || states[len(states)-1] != "REVOKED" {
		t.Errorf("saw %v", states)
	}
	for _, err := range dronemission.WatchShare(ctx, stack["WS_URL"], share.ShareCode, dronemission.WatchOptions{}).Messages() {
		if !isStatus(err, 404) {
			t.Errorf("after its end: %v", err)
		}
	}
}
