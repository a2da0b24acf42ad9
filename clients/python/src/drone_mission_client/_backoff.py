"""Waits before a further attempt."""

from __future__ import annotations

import random
import threading
import time
from email.utils import parsedate_to_datetime

_FIRST_S = 0.25
_LONGEST_S = 30.0
# Spread after a wait that the service has named, so that its clients don't all return at the same moment.
_SPREAD_S = 0.5


def wait_before(failures: int, retry_after: float | None = None) -> float:
    """How long to wait before a further attempt.

    Args:
        failures: Number of attempts that have failed, from 1.
        retry_after: `Retry-After` of the answer, in seconds.

    Returns:
        Seconds: at random up to a limit that doubles with each attempt ("full jitter"), or as long as the service
        asked, and a little more.
    """
    if retry_after is not None:
        return retry_after + random.uniform(0, _SPREAD_S)
    return random.uniform(0, min(_LONGEST_S, _FIRST_S * 2.0 ** min(failures, 16)))


def retry_after_in(value: str | None) -> float | None:
    """Reads `Retry-After`: seconds or an HTTP date (RFC 9110 section 10.2.3).

    Returns:
        Seconds from now; None without a valid one.
    """
    if not value:
        return None
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None


def pause(seconds: float, stop: threading.Event | None = None) -> None:
    """Waits, but not longer than until `stop` is set."""
    if stop is None:
        time.sleep(seconds)
    else:
        stop.wait(seconds)
