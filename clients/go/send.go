package dronemission

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	// longestRetryAfter is the longest wait that the service may ask for: its limits count by the minute.
	longestRetryAfter = 90 * time.Second
	// commandWithin is how long after its call a command may be sent again: it is meant for the flight as it was then.
	// That is also the time in which the drone platform must begin it.
	commandWithin = 10 * time.Second
)

// A request can be sent more than once.
type request struct {
	method string
	// path with its identifiers.
	path   string
	query  url.Values
	header http.Header
	body   []byte
}

// An answer was read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// A sender sends requests, and again after a failure where a repeat is safe.
type sender struct {
	baseURL    string
	http       *http.Client
	timeout    time.Duration
	maxRetries int
}

// isRepeatable says whether it does no harm to carry out a request twice. A create without a key would create twice;
// the repeat of a delete or cancel would be refused although the first one succeeded.
func (r request) isRepeatable() bool {
	return r.method == http.MethodGet || r.method == http.MethodPut || r.header.Get("Idempotency-Key") != "" ||
		r.method == http.MethodPatch && r.header.Get("If-Match") != "" || r.path == tokenPath
}

func (r request) isCommand() bool {
	return r.method == http.MethodPost && strings.HasSuffix(r.path, "/commands")
}

// send returns the last answer, also when it is an error. It waits at growing intervals with jitter, or for as long as
// Retry-After says.
func (s *sender) send(ctx context.Context, r request) (answer, error) {
	began := time.Now()
	for attempt := 1; ; attempt++ {
		answered, err := s.exchange(ctx, r)
		if ctx.Err() != nil {
			return answer{}, context.Cause(ctx)
		}
		retryAfter, _ := retryAfterIn(answered.header.Get("Retry-After"), time.Now())
		wait := waitBefore(attempt, retryAfter)
		isTooLate := r.isCommand() && time.Since(began)+wait > commandWithin
		if attempt > s.maxRetries || retryAfter > longestRetryAfter || isTooLate || !mayRepeat(r, answered, err) {
			return answered, err
		}
		if err := sleep(ctx, wait); err != nil {
			return answer{}, err
		}
	}
}

// mayRepeat says whether another attempt may succeed and does no harm. What was refused or never arrived may always be repeated.
func mayRepeat(r request, answered answer, err error) bool {
	var lost *ConnectionError
	if errors.As(err, &lost) {
		return isTemporary(err) && (lost.NotSent || r.isRepeatable())
	}
	switch answered.status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return r.isRepeatable()
	}
	return false
}

func (s *sender) exchange(ctx context.Context, r request) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	address := s.baseURL + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return answer{}, err
	}
	sent.Header = r.header.Clone()
	response, err := s.http.Do(sent)
	if err != nil {
		return answer{}, s.lost(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return answer{}, s.lost(err)
	}
	return answer{response.StatusCode, response.Header, body}, nil
}

// withoutAddress is an error that does not name the whole address: a path may have a share code, which is a secret.
func withoutAddress(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// lost is the error for a request without an answer.
func (s *sender) lost(err error) *ConnectionError {
	err = withoutAddress(err)
	var dialled *net.OpError
	notSent := errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &dialled) && dialled.Op == "dial"
	return &ConnectionError{Address: s.baseURL, NotSent: notSent, Err: err}
}

// isTemporary says whether the same may succeed later: the service, or what stands before it, fails or is out of reach
// for a while.
func isTemporary(err error) bool {
	var lost *ConnectionError
	if errors.As(err, &lost) {
		var unknown *net.DNSError
		return !isCertificate(err) && !(errors.As(err, &unknown) && unknown.IsNotFound)
	}
	var refused *APIError
	if errors.As(err, &refused) && refused.Status == 0 {
		return slices.Contains([]string{"internal_error", "too_many_requests", "server_unavailable"}, refused.Code)
	}
	status := statusOf(err)
	return status == http.StatusTooManyRequests || status >= http.StatusInternalServerError
}

const (
	firstWait   = 250 * time.Millisecond
	longestWait = 30 * time.Second
	// spread comes on top of a wait that the service has named, so that its clients don't all return at the same moment.
	spread = 500 * time.Millisecond
)

// waitBefore says how long to wait before a further attempt: at random up to a limit that doubles with each failure
// ("full jitter"), or as long as the service asked and a little more.
func waitBefore(failures int, retryAfter time.Duration) time.Duration {
	if retryAfter > 0 {
		return retryAfter + rand.N(spread)
	}
	return rand.N(min(longestWait, firstWait<<min(failures, 10)))
}

// sleep waits, unless the context ends first: then it returns the cause.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
