package dronemission

import (
	"errors"
	"net/http"
	"strings"
	"testing"
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
