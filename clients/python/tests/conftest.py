"""Fixtures of the tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from drone_mission_client import Client
from stack import Partner, Stack, partner_in, partner_of


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what needs a stack of its own when the environment names another."""
    if not os.environ.get("BASE_URL"):
        return
    own = [item for item in items if item.get_closest_marker("own_stack")]
    if own:
        config.hook.pytest_deselected(items=own)
        items[:] = [item for item in items if item not in own]


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """A stack of the tests' own."""
    stack = Stack()
    try:
        stack.start()
        yield stack
    finally:
        stack.remove()


@pytest.fixture(scope="session")
def partner(request: pytest.FixtureRequest) -> Partner:
    """A partner of the service."""
    if os.environ.get("BASE_URL"):
        return partner_in(dict(os.environ))
    return partner_of(request.getfixturevalue("stack"))


@pytest.fixture
def client(partner: Partner) -> Iterator[Client]:
    """A client of that partner."""
    with partner.client() as client:
        yield client


@pytest.fixture
def job_id(client: Client, partner: Partner) -> str:
    """A new job, PENDING."""
    return client.jobs.create({"name": "Python client", "deviceGroupId": partner.device_group_id})["jobId"]
