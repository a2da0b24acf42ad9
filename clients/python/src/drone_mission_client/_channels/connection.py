"""What a channel is, whatever carries its messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..errors import DroneMissionError

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
