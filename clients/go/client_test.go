package dronemission

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	_, client := newFakeService(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("X-Request-Id", "r-1")
		writeJSON(w, http.StatusBadRequest, map[string]any{
			"error": "Invalid request", "details": []map[string]string{{"path": "name", "message": "is too long"}},
		})
	})
	_, err := client.Jobs.Create(t.Context(), CreateJobRequest{})
	var refused *APIError
	if !errors.As(err, &refused) || refused.Details[0].Path != "name" {
		t.Fatalf("got %v", err)
	}
	if text := "POST /v3/jobs/create was refused with 400: Invalid request (name is too long) [request r-1]"; err.Error() != text {
		t.Errorf("got %q", err)
	}
	if _, err := client.Jobs.Get(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "identifier is empty") {
		t.Errorf("an empty identifier: %v", err)
	}
}

func TestRefusesWrongOptions(t *testing.T) {
	right := Options{BaseURL: "https://api.example.com", ClientID: "id", ClientSecret: "secret", APIKey: "key"}
	for name, change := range map[string]func(*Options){
		"BaseURL":      func(o *Options) { o.BaseURL = "api.example.com" },
		"WSURL":        func(o *Options) { o.WSURL = "https://api.example.com" },
		"ClientID":     func(o *Options) { o.ClientID = "" },
		"ClientSecret": func(o *Options) { o.ClientSecret = "" },
		"APIKey":       func(o *Options) { o.APIKey = "" },
	} {
		options := right
		change(&options)
		if _, err := New(options); err == nil || !strings.HasPrefix(err.Error(), name+" ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(right); err != nil {
		t.Error(err)
	}
}

func TestMustReturnsTheValue(t *testing.T) {
	if got := Must("value", nil); got != "value" {
		t.Errorf("got %q", got)
	}
}

func TestMustPanicsWithTheError(t *testing.T) {
	failed := errors.New("no")
	defer func() {
		if got := recover(); got != failed {
			t.Errorf("panicked with %v", got)
		}
	}()
	Must("value", failed)
	t.Error("it went on")
}

func TestDeviceGroupsAreReadWithWhatEachDeviceReportedLast(t *testing.T) {
	t.Parallel()
	service, client := newFakeService(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		_, _ = io.WriteString(w, `{"resources":[{"devices":[{"deviceId":"device-1","lastState":{"droneState":"DOCKED"}}]}]}`)
	})
	groups, err := client.DeviceGroups.List(t.Context(), State)
	if err != nil || *groups[0].Devices[0].LastState.DroneState != "DOCKED" {
		t.Errorf("got %v, %v", groups, err)
	}
	if _, err := client.DeviceGroups.List(t.Context()); err != nil {
		t.Error(err)
	}
	requests, _ := service.asked()
	if with, without := requests[0].URL.String(), requests[1].URL.String(); with != "/v3/resources?include=state" || without != "/v3/resources" {
		t.Errorf("asked for %s and %s", with, without)
	}
}

func TestATrackIsReadAsAFile(t *testing.T) {
	t.Parallel()
	const rows = "timestamp,longitude,latitude,altitude\n"
	service, client := newFakeService(t, func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = io.WriteString(w, rows) })
	file, err := client.Jobs.TrackFile(t.Context(), "job-1", GetJobTrackParamsFormatCsv)
	if requests, _ := service.asked(); err != nil || string(file) != rows || requests[0].URL.String() != "/v3/jobs/job-1/track?format=csv" {
		t.Errorf("got %s, %v for %s", file, err, requests[0].URL)
	}
}

// API Gateway sends a KMZ only to who accepts one first.
func TestAcceptsAKMZFirstWhenItReadsAFile(t *testing.T) {
	service, client := newFakeService(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		_, _ = w.Write([]byte("PK"))
	})
	file, err := client.Missions.File(t.Context(), "mission-one", GetMissionParamsFormatOriginal)
	if err != nil || string(file) != "PK" {
		t.Errorf("file %s, %v", file, err)
	}
	requests, _ := service.asked()
	if accept := requests[0].Header.Get("Accept"); !strings.HasPrefix(accept, "application/vnd.google-earth.kmz,") {
		t.Errorf("accepts %s", accept)
	}
}

func TestOneWhoWaitsToPublishMayGiveUp(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	_, client := newFakeChannel(t, func(ctx context.Context, p peer, _ int) {
		_, _, _ = p.Read(ctx)
		close(asked)
		// Whoever has asked gets no answer.
		_, _, _ = p.Read(ctx)
	})
	sample := Sample{DeviceID: "device-1", DeviceState: DeviceState{Timestamp: time.Now()}}
	first, endFirst := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = client.Telemetry.Publish(first, sample)
	}()
	<-asked
	second, endSecond := context.WithCancel(t.Context())
	endSecond()
	gaveUp := make(chan error)
	go func() {
		_, err := client.Telemetry.Publish(second, sample)
		gaveUp <- err
	}()
	select {
	case err := <-gaveUp:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-done:
		t.Error("the second one waited for the first")
	}
	endFirst()
	<-done
	client.Telemetry.Close()
}
