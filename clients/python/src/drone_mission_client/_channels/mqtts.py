"""Channels over MQTT 3.1.1 with TLS."""

from __future__ import annotations

import json
import queue
import time
import uuid
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.reasoncodes import ReasonCode

from .._failures import connection_error
from .._tokens import Token
from ..errors import ApiError, DroneMissionError
from .connection import REPLACE_AFTER_S, Channel, ChannelSettings, ConnectionLost, Message
from .received import ReceivedMessages, is_command, subject_of

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
        self._session = _MqttSession(channel.subject, settings)
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


def _message_in(payload: _Payload) -> Message:
    message: Message = json.loads(payload.text)
    # Not a change: the state at the time of connecting.
    return {**message, "snapshot": True} if payload.is_retained else message


def _with_state(first: list[Message], channel: Channel, received: ReceivedMessages) -> list[Message]:
    has_state = any(not is_command(each) for each in first)
    if channel.read is None or (has_state and not channel.is_group):
        return first
    return first + channel.read({**received.last, **{subject_of(each): each for each in first}})


_DEFAULT_PORT = 8883
# The broker refuses tokens that end sooner.
_SHORTEST_S = 300
_SERVER_UNAVAILABLE = "Server unavailable"


class _Payload(NamedTuple):
    """A received message.

    Attributes:
        text: Empty when the topic was cleared.
        is_retained: Whether it was published before the subscription.
    """

    text: str
    is_retained: bool


class _MqttSession:
    """A session that ends with its connection: the broker allows no other.

    Args:
        subject: What is followed, for error messages.
        settings: Of the client.

    Raises:
        ApiError: When the broker refused it.
        ApiConnectionError: When the broker can't be reached.
    """

    def __init__(self, subject: str, settings: ChannelSettings) -> None:
        if settings.mqtt_url is None:
            raise DroneMissionError("mqtt_url is missing: the client needs the address of the MQTT broker, mqtts://….")
        if settings.client_id is None:
            raise DroneMissionError("client_id is missing: MQTT needs it as the user name, beside the token.")
        self._subject = subject
        self._url = settings.mqtt_url
        self._timeout = settings.timeout
        self._answers: queue.SimpleQueue[ReasonCode | None] = queue.SimpleQueue()
        self._payloads: queue.SimpleQueue[_Payload | None] = queue.SimpleQueue()
        # Another session with the same client id would end this one.
        session_id = f"{settings.client_id}-{uuid.uuid4().hex[:8]}"
        self._client = mqtt.Client(
            CallbackAPIVersion.VERSION2, session_id, protocol=mqtt.MQTTv311, reconnect_on_failure=False
        )
        self._client.on_connect = self._on_connect
        self._client.on_subscribe = self._on_subscribe
        self._client.on_message = self._on_message
        self._client.on_disconnect = self._on_disconnect
        self._client.connect_timeout = settings.timeout
        self._client.tls_set_context(settings.tls)
        token = settings.tokens.get()
        self._client.username_pw_set(settings.client_id, token.text)
        self.replace_at = min(token.renew_at, time.time() + REPLACE_AFTER_S)
        self._connect(settings, token)

    def subscribe(self, topic: str) -> None:
        """Subscribes to a topic.

        Raises:
            ApiError: When the broker refused it, which does not say why.
            ConnectionLost: When it did not answer.
        """
        self._client.subscribe(topic, qos=1)
        answer = self._answer()
        if answer.is_failure:
            raise ApiError(
                self._subject,
                status=0,
                error="the subscription is not allowed",
                code="forbidden",
                hint="The client lacks the scope, or the resource belongs to another organisation",
            )

    def receive(self, timeout: float) -> _Payload | None:
        """Waits for a message.

        Returns:
            The message, or None when none has come.

        Raises:
            ConnectionLost: After the last message.
        """
        try:
            payload = self._payloads.get(timeout=timeout) if timeout > 0 else self._payloads.get_nowait()
        except queue.Empty:
            return None
        if payload is None:
            raise ConnectionLost
        return payload

    def close(self) -> None:
        """Ends the session."""
        self._client.disconnect()
        self._client.loop_stop()
        # paho closes the pair of sockets that wakes its thread only when its client is freed, which these references
        # to the session would delay until a garbage collection.
        self._client.on_connect = None
        self._client.on_subscribe = None
        self._client.on_message = None
        self._client.on_disconnect = None

    def _connect(self, settings: ChannelSettings, token: Token) -> None:
        address = urlsplit(self._url)
        try:
            self._client.connect(
                address.hostname or "", address.port or _DEFAULT_PORT, keepalive=max(1, round(settings.ping_after))
            )
        except (OSError, ValueError) as error:
            raise connection_error(error, self._url, "mqtt_url") from None
        self._client.loop_start()
        try:
            answer = self._answer()
        except ConnectionLost as lost:
            self.close()
            raise connection_error(lost, self._url, "mqtt_url") from None
        if not answer.is_failure:
            return
        self.close()
        settings.tokens.forget(token)
        raise self._refused(answer, token)

    def _refused(self, answer: ReasonCode, token: Token) -> ApiError:
        reason = answer.getName()
        if reason == _SERVER_UNAVAILABLE:
            return ApiError(self._subject, status=0, error=reason, code="server_unavailable")
        is_short = token.expires_at - time.time() < _SHORTEST_S
        hint = (
            "MQTTS needs a token with five minutes left, and this one has less: use a longer lifetime"
            if is_short
            else "Check client_id, and that the token was issued to it by this deployment"
        )
        return ApiError(self._subject, status=0, error=reason, code="unauthorized", hint=hint)

    def _answer(self) -> ReasonCode:
        """Waits for the broker's answer to a connection or a subscription."""
        try:
            answer = self._answers.get(timeout=self._timeout)
        except queue.Empty:
            answer = None
        if answer is None:
            raise ConnectionLost
        return answer

    # paho calls these from its own thread.

    def _on_connect(self, _client: mqtt.Client, _data: Any, _flags: Any, code: ReasonCode, _properties: Any) -> None:
        self._answers.put(code)

    def _on_subscribe(
        self, _client: mqtt.Client, _data: Any, _id: int, codes: list[ReasonCode], _properties: Any
    ) -> None:
        self._answers.put(codes[0])

    def _on_message(self, _client: mqtt.Client, _data: Any, message: mqtt.MQTTMessage) -> None:
        self._payloads.put(_Payload(message.payload.decode(), message.retain))

    def _on_disconnect(
        self, _client: mqtt.Client, _data: Any, _flags: Any, _code: ReasonCode, _properties: Any
    ) -> None:
        self._answers.put(None)
        self._payloads.put(None)
