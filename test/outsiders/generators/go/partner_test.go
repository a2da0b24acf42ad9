package partner

import (
	"encoding/json"
	"testing"
)

const common = `"cursor":"event-7k2m9qx4-00000000c5","sequence":3,"timestamp":"2026-11-27T10:30:15.123Z"`

// A page of the feed as a later service may send it: an unknown type, an unknown value of an open list, an unknown field.
func TestUnknownEvents(t *testing.T) {
	events := `[{` + common + `,"type":"dock.status","dockId":"k"},` +
		`{` + common + `,"type":"device.status","deviceId":"d","deviceGroupId":"g","status":"online","droneState":"AVOIDING","mood":"good"}]`
	var page ListEventsReply
	if err := json.Unmarshal([]byte(`{"success":true,"count":2,"cursor":"c","events":`+events+`}`), &page); err != nil {
		t.Fatal(err)
	}
	unknown, err := page.Events[0].AsUnknownEvent()
	if err != nil || unknown.Type != "dock.status" {
		t.Fatalf("%v, %v", unknown, err)
	}
	device, err := page.Events[1].AsDeviceEvent()
	if err != nil || device.DroneState == nil || string(*device.DroneState) != "AVOIDING" {
		t.Fatalf("%v, %v", device, err)
	}
}
