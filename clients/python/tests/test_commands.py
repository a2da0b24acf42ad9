"""Commands, against a server whose answers a test decides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from drone_mission_client import ApiConnectionError, ApiError, Client, DroneMissionError, _send
from drone_mission_client._resources import devices

Answer = httpx.Response | httpx.TransportError


def command(status: str, **more: Any) -> dict[str, Any]:
    times = {"requestedAt": "2026-11-22T10:00:00.000Z", "endBefore": "2026-11-22T10:00:30.000Z"}
    return {"commandId": "command-1", "deviceId": "device-1", "name": "PAUSE", "status": status, **times, **more}


def ended(status: str) -> dict[str, Any]:
    return command(status, endedAt="2026-11-22T10:00:02.000Z")


def taken(found: dict[str, Any] | None = None) -> httpx.Response:
    return httpx.Response(202, json={"success": True, "command": found or command("REQUESTED")})


def read(found: dict[str, Any]) -> httpx.Response:
    return httpx.Response(200, json={"success": True, "command": found})


class Service:
    """Answers requests in turn, and notes them and the waits between."""

    def __init__(self, answers: list[Answer]) -> None:
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        self._answers = iter(answers)

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(httpx.Request(request.method, request.url, headers=request.headers.copy()))
        answer = next(self._answers)
        if isinstance(answer, httpx.TransportError):
            raise answer
        return answer


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[Client, Service]]]:
    """Makes a client of a service that answers in turn."""
    clients: list[Client] = []

    def serve(*answers: Answer, max_retries: int = 4) -> tuple[Client, Service]:
        service = Service(list(answers))
        monkeypatch.setattr(_send, "pause", lambda _seconds: None)
        monkeypatch.setattr(devices, "pause", service.waits.append)
        client = Client(base_url="http://127.0.0.1", token=lambda: "token", max_retries=max_retries)
        client._http._transport = httpx.MockTransport(service.answer)
        clients.append(client)
        return client, service

    yield serve
    for client in clients:
        client.close()


def test_a_command_is_sent_once_whatever_becomes_of_its_answers(served: Any) -> None:
    client, service = served(httpx.ReadError("broken"), httpx.Response(503, json={}), taken())
    sent = client.devices.command("device/1", {"name": "PAUSE"})
    assert sent.command["status"] == "REQUESTED"
    assert {request.url.raw_path for request in service.requests} == {b"/v3/devices/device%2F1/commands"}
    assert len({request.headers["idempotency-key"] for request in service.requests}) == 1


def test_a_command_is_not_sent_again_after_ten_seconds(served: Any) -> None:
    client, service = served(httpx.Response(429, json={"error": "Too many requests"}, headers={"Retry-After": "11"}))
    with pytest.raises(ApiError) as raised:
        client.devices.command("device-1", {"name": "RESUME"})
    assert raised.value.status == 429
    assert len(service.requests) == 1


@pytest.mark.parametrize("status", ["DONE", "REFUSED", "FAILED", "TIMED_OUT", "SUPERSEDED"])
def test_the_outcome_is_the_command_when_it_has_ended(served: Any, status: str) -> None:
    delivered = [read(command("DELIVERED"))] * 4
    client, service = served(taken(), read(command("REQUESTED")), *delivered, read(ended(status)))
    assert client.devices.command("device-1", {"name": "PAUSE"}).outcome() == ended(status)
    assert service.waits == [0.25, 0.5, 1.0, 2.0, 2.0, 2.0]
    assert service.requests[-1].url.path == "/v3/devices/device-1/commands/command-1"


def test_the_outcome_is_not_read_when_the_first_answer_has_it(served: Any) -> None:
    client, service = served(taken(ended("DONE")))
    assert client.devices.command("device-1", {"name": "PAUSE"}).outcome() == ended("DONE")
    assert len(service.requests) == 1


def test_the_outcome_comes_although_the_service_could_not_be_read_for_a_while(served: Any) -> None:
    client, _ = served(
        taken(), httpx.ReadError("broken"), httpx.Response(503, json={}), read(ended("DONE")), max_retries=0
    )
    assert client.devices.command("device-1", {"name": "PAUSE"}).outcome() == ended("DONE")


def test_the_outcome_is_given_up_at_once_when_the_command_cannot_be_read(served: Any) -> None:
    client, _ = served(taken(), httpx.Response(403, json={"error": "Forbidden"}))
    with pytest.raises(ApiError):
        client.devices.command("device-1", {"name": "PAUSE"}).outcome()


@pytest.mark.parametrize(
    ("answer", "error"),
    [(read(command("DELIVERED")), DroneMissionError), (httpx.ReadError("broken"), ApiConnectionError)],
)
def test_the_outcome_is_given_up_after_its_time(
    served: Any, monkeypatch: pytest.MonkeyPatch, answer: Answer, error: type[Exception]
) -> None:
    client, service = served(taken(), *[answer] * 100, max_retries=0)
    sent = client.devices.command("device-1", {"name": "PAUSE"})
    monkeypatch.setattr("time.monotonic", lambda: sum(service.waits))
    with pytest.raises(error):
        sent.outcome()
    # What the command may take, and a minute and a half.
    assert sum(service.waits) == pytest.approx(120)
    service.waits.clear()
    with pytest.raises(error):
        sent.outcome(timeout=1)
    assert sum(service.waits) == pytest.approx(1)


def test_commands_of_a_device_are_listed_over_pages(served: Any) -> None:
    pages = [{"commands": [command("DELIVERED")], "nextToken": "second"}, {"commands": [ended("DONE")]}]
    client, service = served(*(httpx.Response(200, json=page) for page in pages))
    assert [found["status"] for found in client.devices.commands("device-1", limit=1)] == ["DELIVERED", "DONE"]
    assert [request.url.query for request in service.requests] == [b"limit=1", b"limit=1&nextToken=second"]


def test_commands_of_a_job_are_one_list(served: Any) -> None:
    client, service = served(httpx.Response(200, json={"commands": [ended("DONE")], "count": 1}))
    assert client.jobs.commands("job-1") == [ended("DONE")]
    assert service.requests[0].url.path == "/v3/jobs/job-1/commands"


def test_capabilities_say_what_a_device_obeys(served: Any) -> None:
    client, _ = served(httpx.Response(200, json={"capabilities": {"deviceId": "device-1", "commands": ["PAUSE"]}}))
    assert client.devices.capabilities("device-1")["commands"] == ["PAUSE"]


def test_the_control_of_a_device_is_held_read_and_given_back(served: Any) -> None:
    control = {"deviceId": "device-1", "origin": "partner", "heldBy": "client-1", "until": "2026-11-22T10:01:00.000Z"}
    held = httpx.Response(200, json={"success": True, "control": control})
    client, service = served(held, held, httpx.Response(200, json={"success": True, "message": "Control released"}))
    assert client.devices.hold("device/1") == control
    assert client.devices.control("device/1") == control
    client.devices.release("device/1")
    assert [request.method for request in service.requests] == ["PUT", "GET", "DELETE"]
    assert {request.url.raw_path for request in service.requests} == {b"/v3/devices/device%2F1/control"}


def test_the_control_that_another_client_has_is_refused_with_its_holder(served: Any) -> None:
    details = [{"path": "deviceId", "message": "is held by client-2 until 2026-11-22T10:01:00.000Z"}]
    client, _ = served(httpx.Response(409, json={"error": "held_by", "details": details}))
    with pytest.raises(ApiError) as raised:
        client.devices.hold("device-1")
    assert (raised.value.status, list(raised.value.details)) == (409, details)
