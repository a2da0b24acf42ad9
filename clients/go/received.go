package dronemission

import (
	"encoding/json"
	"strings"
	"sync"
	"time"
)

// An envelope has the fields of a message that its order depends on, and those of answers.
type envelope struct {
	Type          string          `json:"type"`
	Sequence      *int64          `json:"sequence"`
	Cursor        string          `json:"cursor"`
	Timestamp     string          `json:"timestamp"`
	Snapshot      bool            `json:"snapshot"`
	Deleted       bool            `json:"deleted"`
	JobID         string          `json:"jobId"`
	DeviceID      string          `json:"deviceId"`
	DeviceGroupID string          `json:"deviceGroupId"`
	ShareCode     string          `json:"shareCode"`
	CommandID     string          `json:"commandId"`
	JobState      string          `json:"jobState"`
	PreviousState string          `json:"previousState"`
	ShareState    string          `json:"shareState"`
	Status        string          `json:"status"`
	DroneState    json.RawMessage `json:"droneState"`
	DockState     json.RawMessage `json:"dockState"`
	Navigation    json.RawMessage `json:"navigation"`

	// ID of the message that this is the answer to.
	ID        *int64        `json:"id"`
	Code      string        `json:"code"`
	Error     string        `json:"error"`
	Details   []ErrorDetail `json:"details"`
	RequestID string        `json:"requestId"`
	// SubscriptionsEnded says that a new token does not allow what was subscribed to.
	SubscriptionsEnded bool `json:"subscriptionsEnded"`

	// Accepted and Refused are samples that were published.
	Accepted int           `json:"accepted"`
	Refused  []ErrorDetail `json:"refused"`
	// Samples of a batch, which callers get one by one.
	Samples []json.RawMessage `json:"samples"`

	text []byte
}

// envelopeOf reads a message. What is no JSON object counts as a sign of life.
func envelopeOf(text []byte) envelope {
	var m envelope
	_ = json.Unmarshal(text, &m)
	m.text = text
	return m
}

// marked is a message with a further field, which is true.
func marked(text []byte, field string) []byte {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		return text
	}
	fields[field] = json.RawMessage("true")
	with, err := json.Marshal(fields)
	if err != nil {
		return text
	}
	return with
}

// single are the messages that one stands for: each sample of a batch.
func (m envelope) single() []envelope {
	if m.Samples == nil {
		return []envelope{m}
	}
	var all []envelope
	for _, text := range m.Samples {
		sample := envelope{text: text}
		if json.Unmarshal(text, &sample) == nil {
			all = append(all, sample)
		}
	}
	return all
}

// refusal is the error for a message that the service has refused.
func (m envelope) refusal(subject string) *APIError {
	return &APIError{Request: subject, Text: m.Error, Code: m.Code, Details: m.Details, RequestID: m.RequestID}
}

// A Gap tells that changes were missed; the state after them follows.
type Gap struct {
	// Cursor of the last change before the gap, when the event log no longer has what was missed of whatever device or resource.
	Cursor string
	// Subject is otherwise the device of a group's message, or the type of message.
	Subject string
	// From and To are the sequences of the last message before the gap and of the first one after it.
	From, To int64
}

const commandStatus = "command.status"

// isAbout says whether an event of the log belongs to the channel of a job, a device group or a share.
func (m envelope) isAbout(identifier string) bool {
	switch m.Type {
	case "job.status":
		return m.JobID == identifier
	case "device.status":
		return m.DeviceGroupID == identifier
	case "share.status":
		return m.ShareCode == identifier
	case commandStatus:
		return m.JobID == identifier || m.DeviceGroupID == identifier
	}
	return false
}

// subject is what has one order of sequences.
func (m envelope) subject() string {
	if strings.HasPrefix(m.Type, "device.") && m.DeviceID != "" {
		return m.DeviceID
	}
	return m.Type
}

// isPosition: a job's channel also carries where its drone is, with the sequence of the job's state.
func (m envelope) isPosition() bool {
	return m.Type == "job.status" && (m.DroneState != nil || m.DockState != nil || m.Navigation != nil)
}

// A state is the last one of a subject.
type state struct {
	sequence int64
	jobState string
	// status of a device.
	status    string
	isDeleted bool
}

// received is what a caller has been told, over all connections. Delivery is at least once and in order for each device
// or resource, and a connection begins with a snapshot or with what was missed: so what is not newer is a repeat.
type received struct {
	// Two connections bring messages while one takes the place of the other.
	mutex   sync.Mutex
	deliver func(envelope)
	onGap   func(Gap)
	// kind is the type of the messages beside those about commands: others, which a later service may send, are passed
	// over as if they had not come, since their cursors may overtake those of this type. Empty for all.
	kind string
	// cursor to resume after; empty before the first one.
	cursor string
	// cursors with the times since when they are known: the first one is settled, the others not yet.
	cursors  []knownCursor
	last     map[string]state
	commands receivedCommands
	position *envelope
}

