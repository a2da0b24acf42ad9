"""Channels over WebSockets."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from dataclasses import dataclass
from urllib.parse import quote

import websockets.exceptions
from websockets.sync.client import ClientConnection, connect

from .._failures import connection_error, not_the_api, refusal
from .._tokens import Renewal, Token
from ..errors import ApiError, DroneMissionError
from .connection import REPLACE_AFTER_S, Channel, ChannelSettings, ConnectionLost, Message
from .received import ReceivedMessages

# Answers and heartbeats, which are not about a resource.
_SERVICE_MESSAGES = ("heartbeat", "pong", "subscribed", "snapshot.end", "expiring")
_LONGEST_PONG_WAIT_S = 10.0


def refusal_of_message(subject: str, message: Message) -> ApiError:
    """Makes the error for a message `{"type":"error"}`."""
    return ApiError(
        subject,
        status=0,
        error=str(message.get("error")),
        code=message.get("code"),
        details=message.get("details", ()),
        request_id=message.get("requestId"),
    )


@dataclass(frozen=True)
class OpenSocket:
    """An open WebSocket.

    Attributes:
        socket: The connection.
        token: With which it was opened.
        replace_at: When it is to be replaced, since its time ends; Unix seconds.
        context: Closes it: the library wants its connections to be used as context managers.
    """

    socket: ClientConnection
    token: Token
    replace_at: float
    context: ExitStack

    def close(self) -> None:
        """Closes it."""
        self.context.close()


def open_socket(path: str, subject: str, settings: ChannelSettings) -> OpenSocket:
    """Opens a WebSocket with the access token, if there is one: viewers of a share have none.

    Raises:
        ApiError: When the handshake was refused.
        ApiConnectionError: When it was not answered.
    """
    if settings.ws_url is None:
        raise DroneMissionError("ws_url is missing: the client needs the address of the channels, wss://….")
    url = settings.ws_url + path
    token = settings.tokens.get()
    connecting = ExitStack()
    try:
        socket = connecting.enter_context(
            connect(
                url,
                additional_headers={"Authorization": f"Bearer {token.text}"} if token.text else None,
                ssl=settings.tls if url.startswith("wss:") else None,
                open_timeout=settings.timeout,
                close_timeout=1,
                # The service's own ping is sent instead, which API Gateway passes on.
                ping_interval=None,
            )
        )
    except websockets.exceptions.InvalidStatus as error:
        response = error.response
        if response.status_code == 401:
            settings.tokens.forget(token)
        text = (response.body or b"").decode("utf-8", "replace")
        raise refusal(subject, response.status_code, response.headers, text) from None
    # A peer that hangs up before the request was sent has closed a connection that was never open.
    except (websockets.exceptions.InvalidMessage, websockets.exceptions.ConnectionClosed) as error:
        raise connection_error(error, url, "ws_url") from None
    except websockets.exceptions.InvalidHandshake:
        raise not_the_api(url, "ws_url") from None
    except OSError as error:
        raise connection_error(error, url, "ws_url") from None
    return OpenSocket(socket, token, time.time() + REPLACE_AFTER_S, connecting)


class WebSocketConnection:
    """A WebSocket that follows a channel, and that is watched.

    A lost network or a laptop that slept leaves a socket open but dead. The service sends a heartbeat only every four
    minutes, and answers a ping at once. What is received includes `resumed` and `gap`.

    Args:
        channel: What to follow.
        settings: Of the client.
        received: What the caller has received.

    Raises:
        ApiError, ApiConnectionError: When it can't be opened.
    """

    def __init__(self, channel: Channel, settings: ChannelSettings, received: ReceivedMessages) -> None:
        self._subject = channel.subject
        self._starts_again = False
        self._open = self._resume(channel, settings, received.resume_after)
        self._renewal = Renewal(settings.tokens, self._open.token, settings.timeout)
        self._ping_after = settings.ping_after
        self._pong_within = min(_LONGEST_PONG_WAIT_S, settings.ping_after)
        self._received_at = time.monotonic()
        self._pinged_at: float | None = None
        try:
            if channel.request is not None:
                self.send(channel.request)
        except ConnectionLost as lost:
            self.close()
            raise connection_error(lost, settings.ws_url or "", "ws_url") from None

    @property
    def replace_at(self) -> float:
        """When it is to be replaced; see `Connection`."""
        return 0.0 if self._renewal.has_failed else self._open.replace_at

    def receive(self, timeout: float) -> Message | None:
        """Waits for a message about the resource; see `Connection`."""
        if self._starts_again:
            self._starts_again = False
            return {"type": "gap"}
        until = time.monotonic() + timeout
        while True:
            self._renew()
            now = time.monotonic()
            wait = min(until - now, self._watch_at() - now, self._renewal.due_at - time.time())
            text = self._receive_text(max(0.0, wait))
            if text is not None:
                self._received_at, self._pinged_at = time.monotonic(), None
                message = json.loads(text)
                if self._take(message):
                    continue
                if message["type"] == "error":
                    raise ConnectionLost(refusal_of_message(self._subject, message))
                if message["type"] not in _SERVICE_MESSAGES:
                    return dict(message)
            elif time.monotonic() >= self._watch_at():
                self._watch()
            elif time.monotonic() >= until:
                return None

    def send(self, message: Message) -> None:
        """Sends a message; any thread may.

        Raises:
            ConnectionLost: It may have arrived all the same.
        """
        try:
            self._open.socket.send(json.dumps(message))
        except websockets.exceptions.ConnectionClosed:
            raise ConnectionLost from None

    def close(self) -> None:
        """Closes the socket."""
        self._open.close()

    def _take(self, message: Message) -> bool:
        """Returns whether a message is for this connection, and not for who follows the channel."""
        return self._renewal.take(message)

    def _resume(self, channel: Channel, settings: ChannelSettings, after: str | None) -> OpenSocket:
        """Opens it after a cursor; without it when the service does not know it any more."""
        if after is None:
            return open_socket(channel.path, channel.subject, settings)
        try:
            return open_socket(f"{channel.path}?after={quote(after, safe='')}", channel.subject, settings)
        except ApiError as error:
            if error.status != 400:
                raise
        self._starts_again = True
        return open_socket(channel.path, channel.subject, settings)

    def _renew(self) -> None:
        if time.time() >= self._renewal.due_at and (message := self._renewal.next_message()) is not None:
            self.send(message)

    def _receive_text(self, timeout: float) -> str | bytes | None:
        try:
            return self._open.socket.recv(timeout)
        except TimeoutError:
            return None
        except websockets.exceptions.ConnectionClosed:
            raise ConnectionLost from None

    def _watch_at(self) -> float:
        if self._pinged_at is not None:
            return self._pinged_at + self._pong_within
        return self._received_at + self._ping_after

    def _watch(self) -> None:
        """Sends a ping after a silence; a socket that stays silent is dead."""
        if self._pinged_at is not None:
            raise ConnectionLost
        self.send({"action": "ping"})
        self._pinged_at = time.monotonic()
