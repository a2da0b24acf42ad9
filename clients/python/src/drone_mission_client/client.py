"""The client."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import TracebackType
from typing import cast

import httpx

from ._channels.connection import ChannelSettings
from ._options import address, is_given, trusted
from ._resources.channels import Channels
from ._resources.device_groups import DeviceGroups
from ._resources.devices import Devices
from ._resources.events import Events
from ._resources.jobs import Jobs
from ._resources.missions import Missions
from ._resources.shares import Shares
from ._resources.telemetry import Telemetry
from ._rest import Rest
from ._send import Sender
from ._tokens import TokenSource, issued_token, supplied_token
from .errors import DroneMissionError
from .models import Limits

_VARIABLES = ("BASE_URL", "CLIENT_ID", "CLIENT_SECRET", "API_KEY")


class Client:
    """A client of the Drone Mission Integration API. It may be used by several threads.

    Args:
        base_url: The REST address, `https://…`.
        client_id: With `client_secret` and `api_key`, what the operator of the service has issued to you.
        client_secret: See `client_id`.
        api_key: See `client_id`.
        token: Returns a valid access token, in place of secret and key.
        ws_url: The address of the channels, `wss://…`; needed to follow something over WSS and for telemetry.
        mqtt_url: The address of the MQTT broker, `mqtts://…`; needed to follow something over MQTTS.
        ca_file: PEM file of a certificate authority to trust beside the public ones.
        timeout: Limit of one attempt in seconds.
        max_retries: Number of further attempts after one that failed.
        ping_after: A ping is sent on a channel that has been silent for so many seconds.

    Raises:
        DroneMissionError: That names the argument which is missing or wrong.
    """

    def __init__(
        self,
        *,
        base_url: str,
        client_id: str | None = None,
        client_secret: str | None = None,
        api_key: str | None = None,
        token: Callable[[], str] | None = None,
        ws_url: str | None = None,
        mqtt_url: str | None = None,
        ca_file: str | os.PathLike[str] | None = None,
        timeout: float = 30.0,
        max_retries: int = 4,
        ping_after: float = 60.0,
    ) -> None:
        base = address("base_url", base_url)
        wss = None if ws_url is None else address("ws_url", ws_url)
        mqtts = None if mqtt_url is None else address("mqtt_url", mqtt_url)
        self._http = httpx.Client(verify=trusted(ca_file), timeout=timeout)
        # Another context than that of HTTP: the HTTP library sets its own protocol (ALPN), which a broker refuses.
        tls = trusted(ca_file)
        sender = Sender(self._http, max_retries)
        request = (
            issued_token(
                sender,
                base,
                is_given("client_id", client_id),
                is_given("client_secret", client_secret),
                is_given("api_key", api_key),
            )
            if token is None
            else supplied_token(token)
        )
        self._tokens = TokenSource(request)
        rest = self._rest = Rest(base, sender, self._tokens)
        settings = ChannelSettings(wss, mqtts, client_id, tls, self._tokens, timeout, max_retries, ping_after)
        channels = Channels(settings, rest)
        self.jobs = Jobs(rest, channels)
        self.missions = Missions(rest)
        self.shares = Shares(rest, channels)
        self.devices = Devices(rest)
        self.device_groups = DeviceGroups(rest, channels)
        self.telemetry = Telemetry(channels)
        self.events = Events(rest, timeout)

    @classmethod
    def from_environment(cls) -> Client:
        """Makes a client from `BASE_URL`, `CLIENT_ID`, `CLIENT_SECRET`, `API_KEY`, `WS_URL`, `MQTT_URL` and `CA_FILE`.

        The last three may be missing.

        Raises:
            DroneMissionError: That names the variable which is missing or wrong.
        """
        values = {name: os.environ.get(name) or None for name in (*_VARIABLES, "WS_URL", "MQTT_URL", "CA_FILE")}
        missing = [name for name in _VARIABLES if values[name] is None]
        if missing:
            raise DroneMissionError(
                f"Set {', '.join(missing)} in the environment: the operator has issued you the values."
            )
        return cls(
            base_url=values["BASE_URL"] or "",
            client_id=values["CLIENT_ID"],
            client_secret=values["CLIENT_SECRET"],
            api_key=values["API_KEY"],
            ws_url=values["WS_URL"],
            mqtt_url=values["MQTT_URL"],
            ca_file=values["CA_FILE"],
        )

    def access_token(self) -> str:
        """Returns an access token with enough time left, such as for a program of another kind.

        Raises:
            ApiError, ApiConnectionError: When there is none.
        """
        return self._tokens.get().text

    def limits(self) -> Limits:
        """Reads every limit of the client with what is left of it; asking uses up nothing.

        Raises:
            ApiError, ApiConnectionError: When the service did not tell.
        """
        return cast("Limits", self._rest.call("GET /v3/limits")["limits"])

    def close(self) -> None:
        """Closes what is open for requests and for publishing. What is followed ends with its loop."""
        self.telemetry.close()
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
