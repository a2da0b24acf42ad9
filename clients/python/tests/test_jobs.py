"""Requests over real HTTP."""

from __future__ import annotations

import io
import time
import uuid
import zipfile
from datetime import datetime, timedelta, timezone

import pytest

from drone_mission_client import ApiError, Client
from drone_mission_client.messages import Sample
from drone_mission_client.models import CreateJobRequest, TrackFeature
from stack import Partner


def test_all_jobs_are_listed_page_after_page(client: Client, partner: Partner) -> None:
    created = [
        client.jobs.create({"name": f"Page {number}", "deviceGroupId": partner.device_group_id})["jobId"]
        for number in range(3)
    ]
    listed = [job["jobId"] for job in client.jobs.list(limit=1)]
    assert listed[:3] == created[::-1]
    assert len(listed) == len(set(listed))


def test_a_page_holds_no_more_than_its_limit_and_names_the_next(client: Client, job_id: str) -> None:
    page = client.jobs.page(status="PENDING", limit=1)
    assert [job["jobId"] for job in page["jobs"]] == [job_id]
    assert client.jobs.page(status="PENDING", limit=1, next_token=page["nextToken"])["jobs"][0]["jobId"] != job_id


def test_a_create_with_the_same_key_creates_one_job(client: Client, partner: Partner) -> None:
    key = str(uuid.uuid4())
    request = {"name": "Once", "deviceGroupId": partner.device_group_id}
    first, second = (client.jobs.create(request, idempotency_key=key) for _ in range(2))  # type: ignore[arg-type]
    assert first == second


def test_the_track_of_a_flown_job_is_read_in_each_format(client: Client, job_id: str) -> None:
    device = client.device_groups.list()[0]["devices"][-1]
    client.jobs.update(job_id, {"status": "QUEUED"})
    client.jobs.update(job_id, {"status": "IN_PROGRESS"})
    begin = datetime.now(timezone.utc)
    # A change of the drone's state is stored at once.
    for second, state in enumerate(["WAYPOINT", "HOVER", "RETURNING"]):
        sample: Sample = {
            "deviceId": device["deviceId"],
            "timestamp": (begin + timedelta(seconds=second)).isoformat(),
            "jobId": job_id,
            "droneState": state,
            "navigation": {"position": {"type": "Point", "coordinates": [8.5, 47.4, 480 + second]}},
        }
        client.telemetry.publish([sample])
    features = recorded(client, job_id, 3)
    geometry = features[0]["geometry"]
    assert geometry["type"] == "LineString"
    assert [position[2] for position in geometry["coordinates"]] == [480, 481, 482]
    assert client.jobs.track(job_id, file_format="kml").count("<gx:coord>") == 3
    assert len(client.jobs.track(job_id, file_format="csv").splitlines()) == 4


