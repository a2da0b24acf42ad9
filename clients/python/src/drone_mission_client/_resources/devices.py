"""Devices in flight: commands, and what has become of them."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from .._backoff import pause
from .._channels.follow import may_pass
from .._rest import Rest, items_of
from ..errors import DroneMissionError
from ..models import Command, DeviceCapabilities, DeviceControl, ListDeviceCommandsReply, SendCommandRequest

_COMMANDS = "/v3/devices/{deviceId}/commands"
_CONTROL = "/v3/devices/{deviceId}/control"
# Pauses between two reads of a command: each is twice the one before it.
_FIRST_PAUSE_S = 0.25
_LONGEST_PAUSE_S = 2.0
# How long after `endBefore` a command without an outcome may take to become TIMED_OUT.
_MARGIN_S = 90.0


@dataclass(frozen=True)
class SentCommand:
    """A command that the service has taken.

    Attributes:
        command: As it was when it was sent.
        read: Reads it again.
    """

    command: Command
    read: Callable[[], Command]

    def outcome(self, *, timeout: float | None = None) -> Command:
        """Waits until the command has ended, by reading it again and again.

        A service that can't be reached for a while does not end that.

        Args:
            timeout: Limit of the wait in seconds; by default the command's own time, and a minute and a half.

        Returns:
            The command: DONE, or REFUSED, FAILED, TIMED_OUT (nobody knows whether it was executed) or SUPERSEDED.

        Raises:
            DroneMissionError: When it has no outcome in time.
            ApiError, ApiConnectionError: When it can't be read.
        """
        # By the service's clock alone: that of this machine may be another.
        longest = _seconds(self.command["endBefore"]) - _seconds(self.command["requestedAt"]) + _MARGIN_S
        latest = time.monotonic() + (longest if timeout is None else timeout)
        found, wait = self.command, _FIRST_PAUSE_S
        problem = DroneMissionError("The command has no outcome yet: read it later with devices.get_command.")
        while "endedAt" not in found:
            left = latest - time.monotonic()
            if left <= 0:
                raise problem
            pause(min(wait, left))
            wait = min(2 * wait, _LONGEST_PAUSE_S)
            try:
                found = self.read()
            except DroneMissionError as error:
                if not may_pass(error, has_connected=True):
                    raise
                problem = error
        return found


class Devices:
    """Devices in flight. Every method raises ApiError or ApiConnectionError."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    def command(
        self, device_id: str, command: SendCommandRequest, *, idempotency_key: str | None = None
    ) -> SentCommand:
        """Sends a command to a device in flight; an ApiError with status 409 when it can't be told that now.

        That the service has taken it does not mean that it is executed: wait for its `outcome()`. It is sent again
        after a failure, for ten seconds and with the same key, so that it is executed once. After an ApiConnectionError
        it may have been executed.

        Args:
            device_id: The device.
            command: Its `name`, and its parameters.
            idempotency_key: A UUID that makes it repeatable for 24 hours. By default each call has a new one.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        path = {"deviceId": device_id}
        sent = self._rest.call(f"POST {_COMMANDS}", path=path, body=command, headers=headers)["command"]
        taken = cast(Command, sent)
        return SentCommand(taken, lambda: self.get_command(device_id, taken["commandId"]))

    def commands(self, device_id: str, *, limit: int | None = None) -> Iterator[Command]:
        """Yields all commands of a device, whoever sent them, newest first, page after page.

        Args:
            device_id: The device.
            limit: Size of a page, 50 by default and at most 100.
        """
        return items_of(
            lambda next_token: self.commands_page(device_id, limit=limit, next_token=next_token), "commands"
        )

    def commands_page(
        self, device_id: str, *, limit: int | None = None, next_token: str | None = None
    ) -> ListDeviceCommandsReply:
        """Reads one page of commands; its `nextToken`, if it has one, is what to ask for the next page with."""
        query = {"limit": limit, "nextToken": next_token}
        page = self._rest.call(f"GET {_COMMANDS}", path={"deviceId": device_id}, query=query)
        return cast(ListDeviceCommandsReply, page)

    def get_command(self, device_id: str, command_id: str) -> Command:
        """Reads a command as it is now."""
        path = {"deviceId": device_id, "commandId": command_id}
        return cast(Command, self._rest.call(f"GET {_COMMANDS}/{{commandId}}", path=path)["command"])

    def capabilities(self, device_id: str) -> DeviceCapabilities:
        """Reads the commands that a device obeys, and its range."""
        reply = self._rest.call("GET /v3/devices/{deviceId}/capabilities", path={"deviceId": device_id})
        return cast(DeviceCapabilities, reply["capabilities"])

    def hold(self, device_id: str) -> DeviceControl:
        """Holds the control of a device for a minute; an ApiError with status 409 when another client holds it.

        Commands of others are refused, but for those that keep it from harm. Call it again before `until` to go on
        holding it.
        """
        return cast(DeviceControl, self._rest.call(f"PUT {_CONTROL}", path={"deviceId": device_id})["control"])

    def release(self, device_id: str) -> None:
        """Ends what this client or a viewer holds; an ApiError with status 409 when another client holds the device."""
        self._rest.call(f"DELETE {_CONTROL}", path={"deviceId": device_id})

    def control(self, device_id: str) -> DeviceControl:
        """Reads who holds the control of a device; without a holder it has only its `deviceId`."""
        return cast(DeviceControl, self._rest.call(f"GET {_CONTROL}", path={"deviceId": device_id})["control"])


def _seconds(moment: str) -> float:
    # Python 3.10 does not know the Z.
    return datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp()
