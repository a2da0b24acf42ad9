"""Device groups with their devices."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Literal, cast

from .._channels.connection import Channel, Message
from .._rest import Rest
from ..errors import ApiError
from ..messages import DeviceStatusMessage
from ..models import DeviceGroup
from .channels import Channels, OnCommand, OnGap, OnReconnect, Protocol, snapshot, status_path


class DeviceGroups:
    """Device groups. Every method raises ApiError or ApiConnectionError."""

    def __init__(self, rest: Rest, channels: Channels) -> None:
        self._rest = rest
        self._channels = channels

    def list(self, *, include: Literal["state"] | None = None) -> list[DeviceGroup]:
        """Reads the device groups of the organisation, each with its devices.

        Args:
            include: With `state` each device has its `lastState`: what it reported last, and when.
        """
        return cast("list[DeviceGroup]", self._rest.call("GET /v3/resources", query={"include": include})["resources"])

    def follow(
        self,
        device_group_id: str,
        *,
        over: Protocol = "wss",
        after: str | None = None,
        stop: threading.Event | None = None,
        on_reconnect: OnReconnect | None = None,
        on_gap: OnGap | None = None,
        on_command: OnCommand | None = None,
    ) -> Iterator[DeviceStatusMessage]:
        """Yields the state of each device of a group, then each change of one.

        Ends only when the group no longer exists. Over MQTT, the first message about a device other than the last that
        changed has only its status, and `sequence` 0.

        Args:
            device_group_id: The group.
            over: `wss` or `mqtts`.
            after: `cursor` of the last message that you have received, before your program was started again: begins
                with what was missed since then, marked `replayed`, instead of the state.
            stop: Ends the iteration when it is set; so does leaving the loop.
            on_reconnect: Called when the connection is lost and will be made again.
            on_gap: Called when changes were missed while the connection was lost.
            on_command: Called with each change of a command, once; they are not among the messages that are yielded.
        """
        channel = Channel(
            path=status_path("devices", device_group_id),
            type="device.status",
            topic=f"{device_group_id}/DEVICE/STATUS",
            subject="Following a device group",
            is_last=lambda _message: False,
            read=lambda last: self._changes_since(device_group_id, last),
            is_group=True,
        )
        return cast(
            "Iterator[DeviceStatusMessage]",
            self._channels.follow(channel, over, stop, on_reconnect, on_gap, after, on_command),
        )

    def _changes_since(self, device_group_id: str, last: dict[str, Message]) -> list[Message]:  # type: ignore[valid-type]
        """The devices whose status differs from that in the last message about them, as messages of the channel."""
        group = next((each for each in self.list() if each["deviceGroupId"] == device_group_id), None)
        if group is None:
            raise ApiError("Following a device group", status=404, error="Device group not found")
        return [
            snapshot(
                "device.status",
                # A change of the status has a sequence at least one higher.
                known["sequence"] + 1 if known else 0,
                {"deviceId": device["deviceId"], "deviceGroupId": device_group_id, "status": device["status"]},
            )
            for device in group["devices"]
            if (known := last.get(device["deviceId"], {})).get("status") != device["status"]
        ]
