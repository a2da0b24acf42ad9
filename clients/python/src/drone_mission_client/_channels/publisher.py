"""Publishes telemetry over one connection, which is opened when it is needed and again after it was lost."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import websockets.exceptions
from websockets.sync.client import ClientConnection

from .._backoff import pause, wait_before
from .._failures import connection_error
from ..errors import ApiConnectionError, ApiError, DroneMissionError
from ..models import ErrorDetail
from .connection import ChannelSettings, Message
from .wss import OpenSocket, open_socket, refusal_of_message

_SUBJECT = "Publishing telemetry"
# Code of the answer to a message of which every sample is refused.
_SAMPLES_REFUSED = "invalid_request"
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
        """Publishes samples in parts that fit into a frame. What is refused does not keep the rest from being sent.

        Returns:
            How many were accepted.

        Raises:
            ApiError: Samples were refused, after everything was sent; or any other refusal, at once.
        """
        accepted = 0
        sent = 0
        details: list[ErrorDetail] = []
        refusal: Message | None = None
        with self._lock:
            for part in parts_of(samples):
                answer = self._publish_part(part)
                if answer["type"] == "error":
                    refusal = answer
                    details += _shifted(answer.get("details", ()), sent)
                else:
                    accepted += int(answer["accepted"])
                    details += _shifted(answer.get("refused", ()), sent)
                sent += len(part)
        if refusal is None and not details:
            return accepted
        raise _samples_refused(refusal or {}, details, accepted)

    def close(self) -> None:
        """Closes the connection; a later publish opens another."""
        with self._lock:
            self._drop()

    def _publish_part(self, part: Sequence[Mapping[str, Any]]) -> Message:
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

    def _ask(self, part: Sequence[Mapping[str, Any]]) -> Message:
        """Sends one message and waits for its answer, which may be that its samples are refused."""
        socket = self._open().socket
        self._last_id += 1
        try:
            socket.send(json.dumps({"action": "publish", "id": self._last_id, "telemetry": part}))
            answer = self._answer(socket, self._last_id)
        except (websockets.exceptions.ConnectionClosed, TimeoutError) as error:
            self._drop()
            raise connection_error(error, self._settings.ws_url or "", "ws_url") from None
        if answer["type"] == "error" and answer.get("code") != _SAMPLES_REFUSED:
            raise refusal_of_message(_SUBJECT, answer)
        return answer

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


def _shifted(faults: Sequence[ErrorDetail], offset: int) -> list[ErrorDetail]:
    """Faults with the places of the list that the caller handed in: the service counts from the beginning of a part."""

    def in_list(found: re.Match[str]) -> str:
        return f"telemetry.{int(found[1]) + offset}"

    return [
        {"path": re.sub(r"^telemetry\.(\d+)", in_list, each["path"]), "message": each["message"]} for each in faults
    ]


def _samples_refused(refusal: Message, details: Sequence[ErrorDetail], accepted: int) -> ApiError:
    """The error for samples that were refused, with whatever the service said when it refused all of a part."""
    return ApiError(
        _SUBJECT,
        status=0,
        error=str(refusal.get("error", _SAMPLES_REFUSED)),
        code=_SAMPLES_REFUSED,
        details=details,
        request_id=refusal.get("requestId"),
        accepted=accepted,
        hint=f"Accepted: {accepted}",
    )


def _may_repeat(error: DroneMissionError, attempt: int) -> bool:
    if isinstance(error, ApiConnectionError):
        return error.problem in ("refused", "unreachable", "timeout", "interrupted")
    return isinstance(error, ApiError) and (error.is_temporary or (error.status == 401 and attempt == 1))
