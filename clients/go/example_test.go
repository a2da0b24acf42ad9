package dronemission_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	dronemission "drone-mission-api/clients/go"
	"github.com/coder/websocket"
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

// stack has the variables of the stack that the tests run against. The examples have others: see TestMain.
var stack = map[string]string{}

// TestMain gives the examples a service that always answers the same, so that they can read its address from the
// environment, as a program does, and say what they print.
func TestMain(m *testing.M) {
	service := httptest.NewServer(exampleService())
	for name, value := range map[string]string{
		"BASE_URL": service.URL, "WS_URL": "ws" + strings.TrimPrefix(service.URL, "http"), "MQTT_URL": "", "CA_FILE": "",
		"CLIENT_ID": "id", "CLIENT_SECRET": "secret", "API_KEY": "key",
		"DEVICE_GROUP_ID": "group-1", "DEVICE_ID": "device-1", "SHARE_CODE": "share-1",
	} {
		stack[name] = os.Getenv(name)
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	service.Close()
	os.Exit(code)
}

func exampleService() http.Handler {
	const job = `"jobId":"job-1","deviceGroupId":"group-1"`
	command := func(status, more string) string {
		return fmt.Sprintf(`{"command":{"commandId":"command-1","deviceId":"device-1","name":"PAUSE","status":%q,"requestedAt":%q,"endBefore":%q%s}}`,
			status, at(0), at(time.Minute), more)
	}
	state := func(sequence int, state string) string {
		return fmt.Sprintf(`{"type":"job.status",%s,"jobState":%q,"sequence":%d,"timestamp":%q,"cursor":"event-%d"}`, job, state, sequence, at(0), sequence)
	}
	share := func(sequence int, state string) string {
		return fmt.Sprintf(`{"type":"share.status","shareCode":"share-1","shareState":%q,"expiresAt":%q,"sequence":%d,"timestamp":%q}`, state, at(time.Hour), sequence, at(0))
	}
	sample := fmt.Sprintf(`{"type":"device.telemetry","deviceId":"device-1","sequence":1,"timestamp":%q,"receivedAt":%q,"droneState":"HOVER"}`, at(0), at(0))
	answers := map[string]string{
		"POST /v3/auth/token":                             `{"access_token":"token","token_type":"Bearer","expires_in":3600}`,
		"POST /v3/jobs/create":                            fmt.Sprintf(`{"job":{%s,"status":"PENDING"}}`, job),
		"GET /v3/jobs":                                    `{"jobs":[{"jobId":"job-1","name":"First flight"},{"jobId":"job-2","name":"Second flight"}]}`,
		"POST /v3/devices/{deviceId}/commands":            command("SENT", ""),
		"GET /v3/devices/{deviceId}/commands/{commandId}": command("DONE", fmt.Sprintf(`,"endedAt":%q`, at(time.Second))),
		"GET /v3/events":                                  fmt.Sprintf(`{"events":[%s],"cursor":"event-2"}`, state(2, "QUEUED")),
	}
	// What a socket sends at first, but to who publishes.
	sockets := map[string][]string{
		"/v3/jobs/{jobId}/status/ws": {state(1, "PENDING"), state(2, "QUEUED"), state(3, "IN_PROGRESS"), state(4, "COMPLETED")},
		"/telemetry":                 {share(1, "ACTIVE"), sample, share(2, "REVOKED")},
	}
	mux := http.NewServeMux()
	for pattern, answer := range answers {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
	}
	mux.HandleFunc("GET /v3/jobs/{jobId}", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"error":"Job not found"}`)
	})
	for path, messages := range sockets {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			isPublisher := path == "/telemetry" && !r.URL.Query().Has("shareCode")
			socket, err := websocket.Accept(w, r, nil)
			if err != nil {
				return
			}
			defer func() { _ = socket.CloseNow() }()
			said := messages
			if isPublisher {
				said = []string{`{"type":"published","accepted":1,"id":1}`}
				_, _, _ = socket.Read(r.Context())
			}
			for _, message := range said {
				if err := socket.Write(r.Context(), websocket.MessageText, []byte(message)); err != nil {
					return
				}
			}
			_, _, _ = socket.Read(r.Context())
		})
	}
	return mux
}

// at is a time after the beginning of the examples.
func at(later time.Duration) string {
	return time.Date(2026, 11, 27, 10, 30, 15, 0, time.UTC).Add(later).Format(time.RFC3339)
}
