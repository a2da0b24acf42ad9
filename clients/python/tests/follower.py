"""Follows something in a thread, so that a test can act meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

from drone_mission_client import Gap

WITHIN_S = 30.0


class Follower:
    """What a caller receives from a channel.

    Args:
        follow: Begins to follow, with the options that it is given.
    """

    def __init__(self, follow: Callable[..., Iterator[Any]]) -> None:
        self.messages: list[Any] = []
        self.reconnects: list[Exception | None] = []
        self.gaps: list[Gap] = []
        self.error: BaseException | None = None
        self._changed = threading.Condition()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(follow,), daemon=True)
        self._thread.start()

    @property
    def states(self) -> list[str]:
        """The states in the messages so far."""
        return [message.get("jobState") or message.get("shareState") for message in self.messages]

    def until(self, is_reached: Callable[[], bool]) -> None:
        """Waits for a condition on what was received."""
        with self._changed:
            if not self._changed.wait_for(lambda: is_reached() or self.error is not None, WITHIN_S):
                raise AssertionError(f"not reached: {self.states}, {len(self.reconnects)} reconnects")
        if self.error is not None and not is_reached():
            raise self.error

    def until_state(self, state: str) -> None:
        """Waits for a message with a state."""
        self.until(lambda: state in self.states)

    def end(self) -> None:
        """Waits until the channel has ended."""
        self._thread.join(WITHIN_S)
        assert not self._thread.is_alive(), f"the channel goes on: {self.states}"
        if self.error is not None:
            raise self.error

    def stop(self) -> None:
        """Ends following."""
        self._stop.set()
        self.end()

    def _run(self, follow: Callable[..., Iterator[Any]]) -> None:
        try:
            for message in follow(stop=self._stop, on_reconnect=self._reconnect, on_gap=self.gaps.append):
                with self._changed:
                    self.messages.append(message)
                    self._changed.notify_all()
        except Exception as error:
            self.error = error
        with self._changed:
            self._changed.notify_all()

    def _reconnect(self, error: Exception | None) -> None:
        with self._changed:
            self.reconnects.append(error)
            self._changed.notify_all()
