package dronemission

import (
	"context"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// Jobs are drone missions: what is to be flown, and what became of it.
type Jobs struct {
	caller   *caller
	channels *channels
}

// CreateOptions of a job or a share.
type CreateOptions struct {
	// IdempotencyKey is a UUID: a create with the same one is answered like the first. Without it each call has one of its own.
	IdempotencyKey string
}

// JobFilter chooses jobs; what is empty chooses all.
type JobFilter struct {
	Status                  JobStatus
	DeviceGroupID, DeviceID string
	// Limit of a page, up to 100.
	Limit     int
	NextToken string
}

// Create makes a job.
func (j *Jobs) Create(ctx context.Context, job CreateJobRequest, options ...CreateOptions) (CreatedJob, error) {
	reply, err := call[CreateJobReply](ctx, j.caller, "POST /v3/jobs/create", nil, job, keyOf(options))
	return reply.Job, err
}

// Check says whether a job could be flown, without creating it.
func (j *Jobs) Check(ctx context.Context, job CreateJobRequest) (CheckJobReply, error) {
	return call[CheckJobReply](ctx, j.caller, "POST /v3/jobs/check", nil, job)
}

// Dispatch makes a job for the free device that is first at a place; a refusal with 409 says why there is none.
func (j *Jobs) Dispatch(ctx context.Context, job DispatchJobRequest, options ...CreateOptions) (DispatchJobReply, error) {
	return call[DispatchJobReply](ctx, j.caller, "POST /v3/jobs/dispatch", nil, job, keyOf(options))
}

// List returns all jobs that the filter chooses, newest first.
func (j *Jobs) List(ctx context.Context, filter JobFilter) iter.Seq2[JobSummary, error] {
	return itemsOf(func(next string) ([]JobSummary, *string, error) {
		filter.NextToken = next
		page, err := j.Page(ctx, filter)
		return page.Jobs, page.NextToken, err
	})
}

// Page returns one page of jobs.
func (j *Jobs) Page(ctx context.Context, filter JobFilter) (ListJobsReply, error) {
	query := queryOf("status", string(filter.Status), "deviceGroupId", filter.DeviceGroupID, "deviceId", filter.DeviceID,
		"limit", numberOf(filter.Limit), "nextToken", filter.NextToken)
	return call[ListJobsReply](ctx, j.caller, "GET /v3/jobs", nil, nil, withQuery(query))
}

// Get returns a job.
func (j *Jobs) Get(ctx context.Context, jobID string) (Job, error) {
	reply, err := call[GetJobReply](ctx, j.caller, "GET /v3/jobs/{jobId}", []string{jobID}, nil)
	return reply.Job, err
}

// Update changes a job. With ifVersion above 0 it does so only if the job still has this version, and may be repeated.
func (j *Jobs) Update(ctx context.Context, jobID string, changes UpdateJobRequest, ifVersion int) (UpdatedJob, error) {
	var options []option
	if ifVersion > 0 {
		options = append(options, withHeader("If-Match", strconv.Quote(strconv.Itoa(ifVersion))))
	}
	reply, err := call[UpdateJobReply](ctx, j.caller, "PATCH /v3/jobs/{jobId}", []string{jobID}, changes, options...)
	return reply.Job, err
}

// Cancel cancels a job that is not flown yet.
func (j *Jobs) Cancel(ctx context.Context, jobID string) (CancelledJob, error) {
	reply, err := call[CancelJobReply](ctx, j.caller, "POST /v3/jobs/{jobId}/cancel", []string{jobID}, nil)
	return reply.Job, err
}

// Delete deletes a job; a drone in flight is told to come home.
func (j *Jobs) Delete(ctx context.Context, jobID string) error {
	_, err := j.caller.read(ctx, "DELETE /v3/jobs/{jobId}", []string{jobID}, nil)
	return err
}

// Track returns where a job was flown.
func (j *Jobs) Track(ctx context.Context, jobID string) (JobTrack, error) {
	accept := withHeader("Accept", "application/geo+json")
	return call[JobTrack](ctx, j.caller, "GET /v3/jobs/{jobId}/track", []string{jobID}, nil, accept)
}

// TrackFile returns where a job was flown as a file, such as GetJobTrackParamsFormatKml for maps or
// GetJobTrackParamsFormatCsv for spreadsheets.
func (j *Jobs) TrackFile(ctx context.Context, jobID string, format GetJobTrackParamsFormat) ([]byte, error) {
	query, accept := withQuery(queryOf("format", string(format))), withHeader("Accept", "*/*")
	return j.caller.read(ctx, "GET /v3/jobs/{jobId}/track", []string{jobID}, nil, query, accept)
}

// Events returns the timeline of a job.
func (j *Jobs) Events(ctx context.Context, jobID string) ([]JobEvent, error) {
	reply, err := call[ListJobEventsReply](ctx, j.caller, "GET /v3/jobs/{jobId}/events", []string{jobID}, nil)
	return reply.Events, err
}

// Commands returns what devices were told while they flew a job.
func (j *Jobs) Commands(ctx context.Context, jobID string) ([]Command, error) {
	reply, err := call[ListJobCommandsReply](ctx, j.caller, "GET /v3/jobs/{jobId}/commands", []string{jobID}, nil)
	return reply.Commands, err
}

// Follow returns the state of a job and every change of it, until it has reached its end. Leave the loop, or end the
// context, to stop.
func (j *Jobs) Follow(ctx context.Context, jobID string, options FollowOptions) iter.Seq2[JobMessage, error] {
	return follow(ctx, j.channels, channel{
		path:    "/v3/jobs/" + url.PathEscape(jobID) + "/status/ws",
		topic:   &topic{identifier: jobID, suffix: "/JOB/STATUS", state: j.stateOf(jobID)},
		kind:    "job.status",
		subject: "Following a job",
		isLast: func(m envelope) bool {
			return m.Deleted || m.JobState == string(JobStatusCOMPLETED) || m.JobState == string(JobStatusFAILED) || m.JobState == string(JobStatusCANCELLED)
		},
	}, options, as[JobMessage])
}

// stateOf reads a job as a message of its channel.
func (j *Jobs) stateOf(jobID string) func(context.Context, *received) ([]any, error) {
	return func(ctx context.Context, _ *received) ([]any, error) {
		job, err := j.Get(ctx, jobID)
		return []any{JobMessage{Snapshot: true, JobEvent: JobEvent{
			Type: JobStatusChanged, JobId: job.JobId, DeviceGroupId: job.DeviceGroupId, DeviceId: job.DeviceId,
			JobState: job.Status, Sequence: int64(job.Version), Timestamp: time.Now().UTC(),
		}}}, err
	}
}

func keyOf(options []CreateOptions) option {
	for _, given := range options {
		return withKey(given.IdempotencyKey)
	}
	return withKey("")
}

func numberOf(value int) string {
	if value == 0 {
		return ""
	}
	return strconv.Itoa(value)
}
