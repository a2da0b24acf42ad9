"""What every client does alike, in Python."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from drone_mission_client import ApiConnectionError, ApiError, Client, Gap

AFTER = os.environ.get("AFTER")


def tell(text: str) -> None:
    print(text, flush=True)


def tell_job(job: Mapping[str, Any]) -> None:
    tell(f"job {job['jobId']}")


def tell_gap(gap: Gap) -> None:
    tell(f"gap {gap.cursor}" if gap.cursor else f"gap {gap.subject} from {gap.after} to {gap.before}")


def get_twice(client: Client) -> None:
    tell_job(client.jobs.get("job-1"))
    time.sleep(int(os.environ.get("PAUSE_MS", "0")) / 1000)
    tell_job(client.jobs.get("job-1"))


def follow_job(client: Client) -> None:
    for message in client.jobs.follow(
        "job-1",
        after=AFTER,
        on_gap=tell_gap,
        on_reconnect=lambda _: tell("lost"),
        on_command=lambda command: tell(f"command {command['commandId']} {command['status']}"),
    ):
        replayed = " replayed" if message.get("replayed") else ""
        tell(f"state {message['jobState']} {message['sequence']}{replayed}")
    tell("ended")


def follow_events(client: Client) -> None:
    for event in client.events.follow(after=AFTER, on_gap=tell_gap):
        tell(f"event {event['type']} {event['cursor']}")
        if event["type"] == "job.status" and event["jobState"] == "CANCELLED":
            break


CALLS: dict[str, Callable[[Client], None]] = {
    "get-job": lambda client: tell_job(client.jobs.get("job-1")),
    "get-job-twice": get_twice,
    "create-job": lambda client: tell_job(client.jobs.create({"name": "Survey", "deviceGroupId": "group-1"})),
    "update-job": lambda client: tell_job(client.jobs.update("job-1", {"priority": 1})),
    "update-version-3": lambda client: tell_job(client.jobs.update("job-1", {"priority": 1}, if_version=3)),
    "cancel-job": lambda client: tell_job(client.jobs.cancel("job-1")),
    "send-command": lambda client: tell(
        f"command {client.devices.command('device-1', {'name': 'PAUSE'}).command['commandId']}"
    ),
    "follow-job": follow_job,
    "follow-events": follow_events,
}

with Client(
    base_url=os.environ["BASE_URL"],
    ws_url=os.environ["WS_URL"],
    client_id="client",
    client_secret="secret",
    api_key="key",
    ping_after=int(os.environ.get("PING_AFTER_MS", "60000")) / 1000,
) as client:
    try:
        CALLS[sys.argv[1]](client)
    except ApiError as error:
        tell(f"refused {error.status}" + (f", again after {error.retry_after:g} s" if error.retry_after else ""))
    except ApiConnectionError as error:
        tell(error.problem)
