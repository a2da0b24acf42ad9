"""The programs in README.md, as a partner would run them: with the built package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from drone_mission_client import Client
from stack import Partner

FOLDER = Path(__file__).parents[1]
PROGRAMS = re.findall(r"```python\n(.*?)```", (FOLDER / "README.md").read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The content of the wheel."""
    folder = tmp_path_factory.mktemp("package")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(build, cwd=FOLDER, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def start(program: str, partner: Partner, package: Path, **more: str) -> subprocess.Popen[str]:
    environment = {**os.environ, **partner.environment(), "PYTHONPATH": str(package), **more}
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment)


def test_the_package_says_that_it_is_typed(package: Path) -> None:
    assert (package / "drone_mission_client" / "py.typed").exists()


def test_a_program_has_at_most_ten_lines() -> None:
    assert len(PROGRAMS) == 3
    assert max(len(program.splitlines()) for program in PROGRAMS) <= 10


def test_the_first_program_follows_a_job(partner: Partner, client: Client, package: Path) -> None:
    before = {job["jobId"] for job in client.jobs.list()}
    with start(PROGRAMS[0], partner, package) as program:
        assert program.stdout is not None
        states = [program.stdout.readline().split()[1]]
        [job_id] = {job["jobId"] for job in client.jobs.list()} - before
        for state in ("QUEUED", "IN_PROGRESS", "COMPLETED"):
            client.jobs.update(job_id, {"status": state})
            states.append(program.stdout.readline().split()[1])
        assert program.wait(10) == 0
    assert states == ["PENDING", "QUEUED", "IN_PROGRESS", "COMPLETED"]


def test_the_second_program_prints_a_page_of_jobs(partner: Partner, job_id: str, package: Path) -> None:
    with start(PROGRAMS[1], partner, package) as program:
        printed, _ = program.communicate(timeout=120)
    assert job_id in printed


def test_the_third_program_watches_a_share(partner: Partner, client: Client, package: Path) -> None:
    device_id = client.device_groups.list()[0]["devices"][0]["deviceId"]
    share_code = client.shares.create({"resourceId": device_id, "shareType": "DEVICE_STATUS"})["shareCode"]
    with start(PROGRAMS[2], partner, package, SHARE_CODE=share_code) as program:
        assert program.stdout is not None
        states = [program.stdout.readline().split()[0]]
        client.shares.revoke(share_code)
        states += [line.split()[0] for line in program.stdout if not line[0].isdigit()]
        assert program.wait(10) == 0
    assert states[0] == "ACTIVE"
    assert states[-1] == "REVOKED"
