package dronemission_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

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