def recorded(client: Client, job_id: str, count: int) -> list[TrackFeature]:
    """Waits until the first device's track of a job has so many positions."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        features = client.jobs.track(job_id)["features"]
        if features and features[0]["properties"]["recorded"] == count:
            return features
        time.sleep(0.05)
    raise AssertionError(f"not recorded: {features}")


def test_an_update_for_another_version_is_refused(client: Client, job_id: str) -> None:
    assert client.jobs.update(job_id, {"priority": 9}, if_version=1)["version"] == 2
    with pytest.raises(ApiError, match="read it again") as raised:
        client.jobs.update(job_id, {"priority": 1}, if_version=1)
    assert raised.value.status == 412


def test_a_cancelled_and_deleted_job_is_gone(client: Client, job_id: str) -> None:
    assert client.jobs.cancel(job_id)["status"] == "CANCELLED"
    client.jobs.delete(job_id)
    with pytest.raises(ApiError) as raised:
        client.jobs.get(job_id)
    assert (raised.value.status, raised.value.error) == (404, "Job not found")
    assert raised.value.request_id


def test_an_invalid_request_names_each_wrong_field(client: Client) -> None:
    with pytest.raises(ApiError) as raised:
        client.jobs.create({"name": "", "deviceGroupId": "group"})
    assert [detail["path"] for detail in raised.value.details] == ["name"]
    assert "name must not be empty" in str(raised.value)


def test_a_share_can_be_read_listed_and_revoked(client: Client) -> None:
    device = client.device_groups.list()[0]["devices"][0]
    share_code = client.shares.create({"resourceId": device["deviceId"], "shareType": "DEVICE_STATUS"})["shareCode"]
    assert client.shares.get(share_code)["permissions"] == ["view"]
    assert client.shares.resources(share_code)[0]["deviceId"] == device["deviceId"]
    assert share_code in {share["shareCode"] for share in client.shares.list(limit=1)}
    client.shares.revoke(share_code)
    assert share_code not in {share["shareCode"] for share in client.shares.list()}


LINE = '{"type":"LineString","coordinates":[[8.5417,47.3769,40],[8.5432,47.3774,40]]}\r\n'
WAYLINES = """<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:wpml="http://www.dji.com/wpmz/1.0.6"><Document><Folder>
<wpml:executeHeightMode>relativeToStartPoint</wpml:executeHeightMode>
<Placemark><Point><coordinates>8.5417,47.3769</coordinates></Point>
<wpml:index>0</wpml:index><wpml:executeHeight>40</wpml:executeHeight></Placemark>
<Placemark><Point><coordinates>8.5432,47.3774</coordinates></Point>
<wpml:index>1</wpml:index><wpml:executeHeight>40</wpml:executeHeight></Placemark>
</Folder></Document></kml>"""


def test_a_mission_is_created_read_listed_flown_replaced_and_deleted(client: Client, partner: Partner) -> None:
    created = client.missions.create(LINE, media_type="application/geo+json", name="Evening round")
    mission_id = created["missionId"]
    feature = client.missions.get(mission_id)
    assert feature["properties"] == created
    assert feature["geometry"]["coordinates"] == [[8.5417, 47.3769, 40], [8.5432, 47.3774, 40]]
    assert client.missions.page(limit=1)["missions"] == [created]
    assert mission_id in {mission["missionId"] for mission in client.missions.list(limit=1)}
    request: CreateJobRequest = {"name": "Flies it", "deviceGroupId": partner.device_group_id, "missionId": mission_id}
    job_id = client.jobs.create(request)["jobId"]
    assert client.missions.replace(mission_id, LINE, media_type="application/geo+json")["version"] == 2
    assert client.jobs.get(job_id)["missionVersion"] == 1
    client.missions.delete(mission_id)
    with pytest.raises(ApiError, match="Mission not found"):
        client.missions.get(mission_id)


def test_a_mission_comes_back_as_the_file_that_was_sent_and_as_kml(client: Client) -> None:
    kml = (
        b'<kml xmlns="http://www.opengis.net/kml/2.2"><Placemark><LineString>'
        b"<coordinates>8.5417,47.3769 8.5432,47.3774</coordinates></LineString></Placemark></kml>\n"
    )
    kmz = io.BytesIO()
    with zipfile.ZipFile(kmz, "w") as archive:
        archive.writestr("wpmz/waylines.wpml", WAYLINES)
    missions = [
        (LINE.encode(), client.missions.create(LINE, media_type="application/geo+json")),
        (kml, client.missions.create(kml, media_type="application/vnd.google-earth.kml+xml")),
        (
            kmz.getvalue(),
            client.missions.create(kmz.getvalue(), media_type="application/vnd.google-earth.kmz"),
        ),
    ]
    for file, mission in missions:
        assert client.missions.file(mission["missionId"], file_format="original") == file
        assert "8.5417,47.3769" in client.missions.file(mission["missionId"], file_format="kml")


def test_the_limits_say_what_is_left(client: Client, partner: Partner) -> None:
    def creations() -> tuple[str, int]:
        rates = {rate["operation"]: rate for rate in client.limits()["rates"]}
        return rates["POST /v3/jobs/create"]["resetAt"], rates["POST /v3/jobs/create"]["remaining"]

    before = creations()
    client.jobs.create({"name": "Counted", "deviceGroupId": partner.device_group_id})
    after = creations()
    # Another minute may have begun.
    assert after == (before[0], before[1] - 1) or (after[0] > before[0] and after[1] >= 59)


def test_the_limits_name_what_is_open_and_what_may_be_opened(client: Client) -> None:
    limits = client.limits()
    # Those of tests before may not be closed yet.
    sums = [quota["used"] + quota["remaining"] for quota in (limits["connections"], limits["subscriptions"])]
    assert sums == [limits["connections"]["limit"], limits["subscriptions"]["limit"]] == [50, 100]


def test_a_client_with_a_token_of_its_caller_needs_no_secret(client: Client, partner: Partner, job_id: str) -> None:
    without = {"client_secret": None, "api_key": None, "token": client.access_token}
    with partner.client(**without) as other:
        assert other.jobs.get(job_id)["status"] == "PENDING"
