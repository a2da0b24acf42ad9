"""Errors of the client. The message of each is one line that says what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from .models import ErrorDetail

Problem = Literal[
    "host-not-found", "refused", "unreachable", "certificate", "no-tls", "timeout", "interrupted", "not-the-api"
]

# Most fields that a text names, so that it stays a readable line; `details` has all.
_MAX_NAMED = 20


class DroneMissionError(Exception):
    """Every error that the client itself raises."""


class ApiError(DroneMissionError):
    """The service refused a request, the handshake of a channel, or a message on a WebSocket.

    Attributes:
        request: What was refused, without identifiers: a share code is a secret.
        status: HTTP status of the answer; 0 for a message on an open WebSocket and for MQTT, which have none.
        error: `error` of the answer: a text such as `Job not found`, or the code of an OAuth error.
        code: `code` of an error over a WebSocket; rely on it instead of the text.
        details: Each wrong field of a request that is invalid, or why it is forbidden.
        request_id: `x-request-id`: name it when you ask for support.
        retry_after: When the service allows the next attempt, in seconds from now.
        accepted: Of samples that were published together: how many were accepted although others were refused.
    """

    def __init__(
        self,
        request: str,
        *,
        status: int,
        error: str,
        code: str | None = None,
        details: Sequence[ErrorDetail] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
        accepted: int | None = None,
        hint: str | None = None,
    ) -> None:
        named = [f"{each['path']} {each['message']}".strip() for each in details[:_MAX_NAMED]]
        if len(details) > _MAX_NAMED:
            named.append(f"and {len(details) - _MAX_NAMED} more")
        fields = "; ".join(named)
        what = f"{request} was refused{f' with {status}' if status else ''}: {error}{f' ({fields})' if fields else ''}"
        super().__init__(f"{what}{f'. {hint}' if hint else ''}{f' [request {request_id}]' if request_id else ''}")
        self.request = request
        self.status = status
        self.error = error
        self.code = code
        self.details = tuple(details)
        self.request_id = request_id
        self.retry_after = retry_after
        self.accepted = accepted

    @property
    def is_temporary(self) -> bool:
        """Whether another attempt may succeed: after a limit, or an error of the service."""
        if self.status == 0:
            return self.code in ("internal_error", "too_many_requests", "server_unavailable")
        return self.status == 429 or self.status >= 500


class ApiConnectionError(DroneMissionError):
    """The service could not be reached, or the connection to it broke.

    Attributes:
        problem: Why: `host-not-found`, `refused` (nothing answers there), `unreachable`, `certificate`, `no-tls`,
            `timeout`, `interrupted` (the connection broke, and the request may have been carried out), or `not-the-api`
            (something else answers there).
    """

    def __init__(self, problem: Problem, message: str) -> None:
        super().__init__(message)
        self.problem = problem