// resumeAfter is empty before the first cursor.
func (r *received) resumeAfter() string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.cursor
}

// unsettled is for how long the changes of a group's devices come in any order of their cursors.
const unsettled = 10 * time.Second

type knownCursor struct {
	since  time.Time
	cursor string
}

// settledAfter is what a reader of the event log resumes after: before it nothing is missing, unlike before the last cursor.
func (r *received) settledAfter() string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if len(r.cursors) > 0 {
		return r.cursors[0].cursor
	}
	return r.cursor
}

func (r *received) noteCursor(cursor string, now time.Time) {
	if len(r.cursors) == 0 && r.cursor != "" {
		r.cursors = append(r.cursors, knownCursor{now, r.cursor})
	}
	r.cursor = max(r.cursor, cursor)
	r.cursors = append(r.cursors, knownCursor{now, r.cursor})
	for len(r.cursors) > 1 && now.Sub(r.cursors[1].since) >= unsettled {
		r.cursors = r.cursors[1:]
	}
}

// lastOf returns the last state of a device.
func (r *received) lastOf(deviceID string) (state, bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	last, known := r.last[deviceID]
	return last, known
}

// startAgain: the state comes instead of what was missed. It tells of that, and takes the state as new.
func (r *received) startAgain() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	cursor := r.cursor
	r.last, r.position, r.cursor, r.cursors = map[string]state{}, nil, "", nil
	if cursor != "" {
		r.onGap(Gap{Cursor: cursor})
	}
}

// receive passes a message on unless it is a repeat.
func (r *received) receive(m envelope) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.accept(m) {
		r.deliver(m)
	}
}

func (r *received) accept(m envelope) bool {
	switch {
	case m.Type == commandStatus:
		return r.commands.isNew(m)
	case r.kind != "" && m.Type != r.kind:
		return false
	case m.Sequence == nil:
		return true
	case m.isPosition():
		return r.acceptPosition(m)
	case r.isRepeat(m):
		return false
	}
	// The cursor of a snapshot comes with its last message.
	if m.Cursor != "" {
		r.noteCursor(m.Cursor, time.Now())
	}
	last, known := r.last[m.subject()]
	if known && !isNewer(m, last) {
		return false
	}
	if known && isGap(m, last) {
		r.onGap(Gap{Subject: m.subject(), From: last.sequence, To: *m.Sequence})
	}
	r.last[m.subject()] = state{*m.Sequence, m.JobState, m.Status, m.Deleted}
	return true
}

// acceptPosition: a position may come before the change to the state that it names, which is still new then.
func (r *received) acceptPosition(m envelope) bool {
	if known, ok := r.last[m.subject()]; ok && (known.isDeleted || *m.Sequence < known.sequence) {
		return false
	}
	if last := r.position; last != nil &&
		(*m.Sequence < *last.Sequence || *m.Sequence == *last.Sequence && m.Timestamp <= last.Timestamp) {
		return false
	}
	r.position = &m
	return true
}

// isRepeat goes by the cursors, which sort as text. Changes of a group's devices may come in another order: there the
// device's sequence tells.
func (r *received) isRepeat(m envelope) bool {
	return !m.Snapshot && m.Type != "device.status" && m.Cursor != "" && m.Cursor <= r.cursor
}

func isNewer(m envelope, last state) bool {
	return *m.Sequence > last.sequence || *m.Sequence == last.sequence && m.Deleted && !last.isDeleted
}

// isGap: a change that does not follow the state before it, or a snapshot that has moved on.
func isGap(m envelope, last state) bool {
	if m.Snapshot {
		return *m.Sequence > last.sequence+1
	}
	return m.PreviousState != "" && last.jobState != "" && m.PreviousState != last.jobState
}

// maxRemembered is as many messages as the service sends again to a client that resumes.
const maxRemembered = 1000

// receivedCommands is what a caller has been told of commands. They have no part in the cursor of a channel: their
// changes may come before those of a job or a device whose cursors are lower, so after a reconnection some come again.
type receivedCommands struct {
	sequences map[string]int64
	// order has the commands, that of the oldest message first.
	order []string
}

func (r *receivedCommands) isNew(m envelope) bool {
	last, known := r.sequences[m.CommandID]
	if known && *m.Sequence <= last {
		return false
	}
	if r.sequences == nil {
		r.sequences = map[string]int64{}
	}
	r.sequences[m.CommandID] = *m.Sequence
	if known {
		return true
	}
	r.order = append(r.order, m.CommandID)
	if len(r.order) > maxRemembered {
		delete(r.sequences, r.order[0])
		r.order = r.order[1:]
	}
	return true
}
