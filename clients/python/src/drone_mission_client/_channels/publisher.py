"""Publishes telemetry over one connection, which is opened when it is needed and again after it was lost."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import websockets.exceptions
from websockets.sync.client import ClientConnection

from .._backoff import pause, wait_before
from .._connection_problem import connection_error
from ..errors import ApiConnectionError, ApiError, DroneMissionError
from .connection import Message
from .settings import ChannelSettings
from .wss import OpenSocket, open_socket, refusal_of_message

_SUBJECT = "Publishing telemetry"
# Limits of one message: the service takes 40 samples, and a frame of 32 KB, of which some is the envelope's.
_MAX_SAMPLES = 40
_MAX_BYTES = 31_000


def parts_of(samples: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Splits samples into lists that each fit into a message."""
    parts: list[list[Mapping[str, Any]]] = []
    size = 0
    for sample in samples:
        # A comma and a space follow.
        more = len(json.dumps(sample)) + 2
        if parts and len(parts[-1]) < _MAX_SAMPLES and size + more <= _MAX_BYTES:
            parts[-1].append(sample)
            size += more
        else:
            parts.append([sample])
            size = more
    return parts


class Publisher:
    """Publishes samples.

    Args:
        path: Of the telemetry endpoint.
        settings: Of the client.
    """

    def __init__(self, path: str, settings: ChannelSettings) -> None:
        self._path = path
        self._settings = settings
        self._lock = threading.Lock()
        self._connection: OpenSocket | None = None
        self._last_id = 0

    def publish(self, samples: Sequence[Mapping[str, Any]]) -> int:
        """Publishes samples in parts that fit into a frame.

        Returns:
            How many were accepted.
        """
        with self._lock:
            return sum(self._publish_part(part) for part in parts_of(samples))

    def close(self) -> None:
        """Closes the connection; a later publish opens another."""
        with self._lock:
            self._drop()

    def _publish_part(self, part: Sequence[Mapping[str, Any]]) -> int:
        attempt = 1
        while True:
            try:
                return self._ask(part)
            except DroneMissionError as error:
                if attempt > self._settings.max_retries or not _may_repeat(error, attempt):
                    raise
                retry_after = error.retry_after if isinstance(error, ApiError) else None
            pause(wait_before(attempt, retry_after))
            attempt += 1

    def _ask(self, part: Sequence[Mapping[str, Any]]) -> int:
        """Sends one message and waits for its answer."""
        socket = self._open().socket
        self._last_id += 1
        try:
            socket.send(json.dumps({"action": "publish", "id": self._last_id, "telemetry": part}))
            answer = self._answer(socket, self._last_id)
        except (websockets.exceptions.ConnectionClosed, TimeoutError) as error:
            self._drop()
            raise connection_error(error, self._settings.ws_url or "", "ws_url") from None
        if answer["type"] == "error":
            raise refusal_of_message(_SUBJECT, answer)
        return int(answer["accepted"])

    def _answer(self, socket: ClientConnection, message_id: int) -> Message:
        until = time.monotonic() + self._settings.timeout
        while True:
            message: Message = json.loads(socket.recv(max(0.0, until - time.monotonic())))
            if message.get("id") == message_id:
                return message

    def _open(self) -> OpenSocket:
        if self._connection is not None and time.time() >= min(
            self._connection.replace_at, self._connection.token.renew_at
        ):
            self._drop()
        if self._connection is None:
            self._connection = open_socket(self._path, _SUBJECT, self._settings)
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _may_repeat(error: DroneMissionError, attempt: int) -> bool:
    if isinstance(error, ApiConnectionError):
        return error.problem in ("refused", "unreachable", "timeout", "interrupted")
    return isinstance(error, ApiError) and (error.is_temporary or (error.status == 401 and attempt == 1))
