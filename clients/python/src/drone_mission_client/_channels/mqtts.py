"""Channels over MQTT 3.1.1 with TLS."""

from __future__ import annotations

import json
from collections.abc import Callable

from .._connection_problem import connection_error
from .connection import Channel, ConnectionLost, Message
from .mqtt_session import MqttSession
from .received import ReceivedMessages, subject_of
from .settings import ChannelSettings

# Topic and cursor.
ReadMissed = Callable[[str, str], "list[Message] | None"]

# How long the retained message may take after the subscription.
_RETAINED_WITHIN_S = 2.0


class MqttConnection:
    """An MQTT session that follows a channel.

    MQTT retains only the last message of a topic, and none of a resource that ended long ago: the rest of the state is
    read by REST. What was missed since a cursor is read from the event log, after subscribing.

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
        message: Message = json.loads(payload.text)
        # Not a change: the state at the time of connecting.
        return {**message, "snapshot": True} if payload.is_retained else message

    def close(self) -> None:
        """Ends the session."""
        self._session.close()

    def _begin(self, channel: Channel, received: ReceivedMessages, missed: ReadMissed) -> list[Message]:
        after = received.settled_after
        if after is None:
            return self._read_state(channel, received)
        # The retained message comes after what was missed, and repeats its end.
        replayed = missed(channel.topic or "", after)
        return [{"type": "gap"}, *self._read_state(channel, received)] if replayed is None else replayed

    def _read_state(self, channel: Channel, received: ReceivedMessages) -> list[Message]:
        first = self.receive(_RETAINED_WITHIN_S)
        retained = [] if first is None else [first]
        if channel.read is None or (retained and not channel.is_group):
            return retained
        return retained + channel.read({**received.last, **{subject_of(each): each for each in retained}})
