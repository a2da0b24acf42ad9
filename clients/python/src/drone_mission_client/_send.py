"""Sends a request, and again after a failure where a repeat does no harm."""

from __future__ import annotations

import time
from dataclasses import dataclass

import httpx

from ._backoff import pause, retry_after_in, wait_before
from ._failures import connection_error, not_the_api
from .errors import ApiConnectionError

# The longest wait that `Retry-After` may ask for: limits of the API count by the minute.
_LONGEST_RETRY_AFTER_S = 90
# How long after its call a command may be sent again: it is meant for the flight as it was then. That is also the time
# in which the drone platform must begin it.
_COMMAND_WITHIN_S = 10.0
_UNAVAILABLE = (500, 502, 503, 504)


@dataclass(frozen=True)
class Sender:
    """Sends requests.

    Attributes:
        http: Holds the connections, the timeout and the certificates.
        max_retries: Number of further attempts after one that failed.
    """

    http: httpx.Client
    max_retries: int

    def send(self, request: httpx.Request) -> httpx.Response:
        """Sends a request until it is answered: at growing intervals with jitter, or when `Retry-After` says.

        A command is repeated for ten seconds only. A repeat has the same idempotency key.

        Returns:
            The last answer, also when it is an error.

        Raises:
            ApiConnectionError: Of the last attempt.
        """
        latest = time.monotonic() + _COMMAND_WITHIN_S if _is_command(request) else float("inf")
        for attempt in range(1, self.max_retries + 2):
            outcome = self._exchange(request)
            header = outcome.headers.get("retry-after") if isinstance(outcome, httpx.Response) else None
            retry_after = retry_after_in(header)
            wait = wait_before(attempt, retry_after)
            is_last = attempt > self.max_retries or (retry_after or 0) > _LONGEST_RETRY_AFTER_S
            if is_last or time.monotonic() + wait > latest or not _may_repeat(request, outcome):
                break
            pause(wait)
        if isinstance(outcome, ApiConnectionError):
            raise outcome
        return outcome

    def _exchange(self, request: httpx.Request) -> httpx.Response | ApiConnectionError:
        url = str(request.url)
        try:
            response = self.http.send(request)
        except httpx.TransportError as error:
            return connection_error(error, url, "base_url")
        return not_the_api(url, "base_url") if _is_from_another_server(request, response) else response


def _is_from_another_server(request: httpx.Request, response: httpx.Response) -> bool:
    """Every answer of the API is JSON, or what the request accepts.

    Of what stands before the API only errors may be something else.
    """
    if response.status_code >= 500 or response.status_code == 429:
        return False
    if response.headers.get("content-type", "").split(";")[0] in request.headers.get("accept", "").split(", "):
        return False
    try:
        response.json()
    except ValueError:
        is_json = response.headers.get("content-type", "").startswith("application/json")
        return not is_json or response.status_code < 300
    return False


def _is_command(request: httpx.Request) -> bool:
    return request.method == "POST" and request.url.path.endswith("/commands")


def _is_repeatable(request: httpx.Request) -> bool:
    """Whether it does no harm to carry out a request twice.

    A read, a create with an idempotency key, a change that holds for one version only, a replacement, a request for
    a token. A create without a key would create twice. A delete or cancel is none: its repeat would be refused although
    the first one succeeded.
    """
    return (
        request.method in ("GET", "PUT")
        or "idempotency-key" in request.headers
        or (request.method == "PATCH" and "if-match" in request.headers)
        or request.url.path.endswith("/v3/auth/token")
    )


def _may_repeat(request: httpx.Request, outcome: httpx.Response | ApiConnectionError) -> bool:
    """Whether another attempt may succeed and does no harm.

    What was refused or never arrived may always be repeated.
    """
    if isinstance(outcome, httpx.Response):
        return outcome.status_code == 429 or (outcome.status_code in _UNAVAILABLE and _is_repeatable(request))
    if outcome.problem in ("refused", "unreachable"):
        return True
    return outcome.problem in ("timeout", "interrupted") and _is_repeatable(request)
