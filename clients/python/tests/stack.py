"""A stack on this machine for the tests, or the one that the environment names."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from drone_mission_client import Client

ROOT = Path(__file__).parents[3]
PORTS = ("PORT", "WS_PORT", "IDENTITY_PORT", "MQTT_PORT")
# Limits for the stack to start, including its first synthesis, and to stop, in seconds.
READY_WITHIN_S = 180
STOPPED_WITHIN_S = 30


def free_ports(count: int) -> list[int]:
    """Finds ports that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Stack:
    """A local stack on free ports, whose data in `folder` outlive a restart."""

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="drone-mission-python-")
        self.folder = Path(self._temporary.name)
        self._ports = dict(zip(PORTS, map(str, free_ports(len(PORTS))), strict=True))
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """Content of `stack.json`: addresses and demo partners."""
        facts: dict[str, Any] = json.loads(self._facts_file.read_text(encoding="utf-8"))
        return facts

    @property
    def _facts_file(self) -> Path:
        return self.folder / "stack.json"

    def start(self, *words: str) -> None:
        """Starts it. The jobs of the tests are moved by the tests only.

        Args:
            words: Further options of `npm start`.
        """
        output = self.folder / "output.log"
        with output.open("ab") as log:
            self._process = subprocess.Popen(
                ["node", "--require", "tsx/cjs", "bin/start.ts", "--no-fleet", "--instances", "40", *words],  # noqa: S607
                cwd=ROOT,
                env={**os.environ, **self._ports, "LOCAL_DIR": str(self.folder)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + READY_WITHIN_S
        while not self._facts_file.exists():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise RuntimeError(f"The stack did not start:\n{output.read_text(encoding='utf-8')[-4000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Stops it as Ctrl-C would."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(STOPPED_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
        finally:
            self._process = None

    def remove(self) -> None:
        """Stops it and removes its data."""
        self.stop()
        self._temporary.cleanup()


@dataclass(frozen=True)
class Partner:
    """How to reach the service as a partner.

    Attributes:
        options: Arguments of a client.
        device_group_id: A group with devices.
    """

    options: dict[str, Any]
    device_group_id: str

    def client(self, **changed: Any) -> Client:
        """Makes a client, with some options changed."""
        return Client(**{**self.options, **changed})

    def environment(self) -> dict[str, str]:
        """The options as environment variables."""
        return {name.upper(): value for name, value in self.options.items()}


def partner_of(stack: Stack) -> Partner:
    """Returns the demo partner of a stack who has all scopes."""
    facts = stack.facts
    partner = facts["partners"][0]
    return Partner(
        {
            "base_url": facts["baseUrl"],
            "ws_url": facts["wsUrl"],
            "mqtt_url": facts["mqttUrl"],
            "ca_file": facts["caFile"],
            "client_id": partner["clientId"],
            "client_secret": partner["clientSecret"],
            "api_key": partner["apiKey"],
        },
        partner["deviceGroups"][0]["deviceGroupId"],
    )


def partner_in(environment: dict[str, str]) -> Partner:
    """Returns the partner whom the environment names: `BASE_URL`, `CLIENT_ID` and so on."""
    names = ("BASE_URL", "WS_URL", "MQTT_URL", "CA_FILE", "CLIENT_ID", "CLIENT_SECRET", "API_KEY")
    options = {name.lower(): environment[name] for name in names if environment.get(name)}
    with Client(**options) as client:  # type: ignore[arg-type]
        return Partner(dict(options), client.device_groups.list()[0]["deviceGroupId"])
