"""What the service says when it refuses."""

from __future__ import annotations

import http
import json
from collections.abc import Mapping
from typing import Any

from .._backoff import retry_after_in
from ..errors import ApiError

# What to do about a refusal, by status.
_HINTS = {
    401: "Check that the token was issued by this deployment and has not expired",
    403: "The client lacks the scope, or the resource belongs to another organisation",
    412: "The job has changed since that version: read it again",
    429: "The limit of the client is used up: wait before you call again",
}


def _object_in(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _phrase(status: int) -> str:
    """A refused handshake has no body."""
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return "without a reason"


def refusal(request: str, status: int, headers: Mapping[str, str], text: str, hint: str | None = None) -> ApiError:
    """Makes the error for an answer that is not a success.

    Args:
        request: What was refused, without identifiers.
        status: HTTP status.
        headers: Of the answer.
        text: Body of the answer, of a resource endpoint or of the token endpoint (RFC 6749 section 5.2).
        hint: What to do about it; by default what the status suggests, unless the answer has details.
    """
    body = _object_in(text)
    details = body.get("details")
    if details is None:
        description = body.get("error_description")
        details = [] if description is None else [{"path": "", "message": description}]
    return ApiError(
        request,
        status=status,
        error=str(body.get("error") or body.get("message") or _phrase(status)),
        details=details,
        request_id=headers.get("x-request-id"),
        retry_after=retry_after_in(headers.get("retry-after")),
        hint=hint or (None if details else _HINTS.get(status)),
    )
