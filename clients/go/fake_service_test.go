package dronemission

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// A fakeService answers each request with what a case has scripted for it, and remembers what it was asked.
type fakeService struct {
	*httptest.Server
	// answer is called for what is no request for a token; count is 1 for the first one.
	answer   func(w http.ResponseWriter, r *http.Request, count int)
	lifetime time.Duration

	mutex    sync.Mutex
	tokens   int
	requests []*http.Request
}

func newFakeService(t *testing.T, answer func(http.ResponseWriter, *http.Request, int)) (*fakeService, *Client) {
	t.Helper()
	service := &fakeService{answer: answer, lifetime: time.Hour}
	service.Server = httptest.NewServer(service)
	t.Cleanup(service.Close)
	client, err := New(Options{
		BaseURL: service.URL, WSURL: "ws" + strings.TrimPrefix(service.URL, "http"),
		ClientID: "id", ClientSecret: "secret", APIKey: "key", Timeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	return service, client
}

func (s *fakeService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == tokenPath {
		s.mutex.Lock()
		s.tokens++
		token := fmt.Sprintf("token %d", s.tokens)
		lifetime := s.lifetime
		s.mutex.Unlock()
		writeJSON(w, http.StatusOK, map[string]any{"access_token": token, "expires_in": int(lifetime.Seconds()), "token_type": "Bearer"})
		return
	}
	s.mutex.Lock()
	s.requests = append(s.requests, r)
	count := len(s.requests)
	s.mutex.Unlock()
	s.answer(w, r, count)
}

// asked returns the requests so far, without those for tokens, and how many tokens were issued.
func (s *fakeService) asked() ([]*http.Request, int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.requests, s.tokens
}

func writeJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// A peer is the service's end of a channel.
type peer struct {
	*websocket.Conn
	after, token string
}

// newFakeChannel calls serve for each connection of a channel, one after the other, and closes it when that returns.
func newFakeChannel(t *testing.T, serve func(ctx context.Context, p peer, count int)) (*fakeService, *Client) {
	t.Helper()
	return newFakeService(t, func(w http.ResponseWriter, r *http.Request, count int) {
		socket, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = socket.CloseNow() }()
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		serve(r.Context(), peer{socket, r.URL.Query().Get("after"), token}, count)
	})
}

// say sends messages, each a line of JSON.
func (p peer) say(t *testing.T, messages ...string) {
	t.Helper()
	for _, message := range messages {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		err := p.Write(ctx, websocket.MessageText, []byte(message))
		cancel()
		if err != nil {
			t.Errorf("could not send %s: %v", message, err)
		}
	}
}

// state is a message about a job.
func jobState(sequence int, status string, more string) string {
	return fmt.Sprintf(`{"type":"job.status","jobId":"job-1","deviceGroupId":"group-1","jobState":%q,"sequence":%d,"cursor":"event-%d","timestamp":"2026-11-27T10:30:15.123Z"%s}`,
		status, sequence, sequence, more)
}
