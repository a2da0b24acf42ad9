"""Jobs: requests for drone missions."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Sequence
from typing import Literal, cast, overload

from .._channels.connection import Channel, Message
from .._rest import Rest, items_of
from ..messages import JobStatusMessage
from ..models import (
    CancelledJob,
    CheckJobReply,
    Command,
    CreateJobRequest,
    DispatchJobReply,
    DispatchJobRequest,
    Job,
    JobEvent,
    JobSummary,
    JobTrack,
    ListJobsReply,
    UpdatedJob,
    UpdateJobRequest,
)
from .channels import Channels, OnCommand, OnGap, OnReconnect, Protocol, snapshot, status_path
from .final_states import FINAL_STATES

_TRACK_FORMATS = {
    "geojson": "application/geo+json",
    "kml": "application/vnd.google-earth.kml+xml",
    "csv": "text/csv",
}


class Jobs:
    """Jobs: requests for drone missions. Every method raises ApiError or ApiConnectionError."""

    def __init__(self, rest: Rest, channels: Channels) -> None:
        self._rest = rest
        self._channels = channels

    def create(self, job: CreateJobRequest, *, idempotency_key: str | None = None) -> JobSummary:
        """Creates a job.

        Args:
            job: What to fly.
            idempotency_key: A UUID that makes the create repeatable for 24 hours. By default each call has a new one;
                pass your own where your program may be restarted in between.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return cast(JobSummary, self._rest.call("POST /v3/jobs/create", body=job, headers=headers)["job"])

    def dispatch(self, job: DispatchJobRequest, *, idempotency_key: str | None = None) -> DispatchJobReply:
        """Creates a job for the free device that would be there first; an ApiError with status 409 when none is free.

        Args:
            job: What to fly, and where.
            idempotency_key: As for `create`.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return cast(DispatchJobReply, self._rest.call("POST /v3/jobs/dispatch", body=job, headers=headers))

    def check(self, job: CreateJobRequest) -> CheckJobReply:
        """Asks whether a job could be flown, and creates none; takes up to two seconds.

        Args:
            job: As for `create`.
        """
        return cast(CheckJobReply, self._rest.call("POST /v3/jobs/check", body=job))

    def list(self, *, status: str | None = None, limit: int | None = None) -> Iterator[JobSummary]:
        """Yields all jobs of the organisation, newest first, page after page.

        Args:
            status: Only jobs in this state.
            limit: Size of a page, 50 by default and at most 100.
        """
        return items_of(lambda next_token: self.page(status=status, limit=limit, next_token=next_token), "jobs")

    def page(
        self, *, status: str | None = None, limit: int | None = None, next_token: str | None = None
    ) -> ListJobsReply:
        """Reads one page of jobs; its `nextToken`, if it has one, is what to ask for the next page with."""
        query = {"status": status, "limit": limit, "nextToken": next_token}
        return cast(ListJobsReply, self._rest.call("GET /v3/jobs", query=query))

    def get(self, job_id: str) -> Job:
        """Reads a job."""
        return cast(Job, self._rest.call("GET /v3/jobs/{jobId}", path={"jobId": job_id})["job"])

    @overload
    def track(self, job_id: str, *, file_format: Literal["geojson"] = "geojson") -> JobTrack: ...

    @overload
    def track(self, job_id: str, *, file_format: Literal["kml", "csv"]) -> str: ...

    def track(self, job_id: str, *, file_format: Literal["geojson", "kml", "csv"] = "geojson") -> JobTrack | str:
        """Reads where a job was flown, so far.

        Args:
            job_id: The job.
            file_format: `kml` for Google Earth or `csv` for spreadsheets, as the text of a file. By default the track
                is GeoJSON, with a line for each device that flew the job.
        """
        headers = {"Accept": _TRACK_FORMATS[file_format]}
        track = self._rest.call("GET /v3/jobs/{jobId}/track", path={"jobId": job_id}, headers=headers)
        return cast("JobTrack | str", track)

    def update(self, job_id: str, changes: UpdateJobRequest, *, if_version: int | None = None) -> UpdatedJob:
        """Changes a job; `metadata` is replaced as a whole.

        Args:
            job_id: The job.
            changes: Its new values.
            if_version: Change the job only if it still has this version.
        """
        headers = {} if if_version is None else {"If-Match": f'"{if_version}"'}
        path = {"jobId": job_id}
        return cast(
            UpdatedJob, self._rest.call("PATCH /v3/jobs/{jobId}", path=path, body=changes, headers=headers)["job"]
        )

    def cancel(self, job_id: str) -> CancelledJob:
        """Cancels a job that is PENDING or QUEUED."""
        return cast(CancelledJob, self._rest.call("POST /v3/jobs/{jobId}/cancel", path={"jobId": job_id})["job"])

    def delete(self, job_id: str) -> None:
        """Deletes a job."""
        self._rest.call("DELETE /v3/jobs/{jobId}", path={"jobId": job_id})

    def commands(self, job_id: str) -> Sequence[Command]:
        """Reads the newest hundred commands that devices got while they flew the job, newest first."""
        path = {"jobId": job_id}
        return cast("Sequence[Command]", self._rest.call("GET /v3/jobs/{jobId}/commands", path=path)["commands"])

    def events(self, job_id: str) -> Sequence[JobEvent]:
        """Reads each change of a job's status that the event log still has, oldest first."""
        path = {"jobId": job_id}
        return cast("Sequence[JobEvent]", self._rest.call("GET /v3/jobs/{jobId}/events", path=path)["events"])

    def follow(
        self,
        job_id: str,
        *,
        over: Protocol = "wss",
        after: str | None = None,
        stop: threading.Event | None = None,
        on_reconnect: OnReconnect | None = None,
        on_gap: OnGap | None = None,
        on_command: OnCommand | None = None,
    ) -> Iterator[JobStatusMessage]:
        """Yields a job's state, then each change of it and where its drone is.

        Ends when the job is COMPLETED, FAILED, CANCELLED or deleted.

        Args:
            job_id: The job.
            over: `wss` or `mqtts`.
            after: `cursor` of the last message that you have received, before your program was started again: begins
                with what was missed since then, marked `replayed`, instead of the state.
            stop: Ends the iteration when it is set; so does leaving the loop.
            on_reconnect: Called when the connection is lost and will be made again.
            on_gap: Called when changes were missed while the connection was lost.
            on_command: Called with each change of a command, once; they are not among the messages that are yielded.
        """
        channel = Channel(
            path=status_path("jobs", job_id),
            type="job.status",
            topic=f"{job_id}/JOB/STATUS",
            subject="Following a job",
            is_last=lambda message: bool(message.get("deleted")) or message["jobState"] in FINAL_STATES,
            read=lambda _last: [_state_of(self.get(job_id))],
        )
        return cast(
            "Iterator[JobStatusMessage]",
            self._channels.follow(channel, over, stop, on_reconnect, on_gap, after, on_command),
        )


def _state_of(job: Job) -> Message:
    """A job as a message of its channel."""
    fields: Message = {name: job[name] for name in ("jobId", "deviceGroupId", "deviceId") if name in job}
    return snapshot("job.status", job["version"], {**fields, "jobState": job["status"]})
