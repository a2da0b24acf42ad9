"""What outlives a restart of the service, and the end of a token. Runs last: it restarts the stack."""

from __future__ import annotations

import time
from functools import partial

import pytest

from drone_mission_client import ApiError
from drone_mission_client._channels import wss
from drone_mission_client._resources.channels import Protocol
from follower import Follower
from stack import Stack, partner_of

pytestmark = pytest.mark.own_stack

PROTOCOLS: tuple[Protocol, ...] = ("wss", "mqtts")
# A tenth of it is left for a new token, on a busy machine too.
TOKEN_LIFETIME_S = 20


def test_a_restarted_stack_loses_nothing_and_repeats_nothing(stack: Stack) -> None:
    partner = partner_of(stack)
    with partner.client() as client:
        job_id = client.jobs.create({"name": "Restart", "deviceGroupId": partner.device_group_id})["jobId"]
        followers = [Follower(partial(client.jobs.follow, job_id, over=over)) for over in PROTOCOLS]
        for follower in followers:
            follower.until_state("PENDING")
        stack.stop()
        for follower in followers:
            follower.until(lambda follower=follower: len(follower.reconnects) > 0)  # type: ignore[misc]
        stack.start()
        for state in ("QUEUED", "IN_PROGRESS", "COMPLETED"):
            client.jobs.update(job_id, {"status": state})
            for follower in followers:
                follower.until_state(state)
        for follower in followers:
            follower.end()
            assert follower.states == ["PENDING", "QUEUED", "IN_PROGRESS", "COMPLETED"]


@pytest.fixture(scope="module")
def short_tokens(stack: Stack) -> Stack:
    stack.stop()
    stack.start("--token-lifetime", str(TOKEN_LIFETIME_S))
    return stack


def test_a_channel_goes_on_with_new_tokens_over_the_same_socket(
    short_tokens: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    partner = partner_of(short_tokens)
    with partner.client() as client:
        job_id = client.jobs.create({"name": "Renewal", "deviceGroupId": partner.device_group_id})["jobId"]
        sockets: list[str] = []
        real = wss.open_socket
        monkeypatch.setattr(wss, "open_socket", lambda *given: sockets.append(given[0]) or real(*given))  # type: ignore[func-returns-value]
        follower = Follower(partial(client.jobs.follow, job_id))
        follower.until_state("PENDING")
        tokens = {client.access_token()}
        until = time.monotonic() + 2 * TOKEN_LIFETIME_S
        while time.monotonic() < until:
            client.jobs.get(job_id)
            tokens.add(client.access_token())
            time.sleep(0.1)
        client.jobs.update(job_id, {"status": "CANCELLED"})
        follower.end()
    assert len(tokens) >= 3
    assert len(sockets) == 1
    assert follower.states == ["PENDING", "CANCELLED"]
    assert follower.reconnects == []


def test_a_token_that_has_expired_unnoticed_is_replaced(short_tokens: Stack) -> None:
    partner = partner_of(short_tokens)
    with partner.client() as client:
        issue = client._tokens._request
        # It seems to last longer than it does, as to a machine that slept.
        client._tokens._request = lambda: (issue()[0], 3600.0)
        job_id = client.jobs.create({"name": "Expired", "deviceGroupId": partner.device_group_id})["jobId"]
        follower = Follower(partial(client.jobs.follow, job_id))
        follower.until_state("PENDING")
        expired = client.access_token()
        time.sleep(TOKEN_LIFETIME_S + 1)
        client.jobs.update(job_id, {"status": "CANCELLED"})
        assert client.access_token() != expired
        follower.end()
    assert follower.states == ["PENDING", "CANCELLED"]


def test_mqtts_says_in_one_line_that_a_token_is_too_short(short_tokens: Stack) -> None:
    partner = partner_of(short_tokens)
    with partner.client(max_retries=1) as client, pytest.raises(ApiError, match="five minutes left") as raised:
        next(client.jobs.follow("job-aaaaaaaa-01kb1x5m9v3f8q2r7t6w4y0z1a", over="mqtts"))
    assert "\n" not in str(raised.value)
