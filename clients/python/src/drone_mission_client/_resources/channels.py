"""The channels of a client, over the protocol that its caller chooses."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Literal
from urllib.parse import quote

from .._channels.connection import Channel, Connection, Message
from .._channels.follow import follow
from .._channels.mqtts import MqttConnection
from .._channels.received import Gap, ReceivedMessages
from .._channels.settings import ChannelSettings, FollowOptions
from .._channels.wss import WebSocketConnection
from .._http.rest import Rest
from ..errors import DroneMissionError
from ..messages import CommandStatusMessage
from .missed import missed_on

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
        return missed_on(self._rest, identifier, after)
