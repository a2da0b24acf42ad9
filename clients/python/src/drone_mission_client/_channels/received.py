"""What a caller has received, over all connections of a channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .connection import Message


@dataclass(frozen=True)
class Gap:
    """Changes that were published while nobody listened; the message that follows has the state after them.

    Attributes:
        subject: The device of a group's message, otherwise the type of message.
        after: Sequence of the last message before the gap.
        before: Sequence of the first message after it.
    """

    subject: str
    after: int
    before: int


def subject_of(message: Message) -> str:
    """Names what a message is about: on a channel with several devices the device, otherwise its type."""
    kind = str(message.get("type"))
    return str(message["deviceId"]) if kind.startswith("device.") and "deviceId" in message else kind


def _is_position(message: Message) -> bool:
    """A job's channel also carries where its drone is, with the sequence of the job's state."""
    return message.get("type") == "job.status" and any(
        field in message for field in ("droneState", "dockState", "navigation")
    )


def _is_gap(message: Message, last: Message) -> bool:
    """A change that does not follow the state before it, or a snapshot that has moved on."""
    if message.get("snapshot"):
        return bool(message["sequence"] > last["sequence"] + 1)
    previous, known = message.get("previousState"), last.get("jobState")
    return previous is not None and known is not None and previous != known


class ReceivedMessages:
    """Distinguishes new messages from repeats.

    Delivery is at least once and in order, and every connection begins with the state: so what is not newer is a
    repeat.

    Args:
        on_gap: Called when changes were missed.
    """

    def __init__(self, on_gap: Callable[[Gap], None] | None = None) -> None:
        self._on_gap = on_gap
        self._position_at: dict[str, str] = {}
        self.last: dict[str, Message] = {}

    def accept(self, message: Message) -> bool:
        """Returns whether a message is new, and if so remembers it as received."""
        if "sequence" not in message:
            return True
        subject = subject_of(message)
        last = self.last.get(subject)
        if last is not None:
            if not self._is_newer(message, last):
                return False
            if self._on_gap is not None and _is_gap(message, last):
                self._on_gap(Gap(subject, last["sequence"], message["sequence"]))
        if _is_position(message):
            self._position_at[subject] = str(message.get("timestamp", ""))
        self.last[subject] = message
        return True

    def _is_newer(self, message: Message, last: Message) -> bool:
        if message["sequence"] != last["sequence"]:
            return bool(message["sequence"] > last["sequence"])
        if last.get("deleted"):
            return False
        later = str(message.get("timestamp", "")) > self._position_at.get(subject_of(message), "")
        return bool(message.get("deleted")) or (_is_position(message) and later)
