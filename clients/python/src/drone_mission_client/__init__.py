"""Client of the Drone Mission Integration API."""

# First, so that an old Python gets a line that says so.
from . import _python_version  # noqa: F401  # isort: skip

from ._channels.connection import Gap
from ._channels.watch_share import ShareView, ViewerMessage, watch_share
from ._resources.telemetry import age_of
from .client import Client
from .errors import ApiConnectionError, ApiError, DroneMissionError

__all__ = [
    "ApiConnectionError",
    "ApiError",
    "Client",
    "DroneMissionError",
    "Gap",
    "ShareView",
    "ViewerMessage",
    "age_of",
    "watch_share",
]
