package dronemission

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An APIError says that the service refused a request, a handshake or a message.
type APIError struct {
	// Request is what was refused, without identifiers: a share code is a secret.
	Request string
	// Status is that of the HTTP answer; 0 for a message on an open WebSocket.
	Status int
	// Text is `error` of the answer, such as "Job not found".
	Text string
	// Code of an error over a WebSocket.
	Code string
	// Details name each wrong field.
	Details []ErrorDetail
	// RequestID is what to name when you ask for support.
	RequestID string
	// RetryAfter is when the service allows the next attempt; 0 if it did not say.
	RetryAfter time.Duration
}

// maxNamed is how many fields an error names, so that it stays a readable line; Details has all.
const maxNamed = 20

// Error is one line that says what was refused and why.
func (e *APIError) Error() string {
	var fields []string
	for _, detail := range e.Details[:min(len(e.Details), maxNamed)] {
		fields = append(fields, strings.TrimSpace(detail.Path+" "+detail.Message))
	}
	if more := len(e.Details) - maxNamed; more > 0 {
		fields = append(fields, fmt.Sprintf("and %d more", more))
	}
	text := e.Request + " was refused"
	if e.Status != 0 {
		text += fmt.Sprintf(" with %d", e.Status)
	}
	text += ": " + e.Text
	if len(fields) > 0 {
		text += " (" + strings.Join(fields, "; ") + ")"
	} else if hint := hints[e.Status]; hint != "" {
		text += ". " + hint
	}
	if e.RequestID != "" {
		text += " [request " + e.RequestID + "]"
	}
	return text
}

// hints say what to do about a refusal that says no more than its status does.
var hints = map[int]string{
	http.StatusUnauthorized:       "Check that client id and secret are right and the token has not expired",
	http.StatusForbidden:          "Check the API key; the client may lack the scope, or the resource belongs to another organisation",
	http.StatusNotFound:           "It does not exist (any more), or the identifier is wrong",
	http.StatusPreconditionFailed: "The job has changed since that version: read it again",
	http.StatusTooManyRequests:    "The limit of the client is used up: wait before you call again",
}

// A ConnectionError says that the service could not be reached, or that the connection to it broke.
type ConnectionError struct {
	// Address that was called, without its query.
	Address string
	// NotSent tells that the request can't have been carried out.
	NotSent bool
	Err     error
}

func (e *ConnectionError) Error() string {
	return fmt.Sprintf("%s could not be reached: %v", e.Address, e.Err)
}

// Unwrap returns the error of the network.
func (e *ConnectionError) Unwrap() error { return e.Err }

// refusal is the error for an answer that is no success.
func refusal(request string, status int, header http.Header, body []byte) *APIError {
	var said struct {
		Error       string        `json:"error"`
		Description string        `json:"error_description"`
		Message     string        `json:"message"`
		Details     []ErrorDetail `json:"details"`
	}
	// What stands before the API may answer with something else than JSON.
	_ = json.Unmarshal(body, &said)
	details := said.Details
	if details == nil && said.Description != "" {
		details = []ErrorDetail{{Message: said.Description}}
	}
	retryAfter, _ := retryAfterIn(header.Get("Retry-After"), time.Now())
	text := said.Error
	for _, other := range []string{said.Message, http.StatusText(status)} {
		if text == "" {
			text = other
		}
	}
	return &APIError{
		Request: request, Status: status, Text: text, Details: details,
		RequestID: header.Get("X-Request-Id"), RetryAfter: retryAfter,
	}
}

// retryAfterIn reads seconds or a date (RFC 9110 section 10.2.3). It returns false without a valid one.
func retryAfterIn(value string, now time.Time) (time.Duration, bool) {
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

// statusOf returns the status of a refusal, or 0.
func statusOf(err error) int {
	var refused *APIError
	if errors.As(err, &refused) {
		return refused.Status
	}
	return 0
}

// isCertificate says whether a connection failed since the certificate of the server is not trusted, which no other
// attempt changes.
func isCertificate(err error) bool {
	var refused *tls.CertificateVerificationError
	return errors.As(err, &refused)
}
