"""Follows a channel: each message once and in order, over as many connections as it takes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import cast

from .._backoff import pause, wait_before
from ..errors import ApiConnectionError, ApiError, DroneMissionError
from ..messages import CommandStatusMessage
from .connection import Channel, Connection, ConnectionLost, FollowOptions, Message
from .received import ReceivedMessages, is_command

# How long `stop` may go unnoticed.
SLICE_S = 0.5
# How long a connection that is being replaced waits for the first message of the new one.
_OVERLAP_S = 5.0
# Problems that another attempt can't solve. A host that has been found before may be missing for a moment.
_PERMANENT = ("certificate", "no-tls", "not-the-api")

# Samples that arrived together.
_BATCH = "device.telemetry.batch"


class _Ended(Exception):  # noqa: N818 - not an error of the caller
    """The resource was deleted, revoked or expired while there was no connection."""


@dataclass
class _Attempts:
    """What a lost channel's next attempt depends on.

    Attributes:
        max_retries: Attempts before the first connection.
        has_connected: Whether any connection has been made.
        failures: Attempts since a connection last brought a message.
        is_unauthorised: Whether the last one was refused for its token, after which one is made with a new token.
        next_at: When the next one is due, Unix seconds.
    """

    max_retries: int
    has_connected: bool = False
    failures: int = 0
    is_unauthorised: bool = False
    next_at: float = 0.0

    def failed(self, error: DroneMissionError) -> None:
        """Notes a failure. Raises it when another attempt can't help."""
        is_first_refusal = _is_unauthorised(error) and not self.is_unauthorised
        self.is_unauthorised = _is_unauthorised(error)
        if self.has_connected and isinstance(error, ApiError) and error.status == 404:
            raise _Ended from error
        if not is_first_refusal and not (may_pass(error, has_connected=self.has_connected) and self._may_try_again()):
            raise error
        self.wait(error.retry_after if isinstance(error, ApiError) else None)

    def wait(self, retry_after: float | None = None) -> None:
        """Puts the next attempt off."""
        self.failures += 1
        self.next_at = time.time() + wait_before(self.failures, retry_after)

    def _may_try_again(self) -> bool:
        return self.has_connected or self.failures < self.max_retries


def may_pass(error: DroneMissionError, *, has_connected: bool) -> bool:
    """Whether another attempt may succeed.

    Args:
        error: Of the last attempt.
        has_connected: Whether the address has worked before: then its host is missing only for a moment.
    """
    if isinstance(error, ApiConnectionError):
        return error.problem not in _PERMANENT and (has_connected or error.problem != "host-not-found")
    return isinstance(error, ApiError) and error.is_temporary


def _is_unauthorised(error: DroneMissionError) -> bool:
    return isinstance(error, ApiError) and (error.status == 401 or error.code == "unauthorized")


def follow(
    channel: Channel,
    connect: Callable[[Channel, ReceivedMessages], Connection],
    options: FollowOptions,
    max_retries: int,
) -> Iterator[Message]:
    """Yields the messages of a channel: the state at first, then every change.

    Lost connections are made again after the last cursor, so that what was missed meanwhile comes first; on channels
    without cursors, the state that each begins with shows what has changed. A connection whose token or time is about
    to end is closed only after its successor has brought the first message, so that no change falls between the two.

    Returns:
        After the last message about the resource, or when `options.stop` is set.

    Raises:
        ApiError, ApiConnectionError: When another attempt can't help.
    """
    received = ReceivedMessages(options.on_gap, options.after, channel.type)
    following = _Following(channel, connect, received, options, _Attempts(max_retries))
    try:
        while options.stop is None or not options.stop.is_set():
            for message in _single(following.receive()):
                # What came together is not read any further.
                if options.stop is not None and options.stop.is_set():
                    return
                if message["type"] == "gap":
                    received.start_again()
                elif message["type"] != "resumed" and received.accept(message):
                    if is_command(message):
                        if options.on_command is not None:
                            options.on_command(cast("CommandStatusMessage", message))
                        continue
                    yield message
                    if channel.is_last(message):
                        return
    except _Ended:
        return
    finally:
        following.close()


class _Following:
    """The current connection of a channel, and how it is replaced."""

    def __init__(
        self,
        channel: Channel,
        connect: Callable[[Channel, ReceivedMessages], Connection],
        received: ReceivedMessages,
        options: FollowOptions,
        attempts: _Attempts,
    ) -> None:
        self._channel = channel
        self._connect = connect
        self._received = received
        self._options = options
        self._attempts = attempts
        self._current: Connection | None = None

    def receive(self) -> list[Message]:
        """Waits a moment for messages; connects when there is no connection, or when it is to be replaced."""
        now = time.time()
        due_at = self._attempts.next_at
        if self._current is not None:
            due_at = max(due_at, self._current.replace_at)
        if now >= due_at:
            return self._replace()
        if self._current is None:
            pause(min(SLICE_S, due_at - now), self._options.stop)
            return []
        try:
            message = self._current.receive(min(SLICE_S, due_at - now))
        except ConnectionLost as lost:
            self._lost(lost)
            return []
        if message is None:
            return []
        self._attempts.failures = 0
        return [message]

    def close(self) -> None:
        """Closes the connection, if there is one."""
        if self._current is not None:
            self._current.close()
        self._current = None

    def _replace(self) -> list[Message]:
        try:
            new = self._connect(self._channel, self._received)
        except DroneMissionError as error:
            self._attempts.failed(error)
            # All seats of the client may be taken, one of them by the connection to be replaced.
            if isinstance(error, ApiError) and error.status == 429:
                self.close()
            return []
        self._attempts.has_connected = True
        self._attempts.is_unauthorised = False
        old, self._current = self._current, new
        if old is None:
            return []
        try:
            first = new.receive(_OVERLAP_S)
        except ConnectionLost as lost:
            self._lost(lost)
            first = None
        last = _waiting_in(old)
        old.close()
        return last if first is None else [*last, first]

    def _lost(self, lost: ConnectionLost) -> None:
        self.close()
        if isinstance(lost.error, ApiError) and not lost.error.is_temporary:
            raise lost.error
        if self._options.on_reconnect is not None:
            self._options.on_reconnect(lost.error)
        self._attempts.wait()


def _single(messages: list[Message]) -> Iterator[Message]:
    """Yields each sample of a batch by itself, as callers get them, and every other message as it is."""
    for message in messages:
        if message["type"] == _BATCH:
            yield from message["samples"]
        else:
            yield message


def _waiting_in(connection: Connection) -> list[Message]:
    """The messages that have arrived on a connection and were not read yet."""
    messages: list[Message] = []
    try:
        while (message := connection.receive(0)) is not None:
            messages.append(message)
    except ConnectionLost:
        pass
    return messages
