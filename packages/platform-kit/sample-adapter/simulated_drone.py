"""A simulated drone: what a platform puts its own in the place of."""

import math
from typing import Any

CLIMB_S, CIRCLE_S = 5, 20
FLIGHT_S = CLIMB_S + CIRCLE_S + CLIMB_S
FAILURES = {"link-loss": "LINK_LOSS", "low-battery": "LOW_BATTERY", "dock-fault": "DOCK_FAULT", "abort": "ABORTED"}
COMMANDS = ("gimbal", "light")


def state_at(device: str, t: float) -> dict[str, Any]:
    """What a drone reports `t` seconds after take-off: straight up, a circle, straight down to its dock."""
    dock = 8.54 + int(device[-4:], 16) / 10_000_000, 47.37
    height = 40 * max(0.0, min(1.0, t / CLIMB_S, (FLIGHT_S - t) / CLIMB_S))
    angle = 2 * math.pi * max(0.0, min(1.0, (t - CLIMB_S) / CIRCLE_S))
    east, north = 50 * math.sin(angle), 50 * (1 - math.cos(angle))
    longitude, latitude = dock[0] + east / (111_320 * math.cos(math.radians(dock[1]))), dock[1] + north / 111_320
    position = {"type": "Point", "coordinates": [round(longitude, 7), round(latitude, 7), round(450 + height, 2)]}
    return {
        "droneState": "DOCKED" if height == 0 else "WAYPOINT" if 0 < angle < 2 * math.pi else "GPS_NORMAL",
        "navigation": {"position": position},
        "battery": {"percent": round(100 - 20 * max(0.0, min(1.0, t / FLIGHT_S)), 1)},
        "simulated": True,
    }


def end_of(job: dict[str, Any], t: float) -> dict[str, str] | None:
    """What to report of a flight that has ended by then. The job's `metadata` can ask for a failure half-way."""
    reason = FAILURES.get(job.get("metadata", {}).get("simulate"))
    if reason and t >= FLIGHT_S / 2:
        return {"status": "FAILED", "reason": reason}
    return None if reason or t < FLIGHT_S else {"status": "COMPLETED"}


def refusal_of(command: dict[str, Any]) -> str | None:
    """Why a drone does not do what a viewer asks."""
    return None if command["name"] in COMMANDS else "NOT_SUPPORTED"
