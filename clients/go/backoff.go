package dronemission

import (
	"context"
	"math/rand/v2"
	"time"
)

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
