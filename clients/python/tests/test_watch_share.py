"""A viewer's side of a share, against a service whose messages a test decides, and against a stack."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from functools import partial
from typing import Any, cast

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request
from websockets.sync.server import ServerConnection

from drone_mission_client import ApiConnectionError, ApiError, Client, DroneMissionError, ShareView, watch_share
from drone_mission_client._channels import follow as follow_module
from drone_mission_client._channels.connection import Message
from drone_mission_client._channels.questions import Questions
from drone_mission_client._channels.wss import WebSocketConnection
from fake_service import service_of
from follower import WITHIN_S, Follower
from stack import Partner

CODE = "share-secret"
UNTIL = "2026-11-27T10:31:15.123Z"
VIDEO = {"protocol": "HLS", "url": "https://video.example/1", "expiresAt": UNTIL}
FLIGHT = {"type": "share.flight", "deviceName": "Kestrel 1", "track": [], "id": 1}
# In place of a message to send: the next one of the viewer is awaited.
ASKED: Message = {}


def sharing(sequence: int, state: str = "ACTIVE", **more: Any) -> Message:
    return {"type": "share.status", "shareState": state, "sequence": sequence, **more}


SNAPSHOT = sharing(1, snapshot=True)
REVOKED = sharing(2, "REVOKED", deleted=True)


class Service:
    """Each connection brings messages and breaks, but for the last one."""

    def __init__(self, *connections: list[Message]) -> None:
        self.requests: list[Request] = []
        self.asked: list[Message] = []
        self.has_closed = threading.Event()
        self._waiting = list(connections)

    def handle(self, socket: ServerConnection) -> None:
        assert socket.request is not None
        self.requests.append(socket.request)
        try:
            for message in self._waiting.pop(0):
                if message is ASKED:
                    self.asked.append(json.loads(socket.recv()))
                else:
                    socket.send(json.dumps(message))
            if not self._waiting:
                socket.recv()
        except ConnectionClosed:
            self.has_closed.set()


@pytest.fixture(autouse=True)
def without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_module, "wait_before", lambda *_: 0.0)


@contextmanager
def watching(*connections: list[Message], **options: Any) -> Iterator[tuple[ShareView, Service]]:
    """A view of a share whose service brings this."""
    service = Service(*connections)
    with service_of(service.handle) as url:
        yield watch_share(url, CODE, **options), service


def test_a_viewer_sees_the_share_its_video_its_device_and_its_commands() -> None:
    messages = [
        sharing(1, snapshot=True, shareType="STREAM", permissions=["view", "control"], commands=["PAUSE"]),
        {"type": "share.playback", "playback": None, "code": "no_video_stream", "error": "The device has no video"},
        {"type": "device.telemetry", "deviceId": "device-1", "sequence": 7, "droneState": "HOVER"},
        {"type": "control.outcome", "requestId": "command-1", "name": "PAUSE", "outcome": "DONE"},
        REVOKED,
    ]
    later = {"type": "device.weather", "deviceId": "device-1", "sequence": 9}
    with watching([*messages[:2], later, *messages[2:]]) as (view, service):
        assert list(view) == messages
    [request] = service.requests
    assert request.path == f"/telemetry?shareCode={CODE}"
    assert "Authorization" not in request.headers
    assert CODE not in repr(view) + repr(vars(view))


def test_a_lost_connection_is_made_again() -> None:
    lost: list[Exception | None] = []
    with watching([SNAPSHOT], [SNAPSHOT, REVOKED], on_reconnect=lost.append) as (view, _):
        assert list(view) == [SNAPSHOT, REVOKED]
    assert lost == [None]


@pytest.mark.parametrize(
    ("act", "asked", "answer", "result"),
    [
        (
            lambda view: view.control({"name": "x-light", "on": True}),
            {"action": "control", "command": {"name": "x-light", "on": True}},
            {"type": "accepted", "requestId": "command-1"},
            "command-1",
        ),
        (ShareView.take_control, {"action": "takeControl"}, {"type": "control.taken", "until": UNTIL}, UNTIL),
        (ShareView.release_control, {"action": "releaseControl"}, {"type": "control.released"}, None),
        (ShareView.playback, {"action": "playback"}, {"type": "share.playback", "playback": VIDEO}, VIDEO),
        (ShareView.playback, {"action": "playback"}, {"type": "share.playback", "playback": None}, None),
        (ShareView.flight, {"action": "flight"}, FLIGHT, FLIGHT),
    ],
)
def test_a_viewer_acts_in_the_loop(
    act: Callable[[ShareView], Any], asked: Message, answer: Message, result: Any
) -> None:
    # The sample before the answer is not lost; the answer is none of the messages.
    sample = {"type": "device.telemetry", "deviceId": "device-1", "sequence": 7}
    with watching([SNAPSHOT, ASKED, sample, {**answer, "id": 1}, REVOKED]) as (view, service):
        seen = []
        for message in view:
            if message == SNAPSHOT:
                assert act(view) == result
            seen.append(message)
    assert seen == [SNAPSHOT, sample, REVOKED]
    assert service.asked == [{**asked, "id": 1}]


def test_a_viewer_acts_in_another_thread_before_the_connection_is_made() -> None:
    with watching([ASKED, {"type": "accepted", "requestId": "command-1", "id": 1}, REVOKED]) as (view, _):
        taken: list[str] = []
        acting = threading.Thread(target=lambda: taken.append(view.control({"name": "PAUSE"})))
        acting.start()
        assert list(view) == [REVOKED]
        acting.join()
    assert taken == ["command-1"]


def test_a_refusal_has_its_code_and_does_not_end_the_view() -> None:
    refusal = {"type": "error", "code": "held_by", "error": "held_by", "id": 1}
    with watching([SNAPSHOT, ASKED, refusal, REVOKED]) as (view, _):
        following = iter(view)
        next(following)
        with pytest.raises(ApiError, match="The control was refused: held_by") as raised:
            view.take_control()
        assert next(following) == REVOKED
    assert raised.value.code == "held_by"


def test_a_command_is_not_sent_again_over_the_next_connection() -> None:
    accepted = {"type": "accepted", "requestId": "command-2", "id": 2}
    with watching([SNAPSHOT, ASKED], [SNAPSHOT, ASKED, accepted, REVOKED]) as (view, service):
        following = iter(view)
        next(following)
        with pytest.raises(ApiConnectionError) as raised:
            view.control({"name": "LAND"})
        assert view.control({"name": "PAUSE"}) == "command-2"
        assert list(following) == [REVOKED]
    assert str(raised.value) == "The command got no answer: the connection broke. It may have been executed."
    assert raised.value.problem == "interrupted"
    assert [each["command"]["name"] for each in service.asked] == ["LAND", "PAUSE"]


class Silent:
    """A connection that brings no answers."""

    def __init__(self) -> None:
        self.sent: list[Message] = []

    def send(self, message: Message) -> None:
        self.sent.append(message)


def questions_over(*connections: Silent) -> Questions:
    questions = Questions(0.01)
    for each in connections:
        questions.attach(cast(WebSocketConnection, each))
    return questions


def test_an_answer_that_comes_too_late_is_none_of_the_messages() -> None:
    questions = questions_over(Silent())
    with pytest.raises(ApiConnectionError, match="The flight got no answer in time"):
        questions.ask("The flight", {"action": "flight"})
    assert questions.take(FLIGHT)


def test_a_viewer_asks_over_the_new_connection_while_the_old_one_is_replaced() -> None:
    old, new = Silent(), Silent()
    with pytest.raises(ApiConnectionError):
        questions_over(old, new).ask("The flight", {"action": "flight"})
    assert (old.sent, new.sent) == ([], [{"action": "flight", "id": 1}])


def test_a_viewer_who_has_left_the_loop_is_disconnected_and_can_ask_nothing() -> None:
    with watching([SNAPSHOT]) as (view, service):
        for _message in view:
            break
        assert service.has_closed.wait(WITHIN_S)
        with pytest.raises(ApiConnectionError, match="The command is not possible: the channel has ended"):
            view.control({"name": "LAND"})


def test_a_viewer_who_reads_no_messages_can_ask_nothing() -> None:
    with pytest.raises(ApiConnectionError, match="There is one while the messages are read"):
        watch_share("wss://channels.example", CODE, timeout=0.1).flight()


def test_an_error_in_a_callback_ends_the_loop() -> None:
    def fail(_error: Exception | None) -> None:
        raise LookupError

    with watching([SNAPSHOT], [SNAPSHOT], on_reconnect=fail) as (view, _), pytest.raises(LookupError):
        list(view)


def test_stop_ends_the_loop() -> None:
    with service_of(Service([SNAPSHOT]).handle) as url:
        viewer = Follower(lambda **told: iter(watch_share(url, CODE, **told)))
        viewer.until_state("ACTIVE")
        viewer.stop()


@pytest.mark.parametrize(
    ("url", "code", "text"),
    [
        ("https://channels.example", CODE, "ws_url must be an address such as wss://"),
        (f"https://channels.example/s/{CODE}", CODE, "ws_url must be an address such as wss://"),
        ("wss://channels.example", "", "share_code is missing: it is the last part of the share link"),
        ("ws://127.0.0.1:1", CODE, "Nothing answers at ws://127.0.0.1:1"),
    ],
)
def test_what_cannot_be_watched_is_an_error_without_the_code(url: str, code: str, text: str) -> None:
    with pytest.raises(DroneMissionError, match=text) as raised:
        list(watch_share(url, code))
    assert CODE not in repr(raised.value)


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


@pytest.fixture
def device_id(client: Client) -> str:
    return client.device_groups.list()[0]["devices"][0]["deviceId"]


def test_a_share_of_the_service_is_watched_until_it_is_revoked(
    partner: Partner, client: Client, device_id: str
) -> None:
    code = client.shares.create({"resourceId": device_id, "shareType": "DEVICE_STATUS"})["shareCode"]
    watch = partial(watch_share, partner.options["ws_url"], code, ca_file=partner.options.get("ca_file"))
    viewer = Follower(lambda **told: iter(watch(**told)))
    viewer.until_state("ACTIVE")
    while not any(each["type"] == "device.telemetry" and "snapshot" not in each for each in viewer.messages):
        client.telemetry.publish([{"deviceId": device_id, "timestamp": now(), "droneState": "DOCKED"}])
        time.sleep(0.1)
    client.shares.revoke(code)
    viewer.end()
    assert viewer.messages[0]["permissions"] == ["view"]
    assert viewer.messages[-1]["shareState"] == "REVOKED"
    with pytest.raises(ApiError) as raised:
        list(watch())
    assert raised.value.status == 404
    assert code not in str(raised.value)


def test_viewers_may_do_what_the_share_permits(partner: Partner, client: Client, device_id: str) -> None:
    # A device on the ground takes no commands.
    client.telemetry.publish([{"deviceId": device_id, "timestamp": now(), "droneState": "HOVER"}])
    share_code = client.shares.create(
        {
            "resourceId": device_id,
            "shareType": "STREAM",
            "permissions": ["view", "control"],
            "commands": ["RETURN_HOME", "x-light"],
        }
    )["shareCode"]
    pilot = watch_share(partner.options["ws_url"], share_code, ca_file=partner.options.get("ca_file"))
    for message in pilot:
        if message["type"] == "share.status" and "commands" in message:
            assert message["commands"] == ["RETURN_HOME", "x-light"]
            assert pilot.take_control() > message["timestamp"]
            assert pilot.control({"name": "RETURN_HOME"}).startswith("command-")
            pilot.release_control()
            assert pilot.playback() is not None
            assert pilot.flight()["deviceName"]
            with pytest.raises(ApiError) as raised:
                pilot.control({"name": "LAND"})
            assert raised.value.code == "forbidden"
            client.shares.revoke(share_code)
