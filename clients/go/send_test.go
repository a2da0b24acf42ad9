package dronemission

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRequests(t *testing.T) {
	fails := func(status int) func(http.ResponseWriter, *http.Request, int) {
		return func(w http.ResponseWriter, _ *http.Request, count int) {
			if count == 1 {
				w.Header().Set("Retry-After", "0")
				writeJSON(w, status, map[string]string{"error": "No"})
				return
			}
			writeJSON(w, http.StatusOK, map[string]any{"success": true, "job": map[string]any{}, "command": map[string]any{}})
		}
	}
	get := func(c *Client, t *testing.T) error { _, err := c.Jobs.Get(t.Context(), "job-1"); return err }
	create := func(c *Client, t *testing.T) error {
		_, err := c.Jobs.Create(t.Context(), CreateJobRequest{Name: "Survey"})
		return err
	}
	command := func(c *Client, t *testing.T) error {
		_, err := c.Devices.Command(t.Context(), "device-1", PauseCommand{})
		return err
	}
	cancel := func(c *Client, t *testing.T) error { _, err := c.Jobs.Cancel(t.Context(), "job-1"); return err }
	update := func(version int) func(c *Client, t *testing.T) error {
		return func(c *Client, t *testing.T) error {
			_, err := c.Jobs.Update(t.Context(), "job-1", UpdateJobRequest{}, version)
			return err
		}
	}
	for _, each := range []struct {
		name   string
		status int
		call   func(*Client, *testing.T) error
		// asked is how often the service was asked, and tokens how many it issued.
		asked, tokens int
		fails         bool
	}{
		{"a read is repeated after 503", 503, get, 2, 1, false},
		{"a create is repeated after 500, with the same key", 500, create, 2, 1, false},
		{"a command is repeated after 502, with the same key", 502, command, 2, 1, false},
		{"an update of any version is not repeated after 500", 500, update(0), 1, 1, true},
		{"an update of one version is repeated after 500", 500, update(3), 2, 1, false},
		{"a cancel is not repeated after 500", 500, cancel, 1, 1, true},
		{"a cancel is repeated after 429", 429, cancel, 2, 1, false},
		{"a refused token is replaced once", 401, get, 2, 2, false},
		{"another refusal is final", 409, cancel, 1, 1, true},
	} {
		t.Run(each.name, func(t *testing.T) {
			t.Parallel()
			service, client := newFakeService(t, fails(each.status))
			err := each.call(client, t)
			if (err != nil) != each.fails || each.fails && statusOf(err) != each.status {
				t.Errorf("got %v", err)
			}
			asked, tokens := service.asked()
			if len(asked) != each.asked || tokens != each.tokens {
				t.Fatalf("asked %d times with %d tokens", len(asked), tokens)
			}
			for _, name := range []string{"Idempotency-Key", "If-Match"} {
				if first, last := asked[0].Header.Get(name), asked[len(asked)-1].Header.Get(name); first != last {
					t.Errorf("%s was %q, then %q", name, first, last)
				}
			}
		})
	}
}

func TestWaitsForAsLongAsTheServiceSays(t *testing.T) {
	t.Parallel()
	var first, second time.Time
	_, client := newFakeService(t, func(w http.ResponseWriter, _ *http.Request, count int) {
		if count == 1 {
			first = time.Now()
			w.Header().Set("Retry-After", "1")
			writeJSON(w, http.StatusTooManyRequests, map[string]string{"error": "Too many requests"})
			return
		}
		second = time.Now()
		writeJSON(w, http.StatusOK, map[string]any{"limits": map[string]any{}})
	})
	if _, err := client.Limits(t.Context()); err != nil {
		t.Fatal(err)
	}
	if waited := second.Sub(first); waited < time.Second {
		t.Errorf("waited %v", waited)
	}
}

func TestRenewsItsTokenAheadOfItsEnd(t *testing.T) {
	t.Parallel()
	service, client := newFakeService(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		writeJSON(w, http.StatusOK, map[string]any{"limits": map[string]any{}})
	})
	service.lifetime = time.Second
	for range 2 {
		if _, err := client.Limits(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(950 * time.Millisecond)
	}
	asked, _ := service.asked()
	if tokens := []string{asked[0].Header.Get("Authorization"), asked[1].Header.Get("Authorization")}; tokens[1] != "Bearer token 2" {
		t.Errorf("the tokens were %v", tokens)
	}
}

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
