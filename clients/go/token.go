package dronemission

import (
	"context"
	"sync"
	"time"
)

const (
	// renewalMargin is how long before its end a token is replaced: MQTTS refuses tokens with less than five minutes left.
	renewalMargin = 6 * time.Minute
	// renewalPause is for how long a token that is still valid is used after a failed renewal.
	renewalPause = 10 * time.Second
)

// An accessToken may be used now.
type accessToken struct {
	text string
	// renewAt is when a new one is due.
	renewAt, expiresAt time.Time
}

// A tokenSource keeps one access token and renews it ahead of its end, with one request however many callers wait.
type tokenSource struct {
	// issue gets a new token, with its lifetime.
	issue func(context.Context) (string, time.Duration, error)

	mutex   sync.Mutex
	current accessToken
	pending *renewal
}

// A renewal is one request for a token, for which several callers wait.
type renewal struct {
	done  chan struct{}
	token accessToken
	err   error
}

// get returns a token that is not due for renewal, unless renewing failed and the old one is still valid.
func (s *tokenSource) get(ctx context.Context) (accessToken, error) {
	s.mutex.Lock()
	if s.current.text != "" && time.Now().Before(s.current.renewAt) {
		defer s.mutex.Unlock()
		return s.current, nil
	}
	waiting := s.pending
	if waiting == nil {
		waiting = &renewal{done: make(chan struct{})}
		s.pending = waiting
		// A caller that gives up does not end it for the others.
		go s.renew(context.WithoutCancel(ctx), waiting, s.current)
	}
	s.mutex.Unlock()
	select {
	case <-waiting.done:
		return waiting.token, waiting.err
	case <-ctx.Done():
		return accessToken{}, context.Cause(ctx)
	}
}

func (s *tokenSource) renew(ctx context.Context, waiting *renewal, previous accessToken) {
	// Counted from the request, so rather too short than too long.
	askedAt := time.Now()
	text, lifetime, err := s.issue(ctx)
	expiresAt := askedAt.Add(lifetime)
	token := accessToken{text, expiresAt.Add(-min(renewalMargin, lifetime/10)), expiresAt}
	if now := time.Now(); err != nil && isTemporary(err) && now.Before(previous.expiresAt) {
		token, err = previous, nil
		token.renewAt = now.Add(renewalPause)
		if token.renewAt.After(token.expiresAt) {
			token.renewAt = token.expiresAt
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if err == nil {
		s.current = token
	}
	waiting.token, waiting.err = token, err
	s.pending = nil
	close(waiting.done)
}

// forget drops a token that the service has refused.
func (s *tokenSource) forget(text string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.current.text == text {
		s.current = accessToken{}
	}
}
