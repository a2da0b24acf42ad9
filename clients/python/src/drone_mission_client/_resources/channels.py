"""The channels of a client, over the protocol that its caller chooses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from typing import Literal, cast
from urllib.parse import quote

from .._channels.connection import Channel, ChannelSettings, Connection, FollowOptions, Gap, Message
from .._channels.follow import follow
from .._channels.mqtts import MqttConnection
from .._channels.received import ReceivedMessages
from .._channels.wss import WebSocketConnection
from .._rest import Rest
from ..errors import ApiError, DroneMissionError
from ..messages import CommandStatusMessage
from ..models import ListEventsReply

Protocol = Literal["wss", "mqtts"]
OnReconnect = Callable[[DroneMissionError | None], None]
OnGap = Callable[[Gap], None]
OnCommand = Callable[[CommandStatusMessage], None]


def status_path(collection: str, identifier: str) -> str:
    """Path of the WebSocket with the status of a resource."""
    return f"/v3/{collection}/{quote(identifier, safe='')}/status/ws"


class Channels:
    """The channels of a client."""

    def __init__(self, settings: ChannelSettings, rest: Rest) -> None:
        self.settings = settings
        self._rest = rest

    def follow(
        self,
        channel: Channel,
        over: Protocol,
        stop: threading.Event | None,
        on_reconnect: OnReconnect | None,
        on_gap: OnGap | None,
        after: str | None = None,
        on_command: OnCommand | None = None,
    ) -> Iterator[Message]:
        """Yields the messages of a channel; see `_channels.follow.follow`."""

        def connect(channel: Channel, received: ReceivedMessages) -> Connection:
            if over == "mqtts":
                return MqttConnection(channel, self.settings, received, self._missed)
            return WebSocketConnection(channel, self.settings, received)

        if over not in ("wss", "mqtts"):
            raise DroneMissionError(f"over must be 'wss' or 'mqtts', and is {over!r}.")
        options = FollowOptions(stop, on_reconnect, on_gap, after, on_command)
        return follow(channel, connect, options, self.settings.max_retries)

    def _missed(self, topic: str, after: str) -> list[Message] | None:
        identifier, _, _ = topic.partition("/")
        return _missed_on(self._rest, identifier, after)


def snapshot(type: str, sequence: int, fields: Message) -> Message:  # noqa: A002 - name of the field
    """A message with the state as it is now."""
    timestamp = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"type": type, "snapshot": True, "sequence": sequence, **fields, "timestamp": timestamp}


# Fields with the identifier that a channel's topic begins with, by the type of message.
_CHANNEL_FIELDS = {
    "job.status": ("jobId",),
    "device.status": ("deviceGroupId",),
    "share.status": ("shareCode",),
    "command.status": ("jobId", "deviceGroupId"),
}


def _missed_on(rest: Rest, identifier: str, after: str) -> list[Message] | None:
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
