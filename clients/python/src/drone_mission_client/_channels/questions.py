"""Messages to a channel that is being followed, each with its answer."""

from __future__ import annotations

import threading
import time

from ..errors import ApiConnectionError
from .connection import ConnectionLost, Message
from .wss import WebSocketConnection, refusal_of_message

_ENDED = "is not possible: the channel has ended."
_NOT_SENT = "was not sent: there is no connection. There is one while the messages are read."
_BROKEN = "got no answer: the connection broke. It may have been executed."
_LATE = "got no answer in time. It may have been executed."


class Questions:
    """Messages over the present connection of a channel. None is sent twice: what got no answer may have been executed.

    Args:
        answer_within: How long a message waits for a connection and its answer, in seconds.
    """

    def __init__(self, answer_within: float) -> None:
        self._answer_within = answer_within
        self._changed = threading.Condition()
        # The last one is the present one; one that is being replaced may still bring answers.
        self._open: list[WebSocketConnection] = []
        self._has_ended = False
        self._last_id = 0
        # By the ids of what was asked; None until it has come.
        self._answers: dict[int, Message | None] = {}

    def attach(self, connection: WebSocketConnection) -> None:
        """Sends further messages over this connection."""
        with self._changed:
            self._open.append(connection)
            self._changed.notify_all()

    def detach(self, connection: WebSocketConnection) -> None:
        """The connection brings no more answers."""
        with self._changed:
            self._open = [each for each in self._open if each is not connection]
            self._changed.notify_all()

    def end(self) -> None:
        """The channel is no longer followed."""
        with self._changed:
            self._open = []
            self._has_ended = True
            self._changed.notify_all()

    def take(self, message: Message) -> bool:
        """Returns whether a message is an answer, and if so gives it to who asked, who may have given up."""
        if "id" not in message:
            return False
        with self._changed:
            if message["id"] in self._answers:
                self._answers[message["id"]] = message
                self._changed.notify_all()
        return True

    def ask(self, subject: str, message: Message) -> Message:
        """Sends a message and waits for its answer.

        Args:
            subject: What is asked for, for error messages.
            message: What to send.

        Raises:
            ApiError: The service refused it.
            ApiConnectionError: It was not sent, or not answered.
        """
        until = time.monotonic() + self._answer_within
        with self._changed:
            self._changed.wait_for(lambda: self._open or self._has_ended, self._answer_within)
            if not self._open:
                raise _interrupted(subject, _ENDED if self._has_ended else _NOT_SENT)
            over = self._open[-1]
            self._last_id += 1
            asked = self._last_id
            self._answers[asked] = None
        try:
            over.send({**message, "id": asked})
            with self._changed:
                self._changed.wait_for(
                    lambda: self._answers[asked] is not None or over not in self._open, until - time.monotonic()
                )
        except ConnectionLost:
            self.detach(over)
        finally:
            with self._changed:
                answer = self._answers.pop(asked)
        if answer is None:
            raise _interrupted(subject, _LATE if over in self._open else _BROKEN)
        if answer["type"] == "error":
            raise refusal_of_message(subject, answer)
        return answer


def _interrupted(subject: str, why: str) -> ApiConnectionError:
    return ApiConnectionError("interrupted", f"{subject} {why}")
