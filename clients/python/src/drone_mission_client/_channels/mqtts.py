"""Channels over MQTT 3.1.1 with TLS."""

from __future__ import annotations

import json
from collections.abc import Callable

from .._connection_problem import connection_error
from .connection import Channel, ConnectionLost, Message
from .mqtt_session import MqttSession, Payload
from .received import ReceivedMessages, subject_of
from .received_commands import is_command
from .settings import ChannelSettings

# Topic and cursor.
ReadMissed = Callable[[str, str], "list[Message] | None"]

# How long the first message may take after the subscription.
_FIRST_WITHIN_S = 2.0


class MqttConnection:
    """An MQTT session that follows a channel.

    It begins with the state of a job or a share, and with the last message of a group's topic: the rest of the state is
    read by REST. What was missed since a cursor is read from the event log, after the first message.

    Args:
        channel: With a topic.
        settings: Of the client.
        received: What the caller has received.
        missed: Reads what a topic has had since a cursor; None when the log no longer knows the cursor.

    Raises:
        ApiError, ApiConnectionError: When it can't be opened, or the resource does not exist.
    """

    def __init__(
        self, channel: Channel, settings: ChannelSettings, received: ReceivedMessages, missed: ReadMissed
    ) -> None:
        self._session = MqttSession(channel.subject, settings)
        self.replace_at = self._session.replace_at
        self._state: list[Message] = []
        try:
            self._session.subscribe(channel.topic or "")
            self._state = self._begin(channel, received, missed)
        except ConnectionLost as lost:
            self.close()
            raise connection_error(lost, settings.mqtt_url or "", "mqtt_url") from None
        except BaseException:
            self.close()
            raise

    def receive(self, timeout: float) -> Message | None:
        """Waits for a message about the resource; see `Connection`."""
        if self._state:
            return self._state.pop(0)
        payload = self._session.receive(timeout)
        if payload is None:
            return None
        # The resource has been deleted; the next connection finds out whether the caller has received that.
        if payload.text == "":
            raise ConnectionLost
        return _message_in(payload)

    def close(self) -> None:
        """Ends the session."""
        self._session.close()

    def _begin(self, channel: Channel, received: ReceivedMessages, missed: ReadMissed) -> list[Message]:
        # Before it, changes may be in the log only; after it, each of them comes.
        payload = self._session.receive(_FIRST_WITHIN_S)
        # An empty one is about a resource that is gone: the log or REST tells.
        first = [_message_in(payload)] if payload is not None and payload.text else []
        after = received.settled_after
        if after is None:
            return _with_state(first, channel, received)
        # The first message comes after what was missed, and repeats its end.
        replayed = missed(channel.topic or "", after)
        return [{"type": "gap"}, *_with_state(first, channel, received)] if replayed is None else [*replayed, *first]


def _message_in(payload: Payload) -> Message:
    message: Message = json.loads(payload.text)
    # Not a change: the state at the time of connecting.
    return {**message, "snapshot": True} if payload.is_retained else message


def _with_state(first: list[Message], channel: Channel, received: ReceivedMessages) -> list[Message]:
    has_state = any(not is_command(each) for each in first)
    if channel.read is None or (has_state and not channel.is_group):
        return first
    return first + channel.read({**received.last, **{subject_of(each): each for each in first}})
