"""Lists that are read a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


def items_of(read: Callable[[str | None], Any], name: str) -> Iterator[Any]:
    """Yields the items of a list, page after page; a page is read when its first item is needed.

    Args:
        read: Reads the page that a token stands for, or the first one.
        name: Field of the page that has the items.
    """
    next_token = None
    while True:
        page = read(next_token)
        yield from page[name]
        next_token = page.get("nextToken")
        if next_token is None:
            return
