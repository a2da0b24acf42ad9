"""Errors are one line, with what to do."""

from __future__ import annotations

import ast
import contextlib
import http.server
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import drone_mission_client
from drone_mission_client import ApiConnectionError, ApiError, Client, DroneMissionError
from drone_mission_client._python_version import why_too_old
from stack import Partner, Stack, free_ports

CREDENTIALS: dict[str, Any] = {"client_id": "id", "client_secret": "secret", "api_key": "key"}


def line_of(error: BaseException) -> str:
    line = str(error)
    assert "\n" not in line
    return line


class Website(http.server.BaseHTTPRequestHandler):
    """Something else than the API."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>")

    do_POST = do_GET  # noqa: N815 - named by the library

    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Website) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()


@pytest.fixture
def website() -> Iterator[str]:
    with serving() as address:
        yield address


@pytest.fixture
def tls_website(stack: Stack) -> Iterator[str]:
    """One whose certificate is from the authority of the stack."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(stack.folder / "server.pem", stack.folder / "server-key.pem")
    with serving(tls) as address:
        yield address


@pytest.mark.parametrize(
    ("wrong", "status", "remedy"),
    [
        ("client_secret", 401, "Check client_id and client_secret"),
        ("client_id", 401, "Check client_id and client_secret"),
        ("api_key", 403, "Check api_key"),
    ],
)
def test_a_wrong_credential_is_named(partner: Partner, wrong: str, status: int, remedy: str) -> None:
    with partner.client(**{wrong: "wrong"}) as client, pytest.raises(ApiError) as raised:
        client.jobs.page()
    assert raised.value.status == status
    assert remedy in line_of(raised.value)
    assert raised.value.request_id


@pytest.mark.parametrize("option", ["base_url", "ws_url", "mqtt_url"])
def test_an_address_where_nothing_answers_is_named(partner: Partner, option: str) -> None:
    scheme = {"base_url": "http", "ws_url": "ws", "mqtt_url": "mqtts"}[option]
    [port] = free_ports(1)
    with (
        partner.client(**{option: f"{scheme}://127.0.0.1:{port}"}, max_retries=0) as client,
        pytest.raises(ApiConnectionError) as raised,
    ):
        next(client.jobs.follow("job", over="mqtts" if option == "mqtt_url" else "wss"))
    assert line_of(raised.value) == (
        f"Nothing answers at {scheme}://127.0.0.1:{port}: check {option}, and whether the service runs there."
    )


@pytest.mark.parametrize("option", ["base_url", "ws_url", "mqtt_url"])
def test_a_wrong_host_is_named(partner: Partner, option: str, monkeypatch: pytest.MonkeyPatch) -> None:
    look_up = socket.getaddrinfo

    def without_nowhere(host: Any, *rest: Any, **options: Any) -> Any:
        if host in ("nowhere.example", b"nowhere.example"):
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return look_up(host, *rest, **options)

    monkeypatch.setattr(socket, "getaddrinfo", without_nowhere)
    scheme = {"base_url": "https", "ws_url": "wss", "mqtt_url": "mqtts"}[option]
    with (
        partner.client(**{option: f"{scheme}://nowhere.example"}) as client,
        pytest.raises(DroneMissionError) as raised,
    ):
        next(client.jobs.follow("job", over="mqtts" if option == "mqtt_url" else "wss"))
    assert line_of(raised.value) == f"There is no host nowhere.example: check {option}."


@pytest.mark.own_stack
@pytest.mark.parametrize("option", ["base_url", "ws_url", "mqtt_url"])
def test_a_refused_certificate_is_named(partner: Partner, tls_website: str, option: str) -> None:
    scheme = {"base_url": "https", "ws_url": "wss", "mqtt_url": "mqtts"}[option]
    changed = {option: f"{scheme}://{tls_website}", "ca_file": None}
    with partner.client(**changed) as client, pytest.raises(ApiConnectionError) as raised:
        next(client.jobs.follow("job", over="mqtts" if option == "mqtt_url" else "wss"))
    assert line_of(raised.value) == (
        f"The certificate of {scheme}://{tls_website} is not from an authority that this client trusts: "
        f"check {option}, or name the PEM file of the authority in ca_file."
    )


@pytest.mark.own_stack
def test_requests_over_tls_do_not_disturb_mqtt(partner: Partner, tls_website: str, job_id: str) -> None:
    with partner.client() as client:
        client._http.get(f"https://{tls_website}")
        assert next(client.jobs.follow(job_id, over="mqtts"))["jobState"] == "PENDING"


def test_a_port_without_tls_is_named(website: str) -> None:
    with Client(base_url=f"https://{website}", **CREDENTIALS) as client, pytest.raises(ApiConnectionError) as raised:
        client.jobs.page()
    assert line_of(raised.value) == f"https://{website} does not use TLS: check scheme and port of base_url."


def test_a_server_that_is_not_the_api_is_named(website: str) -> None:
    with Client(base_url=f"http://{website}", **CREDENTIALS) as client, pytest.raises(ApiConnectionError) as raised:
        client.jobs.page()
    assert line_of(raised.value) == (f"What answers at http://{website} is not the Drone Mission API: check base_url.")


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"base_url": "127.0.0.1"}, "base_url must be an address such as https://api.example.com."),
        ({"ws_url": "https://a"}, "ws_url must be an address such as wss://channels.example.com."),
        ({"api_key": ""}, "api_key is missing: the operator of the service has issued it to you."),
        (
            {"ca_file": "missing.pem"},
            "ca_file missing.pem can't be used (No such file or directory): it must be a PEM file with a certificate.",
        ),
    ],
)
def test_a_wrong_argument_is_named(options: dict[str, Any], line: str) -> None:
    with pytest.raises(DroneMissionError) as raised:
        Client(**{"base_url": "http://127.0.0.1", **CREDENTIALS, **options})
    assert line_of(raised.value) == line


def test_missing_variables_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BASE_URL", "http://127.0.0.1")
    monkeypatch.setenv("CLIENT_ID", "id")
    monkeypatch.delenv("CLIENT_SECRET", raising=False)
    monkeypatch.setenv("API_KEY", "")
    with pytest.raises(DroneMissionError, match="Set CLIENT_SECRET, API_KEY in the environment"):
        Client.from_environment()


def test_a_channel_without_its_address_says_which_argument_is_missing(partner: Partner) -> None:
    with partner.client(ws_url=None, mqtt_url=None) as client:
        with pytest.raises(DroneMissionError, match=r"^ws_url is missing"):
            next(client.jobs.follow("job"))
        with pytest.raises(DroneMissionError, match=r"^mqtt_url is missing"):
            next(client.jobs.follow("job", over="mqtts"))


def test_an_old_python_shows_what_to_install() -> None:
    assert why_too_old((3, 10, 0)) is None
    assert why_too_old((3, 9, 18)) == (
        "drone-mission-client needs Python 3.10 or later, and this is 3.9: "
        "install a newer one from https://www.python.org."
    )


def test_an_old_python_can_read_that_line() -> None:
    folder = Path(drone_mission_client.__file__).parent
    for name in ("__init__.py", "_python_version.py"):
        ast.parse((folder / name).read_text(encoding="utf-8"), feature_version=(3, 4))
