"""A viewer's side of a share."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import cast
from urllib.parse import quote

from .._options import address, trusted
from .._tokens import TokenSource
from ..errors import DroneMissionError
from ..messages import (
    ControlOutcomeMessage,
    LiveVideo,
    ShareFlightMessage,
    SharePlaybackMessage,
    ViewerShareStatusMessage,
    ViewerTelemetryMessage,
)
from ..models import SendCommandRequest
from .connection import Channel, ChannelSettings, FollowOptions, Gap, Message
from .follow import SLICE_S, follow
from .questions import Questions
from .received import ReceivedMessages
from .wss import WebSocketConnection

ViewerMessage = ViewerShareStatusMessage | SharePlaybackMessage | ViewerTelemetryMessage | ControlOutcomeMessage

# What a viewer is sent: others, which a later service may send, are passed over.
_TYPES = ("share.status", "share.playback", "device.telemetry", "control.outcome", "error")
# Those of a client without options.
_MAX_RETRIES = 4
_PING_AFTER_S = 60.0


class _ViewerConnection(WebSocketConnection):
    """A connection that also brings the answers to what a viewer asks."""

    def __init__(
        self, channel: Channel, settings: ChannelSettings, received: ReceivedMessages, questions: Questions
    ) -> None:
        self._questions = questions
        super().__init__(channel, settings, received)
        questions.attach(self)

    def close(self) -> None:
        super().close()
        self._questions.detach(self)

    def _take(self, message: Message) -> bool:
        return super()._take(message) or self._questions.take(message) or message["type"] not in _TYPES


class ShareView:
    """What a viewer of a share sees: iterate it. And what a viewer may do meanwhile, in the loop or in another thread.

    Every method raises ApiError with a `code` when the service refuses, such as `forbidden`, and ApiConnectionError
    when there is no answer. Nothing is sent twice: what got no answer may have been executed.
    """

    def __init__(self, channel: Channel, settings: ChannelSettings, options: FollowOptions) -> None:
        self._channel = channel
        self._settings = settings
        self._options = options
        self._questions = Questions(settings.timeout)

    def __iter__(self) -> Iterator[ViewerMessage]:
        """Yields the messages; see `watch_share`."""
        inbox: SimpleQueue[Message | Exception | None] = SimpleQueue()
        has_left = threading.Event()
        stop = self._options.stop
        threading.Thread(target=self._read, args=(inbox, has_left), daemon=True).start()
        try:
            while stop is None or not stop.is_set():
                try:
                    message = inbox.get(timeout=SLICE_S)
                except Empty:
                    continue
                if message is None:
                    return
                if isinstance(message, Exception):
                    raise message
                yield cast(ViewerMessage, message)
        finally:
            has_left.set()
            self._questions.end()

    def control(self, command: SendCommandRequest) -> str:
        """Sends a command to the drone, once. The share must permit it.

        Returns:
            The `requestId` that its `control.outcome` will have: the service took the command, the drone not yet.
        """
        answer = self._questions.ask("The command", {"action": "control", "command": command})
        return str(answer["requestId"])

    def take_control(self) -> str:
        """Holds the control of the drone for a minute: commands of other viewers are refused.

        Call it again to go on holding it; it ends with the connection, too. The code `held_by` says that somebody else
        holds it.

        Returns:
            Until when, ISO 8601.
        """
        return str(self._questions.ask("The control", {"action": "takeControl"})["until"])

    def release_control(self) -> None:
        """Ends what `take_control` began."""
        self._questions.ask("The release of the control", {"action": "releaseControl"})

    def playback(self) -> LiveVideo | None:
        """Reads a new address of the live video, for when that of `share.playback` ends.

        The share must be of the type `STREAM`.

        Returns:
            None when the device has no video.
        """
        return cast("LiveVideo | None", self._questions.ask("The live video", {"action": "playback"})["playback"])

    def flight(self) -> ShareFlightMessage:
        """Reads the names of the device and its job, and the flight that it is in; without one `track` is empty."""
        return cast(ShareFlightMessage, self._questions.ask("The flight", {"action": "flight"}))

    def _read(self, inbox: SimpleQueue[Message | Exception | None], has_left: threading.Event) -> None:
        """Reads in a thread of its own, so that answers come also while the loop is busy."""

        def connect(channel: Channel, received: ReceivedMessages) -> WebSocketConnection:
            return _ViewerConnection(channel, self._settings, received, self._questions)

        end = None
        try:
            for message in follow(self._channel, connect, replace(self._options, stop=has_left), _MAX_RETRIES):
                inbox.put(message)
        except Exception as error:
            end = error
        self._questions.end()
        inbox.put(end)


def watch_share(
    ws_url: str,
    share_code: str,
    *,
    ca_file: str | os.PathLike[str] | None = None,
    timeout: float = 30.0,
    stop: threading.Event | None = None,
    on_reconnect: Callable[[DroneMissionError | None], None] | None = None,
    on_gap: Callable[[Gap], None] | None = None,
) -> ShareView:
    """Watches a share as a viewer does, without a token.

    It yields the share, its video if it has one, the device's last known state, then every change and every sample. It
    connects when the loop begins. Lost connections are made again. It ends when the share is revoked or expires, and
    when you leave the loop. The loop raises ApiError when the service refuses, and ApiConnectionError.

    Args:
        ws_url: The address of the channels, `wss://…`.
        share_code: The last part of the share link.
        ca_file: PEM file of a certificate authority to trust beside the public ones.
        timeout: Limit of a handshake and of an answer in seconds.
        stop: Ends the iteration when it is set.
        on_reconnect: Called when the connection is lost and will be made again, in a thread of the view.
        on_gap: Called when changes were missed while the connection was lost, in a thread of the view.

    Raises:
        DroneMissionError: That names the argument which is missing or wrong.
    """
    if not share_code:
        raise DroneMissionError("share_code is missing: it is the last part of the share link.")
    channel = Channel(
        path=f"/telemetry?shareCode={quote(share_code, safe='')}",
        topic=None,
        subject="Watching a share",
        is_last=lambda message: message.get("shareState") in ("REVOKED", "EXPIRED"),
    )
    # A viewer needs no token.
    tokens = TokenSource(lambda: ("", math.inf))
    settings = ChannelSettings(
        address("ws_url", ws_url), None, None, trusted(ca_file), tokens, timeout, _MAX_RETRIES, _PING_AFTER_S
    )
    return ShareView(channel, settings, FollowOptions(stop, on_reconnect, on_gap))
