"""Checks the version of Python before anything else is imported; in a syntax that old versions understand."""

import sys

MIN_VERSION = (3, 10)


def why_too_old(version):
    # type: (tuple[int, ...]) -> str | None
    """Says in one line why this Python is too old.

    Args:
        version: `sys.version_info`, or the first numbers of it.

    Returns:
        The line, or None when it is not.
    """
    if tuple(version[:2]) >= MIN_VERSION:
        return None
    return (
        "drone-mission-client needs Python %d.%d or later, and this is %d.%d: "  # noqa: UP031
        "install a newer one from https://www.python.org." % (MIN_VERSION + tuple(version[:2]))
    )


_reason = why_too_old(sys.version_info[:2])
if _reason is not None:
    raise ImportError(_reason)
