"""What a channel has had while it was not followed, from the event log."""

from __future__ import annotations

from typing import cast

from .._channels.connection import Message
from .._http.rest import Rest
from ..errors import ApiError, DroneMissionError
from ..models import ListEventsReply

# Fields with the identifier that a channel's topic begins with, by the type of message.
_CHANNEL_FIELDS = {
    "job.status": ("jobId",),
    "device.status": ("deviceGroupId",),
    "share.status": ("shareCode",),
    "command.status": ("jobId", "deviceGroupId"),
}


def missed_on(rest: Rest, identifier: str, after: str) -> list[Message] | None:
    """Reads what a channel has had since a cursor, oldest first, as a WebSocket would replay it.

    Args:
        rest: The REST API.
        identifier: Of the job, the device group or the share that the channel is about.
        after: The cursor.

    Returns:
        None when the log no longer knows the cursor.

    Raises:
        ApiError, ApiConnectionError: When it can't be read now.
    """
    missed: list[Message] = []
    cursor = after
    while True:
        try:
            query = {"after": cursor, "limit": 100}
            page = cast(ListEventsReply, rest.call("GET /v3/events", query=query))
        except ApiError as error:
            if is_unknown_cursor(error, is_ours=True):
                return None
            raise
        events = cast("list[Message]", page["events"])
        own = [event for event in events if identifier in _identifiers_of(event)]
        missed += [{**event, "replayed": True} for event in own]
        if page["cursor"] == cursor:
            return missed
        cursor = page["cursor"]


def is_unknown_cursor(error: DroneMissionError, is_ours: bool) -> bool:
    """Whether the log no longer knows a cursor: it has expired, or the service has lost its data.

    Args:
        error: The refusal.
        is_ours: Whether the service has issued the cursor to this caller.
    """
    return isinstance(error, ApiError) and (error.status == 410 or (is_ours and error.status == 400))


def _identifiers_of(event: Message) -> list[object]:
    """What an event is about; nothing for a type that this version of the client does not know."""
    return [event[field] for field in _CHANNEL_FIELDS.get(event["type"], ()) if field in event]
