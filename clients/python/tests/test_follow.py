"""Following, over connections whose messages a test decides."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from drone_mission_client import ApiConnectionError, ApiError, Gap
from drone_mission_client._channels import follow as follow_module
from drone_mission_client._channels.connection import Channel, Connection, ConnectionLost, FollowOptions, Message
from drone_mission_client._channels.follow import follow
from drone_mission_client._channels.publisher import parts_of
from drone_mission_client._channels.received import ReceivedMessages
from drone_mission_client._tokens import Renewal, TokenSource

CHANNEL = Channel(path="", topic=None, subject="Following", is_last=lambda message: message["jobState"] == "COMPLETED")
BUSY = ApiError("Following", status=429, error="Too many requests")
DOWN = ApiConnectionError("refused", "Nothing answers")
GONE = ApiError("Following", status=404, error="Job not found")
REFUSED = ApiError("Following", status=401, error="Unauthorized")


def job(sequence: int, state: str = "QUEUED", **more: Any) -> Message:
    return {"type": "job.status", "sequence": sequence, "jobState": state, "timestamp": f"{sequence}", **more}


class Fake:
    """A connection that brings messages, and then breaks or is due."""

    def __init__(self, *messages: Message | ConnectionLost, replace_at: float = float("inf")) -> None:
        self.replace_at = replace_at
        self.is_open = True
        self._messages = list(messages)

    def receive(self, timeout: float) -> Message | None:
        if not self._messages:
            time.sleep(min(timeout, 0.01))
            return None
        message = self._messages.pop(0)
        if isinstance(message, ConnectionLost):
            raise message
        return message

    def close(self) -> None:
        self.is_open = False


def connecting(*outcomes: Fake | Exception) -> Callable[[Channel, ReceivedMessages], Connection]:
    waiting = list(outcomes)

    def connect(_channel: Channel, _received: ReceivedMessages) -> Connection:
        outcome = waiting.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return connect


@pytest.fixture(autouse=True)
def without_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_module, "wait_before", lambda *_: 0.0)


def sequences(*outcomes: Fake | Exception, options: FollowOptions | None = None) -> list[int]:
    return [message["sequence"] for message in follow(CHANNEL, connecting(*outcomes), options or FollowOptions(), 2)]


def test_what_is_not_newer_is_dropped() -> None:
    connection = Fake(job(2), job(2), job(1), job(3), job(2, "CANCELLED"), job(4, "COMPLETED"))
    assert sequences(connection) == [2, 3, 4]
    assert not connection.is_open


def test_positions_have_the_sequence_of_their_state_and_arrive_once() -> None:
    positions = [job(2, navigation={}, timestamp=str(at)) for at in (5, 6, 6, 5, 7)]
    connection = Fake(job(2), *positions, job(3, "COMPLETED"))
    received = list(follow(CHANNEL, connecting(connection), FollowOptions(), 2))
    assert [message["timestamp"] for message in received] == ["2", "5", "6", "7", "3"]


def test_a_change_is_new_also_when_a_position_of_the_state_after_it_came_first() -> None:
    gaps: list[Gap] = []
    position = job(3, navigation={}, timestamp="5")
    change = job(3, previousState="PENDING")
    missed = job(6, "COMPLETED", previousState="ON_HOLD")
    connection = Fake(job(2, "PENDING"), position, position, change, job(5, navigation={}), missed)
    assert sequences(connection, options=FollowOptions(on_gap=gaps.append)) == [2, 3, 3, 5, 6]
    assert gaps == [Gap("job.status", 3, 6)]


def test_a_lost_connection_is_made_again_and_its_repeats_are_dropped() -> None:
    reconnects: list[Any] = []
    gaps: list[Gap] = []
    lost = Fake(job(1), job(2), ConnectionLost())
    again = Fake(job(2, snapshot=True), job(3, "COMPLETED"))
    options = FollowOptions(on_reconnect=reconnects.append, on_gap=gaps.append)
    assert sequences(lost, DOWN, BUSY, again, options=options) == [1, 2, 3]
    assert reconnects == [None]
    assert gaps == []
    assert not lost.is_open


def test_changes_of_several_devices_of_a_group_arrive_in_another_order_than_their_cursors() -> None:
    def device(device_id: str, sequence: int, cursor: str) -> Message:
        return {"type": "device.status", "deviceId": device_id, "sequence": sequence, "cursor": cursor}

    received = ReceivedMessages()
    first, ahead, late = device("1", 4, "09"), device("2", 7, "11"), device("1", 5, "10")
    assert [received.accept(message) for message in (first, ahead, late)] == [True, True, True]
    assert received.resume_after == "11"
    assert [received.accept(message) for message in (ahead, late, device("3", 2, "08"))] == [False, False, True]


@pytest.mark.parametrize(
    "message",
    [job(5, "COMPLETED", snapshot=True), job(5, "COMPLETED", previousState="IN_PROGRESS")],
    ids=["in a snapshot", "by the state before"],
)
def test_a_gap_is_reported(message: Message) -> None:
    gaps: list[Gap] = []
    assert sequences(Fake(job(2), message), options=FollowOptions(on_gap=gaps.append)) == [2, 5]
    assert gaps == [Gap("job.status", 2, 5)]


def test_a_connection_that_is_due_is_closed_after_its_successor_has_brought_a_message() -> None:
    reconnects: list[Any] = []
    old = Fake(job(1), job(2), replace_at=0)
    new = Fake(job(2, snapshot=True), job(3, "COMPLETED"))
    assert sequences(old, new, options=FollowOptions(on_reconnect=reconnects.append)) == [1, 2, 3]
    assert not old.is_open
    assert reconnects == []


def test_a_connection_that_is_due_goes_on_while_its_successor_fails() -> None:
    old = Fake(job(1), job(2), job(3, "COMPLETED"), replace_at=0)
    assert sequences(old, DOWN, DOWN, Fake()) == [1, 2, 3]


def test_a_client_without_a_free_seat_gives_up_the_connection_that_is_due() -> None:
    old = Fake(replace_at=0)
    assert sequences(old, BUSY, Fake(job(1, "COMPLETED"))) == [1]
    assert not old.is_open


@pytest.mark.parametrize("outcomes", [[GONE], [DOWN, DOWN, DOWN], [REFUSED, REFUSED], [BUSY, GONE]])
def test_a_first_connection_that_cannot_be_made_is_an_error(outcomes: list[Exception]) -> None:
    with pytest.raises((ApiError, ApiConnectionError)) as raised:
        sequences(*outcomes)
    assert raised.value is outcomes[-1]


def test_an_error_message_that_another_attempt_cannot_change_is_an_error() -> None:
    refusal = ApiError("Following", status=0, error="Forbidden", code="forbidden")
    with pytest.raises(ApiError) as raised:
        sequences(Fake(job(1), ConnectionLost(refusal)))
    assert raised.value is refusal


def test_leaving_the_loop_closes_the_connection() -> None:
    connection = Fake(job(1), job(2))
    for _ in follow(CHANNEL, connecting(connection), FollowOptions(), 2):
        break
    assert not connection.is_open


def test_devices_of_a_group_have_sequences_of_their_own() -> None:
    received = ReceivedMessages()
    messages = [{"type": "device.status", "deviceId": device, "sequence": at} for device, at in (("a", 5), ("b", 2))]
    assert [received.accept(message) for message in messages * 2] == [True, True, False, False]


def test_after_a_deletion_nothing_of_the_same_sequence_is_accepted() -> None:
    received = ReceivedMessages()
    deleted = job(3, deleted=True)
    assert [received.accept(message) for message in (job(3), deleted, deleted, job(3, navigation={}))] == [
        True,
        True,
        False,
        False,
    ]


def test_samples_are_split_into_parts_that_fit_into_a_frame() -> None:
    assert [len(part) for part in parts_of([{"deviceId": "a"}] * 95)] == [40, 40, 15]
    large = {"deviceId": "a", "sensorPayload": "x" * 12_000}
    assert [len(part) for part in parts_of([large] * 5)] == [2, 2, 1]
    assert parts_of([]) == []


@pytest.mark.parametrize(
    ("answer", "is_replaced"),
    [
        ({"type": "authenticated"}, False),
        ({"type": "authenticated", "subscriptionsEnded": True}, True),
        ({"type": "error", "code": "unknown_action"}, True),
    ],
)
def test_a_socket_whose_new_token_is_not_taken_is_replaced(
    answer: Message, is_replaced: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(time, "time", lambda: now)
    texts = iter(["first", "second"])
    tokens = TokenSource(lambda: (next(texts), 3600), time.time)
    renewal = Renewal(tokens, tokens.get(), 30)
    now = renewal.due_at
    message = renewal.next_message()
    assert message == {"action": "authenticate", "token": "second", "id": "renewal"}
    assert renewal.take({**answer, "id": "renewal"})
    assert renewal.has_failed is is_replaced


def test_a_group_is_resumed_only_after_a_whole_snapshot_whose_last_message_has_the_cursor() -> None:
    received = ReceivedMessages()
    part = {"type": "device.status", "sequence": 1, "snapshot": True}
    received.accept({**part, "deviceId": "a"})
    assert received.resume_after is None
    received.accept({**part, "deviceId": "b", "cursor": "c"})
    assert received.resume_after == "c"


def test_the_log_is_read_from_a_cursor_of_ten_seconds_ago_since_devices_of_a_group_come_in_any_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    received = ReceivedMessages(after="a")
    assert received.settled_after == "a"
    settled = []
    for at, cursor in ((100, "c"), (105, "b"), (109, "e"), (111, "f"), (120, "g"), (130, "h")):
        now = float(at)
        received.accept({"type": "device.status", "deviceId": cursor, "sequence": 1, "cursor": cursor})
        settled.append(received.settled_after)
    assert settled == ["a", "a", "a", "c", "e", "g"]
    assert received.resume_after == "h"


def of_command(sequence: int, status: str, **more: Any) -> Message:
    return {"type": "command.status", "commandId": "command-1", "sequence": sequence, "status": status, **more}


def test_commands_are_told_once_and_are_not_among_the_messages_of_the_job() -> None:
    told: list[Any] = []
    first = Fake(
        job(1, "QUEUED", snapshot=True, cursor="10"),
        of_command(1, "REQUESTED", cursor="12"),
        of_command(1, "REQUESTED", cursor="12"),
        # A command overtook it.
        job(2, "IN_PROGRESS", cursor="11"),
        ConnectionLost(),
    )
    second = Fake(of_command(1, "REQUESTED", cursor="12"), of_command(2, "DONE", cursor="13"), job(3, "COMPLETED"))
    options = FollowOptions(on_command=lambda message: told.append(message["status"]))
    states = [each["jobState"] for each in follow(CHANNEL, connecting(first, second), options, 0)]
    assert states == ["QUEUED", "IN_PROGRESS", "COMPLETED"]
    assert told == ["REQUESTED", "DONE"]


def test_a_command_does_not_move_what_a_connection_resumes_after() -> None:
    received = ReceivedMessages()
    assert received.accept(job(1, cursor="10"))
    assert received.accept(of_command(1, "DONE", cursor="12"))
    assert received.resume_after == "10"
