"""Checks the arguments of a client."""

from __future__ import annotations

import os
import ssl
from urllib.parse import urlsplit

import httpx

from .errors import DroneMissionError

_EXAMPLES = {
    "base_url": "https://api.example.com",
    "ws_url": "wss://channels.example.com",
    "mqtt_url": "mqtts://mqtt.example.com:8883",
}
_SCHEMES = {"base_url": ("https", "http"), "ws_url": ("wss", "ws"), "mqtt_url": ("mqtts",)}


def address(option: str, value: object) -> str:
    """Checks an address.

    Returns:
        The address without a slash at the end.

    Raises:
        DroneMissionError: That names the option.
    """
    if isinstance(value, str):
        try:
            parts = urlsplit(value)
            is_valid = parts.scheme in _SCHEMES[option] and bool(parts.hostname) and (parts.port or 1) > 0
        except ValueError:
            is_valid = False
        if is_valid:
            return value.rstrip("/")
    # Without the value: a share link given by mistake has the share code.
    raise DroneMissionError(f"{option} must be an address such as {_EXAMPLES[option]}.")


def is_given(option: str, value: str | None) -> str:
    """Returns a credential.

    Raises:
        DroneMissionError: That names the option when it is missing.
    """
    if not value:
        raise DroneMissionError(f"{option} is missing: the operator of the service has issued it to you.")
    return value


def trusted(ca_file: str | os.PathLike[str] | None) -> ssl.SSLContext:
    """Makes the TLS context: the public authorities (or those that SSL_CERT_FILE names), and one more.

    Raises:
        DroneMissionError: When the file can't be used.
    """
    context = httpx.create_ssl_context()
    if ca_file is not None:
        try:
            context.load_verify_locations(ca_file)
        except (OSError, ssl.SSLError) as error:
            reason = error.strerror or type(error).__name__
            raise DroneMissionError(
                f"ca_file {os.fspath(ca_file)} can't be used ({reason}): it must be a PEM file with a certificate."
            ) from None
    return context
