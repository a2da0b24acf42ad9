"""Messages of a status channel that are made from a reply of the REST API."""

from __future__ import annotations

from datetime import datetime, timezone

from .._channels.connection import Message


def snapshot(type: str, sequence: int, fields: Message) -> Message:  # noqa: A002 - name of the field
    """A message with the state as it is now."""
    timestamp = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"type": type, "snapshot": True, "sequence": sequence, **fields, "timestamp": timestamp}
