"""A drone platform's side of the bus: takes jobs, has drones fly them, and reports. See README.md."""

import argparse
import json
import sqlite3
import time
import uuid
from datetime import datetime, timezone
from typing import Any

import simulated_drone
from platform_bus import NotReached, PlatformBus

FLEET = {"Adapter north": ["Kestrel", "Merlin"], "Adapter south": ["Osprey"]}  # devices by group
FINAL = ("COMPLETED", "FAILED", "CANCELLED")
REST_S = 10  # how often a device at rest reports; after 40 s of silence it counts as offline
KEPT_S = 15 * 86400  # the service may replay events of 14 days
TABLES = """
CREATE TABLE IF NOT EXISTS devices (id TEXT PRIMARY KEY, group_id);
CREATE TABLE IF NOT EXISTS jobs (id TEXT PRIMARY KEY, detail, born, changed, state, device, began);
CREATE TABLE IF NOT EXISTS seen (id TEXT PRIMARY KEY, changed);
CREATE TABLE IF NOT EXISTS commanded (device TEXT PRIMARY KEY, sequence INTEGER);
CREATE TABLE IF NOT EXISTS outbox (number INTEGER PRIMARY KEY, type, detail);
"""
TAKE_SEQUENCE = """INSERT INTO commanded VALUES (?, ?) ON CONFLICT (device) DO UPDATE
SET sequence = excluded.sequence WHERE sequence < excluded.sequence RETURNING device"""


def moment() -> str:
    """This moment in ISO 8601, with milliseconds."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def seconds_until(text: str) -> float:
    """How far a time of the service is ahead."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() - time.time()


