"""A TCP proxy that can cut or stall what goes through it."""

from __future__ import annotations

import contextlib
import socket
import threading
from types import TracebackType
from urllib.parse import urlsplit, urlunsplit


class Proxy:
    """Forwards connections to an address.

    Args:
        url: What to forward to.
    """

    def __init__(self, url: str) -> None:
        target = urlsplit(url)
        self._target = (target.hostname or "", target.port or 0)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self._lock = threading.Lock()
        self._flows = threading.Event()
        self._flows.set()
        self._accepts = True
        self.count = 0
        self.url = urlunsplit(target._replace(netloc=f"127.0.0.1:{self._server.getsockname()[1]}"))
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """Closes all connections, and every new one at once."""
        self._accepts = False
        self._close_all()

    def stall(self) -> None:
        """Forwards nothing more over the open connections, as a network does that has gone away."""
        self._flows.clear()

    def mend(self) -> None:
        """Forwards new connections again."""
        self._accepts = True
        self._close_all()
        self._flows.set()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self._flows.set()
        self._close_all()

    def _close_all(self) -> None:
        with self._lock:
            for each in self._connections:
                _shut(each)
            self._connections.clear()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            if not self._accepts:
                client.close()
                continue
            try:
                server = socket.create_connection(self._target)
            except OSError:
                client.close()
                continue
            self.count += 1
            with self._lock:
                self._connections += [client, server]
            for source, sink in ((client, server), (server, client)):
                threading.Thread(target=self._forward, args=(source, sink), daemon=True).start()

    def _forward(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65_536):
                # What arrives during a stall is lost with its connection.
                self._flows.wait()
                sink.sendall(data)
        except OSError:
            pass
        for each in (source, sink):
            _shut(each)
            each.close()


def _shut(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
