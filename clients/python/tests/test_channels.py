"""Channels over real WSS and MQTTS connections."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any

import pytest
from websockets.sync.client import ClientConnection

from drone_mission_client import ApiConnectionError, ApiError, Client, Gap
from drone_mission_client._resources.channels import Protocol
from drone_mission_client.messages import CommandStatusMessage, Sample
from follower import Follower
from proxy import Proxy
from stack import Partner

PROTOCOLS: tuple[Protocol, ...] = ("wss", "mqtts")


@contextmanager
def following_through_a_proxy(
    partner: Partner, job_id: str, over: Protocol, **options: Any
) -> Iterator[tuple[Proxy, Follower]]:
    """Follows a job that is PENDING, with a client of its own, over a connection that the test can cut."""
    address = "ws_url" if over == "wss" else "mqtt_url"
    with Proxy(partner.options[address]) as proxy, partner.client(**{address: proxy.url}, **options) as client:
        follower = Follower(partial(client.jobs.follow, job_id, over=over))
        follower.until_state("PENDING")
        yield proxy, follower


@pytest.mark.parametrize("over", PROTOCOLS)
def test_a_followed_job_yields_its_state_and_every_change_and_ends_with_the_last(
    client: Client, job_id: str, over: Protocol
) -> None:
    follower = Follower(partial(client.jobs.follow, job_id, over=over))
    follower.until_state("PENDING")
    for state in ("QUEUED", "IN_PROGRESS", "COMPLETED"):
        client.jobs.update(job_id, {"status": state})
        follower.until_state(state)
    follower.end()
    assert follower.states == ["PENDING", "QUEUED", "IN_PROGRESS", "COMPLETED"]
    assert [message.get("snapshot", False) for message in follower.messages] == [True, False, False, False]
    assert follower.gaps == []


@pytest.mark.parametrize("over", PROTOCOLS)
def test_a_job_that_is_deleted_has_a_last_message_that_says_so(client: Client, job_id: str, over: Protocol) -> None:
    follower = Follower(partial(client.jobs.follow, job_id, over=over))
    follower.until_state("PENDING")
    client.jobs.delete(job_id)
    follower.end()
    assert [message.get("deleted", False) for message in follower.messages] == [False, True]


@pytest.mark.parametrize("over", PROTOCOLS)
def test_after_a_cut_connection_nothing_is_lost_and_nothing_is_repeated(
    partner: Partner, client: Client, job_id: str, over: Protocol
) -> None:
    with following_through_a_proxy(partner, job_id, over) as (proxy, follower):
        proxy.cut()
        follower.until(lambda: len(follower.reconnects) > 0)
        client.jobs.update(job_id, {"status": "QUEUED"})
        proxy.mend()
        follower.until_state("QUEUED")
        client.jobs.update(job_id, {"status": "IN_PROGRESS"})
        follower.until_state("IN_PROGRESS")
        proxy.cut()
        proxy.mend()
        client.jobs.update(job_id, {"status": "COMPLETED"})
        follower.end()
    assert follower.states == ["PENDING", "QUEUED", "IN_PROGRESS", "COMPLETED"]
    assert follower.gaps == []


@pytest.mark.parametrize("over", PROTOCOLS)
def test_changes_that_were_missed_are_replayed(partner: Partner, client: Client, job_id: str, over: Protocol) -> None:
    with following_through_a_proxy(partner, job_id, over) as (proxy, follower):
        witness = Follower(partial(client.jobs.follow, job_id, over=over))
        witness.until_state("PENDING")
        proxy.cut()
        client.jobs.update(job_id, {"status": "QUEUED"})
        client.jobs.update(job_id, {"status": "IN_PROGRESS"})
        # A change that is published only after the reconnect is not missed.
        witness.until_state("IN_PROGRESS")
        proxy.mend()
        follower.until_state("IN_PROGRESS")
        follower.stop()
        witness.stop()
    assert follower.states == ["PENDING", "QUEUED", "IN_PROGRESS"]
    assert [message.get("replayed", False) for message in follower.messages] == [False, True, True]
    assert follower.gaps == []


@pytest.mark.parametrize("over", PROTOCOLS)
def test_another_program_goes_on_after_the_cursor_of_the_last_message(
    client: Client, job_id: str, over: Protocol
) -> None:
    cursor = next(client.jobs.follow(job_id, over=over))["cursor"]
    feed = Follower(lambda stop, on_gap, **_: client.events.follow(after=cursor, stop=stop, on_gap=on_gap))
    changes = ["QUEUED", "IN_PROGRESS", "COMPLETED"]
    for state in changes:
        client.jobs.update(job_id, {"status": state})  # type: ignore[typeddict-item]
    follower = Follower(partial(client.jobs.follow, job_id, over=over, after=cursor))
    follower.end()
    assert follower.states == changes
    assert [event["jobState"] for event in client.jobs.events(job_id)] == ["PENDING", *changes]
    feed.until(lambda: [message["jobState"] for message in feed.messages if message.get("jobId") == job_id] == changes)


@pytest.mark.parametrize("over", PROTOCOLS)
def test_a_cursor_that_the_service_does_not_know_is_a_gap(client: Client, job_id: str, over: Protocol) -> None:
    unknown = "event-00000000-0000000001"
    follower = Follower(partial(client.jobs.follow, job_id, over=over, after=unknown))
    follower.until_state("PENDING")
    follower.stop()
    assert follower.states == ["PENDING"]
    assert follower.gaps == [Gap(cursor=unknown)]


@pytest.mark.parametrize("over", PROTOCOLS)
def test_a_channel_that_has_ended_holds_no_sockets_until_a_garbage_collection(
    client: Client, job_id: str, over: Protocol
) -> None:
    next(client.jobs.follow(job_id, over=over))
    gc.disable()
    try:
        before = len(os.listdir("/dev/fd"))
        for _ in range(3):
            next(client.jobs.follow(job_id, over=over))
        assert len(os.listdir("/dev/fd")) == before
    finally:
        gc.enable()


def test_a_peer_that_hangs_up_before_the_handshake_is_a_lost_connection(
    partner: Partner, job_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    handshake = ClientConnection.handshake

    def handshake_after_the_end(socket: ClientConnection, *args: Any, **options: Any) -> None:
        socket.recv_events_thread.join()
        handshake(socket, *args, **options)

    with Proxy(partner.options["ws_url"]) as proxy, partner.client(ws_url=proxy.url, max_retries=0) as client:
        proxy.cut()
        monkeypatch.setattr(ClientConnection, "handshake", handshake_after_the_end)
        with pytest.raises(ApiConnectionError) as raised:
            next(iter(client.jobs.follow(job_id)))
    assert raised.value.problem == "interrupted"


@pytest.mark.parametrize("over", PROTOCOLS)
def test_a_job_that_is_deleted_during_a_cut_ends_the_channel(
    partner: Partner, client: Client, job_id: str, over: Protocol
) -> None:
    with following_through_a_proxy(partner, job_id, over) as (proxy, follower):
        proxy.cut()
        client.jobs.delete(job_id)
        proxy.mend()
        follower.end()


@pytest.mark.parametrize("over", PROTOCOLS)
def test_a_silent_connection_is_found_dead_and_made_again(
    partner: Partner, client: Client, job_id: str, over: Protocol
) -> None:
    with following_through_a_proxy(partner, job_id, over, ping_after=1) as (proxy, follower):
        proxy.stall()
        client.jobs.update(job_id, {"status": "QUEUED"})
        follower.until(lambda: len(follower.reconnects) > 0)
        proxy.mend()
        follower.until_state("QUEUED")
        follower.stop()
    assert follower.states == ["PENDING", "QUEUED"]


def test_a_quiet_connection_stays_open_by_pings(partner: Partner, client: Client, job_id: str) -> None:
    with following_through_a_proxy(partner, job_id, "wss", ping_after=0.4) as (proxy, follower):
        time.sleep(1.5)
        client.jobs.update(job_id, {"status": "QUEUED"})
        follower.until_state("QUEUED")
        follower.stop()
        assert proxy.count == 1
    assert follower.reconnects == []


@pytest.mark.parametrize("over", PROTOCOLS)
def test_a_group_yields_each_of_its_devices(client: Client, partner: Partner, over: Protocol) -> None:
    group = next(each for each in client.device_groups.list() if each["deviceGroupId"] == partner.device_group_id)
    devices = {device["deviceId"] for device in group["devices"]}
    follower = Follower(partial(client.device_groups.follow, partner.device_group_id, over=over))
    follower.until(lambda: {message["deviceId"] for message in follower.messages} == devices)
    follower.stop()
    assert len(follower.messages) == len(devices)


@pytest.mark.parametrize("over", PROTOCOLS)
def test_a_share_that_is_revoked_has_a_last_message_that_says_so(client: Client, over: Protocol) -> None:
    device_id = client.device_groups.list()[0]["devices"][0]["deviceId"]
    share_code = client.shares.create({"resourceId": device_id, "shareType": "DEVICE_STATUS"})["shareCode"]
    follower = Follower(partial(client.shares.follow, share_code, over=over))
    follower.until_state("ACTIVE")
    client.shares.revoke(share_code)
    follower.end()
    assert follower.states == ["ACTIVE", "REVOKED"]


@pytest.mark.parametrize("over", PROTOCOLS)
def test_a_job_that_does_not_exist_is_an_error_with_its_status(client: Client, job_id: str, over: Protocol) -> None:
    # Of the same organisation; of a job that was just deleted, the topic may not be cleared yet.
    unknown = f"{job_id[:-6]}zzzzzz"
    with pytest.raises(ApiError, match="refused with 404: ") as raised:
        next(client.jobs.follow(unknown, over=over))
    assert raised.value.status == 404


def test_a_topic_of_another_organisation_is_refused(client: Client) -> None:
    with pytest.raises(ApiError, match=r"the subscription is not allowed\. The client lacks the scope"):
        next(client.jobs.follow("job-aaaaaaaa-01kb1x5m9v3f8q2r7t6w4y0z1a", over="mqtts"))


def test_published_samples_reach_a_subscriber_in_order(client: Client) -> None:
    device_id = client.device_groups.list()[0]["devices"][0]["deviceId"]
    follower = Follower(partial(client.telemetry.follow, device_id=device_id))
    begin = datetime.now(timezone.utc) - timedelta(seconds=30)
    percents = list(range(1, 46))
    # A device that has never reported has no state to begin with.
    while not follower.messages:
        client.telemetry.publish([sample(device_id, begin, 0)])
        time.sleep(0.1)
    assert client.telemetry.publish([sample(device_id, begin, percent) for percent in percents]) == len(percents)
    follower.until(lambda: follower.messages[-1].get("battery") == {"percent": percents[-1]})
    follower.stop()
    received = [message["battery"]["percent"] for message in follower.messages if "battery" in message]
    assert [percent for percent in received if percent > 0] == percents


def sample(device_id: str, begin: datetime, percent: int) -> Sample:
    at = begin + timedelta(milliseconds=percent)
    return {"deviceId": device_id, "timestamp": at.isoformat(timespec="milliseconds"), "battery": {"percent": percent}}


@pytest.mark.parametrize("over", PROTOCOLS)
def test_a_follower_of_a_job_is_told_of_its_commands(client: Client, partner: Partner, over: Protocol) -> None:
    device_id = client.device_groups.list()[0]["devices"][0]["deviceId"]
    job_id = client.jobs.create({"name": "Commanded", "deviceGroupId": partner.device_group_id, "deviceId": device_id})[
        "jobId"
    ]
    told: list[CommandStatusMessage] = []
    states = []
    for message in client.jobs.follow(job_id, over=over, on_command=told.append):
        states.append(message["jobState"])
        if len(states) == 1:
            sent = client.devices.command(device_id, {"name": "RETURN_HOME", "jobId": job_id, "timeoutSeconds": 5})
            # No platform flies this stack's jobs.
            assert sent.outcome()["status"] == "TIMED_OUT"
            client.jobs.cancel(job_id)
    assert set(states) == {"PENDING", "CANCELLED"}
    assert [each["status"] for each in told] == ["REQUESTED", "TIMED_OUT"]
    assert [each["commandId"] for each in client.jobs.commands(job_id)] == [sent.command["commandId"]]