class Adapter:
    """All that must outlive a crash is in one SQLite file, before a message is deleted from the queue."""

    def __init__(self, state: str, organisation: str, speed: float) -> None:
        self.db = sqlite3.connect(state)
        self.db.row_factory = sqlite3.Row
        self.db.executescript(TABLES)
        self.speed, self.rested, self.bus = speed, 0.0, PlatformBus("platform-adapter")
        if not self.rows("SELECT 1 FROM devices"):
            self.register(organisation.removeprefix("org-"))

    def rows(self, query: str, *values: object) -> list[sqlite3.Row]:
        """Runs one statement."""
        return self.db.execute(query, values).fetchall()

    def register(self, tag: str) -> None:
        """Generates the fleet of an organisation. It is kept, so it is registered only once."""
        with self.db:
            for group, names in FLEET.items():
                in_group = {"deviceGroupId": f"group-{tag}-{uuid.uuid4().hex}"}
                self.report("device-group.registered", name=group, **in_group)
                for name in names:
                    device = f"device-{tag}-{uuid.uuid4().hex}"
                    self.report("device.registered", deviceId=device, name=name, **in_group)
                    self.rows("INSERT INTO devices VALUES (?, ?)", device, in_group["deviceGroupId"])

    def report(self, kind: str, **detail: object) -> None:
        """Stores an event to publish, in the transaction that makes it true."""
        print(kind, *detail.values(), flush=True)
        self.rows("INSERT INTO outbox (type, detail) VALUES (?, ?)", kind, json.dumps({**detail, "at": moment()}))

    def send(self) -> None:
        """Publishes stored events, oldest first. After a crash the last one may be repeated: the service drops it."""
        for number, kind, detail in self.rows("SELECT * FROM outbox ORDER BY number"):
            self.bus.publish(kind, detail)
            with self.db:
                self.rows("DELETE FROM outbox WHERE number = ?", number)

    def take_job(self, kind: str, job: dict[str, Any]) -> None:
        """Stores a job as it is now. One that is over is kept too: an older event of it may still come."""
        if not self.rows("SELECT 1 FROM devices WHERE group_id = ?", job["deviceGroupId"]):
            return  # of a fleet that is not ours
        known = self.rows("SELECT * FROM jobs WHERE id = ?", job["jobId"])
        if known and json.loads(known[0]["detail"])["version"] >= job["version"]:
            return
        state, device, began = (known[0][name] if known else None for name in ("state", "device", "began"))
        if kind in ("job.cancelled", "job.deleted") or job["status"] in FINAL:
            state = "over"  # a real drone in flight would now be called home
        elif not known:
            state = "waiting"
            self.report("job.status.reported", jobId=job["jobId"], status="QUEUED")
        born = min([job["at"], *(row["born"] for row in known)])
        values = (json.dumps(job), born, time.time(), state, device, began)
        self.rows("REPLACE INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?)", job["jobId"], *values)

    def is_new(self, key: str) -> bool:
        """Whether something without a version comes for the first time."""
        return bool(self.rows("INSERT OR IGNORE INTO seen VALUES (?, ?) RETURNING id", key, time.time()))

    def refusal_of(self, request: dict[str, Any]) -> str | None:
        """Why a command is not obeyed."""
        if seconds_until(request["startBefore"]) < 0:
            return "TOO_LATE"
        flown = "SELECT 1 FROM jobs WHERE state = 'flying' AND device = ? AND id <> ?"
        if request.get("origin") == "service" and self.rows(flown, request["deviceId"], request["jobId"]):
            return "OUT_OF_ORDER"  # the drone of a deleted job was given to another one since
        if not self.rows(TAKE_SEQUENCE, request["deviceId"], request["sequence"]):
            return "OUT_OF_ORDER"  # the bus keeps no order
        return simulated_drone.refusal_of(request["command"])

    def answer(self, request: dict[str, Any]) -> None:
        """Answers a command once. Here a platform would send it to the drone."""
        known = {"requestId": request["requestId"], "deviceId": request["deviceId"]}
        if self.rows("SELECT 1 FROM devices WHERE id = ?", known["deviceId"]) and self.is_new(known["requestId"]):
            reason = self.refusal_of(request)
            refused = {"outcome": "REFUSED", "reason": reason}
            self.report("control.outcome.reported", **known, **(refused if reason else {"outcome": "DONE"}))

    def handle(self, kind: str, detail: dict[str, Any]) -> None:
        """Handles an event of the service. Types that it does not know change nothing."""
        if kind in ("job.created", "job.updated", "job.cancelled", "job.deleted"):
            self.take_job(kind, detail)
        elif kind == "control.requested":
            self.answer(detail)
        elif kind == "report.rejected" and self.is_new(detail["eventId"]):
            print("rejected", json.dumps(detail), flush=True)
            if detail["reason"] == "unknown" and detail["reportType"] == "job.status.reported":
                self.rows("UPDATE jobs SET state = 'over' WHERE id = ?", detail.get("jobId"))

    def listen(self, wait: int) -> None:
        """Waits for messages, and takes what is in the queue, for a second at least."""
        until = time.monotonic() + 1
        while messages := self.bus.receive(wait):
            for message in messages:
                with self.db:
                    self.handle(message.kind, message.detail)
                self.bus.delete(message)
            wait = 0
            if time.monotonic() > until:
                break
        self.send()
        time.sleep(max(0, until - time.monotonic()))

    def start_jobs(self) -> None:
        """Gives waiting jobs to drones at rest: by priority, then by age, none before its time."""
        busy = {row["device"] for row in self.rows("SELECT device FROM jobs WHERE state = 'flying'")}
        waiting = self.rows("SELECT detail FROM jobs WHERE state = 'waiting' ORDER BY born")
        for job in sorted((json.loads(row["detail"]) for row in waiting), key=lambda job: -job["priority"]):
            group = [row["id"] for row in self.rows("SELECT id FROM devices WHERE group_id = ?", job["deviceGroupId"])]
            free = [each for each in group if each not in busy and job.get("deviceId", each) == each]
            if free and ("scheduledAt" not in job or seconds_until(job["scheduledAt"]) <= 0):
                busy.add(free[0])
                update = "UPDATE jobs SET state = 'flying', device = ?, began = ? WHERE id = ?"
                with self.db:
                    self.rows(update, free[0], time.time(), job["jobId"])
                    self.report("job.status.reported", jobId=job["jobId"], status="IN_PROGRESS", deviceId=free[0])

    def forget(self) -> None:
        """Deletes what no repeat can come of any more."""
        with self.db:
            self.rows("DELETE FROM jobs WHERE state = 'over' AND changed < ?", time.time() - KEPT_S)
            self.rows("DELETE FROM seen WHERE changed < ?", time.time() - KEPT_S)

    def fly(self) -> None:
        """Reports where drones are, once a second in flight and every ten at rest, and ends flights."""
        now, rests, samples = time.time(), time.time() - self.rested >= REST_S, []
        jobs = {row["device"]: row for row in self.rows("SELECT * FROM jobs WHERE state = 'flying'")}
        for (device,) in self.rows("SELECT id FROM devices"):
            job = jobs.get(device)
            t = (now - job["began"]) * self.speed if job else simulated_drone.FLIGHT_S
            if job or rests:
                sample = {"deviceId": device, "timestamp": moment(), **simulated_drone.state_at(device, t)}
                samples.append({**sample, "jobId": job["id"]} if job else sample)
            if job and (end := simulated_drone.end_of(json.loads(job["detail"]), t)):
                with self.db:
                    self.rows("UPDATE jobs SET state = 'over' WHERE id = ?", job["id"])
                    self.report("job.status.reported", jobId=job["id"], deviceId=device, **end)
        for first in range(0, len(samples), 100):
            self.bus.publish("device.telemetry.reported", json.dumps({"telemetry": samples[first : first + 100]}))
        self.rested = now if rests else self.rested

    def do_what_is_due(self) -> None:
        """Takes about a second; longer when no job is open. What the network interrupts is done the next time."""
        try:
            for step in (self.start_jobs, self.send, self.fly, self.send, self.forget):
                step()
            self.listen(1 if self.rows("SELECT 1 FROM jobs WHERE state <> 'over'") else REST_S)
        except NotReached as error:
            print(error, flush=True)
            time.sleep(1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--organisation", required=True, help="whose fleet it is: org-…")
    parser.add_argument("--state", default="platform-adapter.db", help="file that it keeps its state in")
    parser.add_argument("--speed", type=float, default=1, help="how many times faster drones fly")
    adapter = Adapter(**vars(parser.parse_args()))
    while True:
        adapter.do_what_is_due()
