"""Telemetry: samples that arrive together, publishing and age, with a service whose messages a test decides."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection

from drone_mission_client import ApiError, Client, age_of
from drone_mission_client._channels.connection import Message
from drone_mission_client.messages import Sample
from fake_service import client_of


def sample(sequence: int, device_id: str = "device-1", **more: Any) -> Message:
    return {"type": "device.telemetry", "deviceId": device_id, "sequence": sequence, **more}


def batch(*samples: Message) -> Message:
    return {"type": "device.telemetry.batch", "samples": list(samples)}


@contextmanager
def subscribed(*connections: list[Message]) -> Iterator[tuple[Client, list[Any]]]:
    """Serves telemetry: each connection brings messages and breaks, but for the last one."""
    received: list[Any] = []
    waiting = list(connections)

    def handle(socket: ServerConnection) -> None:
        received.append(json.loads(socket.recv()))
        for message in waiting.pop(0):
            socket.send(json.dumps(message))
        if waiting:
            return
        try:
            while True:
                socket.recv()
        except ConnectionClosed:
            pass

    with client_of(handle) as client:
        yield client, received


def first(count: int, client: Client) -> list[Any]:
    following = client.telemetry.follow(device_group_id="group-1")
    return [next(following) for _ in range(count)]


def test_telemetry_is_subscribed_to_with_batches() -> None:
    with subscribed([sample(1)]) as (client, received):
        first(1, client)
    assert received == [{"action": "subscribe", "deviceGroupId": "group-1", "batch": True}]


def test_every_sample_of_a_batch_comes_by_itself_and_in_order_after_the_snapshot() -> None:
    snapshot = [sample(1, snapshot=True), sample(9, "device-2", snapshot=True)]
    together = [sample(2), sample(10, "device-2"), sample(3)]
    with subscribed([*snapshot, batch(*together), sample(4)]) as (client, _):
        assert first(6, client) == [*snapshot, *together, sample(4)]


def test_what_a_batch_repeats_after_a_lost_connection_is_dropped() -> None:
    with subscribed([batch(sample(1), sample(2))], [batch(sample(2), sample(3))]) as (client, _):
        assert [message["sequence"] for message in first(3, client)] == [1, 2, 3]


def test_stop_ends_following_within_a_batch_too() -> None:
    stop = threading.Event()
    told = []
    with subscribed([batch(sample(1), sample(2), sample(3))]) as (client, _):
        for message in client.telemetry.follow(device_id="device-1", stop=stop):
            told.append(message["sequence"])
            if message["sequence"] == 2:
                stop.set()
    assert told == [1, 2]


@contextmanager
def publishing(answer: Callable[[int, list[Sample]], Message]) -> Iterator[tuple[Client, list[int]]]:
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

    with publishing(answer) as (client, lengths):
        with pytest.raises(ApiError, match="Accepted: 46") as caught:
            client.telemetry.publish(samples(90))
        assert lengths == [40, 40, 10]
    error = caught.value
    assert (error.status, error.code, error.accepted) == (0, "invalid_request", 46)
    assert list(error.details) == [fault(index) for index in (0, 2, 43, 80, 82)]


def test_the_error_stays_one_readable_line_however_many_are_refused() -> None:
    def answer(_index: int, part: list[Sample]) -> Message:
        return published(list(range(1, len(part))), len(part))

    with publishing(answer) as (client, _), pytest.raises(ApiError) as caught:
        client.telemetry.publish(samples(400))
    assert len(caught.value.details) == 390
    assert str(caught.value).endswith("; and 370 more). Accepted: 10")


def test_any_other_refusal_is_raised_at_once() -> None:
    with publishing(lambda *_: {"type": "error", "code": "forbidden", "error": "Forbidden"}) as (client, lengths):
        with pytest.raises(ApiError) as caught:
            client.telemetry.publish(samples(90))
        assert lengths == [40]
    assert (caught.value.code, caught.value.accepted) == ("forbidden", None)


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
