"""The error of a request or a handshake that got no answer or was refused, as one line."""

from __future__ import annotations

import errno
import http
import json
import socket
import ssl
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from ._backoff import retry_after_in
from .errors import ApiConnectionError, ApiError, Problem

# OpenSSL's X509_V_ERR_* whose remedy is not another authority.
_NOT_YET_VALID = 9
_HAS_EXPIRED = 10
_HOST_MISMATCH = (62, 64)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _problem_of(error: BaseException) -> Problem | None:
    match error:
        case ssl.SSLCertVerificationError():
            return "certificate"
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER" | "HTTP_REQUEST" | "RECORD_LAYER_FAILURE"):
            return "no-tls"
        case socket.gaierror():
            return "unreachable" if error.errno == socket.EAI_AGAIN else "host-not-found"
        case ConnectionRefusedError():
            return "refused"
        case httpx.ConnectTimeout():
            return "unreachable"
        case httpx.TimeoutException() | TimeoutError():
            return "timeout"
        case OSError(errno=errno.EHOSTUNREACH | errno.ENETUNREACH):
            return "unreachable"
        case _:
            return None


def _certificate_message(origin: str, option: str, error: BaseException | None) -> str:
    code = error.verify_code if isinstance(error, ssl.SSLCertVerificationError) else 0
    begin = f"The certificate of {origin}"
    if code in _HOST_MISMATCH:
        return f"{begin} is for another host: check {option}."
    if code == _HAS_EXPIRED:
        return f"{begin} has expired: check the clock of this machine, and tell the operator of the service."
    if code == _NOT_YET_VALID:
        return f"{begin} is not valid yet: check the clock of this machine."
    return (
        f"{begin} is not from an authority that this client trusts: check {option}, "
        "or name the PEM file of the authority in ca_file."
    )


def _message(problem: Problem, url: str, option: str, error: BaseException | None) -> str:
    parts = urlsplit(url)
    # Path and query may hold secrets.
    origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
    match problem:
        case "host-not-found":
            return f"There is no host {parts.hostname}: check {option}."
        case "refused":
            return f"Nothing answers at {origin}: check {option}, and whether the service runs there."
        case "unreachable":
            return f"{origin} can't be reached: check the network, a proxy, and {option}."
        case "certificate":
            return _certificate_message(origin, option, error)
        case "no-tls":
            return f"{origin} does not use TLS: check scheme and port of {option}."
        case "timeout":
            return f"{origin} did not answer in time: try again, or raise timeout."
        case "interrupted":
            return f"The connection to {origin} failed or broke: try again, and check the network and {option}."
        case "not-the-api":
            return f"What answers at {origin} is not the Drone Mission API: check {option}."


def connection_error(error: BaseException, url: str, option: str) -> ApiConnectionError:
    """Makes the error of a connection that failed.

    Args:
        error: As the HTTP, WebSocket or MQTT library raised it.
        url: Its origin alone is named.
        option: The option of the client that holds the address.
    """
    for cause in _causes(error):
        problem = _problem_of(cause)
        if problem is not None:
            return ApiConnectionError(problem, _message(problem, url, option, cause))
    return ApiConnectionError("interrupted", _message("interrupted", url, option, None))


def not_the_api(url: str, option: str) -> ApiConnectionError:
    """Makes the error for an answer that is not from this API."""
    return ApiConnectionError("not-the-api", _message("not-the-api", url, option, None))


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
