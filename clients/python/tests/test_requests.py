"""Retries, tokens and limits, against a server whose answers a test decides."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import Any

import httpx
import pytest

from drone_mission_client import ApiConnectionError, ApiError, Client, _send
from drone_mission_client._backoff import retry_after_in, wait_before
from drone_mission_client._tokens import TokenSource, renewal_margin

JOB = {"jobId": "job-1", "name": "One", "status": "PENDING", "priority": 5, "createdAt": "2026-11-20T10:30:15.123Z"}
CREATED = httpx.Response(201, json={"success": True, "job": JOB})
READ = httpx.Response(200, json={"success": True, "job": JOB})
DOWN = httpx.Response(503, json={"message": "Service Unavailable"})
LIMIT = {"Retry-After": "17", "x-request-id": "id-1"}
LIMITED = httpx.Response(429, json={"error": "Too many requests"}, headers=LIMIT)
KMZ = "application/vnd.google-earth.kmz"
# No UTF-8: a byte order mark, a lone continuation byte, a zero.
BYTES = b"\xef\xbb\xbfPK\x80\x00\xff"

Answer = httpx.Response | httpx.TransportError


class Service:
    """Answers requests in turn, and notes them and the waits between."""

    def __init__(self, answers: list[Answer]) -> None:
        self.requests: list[httpx.Request] = []
        self.waits: list[float] = []
        self._answers = iter(answers)

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v3/auth/token":
            return httpx.Response(200, json={"access_token": "token", "token_type": "Bearer", "expires_in": 3600})
        # A repeat is the same object with other headers.
        self.requests.append(
            httpx.Request(request.method, request.url, headers=request.headers.copy(), content=request.content)
        )
        answer = next(self._answers)
        if isinstance(answer, httpx.TransportError):
            raise answer
        return answer


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[Client, Service]]]:
    """Makes a client of a service that answers in turn."""
    clients: list[Client] = []

    def serve(*answers: Answer) -> tuple[Client, Service]:
        service = Service(list(answers))
        monkeypatch.setattr(_send, "pause", service.waits.append)
        client = Client(base_url="http://127.0.0.1", client_id="id", client_secret="secret", api_key="key")  # noqa: S106
        client._http._transport = httpx.MockTransport(service.answer)
        clients.append(client)
        return client, service

    yield serve
    for client in clients:
        client.close()


def create(client: Client) -> Any:
    return client.jobs.create({"name": "One", "deviceGroupId": "group-1"})


def test_a_429_is_repeated_when_the_service_says_with_the_same_key(served: Any) -> None:
    client, service = served(LIMITED, LIMITED, CREATED)
    assert create(client) == JOB
    assert len({request.headers["idempotency-key"] for request in service.requests}) == 1
    assert [17 <= wait <= 17.5 for wait in service.waits] == [True, True]


def test_each_create_has_a_key_of_its_own(served: Any) -> None:
    client, service = served(CREATED, CREATED)
    create(client)
    create(client)
    assert len({request.headers["idempotency-key"] for request in service.requests}) == 2


@pytest.mark.parametrize("failure", [DOWN, httpx.ReadTimeout(""), httpx.ReadError(""), httpx.ConnectTimeout("")])
def test_a_create_without_an_answer_is_repeated_with_the_same_key(served: Any, failure: Answer) -> None:
    client, service = served(failure, CREATED)
    assert create(client) == JOB
    assert len({request.headers["idempotency-key"] for request in service.requests}) == 1


@pytest.mark.parametrize("failure", [DOWN, httpx.ReadTimeout(""), httpx.ReadError("")])
@pytest.mark.parametrize(
    "change",
    [
        lambda client: client.jobs.cancel("job-1"),
        lambda client: client.jobs.delete("job-1"),
        lambda client: client.jobs.update("job-1", {"priority": 1}),
        lambda client: client.missions.create("{}", media_type="application/geo+json"),
        lambda client: client.missions.delete("mission-1"),
    ],
)
def test_a_change_that_may_have_happened_is_not_repeated(served: Any, change: Any, failure: Answer) -> None:
    client, service = served(failure)
    with pytest.raises((ApiError, ApiConnectionError)):
        change(client)
    assert len(service.requests) == 1


def test_device_groups_are_read_with_what_each_device_reported_last_when_that_is_asked_for(served: Any) -> None:
    groups = [
        {"deviceGroupId": "group-1", "devices": [{"deviceId": "device-1", "lastState": {"droneState": "DOCKED"}}]}
    ]
    answer = httpx.Response(200, json={"resources": groups})
    client, service = served(answer, answer)
    assert client.device_groups.list(include="state") == groups
    client.device_groups.list()
    assert [request.url.raw_path for request in service.requests] == [b"/v3/resources?include=state", b"/v3/resources"]


@pytest.mark.parametrize(("file", "content"), [("<kml>é</kml>", "<kml>é</kml>".encode()), (BYTES, BYTES)])
def test_a_file_is_sent_unchanged_also_in_a_repeat(served: Any, file: str | bytes, content: bytes) -> None:
    client, service = served(LIMITED, httpx.Response(201, json={"success": True, "mission": {"version": 1}}))
    assert client.missions.create(file, media_type=KMZ, name="Fence & gate") == {"version": 1}
    assert [request.content for request in service.requests] == [content, content]
    request = service.requests[0]
    assert (request.method, request.url.path, request.url.params["name"]) == ("POST", "/v3/missions", "Fence & gate")
    assert request.headers["content-type"] == KMZ
    assert "idempotency-key" not in request.headers


def test_a_replacement_that_may_have_happened_is_repeated(served: Any) -> None:
    client, service = served(httpx.ReadError(""), DOWN, httpx.Response(200, json={"mission": {"version": 3}}))
    assert client.missions.replace("mission-1", BYTES, media_type=KMZ) == {"version": 3}
    assert [(request.method, request.content) for request in service.requests] == [("PUT", BYTES)] * 3


@pytest.mark.parametrize(
    "media_type", [KMZ, "application/vnd.google-earth.kml+xml", "application/geo+json; charset=utf-8"]
)
def test_an_original_is_read_byte_for_byte(served: Any, media_type: str) -> None:
    client, service = served(httpx.Response(200, content=BYTES, headers={"content-type": media_type}))
    assert client.missions.file("mission-1", file_format="original") == BYTES
    assert service.requests[0].url.params["format"] == "original"
    assert service.requests[0].headers["accept"].startswith(f"{KMZ}, ")


def test_a_page_of_another_server_is_no_file_of_a_mission(served: Any) -> None:
    client, _ = served(httpx.Response(200, text="<html>", headers={"content-type": "text/html"}))
    with pytest.raises(ApiConnectionError) as raised:
        client.missions.file("mission-1", file_format="original")
    assert raised.value.problem == "not-the-api"


def test_the_last_answer_is_raised_after_all_attempts(served: Any) -> None:
    client, service = served(*itertools.repeat(LIMITED, 5))
    with pytest.raises(ApiError) as raised:
        client.jobs.page()
    assert len(service.requests) == 5
    assert (raised.value.status, raised.value.retry_after, raised.value.request_id) == (429, 17, "id-1")
    assert str(raised.value) == (
        "GET /v3/jobs was refused with 429: Too many requests. "
        "The limit of the client is used up: wait before you call again [request id-1]"
    )


def test_an_identifier_cannot_leave_its_place_in_the_path(served: Any) -> None:
    client, service = served(READ)
    client.jobs.get("../shares?x=1")
    assert service.requests[0].url.raw_path == b"/v3/jobs/..%2Fshares%3Fx%3D1"


def test_a_token_is_used_until_six_minutes_before_its_end() -> None:
    now = [1000.0]
    count = itertools.count(1)
    source = TokenSource(lambda: (f"token {next(count)}", 3600), lambda: now[0])
    assert source.get().text == "token 1"
    now[0] += 3600 - 361
    assert source.get().text == "token 1"
    now[0] += 1
    assert source.get().text == "token 2"


def test_a_short_token_is_renewed_after_nine_tenths_of_its_lifetime() -> None:
    assert [renewal_margin(lifetime) for lifetime in (3600, 120, 4)] == [360, 12, 0.4]


def test_threads_share_one_request_for_a_token() -> None:
    requests: list[str] = []
    begin = threading.Barrier(8)
    source = TokenSource(lambda: (requests.append("token") or "token", 3600))  # type: ignore[func-returns-value]

    def get() -> None:
        begin.wait()
        source.get()

    threads = [threading.Thread(target=get) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(requests) == 1


def test_a_valid_token_is_used_while_the_token_endpoint_is_down() -> None:
    now = [0.0]
    answers: Iterator[Any] = iter([("first", 3600), ApiError("token", status=503, error="down"), ("second", 3600)])

    def request() -> tuple[str, float]:
        answer = next(answers)
        if isinstance(answer, ApiError):
            raise answer
        return str(answer[0]), float(answer[1])

    source = TokenSource(request, lambda: now[0])
    source.get()
    now[0] = 3600 - 360
    assert [source.get().text, source.get().text] == ["first", "first"]
    now[0] += 10
    assert source.get().text == "second"


def test_waits_grow_at_random_to_a_limit() -> None:
    for failures, longest in ((1, 0.5), (4, 4.0), (50, 30.0)):
        waits = [wait_before(failures) for _ in range(200)]
        assert max(waits) <= longest
        assert min(waits) < longest / 4
        assert max(waits) > longest / 2


def test_retry_after_is_seconds_or_a_date() -> None:
    assert [retry_after_in(value) for value in ("7", "", None, "soon", "-1")] == [7, None, None, None, None]
    assert retry_after_in(formatdate(usegmt=True)) == 0
