"""A telemetry service in this process, whose messages a test decides."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from websockets.sync.server import ServerConnection, serve

from drone_mission_client import Client


@contextmanager
def service_of(handle: Callable[[ServerConnection], None]) -> Iterator[str]:
    """The address of a service that handles each connection so."""
    with serve(handle, "127.0.0.1", 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


@contextmanager
def client_of(handle: Callable[[ServerConnection], None]) -> Iterator[Client]:
    """A client of such a service."""
    with (
        service_of(handle) as url,
        Client(base_url="http://127.0.0.1", ws_url=url, token=lambda: "token") as client,
    ):
        yield client
