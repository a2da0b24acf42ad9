"""Shares: links to the live video or status of one device."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator, Sequence
from typing import cast

from .._channels.connection import Channel, Message
from .._rest import Rest, items_of
from ..messages import ShareStatusMessage
from ..models import CreatedShare, CreateShareRequest, ListedShare, ListSharesReply, Share, SharedDevice
from .channels import Channels, OnGap, OnReconnect, Protocol, status_path


class Shares:
    """Shares: links to one device. Every method raises ApiError or ApiConnectionError."""

    def __init__(self, rest: Rest, channels: Channels) -> None:
        self._rest = rest
        self._channels = channels

    def create(self, share: CreateShareRequest, *, idempotency_key: str | None = None) -> CreatedShare:
        """Shares a device by link.

        Args:
            share: What to share, and for how long.
            idempotency_key: A UUID that makes the create repeatable for 24 hours; by default each call has a new one.
        """
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return cast(CreatedShare, self._rest.call("POST /v3/streams/share", body=share, headers=headers)["share"])

    def list(self, *, limit: int | None = None) -> Iterator[ListedShare]:
        """Yields all active shares of the organisation, newest first, page after page.

        Args:
            limit: Size of a page, 50 by default and at most 100.
        """
        return items_of(lambda next_token: self.page(limit=limit, next_token=next_token), "shares")

    def page(self, *, limit: int | None = None, next_token: str | None = None) -> ListSharesReply:
        """Reads one page of shares; its `nextToken`, if it has one, is what to ask for the next page with."""
        return cast(ListSharesReply, self._rest.call("GET /v3/shares", query={"limit": limit, "nextToken": next_token}))

    def get(self, share_code: str) -> Share:
        """Reads an active share."""
        return cast(Share, self._rest.call("GET /v3/shares/{shareCode}", path={"shareCode": share_code})["share"])

    def resources(self, share_code: str) -> Sequence[SharedDevice]:
        """Reads what stands behind a share: the device with its last known state, and its video."""
        return cast(
            Sequence[SharedDevice],
            self._rest.call("GET /v3/shares/{shareCode}/resources", path={"shareCode": share_code})["resources"],
        )

    def revoke(self, share_code: str) -> None:
        """Revokes a share: its viewers are disconnected at once."""
        self._rest.call("DELETE /v3/shares/{shareCode}", path={"shareCode": share_code})

    def follow(
        self,
        share_code: str,
        *,
        over: Protocol = "wss",
        after: str | None = None,
        stop: threading.Event | None = None,
        on_reconnect: OnReconnect | None = None,
        on_gap: OnGap | None = None,
    ) -> Iterator[ShareStatusMessage]:
        """Yields a share's state, then each change of it and of the number of its viewers.

        Ends when the share is REVOKED or EXPIRED.

        Args:
            share_code: The share.
            over: `wss` or `mqtts`.
            after: `cursor` of the last message that you have received, before your program was started again: begins
                with what was missed since then, marked `replayed`, instead of the state.
            stop: Ends the iteration when it is set; so does leaving the loop.
            on_reconnect: Called when the connection is lost and will be made again.
            on_gap: Called when changes were missed while the connection was lost.
        """

        def read(_last: dict[str, Message]) -> list[Message]:
            # Only whether it exists: as long as it does, its state is the first message.
            self.get(share_code)
            return []

        channel = Channel(
            path=status_path("shares", share_code),
            type="share.status",
            topic=f"{share_code}/SHARE/STATUS",
            subject="Following a share",
            is_last=lambda message: message["shareState"] != "ACTIVE",
            read=read,
        )
        return cast(
            "Iterator[ShareStatusMessage]", self._channels.follow(channel, over, stop, on_reconnect, on_gap, after)
        )
