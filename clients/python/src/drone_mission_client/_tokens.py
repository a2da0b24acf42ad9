"""Keeps one access token and renews it ahead of its end, for open WebSockets too."""

from __future__ import annotations

import base64
import json
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ._failures import refusal
from ._send import Sender
from .errors import ApiConnectionError, ApiError, DroneMissionError

# MQTTS refuses tokens with less than five minutes left.
_MARGIN_S = 360.0
# After a failed renewal the token that is still valid is used for so long before the next attempt.
_RENEWAL_PAUSE_S = 10.0

# What to check, by status.
_HINTS = {
    401: "Check client_id and client_secret",
    403: "Check api_key, and that it belongs to the same partner as client_id; a suspended partner is refused too",
}


@dataclass(frozen=True)
class Token:
    """A token that may be used now. Times are Unix seconds.

    Attributes:
        text: The JWT.
        renew_at: When a new one is due.
        expires_at: When it is no longer valid.
    """

    text: str
    renew_at: float
    expires_at: float


def renewal_margin(lifetime: float) -> float:
    """How long before its end a token is replaced, in seconds.

    Six minutes, but a tenth of the lifetime at most, so that tokens with a short lifetime are used too.
    """
    return min(_MARGIN_S, lifetime / 10)


class TokenSource:
    """Keeps one access token, with one request however many threads wait.

    Args:
        request: Gets a new token and its lifetime in seconds.
        clock: Unix seconds.
    """

    def __init__(self, request: Callable[[], tuple[str, float]], clock: Callable[[], float] = time.time) -> None:
        self._request = request
        self._clock = clock
        self._current: Token | None = None
        self._lock = threading.Lock()

    def get(self) -> Token:
        """Returns a token that is not due for renewal, unless renewing failed and the old one is still valid.

        Raises:
            ApiError, ApiConnectionError: When there is no valid token.
        """
        with self._lock:
            if self._current is None or self._clock() >= self._current.renew_at:
                self._current = self._renewed(self._current)
            return self._current

    def forget(self, token: Token) -> None:
        """Forgets a token that the service has refused."""
        with self._lock:
            if self._current is not None and self._current.text == token.text:
                self._current = None

    def _renewed(self, previous: Token | None) -> Token:
        # Counted from the request, so rather too short than too long.
        asked_at = self._clock()
        try:
            text, lifetime = self._request()
        except (ApiError, ApiConnectionError) as error:
            is_refused = isinstance(error, ApiError) and not error.is_temporary
            if previous is None or is_refused or self._clock() >= previous.expires_at:
                raise
            again_at = min(self._clock() + _RENEWAL_PAUSE_S, previous.expires_at)
            return Token(previous.text, again_at, previous.expires_at)
        margin = 0.0 if math.isinf(lifetime) else renewal_margin(lifetime)
        return Token(text, asked_at + lifetime - margin, asked_at + lifetime)


def issued_token(
    sender: Sender, base_url: str, client_id: str, client_secret: str, api_key: str
) -> Callable[[], tuple[str, float]]:
    """Makes the request of an access token for client credentials (RFC 6749 section 4.4)."""
    body = {"grant_type": "client_credentials", "client_id": client_id, "client_secret": client_secret}

    def issue() -> tuple[str, float]:
        request = sender.http.build_request(
            "POST", f"{base_url}/v3/auth/token", json=body, headers={"x-api-key": api_key}
        )
        response = sender.send(request)
        if not response.is_success:
            hint = _HINTS.get(response.status_code)
            raise refusal("POST /v3/auth/token", response.status_code, response.headers, response.text, hint)
        issued = response.json()
        return issued["access_token"], float(issued["expires_in"])

    return issue


def supplied_token(supply: Callable[[], str]) -> Callable[[], tuple[str, float]]:
    """Gets tokens from the caller's function; the lifetime is what `exp` of the token leaves (RFC 7519)."""

    def request() -> tuple[str, float]:
        text = supply()
        expires_at = _expiry_of(text)
        return text, math.inf if expires_at is None else max(0.0, expires_at - time.time())

    return request


def _expiry_of(token: str) -> float | None:
    try:
        payload = token.split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"])
    except (IndexError, KeyError, TypeError, ValueError):
        return None


# No other message of a socket has this `id`.
_RENEWAL = "renewal"


class Renewal:
    """Lets a socket go on with new tokens.

    Attributes:
        has_failed: Whether the socket is to be replaced instead.

    Args:
        tokens: Has the new tokens.
        token: With which the socket was opened.
        timeout: How long a new token waits for its answer, in seconds.
    """

    def __init__(self, tokens: TokenSource, token: Token, timeout: float) -> None:
        self._tokens = tokens
        self._token = token
        self._timeout = timeout
        self._asked: Token | None = None
        self._answer_by = 0.0
        self.has_failed = False

    @property
    def due_at(self) -> float:
        """When there is something to do, Unix seconds."""
        if self.has_failed:
            return float("inf")
        return self._token.renew_at if self._asked is None else self._answer_by

    def next_message(self) -> dict[str, Any] | None:
        """Returns the message to send when a new token is due."""
        now = time.time()
        if self._asked is not None or now >= self._token.expires_at:
            self.has_failed = True
            return None
        try:
            token = self._tokens.get()
        except DroneMissionError:
            # Whoever opens the next socket gets the error.
            self.has_failed = True
            return None
        if token.text == self._token.text:
            self._token = token
            self.has_failed = token.renew_at <= now
            return None
        self._asked = token
        self._answer_by = min(now + self._timeout, self._token.expires_at)
        return {"action": "authenticate", "token": token.text, "id": _RENEWAL}

    def take(self, message: dict[str, Any]) -> bool:
        """Returns whether a message is the answer to a new token."""
        if message.get("id") != _RENEWAL or self._asked is None:
            return False
        token, self._asked = self._asked, None
        if message.get("code") == "unauthorized":
            self._tokens.forget(token)
        # Without its subscriptions a socket brings nothing more.
        self.has_failed = message["type"] != "authenticated" or bool(message.get("subscriptionsEnded"))
        self._token = token
        return True
