"""What a caller has been told of commands."""

from __future__ import annotations

from .connection import Message

# As many messages as the service sends again to a client that resumes.
_MAX_REMEMBERED = 1000


def is_command(message: Message) -> bool:
    """Channels of jobs and device groups also carry what becomes of commands."""
    return message.get("type") == "command.status"


class ReceivedCommands:
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
