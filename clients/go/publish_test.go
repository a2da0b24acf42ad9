package dronemission

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestOneWhoWaitsToPublishMayGiveUp(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	_, client := newFakeChannel(t, func(ctx context.Context, p peer, _ int) {
		_, _, _ = p.Read(ctx)
		close(asked)
		// Whoever has asked gets no answer.
		_, _, _ = p.Read(ctx)
	})
	sample := Sample{DeviceID: "device-1", DeviceState: DeviceState{Timestamp: time.Now()}}
	first, endFirst := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = client.Telemetry.Publish(first, sample)
	}()
	<-asked
	second, endSecond := context.WithCancel(t.Context())
	endSecond()
	gaveUp := make(chan error)
	go func() {
		_, err := client.Telemetry.Publish(second, sample)
		gaveUp <- err
	}()
	select {
	case err := <-gaveUp:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-done:
		t.Error("the second one waited for the first")
	}
	endFirst()
	<-done
	client.Telemetry.Close()
}
