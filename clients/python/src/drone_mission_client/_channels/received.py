"""What a caller has received, over all connections of a channel."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from .connection import Gap, Message

# As many messages as the service sends again to a client that resumes.
_MAX_REMEMBERED = 1000


def is_command(message: Message) -> bool:
    """Channels of jobs and device groups also carry what becomes of commands."""
    return message.get("type") == "command.status"


class _ReceivedCommands:
    """Distinguishes new messages about commands from repeats.

    They have no part in the cursor of a channel: their changes may come before those of a job or a device whose cursors
    are lower, so after a reconnection some come again.
    """

    def __init__(self) -> None:
        # The last sequence of each command, the oldest command first.
        self._sequences: dict[str, int] = {}

    def accept(self, message: Message) -> bool:
        """Returns whether a message is new, and if so remembers it."""
        command_id, sequence = message["commandId"], message["sequence"]
        last = self._sequences.pop(command_id, 0)
        self._sequences[command_id] = max(sequence, last)
        if len(self._sequences) > _MAX_REMEMBERED:
            del self._sequences[next(iter(self._sequences))]
        return bool(sequence > last)


# Within this time the changes of a group's devices come in any order of their cursors, in seconds.
UNSETTLED_S = 10.0


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


def _is_newer(message: Message, last: Message) -> bool:
    if message["sequence"] != last["sequence"]:
        return bool(message["sequence"] > last["sequence"])
    return bool(message.get("deleted")) and not last.get("deleted")


class ReceivedMessages:
    """Distinguishes new messages from repeats.

    Delivery is at least once and in order for each device or resource, and a connection begins with the state or with
    what was missed: so what is not newer is a repeat.

    Args:
        on_gap: Called when changes were missed.
        after: Cursor of the last change that the caller knows.
        kind: Type of the messages beside those about commands: others, which a later service may send, are passed over
            as if they had not come, since their cursors may overtake those of this type. None for all.
    """

    def __init__(
        self, on_gap: Callable[[Gap], None] | None = None, after: str | None = None, kind: str | None = None
    ) -> None:
        self._on_gap = on_gap
        self._kind = kind
        self._cursor = after
        # Cursors with the times since when they are known: the first one is settled, the others not yet.
        self._cursors: deque[tuple[float, str]] = deque()
        # Sequence and timestamp of the last position on a job's channel.
        self._last_position: tuple[int, str] | None = None
        self._commands = _ReceivedCommands()
        self.last: dict[str, Message] = {}

    def accept(self, message: Message) -> bool:
        """Returns whether a message is new, and if so remembers it as received."""
        if is_command(message):
            return self._commands.accept(message)
        if self._kind not in (None, message["type"]):
            return False
        if "sequence" not in message:
            return True
        if _is_position(message):
            return self._accept_position(message)
        if self._is_known(message):
            return False
        self._note_cursor(message)
        subject = subject_of(message)
        last = self.last.get(subject)
        if last is not None:
            if not _is_newer(message, last):
                return False
            if self._on_gap is not None and _is_gap(message, last):
                self._on_gap(Gap(subject, last["sequence"], message["sequence"]))
        self.last[subject] = message
        return True

    @property
    def resume_after(self) -> str | None:
        """What to resume after; None before the first cursor, and on channels without cursors."""
        return self._cursor

    @property
    def settled_after(self) -> str | None:
        """What a reader of the event log resumes after: before it nothing is missing, unlike before the last cursor."""
        return self._cursors[0][1] if self._cursors else self._cursor

    def start_again(self) -> None:
        """The state follows instead of what was missed: tells of it, and takes that state as new."""
        cursor = self._cursor
        self.last.clear()
        self._last_position = None
        self._cursors.clear()
        self._cursor = None
        if cursor is not None and self._on_gap is not None:
            self._on_gap(Gap(cursor=cursor))

    def _is_known(self, message: Message) -> bool:
        cursor = message.get("cursor")
        if cursor is None or self._cursor is None or message.get("snapshot"):
            return False
        # Changes of a group's devices may come in another order than their cursors: their sequences tell repeats.
        if message.get("type") == "device.status":
            return False
        return bool(cursor <= self._cursor)

    def _note_cursor(self, message: Message) -> None:
        # That of a snapshot comes with its last message.
        if "cursor" not in message:
            return
        now = time.monotonic()
        if not self._cursors and self._cursor is not None:
            self._cursors.append((now, self._cursor))
        self._cursor = max(message["cursor"], self._cursor or "")
        self._cursors.append((now, self._cursor))
        while len(self._cursors) > 1 and self._cursors[1][0] <= now - UNSETTLED_S:
            self._cursors.popleft()

    def _accept_position(self, message: Message) -> bool:
        # It may come before the change to the state that it names, which is still new then.
        state = self.last.get(subject_of(message))
        if state is not None and (state.get("deleted") or message["sequence"] < state["sequence"]):
            return False
        position = (int(message["sequence"]), str(message.get("timestamp", "")))
        if self._last_position is not None and position <= self._last_position:
            return False
        self._last_position = position
        return True
