package dronemission

import (
	"errors"
	"testing"
)

func TestMustReturnsTheValue(t *testing.T) {
	if got := Must("value", nil); got != "value" {
		t.Errorf("got %q", got)
	}
}

func TestMustPanicsWithTheError(t *testing.T) {
	failed := errors.New("no")
	defer func() {
		if got := recover(); got != failed {
			t.Errorf("panicked with %v", got)
		}
	}()
	Must("value", failed)
	t.Error("it went on")
}
