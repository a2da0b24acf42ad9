"""Samples that arrive together, from a service whose messages a test decides."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection

from drone_mission_client import Client
from drone_mission_client._channels.connection import Message
from fake_service import client_of


def sample(sequence: int, device_id: str = "device-1", **more: Any) -> Message:
    return {"type": "device.telemetry", "deviceId": device_id, "sequence": sequence, **more}


def batch(*samples: Message) -> Message:
    return {"type": "device.telemetry.batch", "samples": list(samples)}


@contextmanager
def service(*connections: list[Message]) -> Iterator[tuple[Client, list[Any]]]:
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
    with service([sample(1)]) as (client, received):
        first(1, client)
    assert received == [{"action": "subscribe", "deviceGroupId": "group-1", "batch": True}]


def test_every_sample_of_a_batch_comes_by_itself_and_in_order_after_the_snapshot() -> None:
    snapshot = [sample(1, snapshot=True), sample(9, "device-2", snapshot=True)]
    together = [sample(2), sample(10, "device-2"), sample(3)]
    with service([*snapshot, batch(*together), sample(4)]) as (client, _):
        assert first(6, client) == [*snapshot, *together, sample(4)]


def test_what_a_batch_repeats_after_a_lost_connection_is_dropped() -> None:
    with service([batch(sample(1), sample(2))], [batch(sample(2), sample(3))]) as (client, _):
        assert [message["sequence"] for message in first(3, client)] == [1, 2, 3]


def test_stop_ends_following_within_a_batch_too() -> None:
    stop = threading.Event()
    told = []
    with service([batch(sample(1), sample(2), sample(3))]) as (client, _):
        for message in client.telemetry.follow(device_id="device-1", stop=stop):
            told.append(message["sequence"])
            if message["sequence"] == 2:
                stop.set()
    assert told == [1, 2]
