"""What a channel is, whatever carries its messages, and what all channels of a client share."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from .._tokens import TokenSource
from ..errors import DroneMissionError
from ..messages import CommandStatusMessage

Message = dict[str, Any]


@dataclass(frozen=True)
class Channel:
    """A channel to follow.

    Attributes:
        path: Of the WebSocket, below `ws_url`.
        topic: Over MQTT; None for a channel that MQTT does not carry.
        subject: What is followed, for error messages; without identifiers.
        is_last: Whether a message is the last one.
        read: Reads the state by REST, as snapshots, given what was received last of each device or resource. For MQTT,
            where a group begins with the last message of its topic only. Raises ApiError 404 when the resource does not
            exist.
        is_group: Whether it is about several devices, so that one message is not the whole state.
        request: Message to send on each new WebSocket.
        type: Type of the messages to yield: others, which a later service may send, are passed over. Without it, all
            are yielded.
    """

    # That of a share has its code.
    path: str = field(repr=False)
    topic: str | None = field(repr=False)
    subject: str
    is_last: Callable[[Message], bool]
    read: Callable[[dict[str, Message]], list[Message]] | None = None
    is_group: bool = False
    request: Message | None = None
    type: str | None = None


class ConnectionLost(Exception):  # noqa: N818 - not an error of the caller
    """The connection has ended.

    Attributes:
        error: What the service sent as the reason, if it did.
    """

    def __init__(self, error: DroneMissionError | None = None) -> None:
        super().__init__()
        self.error = error


class Connection(Protocol):
    """An open connection to a channel."""

    @property
    def replace_at(self) -> float:
        """When it is to be replaced, since its token or its time ends; Unix seconds."""

    def receive(self, timeout: float) -> Message | None:
        """Waits for a message about the resource.

        Args:
            timeout: Seconds; with 0 only a message that has arrived is returned.

        Returns:
            The message, or None when none has come.

        Raises:
            ConnectionLost: After the last message that has arrived.
        """

    def close(self) -> None:
        """Closes it; what has arrived is lost."""


# API Gateway closes a connection after two hours: it is replaced before.
REPLACE_AFTER_S = 110 * 60.0


@dataclass(frozen=True)
class ChannelSettings:
    """What all channels of a client share.

    Attributes:
        ws_url: `wss://…`; None when the client does not know it.
        mqtt_url: `mqtts://…`; None when the client does not know it.
        client_id: Of the partner's client; None for one that has only a token.
        tls: Trusted certificate authorities.
        tokens: Has the access token.
        timeout: Limit of a handshake and of an answer, in seconds.
        max_retries: Attempts before the first connection. Later, a lost channel is reconnected until its caller ends
            it.
        ping_after: A ping is sent on a channel that has been silent for so many seconds.
    """

    ws_url: str | None
    mqtt_url: str | None
    client_id: str | None
    tls: ssl.SSLContext
    tokens: TokenSource
    timeout: float
    max_retries: int
    ping_after: float


@dataclass(frozen=True)
class Gap:
    """Changes that were published while nobody listened; what follows has the state after them.

    Attributes:
        subject: The device of a group's message, otherwise the type of message.
        after: Sequence of the last message before the gap.
        before: Sequence of the first message after it.
        cursor: Of the last change before the gap, when the event log no longer has what was missed: of whatever device
            or resource, so the other attributes are None.
    """

    subject: str | None = None
    after: int | None = None
    before: int | None = None
    cursor: str | None = None


@dataclass(frozen=True)
class FollowOptions:
    """What a caller may want beside the messages.

    Attributes:
        stop: Ends the iteration when it is set.
        on_reconnect: Called when the connection is lost and will be made again, with the reason if there is one.
        on_gap: Called when changes were missed while the connection was lost.
        after: Cursor of the last message that the caller has received.
        on_command: Called with each change of a command.
    """

    stop: threading.Event | None = None
    on_reconnect: Callable[[DroneMissionError | None], None] | None = None
    on_gap: Callable[[Gap], None] | None = None
    after: str | None = None
    on_command: Callable[[CommandStatusMessage], None] | None = None
