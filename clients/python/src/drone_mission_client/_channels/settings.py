"""What all channels of a client share."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable
from dataclasses import dataclass

from .._http.token_source import TokenSource
from ..errors import DroneMissionError
from ..messages import CommandStatusMessage
from .received import Gap

# API Gateway closes a connection after two hours: it is replaced before.
REPLACE_AFTER_S = 110 * 60.0


@dataclass(frozen=True)
class ChannelSettings:
    """What all channels of a client share.

    Attributes:
        ws_url: `wss://…`; None when the client does not know it.
        mqtt_url: `mqtts://…`; None when the client does not know it.
        client_id: Of the partner's client; None for one that has only a token.
        tls: Trusted certificate authorities.
        tokens: Has the access token.
        timeout: Limit of a handshake and of an answer, in seconds.
        max_retries: Attempts before the first connection. Later, a lost channel is reconnected until its caller ends
            it.
        ping_after: A ping is sent on a channel that has been silent for so many seconds.
    """

    ws_url: str | None
    mqtt_url: str | None
    client_id: str | None
    tls: ssl.SSLContext
    tokens: TokenSource
    timeout: float
    max_retries: int
    ping_after: float


@dataclass(frozen=True)
class FollowOptions:
    """What a caller may want beside the messages.

    Attributes:
        stop: Ends the iteration when it is set.
        on_reconnect: Called when the connection is lost and will be made again, with the reason if there is one.
        on_gap: Called when changes were missed while the connection was lost.
        after: Cursor of the last message that the caller has received.
        on_command: Called with each change of a command.
    """

    stop: threading.Event | None = None
    on_reconnect: Callable[[DroneMissionError | None], None] | None = None
    on_gap: Callable[[Gap], None] | None = None
    after: str | None = None
    on_command: Callable[[CommandStatusMessage], None] | None = None
