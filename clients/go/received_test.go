package dronemission

import (
	"testing"
	"time"
)

func TestTheLogIsReadFromBeforeWhatMayStillComeInAnotherOrder(t *testing.T) {
	began := time.Now()
	for _, each := range []struct {
		name string
		// after is the cursor that the caller had kept, and noted are those that came, with the seconds since the beginning.
		after string
		noted map[string]int
		want  string
	}{
		{"nothing yet", "", nil, ""},
		{"what the caller had kept", "event-1", nil, "event-1"},
		{"it counts until later ones are settled", "event-1", map[string]int{"event-2": 0, "event-3": 9}, "event-1"},
		{"then the last settled one", "event-1", map[string]int{"event-2": 0, "event-3": 9, "event-4": 10}, "event-2"},
		{"a lower one that comes late", "", map[string]int{"event-3": 0, "event-2": 11}, "event-3"},
	} {
		t.Run(each.name, func(t *testing.T) {
			r := received{cursor: each.after}
			for second := range 12 {
				for cursor, at := range each.noted {
					if at == second {
						r.noteCursor(cursor, began.Add(time.Duration(at)*time.Second))
					}
				}
			}
			if got := r.settledAfter(); got != each.want {
				t.Errorf("it is read after %q", got)
			}
		})
	}
}
