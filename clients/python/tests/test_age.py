"""The age of what a device reports."""

from __future__ import annotations

from typing import Any

import pytest

from drone_mission_client import age_of

SAMPLE = {"timestamp": "2026-11-25T10:00:00.000Z", "receivedAt": "2026-11-25T10:00:00.250Z"}


@pytest.mark.parametrize(
    ("more", "seconds"),
    [
        ({}, 0.25),
        ({"receivedAt": "2026-11-25T10:20:00.000Z"}, 1200),
        ({"receivedAt": "2026-11-25T09:59:30.000Z"}, 0),
        ({"snapshot": True, "age": 86_400.5}, 86_400.5),
        ({"snapshot": True, "age": 0}, 0),
    ],
    ids=["arrived at once", "arrived late", "a clock that is ahead", "a snapshot", "a snapshot as it arrives"],
)
def test_the_age_is_that_of_the_measurement(more: Any, seconds: float) -> None:
    message: Any = {**SAMPLE, **more}
    assert age_of(message) == pytest.approx(seconds)
