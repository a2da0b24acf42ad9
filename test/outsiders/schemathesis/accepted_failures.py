"""Failures that schemathesis reports although neither the service nor the document is wrong.

A request that is valid by the schema is refused for what no schema has: the state of a resource, the time, or a
number deep in free-form data.
"""

import re
from dataclasses import dataclass

COMMAND = "POST /v3/devices/{deviceId}/commands"
COMMANDS = "GET /v3/devices/{deviceId}/commands"
CONTROL = tuple(f"{method} /v3/devices/{{deviceId}}/control" for method in ("GET", "PUT", "DELETE"))
LISTS = ("GET /v3/jobs", "GET /v3/missions", "GET /v3/shares", "GET /v3/streams/share", COMMANDS)
DISPATCH = "POST /v3/jobs/dispatch"
JOBS = ("POST /v3/jobs/create", "POST /v3/jobs/check")
MISSION = "GET /v3/missions/{missionId}"
MISSION_FILES = ("POST /v3/missions", "PUT /v3/missions/{missionId}")
CREATES = (*JOBS, DISPATCH, COMMAND, "POST /v3/streams/share")


@dataclass(frozen=True)
class AcceptedFailure:
    """A refusal of a valid request."""

    operations: tuple[str, ...]
    status: int
    # Pattern of the error, or of each of its details as `path: message`.
    text: str
    reason: str

    def explains(self, operation, status, text):
        return operation in self.operations and status == self.status and re.fullmatch(self.text, text) is not None


def reasons_of(failure, case, response):
    """The accepted failures that explain a failure, all causes that the answer names; none if one is not explained."""
    if type(failure).__name__ == "JsonSchemaError":
        is_original = case.operation.label == MISSION and (case.query or {}).get("format") == "original"
        return [ORIGINAL] if is_original else []
    if type(failure).__name__ == "UseAfterFree":
        return [RELEASED] if case.operation.label in CONTROL else []
    if type(failure).__name__ != "RejectedPositiveData":
        return []
    body = response.json()
    causes = [f"{one['path']}: {one['message']}" for one in body.get("details", [])] or [body["error"]]
    label, status = case.operation.label, response.status_code
    found = [next((one for one in accepted_failures if one.explains(label, status, cause)), None) for cause in causes]
    return [] if None in found else found


ORIGINAL = AcceptedFailure((MISSION,), 200, "", "the original of a mission is the JSON that was sent, of any shape")

RELEASED = AcceptedFailure(CONTROL, 200, "", "a device of which nobody holds the control can be read, and held again")

accepted_failures = [
    ORIGINAL,
    RELEASED,
    AcceptedFailure(
        MISSION_FILES,
        400,
        r"(?s).*",
        "what is in a file is the matter of its format, which has no schema here",
    ),
    AcceptedFailure(
        (DISPATCH,),
        400,
        "desiredLocation: is required, unless missionId is a mission of this service",
        "a dispatch needs a place, of its own or of its mission",
    ),
    AcceptedFailure(
        LISTS,
        400,
        "nextToken: is not a token of this list",
        "a nextToken is one that the service has issued for this list, not any text",
    ),
    AcceptedFailure(
        ("GET /v3/events",),
        400,
        "after: is not a cursor of this service, or a part of one",
        "a cursor is one that the service has issued, not any text",
    ),
    AcceptedFailure(
        JOBS,
        400,
        "deviceId: is not a device of the device group",
        "a device belongs to another device group than the job's, or does not exist",
    ),
    AcceptedFailure(
        JOBS,
        400,
        "scheduledAt: is more than five minutes ago",
        "a time is past",
    ),
    AcceptedFailure(
        (*JOBS, DISPATCH),
        400,
        r"(desiredLocation|missionId|flight(\.\w+)?): (is required for|is not flown with|is for|needs a|contradicts) .*"
        r"|desiredLocation\.coordinates: must not be 0, 0",
        "the parts of a destination belong together",
    ),
    AcceptedFailure(
        (*JOBS, DISPATCH),
        400,
        r"desiredLocation\.coordinates\.\d: must be -?\d+ or (more|less)",
        "coordinates have bounds of their own each, which generators of code have no schema for",
    ),
    AcceptedFailure(
        (DISPATCH,),
        409,
        r"device-[^:]+: [A-Z_]+|: no device stands with a known position",
        "no device is free, or there in time",
    ),
    AcceptedFailure(
        (COMMAND,),
        400,
        r"position\.coordinates(\.\d)?: must (be -?\d+ or (more|less)|not be 0, 0)"
        r"|height: contradicts the altitude of position; give one of the two|: needs pitch or yaw",
        "the parts of a command belong together, and coordinates have bounds of their own each",
    ),
    AcceptedFailure(
        (COMMAND,),
        400,
        r"(?s).*: is beyond ±9007199254740991: write it as text|.*: must not be larger than \d+ bytes",
        "the parameters of the platform's own commands are free-form data",
    ),
    AcceptedFailure(
        (COMMAND,),
        409,
        r"name: (RETURN_HOME|LAND) has not ended: it can be paused, resumed, or turned into LAND or RETURN_HOME",
        "nobody answers the commands that end a flight",
    ),
    AcceptedFailure(
        (*CREATES, "PATCH /v3/jobs/{jobId}"),
        400,
        r"(?s)metadata\..*: is beyond ±9007199254740991: write it as text",
        "a number in free-form data is one that readers of JSON round",
    ),
    AcceptedFailure(
        CREATES,
        400,
        "Idempotency-Key: has been used with another body",
        "an idempotency key is used again with another body",
    ),
    AcceptedFailure(
        ("PATCH /v3/jobs/{jobId}",),
        400,
        "If-Match: must be entity tags, .*",
        "If-Match is a list of entity tags, not any text",
    ),
    AcceptedFailure(
        ("PATCH /v3/jobs/{jobId}",),
        412,
        "Precondition failed",
        "If-Match names a version that the job does not have",
    ),
    AcceptedFailure(
        ("PATCH /v3/jobs/{jobId}",),
        400,
        "status: can't move from [A-Z_]+ to [A-Z_]+",
        "a job moves only along its lifecycle",
    ),
    AcceptedFailure(
        ("POST /v3/jobs/{jobId}/cancel",),
        400,
        "Cannot cancel job",
        "a job is cancelled only while it is PENDING or QUEUED",
    ),
]
