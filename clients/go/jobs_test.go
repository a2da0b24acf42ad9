package dronemission

import (
	"io"
	"net/http"
	"testing"
)

func TestATrackIsReadAsAFile(t *testing.T) {
	t.Parallel()
	const rows = "timestamp,longitude,latitude,altitude\n"
	service, client := newFakeService(t, func(w http.ResponseWriter, _ *http.Request, _ int) { _, _ = io.WriteString(w, rows) })
	file, err := client.Jobs.TrackFile(t.Context(), "job-1", GetJobTrackParamsFormatCsv)
	if requests, _ := service.asked(); err != nil || string(file) != rows || requests[0].URL.String() != "/v3/jobs/job-1/track?format=csv" {
		t.Errorf("got %s, %v for %s", file, err, requests[0].URL)
	}
}
