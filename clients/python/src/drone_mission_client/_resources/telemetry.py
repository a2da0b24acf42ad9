"""Live telemetry of devices."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import cast

from .._channels.connection import Channel
from .._channels.publisher import Publisher
from ..messages import DeviceTelemetryMessage, Sample, ViewerTelemetryMessage
from .channels import Channels, OnGap, OnReconnect

PATH = "/telemetry"


class Telemetry:
    """Live telemetry. Every method raises ApiError or ApiConnectionError."""

    def __init__(self, channels: Channels) -> None:
        self._channels = channels
        self._publisher = Publisher(PATH, channels.settings)

    def follow(
        self,
        *,
        device_id: str | None = None,
        device_group_id: str | None = None,
        stop: threading.Event | None = None,
        on_reconnect: OnReconnect | None = None,
        on_gap: OnGap | None = None,
    ) -> Iterator[DeviceTelemetryMessage]:
        """Yields the last known state of each device, then every sample. Goes on until you leave the loop.

        Args:
            device_id: One device, or
            device_group_id: all devices of a group.
            stop: Ends the iteration when it is set.
            on_reconnect: Called when the connection is lost and will be made again.
            on_gap: Called when samples were missed while the connection was lost.
        """
        target = {"deviceId": device_id, "deviceGroupId": device_group_id}
        channel = Channel(
            path=PATH,
            topic=None,
            subject="Following telemetry",
            is_last=lambda _message: False,
            request={
                "action": "subscribe",
                **{name: value for name, value in target.items() if value is not None},
                "batch": True,
            },
        )
        return cast(
            "Iterator[DeviceTelemetryMessage]", self._channels.follow(channel, "wss", stop, on_reconnect, on_gap)
        )

    def publish(self, samples: Sequence[Sample]) -> int:
        """Publishes samples of the organisation's devices, over a connection that stays open until the client closes.

        Long lists are sent in parts. What may not have arrived is sent again, since the service ignores what it already
        has. Each sample is judged by itself: when some are refused, all others are published, and an error says so at
        the end.

        Returns:
            The number of samples that the service has accepted.

        Raises:
            ApiError: With the code `invalid_request` when samples were refused: `details` names each fault by the
                sample's place in the list, such as `telemetry.2.timestamp`, and `accepted` is the number of samples
                that were accepted. With any other code when not all samples were sent.
            ApiConnectionError: Not all samples were sent.
        """
        return self._publisher.publish(samples)

    def close(self) -> None:
        """Closes the connection that samples are published over."""
        self._publisher.close()


def age_of(message: DeviceTelemetryMessage | ViewerTelemetryMessage) -> float:
    """How old a message of telemetry was when the service sent it.

    It does not depend on the clock of this machine.

    Returns:
        Seconds, never negative: of a snapshot its `age`, of a sample the time from its measurement to its arrival at
        the service.
    """
    age = message.get("age")
    return age if age is not None else max(0.0, _seconds(message["receivedAt"]) - _seconds(message["timestamp"]))


def _seconds(moment: str) -> float:
    # Python 3.10 does not know the Z.
    return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()
