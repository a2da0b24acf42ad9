package dronemission

import (
	"net/http"
	"strings"
	"testing"
)

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
