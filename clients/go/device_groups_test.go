package dronemission

import (
	"io"
	"net/http"
	"testing"
)

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
