"""What schemathesis has to know of the stack under test: credentials, identifiers that exist, and accepted failures.

STACK_URL is its address, STACK_PARTNERS a file with the clients of one organisation, as `partner onboard --json` prints
them, STACK_FLYING_DEVICE a device of it in flight. The clients take turns, since limits count per client.
"""

import atexit
import itertools
import json
import os
import zlib

import requests
import schemathesis
from accepted_failures import LISTS, accepted_failures, reasons_of
from schemathesis.generation import GenerationMode

URL = os.environ["STACK_URL"]
with open(os.environ["STACK_PARTNERS"], encoding="utf-8") as file:
    partners = json.load(file)["partners"]

group = partners[0]["deviceGroups"][0]
device = group["devices"][0]["deviceId"]
flying_device = os.environ["STACK_FLYING_DEVICE"]
# The newest command, as its answer gave it.
newest_command = {}
turns = itertools.count()
tokens = {}
# The parameters that a token of the next page belongs to.
FILTERS = ("status", "deviceGroupId", "deviceId")
# The query of the next page by operation, as the last page that had one gave it.
next_pages = {}
counts = [0] * len(accepted_failures)

# Seconds that `GET /v3/events` is held at most here, and those that it allows beyond.
LONGEST_WAIT_S = 1
LONG_WAITS = {str(seconds) for seconds in range(LONGEST_WAIT_S + 1, 21)}


def next_partner():
    return partners[next(turns) % len(partners)]


def token_of(partner):
    """The access token of a client, requested once: a run is shorter than its lifetime."""
    if partner["clientId"] not in tokens:
        answer = requests.post(
            f"{URL}/v3/auth/token",
            headers={"x-api-key": partner["apiKey"]},
            data={"grant_type": "client_credentials"},
            auth=(partner["clientId"], partner["clientSecret"]),
            timeout=10,
        )
        answer.raise_for_status()
        tokens[partner["clientId"]] = answer.json()["access_token"]
    return tokens[partner["clientId"]]


@schemathesis.auth(refresh_interval=None).skip_for(path="/v3/auth/token")
class AccessToken:
    def get(self, case, context):
        # Only the client that holds a device gives it back.
        return token_of(partners[0] if is_of_control(case) else next_partner())

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


@schemathesis.auth(refresh_interval=None).apply_to(path="/v3/auth/token")
class ApiKey:
    def get(self, case, context):
        return next_partner()["apiKey"]

    def set(self, case, data, context):
        case.headers["x-api-key"] = data


def is_of_control(case):
    return case.operation.path.endswith("/control")


def is_valid(case):
    return case.meta is not None and case.meta.generation.mode == GenerationMode.POSITIVE


def stays_invented(case):
    """Whether to leave a case as it is: one of eight, chosen by what is in it, so that a repetition is the same."""
    return zlib.crc32(repr((case.path_parameters, case.query, case.body)).encode()) % 8 == 0


@schemathesis.hook
def map_case(context, case):
    """Puts what exists into most valid requests: with invented identifiers they would reach little code."""
    # Calls that wait for longer would only make the run longer.
    if str((case.query or {}).get("wait")) in LONG_WAITS:
        case.query["wait"] = LONGEST_WAIT_S
    if not is_valid(case) or stays_invented(case):
        return case
    if "deviceId" in (case.path_parameters or {}):
        # Whoever holds the device in flight would keep the other clients from commanding it.
        case.path_parameters["deviceId"] = device if is_of_control(case) else flying_device
    if "commandId" in (case.path_parameters or {}):
        case.path_parameters["commandId"] = command_to_read()
    match case.operation.label:
        case "POST /v3/devices/{deviceId}/commands":
            case.body.pop("jobId", None)
        case "POST /v3/auth/token":
            partner = next_partner()
            case.headers["x-api-key"] = partner["apiKey"]
            case.body |= {"client_id": partner["clientId"], "client_secret": partner["clientSecret"]}
        case "POST /v3/jobs/create" | "POST /v3/jobs/check":
            case.body["deviceGroupId"] = group["deviceGroupId"]
            if "deviceId" in case.body:
                case.body["deviceId"] = device
        case "POST /v3/jobs/dispatch":
            if "deviceGroupId" in case.body:
                case.body["deviceGroupId"] = group["deviceGroupId"]
        case "POST /v3/streams/share":
            case.body["resourceId"] = device
        case "PATCH /v3/jobs/{jobId}" if "If-Match" in case.headers:
            case.headers["If-Match"] = '"1"'
        case label if label in LISTS and "nextToken" in case.query:
            for name in ("nextToken", *FILTERS):
                case.query.pop(name, None)
            case.query |= next_pages.get(label, {})
    return case


def command_to_read():
    """A command that exists: the newest one, or a first one."""
    if "commandId" not in newest_command:
        answer = requests.post(
            f"{URL}/v3/devices/{flying_device}/commands",
            headers={"Authorization": f"Bearer {token_of(next_partner())}"},
            json={"name": "PAUSE"},
            timeout=10,
        )
        answer.raise_for_status()
        newest_command.update(answer.json()["command"])
    return newest_command["commandId"]


@schemathesis.hook
def after_call(context, case, response):
    """Remembers where the next page of a list is."""
    if case.operation.label in LISTS and response.status_code == 200 and "nextToken" in response.json():
        filters = {name: value for name, value in case.query.items() if name in FILTERS}
        next_pages[case.operation.label] = {**filters, "nextToken": response.json()["nextToken"]}


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Whether a failure is to be reported; counts those that are accepted."""
    reasons = reasons_of(failure, case, response)
    for index, accepted in enumerate(accepted_failures):
        counts[index] += reasons.count(accepted)
    return not reasons


@atexit.register
def write_counts():
    """For the lane, which prints them."""
    listed = [{"reason": one.reason, "count": count} for one, count in zip(accepted_failures, counts)]
    with open(os.environ["ACCEPTED_FAILURES"], "w", encoding="utf-8") as file:
        json.dump(listed, file)
