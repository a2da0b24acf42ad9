"""Calls of the REST API, and lists that are read a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from ._failures import refusal
from ._send import Sender
from ._tokens import TokenSource


@dataclass(frozen=True)
class Rest:
    """Calls endpoints with an access token, and repeats where that is safe.

    Attributes:
        base_url: Without a slash at the end.
        sender: Sends the requests.
        tokens: Has the access token.
    """

    base_url: str
    sender: Sender
    tokens: TokenSource

    def call(
        self,
        endpoint: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        body: object = None,
        file: str | bytes | None = None,
    ) -> Any:
        """Calls an endpoint.

        Args:
            endpoint: Method and path with the names of its parameters: `GET /v3/jobs/{jobId}`.
            path: Values of those parameters.
            query: Parameters of the query; None leaves one out.
            headers: Further headers; `Accept` may name a media type other than JSON.
            body: Body to send as JSON.
            file: Body to send as it is, in place of JSON; `Content-Type` says what it is.

        Returns:
            The body of the reply; its text if it is not JSON.

        Raises:
            ApiError: When the service refused the request.
            ApiConnectionError: When there was no answer.
        """
        response = self._answer(endpoint, path, query, headers, body, file)
        is_json = "json" in response.headers.get("content-type", "")
        return response.json() if is_json else response.text

    def content(
        self, endpoint: str, *, path: Mapping[str, str], query: Mapping[str, object], headers: Mapping[str, str]
    ) -> bytes:
        """Reads a file: does what `call` does, and returns the bytes of the reply."""
        return self._answer(endpoint, path, query, headers).content

    def _answer(
        self,
        endpoint: str,
        path: Mapping[str, str] | None,
        query: Mapping[str, object] | None,
        headers: Mapping[str, str] | None,
        body: object = None,
        file: str | bytes | None = None,
    ) -> httpx.Response:
        method, template = endpoint.split(" ")
        address = template.format(**{name: quote(value, safe="") for name, value in (path or {}).items()})
        request = self.sender.http.build_request(
            method,
            self.base_url + address,
            params={name: str(value) for name, value in (query or {}).items() if value is not None},
            headers=dict(headers or {}),
            json=body,
            content=file,
        )
        response = self._send(request)
        if response.is_success:
            return response
        raise refusal(endpoint, response.status_code, response.headers, response.text)

    def _send(self, request: httpx.Request) -> httpx.Response:
        """Replaces a token that the service refuses once, since a 401 says that nothing was done."""
        token = self.tokens.get()
        request.headers["authorization"] = f"Bearer {token.text}"
        response = self.sender.send(request)
        if response.status_code != 401:
            return response
        self.tokens.forget(token)
        renewed = self.tokens.get()
        if renewed.text == token.text:
            return response
        request.headers["authorization"] = f"Bearer {renewed.text}"
        return self.sender.send(request)


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
