"""Publishing, to a service whose answers a test decides."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.sync.server import ServerConnection

from drone_mission_client import ApiError, Client
from drone_mission_client._channels.connection import Message
from drone_mission_client.messages import Sample
from fake_service import client_of


@contextmanager
def service(answer: Callable[[int, list[Sample]], Message]) -> Iterator[tuple[Client, list[int]]]:
    """Answers each list of samples by the function, and keeps their lengths."""
    lengths: list[int] = []

    def handle(socket: ServerConnection) -> None:
        for text in socket:
            message = json.loads(text)
            samples = message["telemetry"]
            lengths.append(len(samples))
            socket.send(json.dumps({**answer(len(lengths) - 1, samples), "id": message["id"]}))

    with client_of(handle) as client:
        yield client, lengths


def samples(count: int) -> list[Sample]:
    return [{"deviceId": "device-1", "timestamp": "2026-11-22T10:00:00.000Z"} for _ in range(count)]


def fault(index: int) -> dict[str, Any]:
    return {"path": f"telemetry.{index}.timestamp", "message": "must be a date"}


def published(refused: list[int], count: int) -> Message:
    faults = [{"index": index, **fault(index)} for index in refused]
    return {"type": "published", "accepted": count - len(refused), "recorded": 0, "refused": faults}


def test_refused_samples_raise_an_error_after_everything_was_sent() -> None:
    def answer(index: int, part: list[Sample]) -> Message:
        if index == 1:
            return {"type": "error", "code": "invalid_request", "error": "Bad", "details": [fault(3)]}
        return published([0, 2], len(part))

    with service(answer) as (client, lengths):
        with pytest.raises(ApiError, match="Accepted: 46") as caught:
            client.telemetry.publish(samples(90))
        assert lengths == [40, 40, 10]
    error = caught.value
    assert (error.status, error.code, error.accepted) == (0, "invalid_request", 46)
    assert list(error.details) == [fault(index) for index in (0, 2, 43, 80, 82)]


def test_the_error_stays_one_readable_line_however_many_are_refused() -> None:
    def answer(_index: int, part: list[Sample]) -> Message:
        return published(list(range(1, len(part))), len(part))

    with service(answer) as (client, _), pytest.raises(ApiError) as caught:
        client.telemetry.publish(samples(400))
    assert len(caught.value.details) == 390
    assert str(caught.value).endswith("; and 370 more). Accepted: 10")


def test_any_other_refusal_is_raised_at_once() -> None:
    with service(lambda *_: {"type": "error", "code": "forbidden", "error": "Forbidden"}) as (client, lengths):
        with pytest.raises(ApiError) as caught:
            client.telemetry.publish(samples(90))
        assert lengths == [40]
    assert (caught.value.code, caught.value.accepted) == ("forbidden", None)
