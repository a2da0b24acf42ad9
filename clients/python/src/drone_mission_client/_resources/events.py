"""The event log of the organisation."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import cast

from .._backoff import pause, wait_before
from .._channels.connection import Gap
from .._channels.follow import may_pass
from .._rest import Rest
from ..errors import ApiError, DroneMissionError
from ..models import CommandEvent, DeviceEvent, JobEvent, ListEventsReply, ShareEvent
from .channels import OnGap, is_unknown_cursor

# How long a call is held until there is something, and what it needs beside, in seconds.
_LONGEST_WAIT_S = 20
_RESERVE_S = 5
# Pause after a call that was not held although nothing had happened: as many wait as the service can hold.
_NOT_HELD_PAUSE_S = 5.0
_OLDEST = "oldest"


class Events:
    """Changes of jobs, devices, shares and commands. Every method raises ApiError or ApiConnectionError.

    Args:
        rest: The REST API.
        timeout: Limit of a call in seconds.
    """

    def __init__(self, rest: Rest, timeout: float) -> None:
        self._rest = rest
        self._wait = max(1, min(_LONGEST_WAIT_S, int(timeout) - _RESERVE_S))

    def list(self, *, after: str | None = None, limit: int | None = None, wait: int | None = None) -> ListEventsReply:
        """Reads one page of what has happened, oldest first; its `cursor` is what to ask for the next page with.

        Args:
            after: A cursor, or `oldest`; without it the page is empty, and its cursor that of now.
            limit: Size of the page, 50 by default and at most 100.
            wait: How long the call may be held until there is something, up to 20 seconds.
        """
        query = {"after": after, "limit": limit, "wait": wait}
        return cast(ListEventsReply, self._rest.call("GET /v3/events", query=query))

    def follow(
        self, *, after: str | None = None, stop: threading.Event | None = None, on_gap: OnGap | None = None
    ) -> Iterator[JobEvent | DeviceEvent | ShareEvent | CommandEvent]:
        """Yields what happens from now on, or since a cursor, each change once and in order.

        Goes on after temporary failures, and with the oldest event when the log no longer reaches back to the cursor.

        Args:
            after: `cursor` of the last event that you have received, or `oldest`.
            stop: Ends the iteration when it is set, which a call that is held notices within 20 seconds.
            on_gap: Called when the log no longer reaches back to the cursor.
        """
        cursor = self.list()["cursor"] if after is None else after
        has_read = after is None
        failures = 0
        while stop is None or not stop.is_set():
            began = time.monotonic()
            try:
                page = self.list(after=cursor, wait=self._wait)
            except DroneMissionError as error:
                if is_unknown_cursor(error, has_read) and cursor != _OLDEST:
                    if on_gap is not None:
                        on_gap(Gap(cursor=cursor))
                    cursor = _OLDEST
                elif has_read and may_pass(error, has_connected=True):
                    failures += 1
                    pause(wait_before(failures, error.retry_after if isinstance(error, ApiError) else None), stop)
                else:
                    raise
            else:
                is_not_held = page["cursor"] == cursor and time.monotonic() - began < self._wait / 2
                # Of a type that is added later too: callers pass over those that they don't know.
                yield from cast("list[JobEvent | DeviceEvent | ShareEvent | CommandEvent]", page["events"])
                cursor, has_read, failures = page["cursor"], True, 0
                if is_not_held:
                    pause(wait_before(1, _NOT_HELD_PAUSE_S), stop)
