"""New tokens for an open WebSocket."""

from __future__ import annotations

import time

from .._http.token_source import Token, TokenSource
from ..errors import DroneMissionError
from .connection import Message

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

    def next_message(self) -> Message | None:
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

    def take(self, message: Message) -> bool:
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
