package dronemission_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	dronemission "drone-mission-api/clients/go"
)

// A job is created, and followed to its end.
func Example() {
	ctx := context.Background()
	client := dronemission.Must(dronemission.FromEnvironment())
	job := dronemission.Must(client.Jobs.Create(ctx, dronemission.CreateJobRequest{
		Name: "First flight", DeviceGroupId: os.Getenv("DEVICE_GROUP_ID"),
	}))
	for message, err := range client.Jobs.Follow(ctx, job.JobId, dronemission.FollowOptions{}) {
		fmt.Println(dronemission.Must(message, err).JobState)
	}
	// Output:
	// PENDING
	// QUEUED
	// IN_PROGRESS
	// COMPLETED
}

// The state of each device comes over MQTT, then every change of one.
func ExampleDeviceGroups_Follow() {
	client := dronemission.Must(dronemission.FromEnvironment())
	options := dronemission.FollowOptions{
		Over:        dronemission.MQTTS,
		OnReconnect: func(err error) { fmt.Println("connecting again:", err) },
	}
	for message, err := range client.DeviceGroups.Follow(context.Background(), os.Getenv("DEVICE_GROUP_ID"), options) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(message.DeviceId, message.Status)
	}
}

// A list reads page after page.
func ExampleJobs_List() {
	client := dronemission.Must(dronemission.FromEnvironment())
	for job, err := range client.Jobs.List(context.Background(), dronemission.JobFilter{Limit: 20}) {
		fmt.Println(dronemission.Must(job, err).Name)
	}
	// Output:
	// First flight
	// Second flight
}

// An error says what the service refused.
func ExampleAPIError() {
	client := dronemission.Must(dronemission.FromEnvironment())
	_, err := client.Jobs.Get(context.Background(), "job-9")
	var refused *dronemission.APIError
	if errors.As(err, &refused) {
		fmt.Println(refused.Status, refused.Text)
	}
	// Output: 404 Job not found
}

// A drone in flight is told to hover.
func ExampleDevices_Command() {
	ctx := context.Background()
	client := dronemission.Must(dronemission.FromEnvironment())
	sent := dronemission.Must(client.Devices.Command(ctx, os.Getenv("DEVICE_ID"), dronemission.PauseCommand{}))
	fmt.Println(dronemission.Must(sent.Outcome(ctx)).Status)
	// Output: DONE
}

// A device reports where it is.
func ExampleTelemetry_Publish() {
	client := dronemission.Must(dronemission.FromEnvironment())
	defer client.Telemetry.Close()
	state := dronemission.DeviceState{Timestamp: time.Now(), Navigation: &dronemission.Navigation{
		Position: &dronemission.Position{Type: "Point", Coordinates: []float64{8.5417, 47.3769, 485.5}},
	}}
	sample := dronemission.Sample{DeviceID: os.Getenv("DEVICE_ID"), DeviceState: state}
	fmt.Println(dronemission.Must(client.Telemetry.Publish(context.Background(), sample)))
	// Output: 1
}

// A program that has kept the cursor of its last event goes on there.
func ExampleEvents_Follow() {
	client := dronemission.Must(dronemission.FromEnvironment())
	options := dronemission.FollowEventsOptions{After: "event-1"}
	for event, err := range client.Events.Follow(context.Background(), options) {
		kind := dronemission.Must(dronemission.Must(event, err).Type())
		if kind == "job.status" {
			change := dronemission.Must(event.AsJobEvent())
			fmt.Println(change.JobId, change.JobState)
			break
		}
	}
	// Output: job-1 QUEUED
}

// A viewer needs the link of the share only.
func ExampleWatchShare() {
	view := dronemission.WatchShare(context.Background(), os.Getenv("WS_URL"), os.Getenv("SHARE_CODE"), dronemission.WatchOptions{})
	for message, err := range view.Messages() {
		switch message := dronemission.Must(message, err).(type) {
		case dronemission.WatchedShare:
			fmt.Println("share", message.ShareState)
		case dronemission.TelemetryMessage:
			fmt.Println("drone", *message.DroneState)
		}
	}
	// Output:
	// share ACTIVE
	// drone HOVER
	// share REVOKED
}
