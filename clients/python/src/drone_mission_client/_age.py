"""How old what a device reports is."""

from __future__ import annotations

from datetime import datetime

from .messages import DeviceTelemetryMessage, ViewerTelemetryMessage


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
