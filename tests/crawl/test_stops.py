"""However a crawl ends, the same command goes on: nothing lost, nothing fetched twice."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from tests.world import Latency, Request, RobotsMix, Running, Web, gaps, overlaps, repeats, serve

WORKERS = 8
DELAY_SECONDS = 0.2
PATIENCE_SECONDS = 240.0
POLITE_ROBOTS = RobotsMix(crawl_delay=0, error=0)


def _command(directory: Path, seeds: list[str]) -> list[str]:
    return [
        *(sys.executable, "-m", "shoal", "crawl", *seeds, "--dir", str(directory)),
        *("--scope", "any", "--delay", str(DELAY_SECONDS), "--workers", str(WORKERS)),
        *("--set", "politeness.delay_factor=0", "--set", "sitemaps.use=listed", "--quiet"),
    ]


def _start(directory: Path, seeds: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        _command(directory, seeds), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def _stop_after(
    running: Running, directory: Path, requests: int, number: signal.Signals
) -> tuple[int, str]:
    process = _start(directory, running.web.seeds())
    running.wait(requests)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, stderr.decode()


def _repeated(log: list[Request]) -> int:
    return sum(len(requests) - 1 for requests in repeats(log).values())


@pytest.fixture
def web() -> Web:
    return Web(seed=11, hosts=40, pages=120, skew=0, mean_bytes=2000, robots=POLITE_ROBOTS)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)]
)
def test_a_stopped_crawl_goes_on_without_repeating_anything(
    web: Web, tmp_path: Path, number: signal.Signals
) -> None:
    directory = tmp_path / "corpus"
    with serve(web, {"*": Latency(0.01)}) as running:
        code, said = _stop_after(running, directory, 60, number)
        assert "Traceback" not in said
        assert code == 128 + number
        subprocess.run(
            _command(directory, running.web.seeds()), check=True, timeout=PATIENCE_SECONDS
        )
        log, crawlable = running.log(), running.web.crawlable()
    assert repeats(log) == {}
    assert {request.url for request in log if not request.is_robots} == crawlable
    assert overlaps(log) == []


def test_a_killed_crawl_repeats_only_what_was_in_flight(web: Web, tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    with serve(web, {"*": Latency(0.01)}) as running:
        for requests in (40, 80, 120):
            code, _ = _stop_after(running, directory, requests, signal.SIGKILL)
            assert code == -signal.SIGKILL
        subprocess.run(
            _command(directory, running.web.seeds()), check=True, timeout=PATIENCE_SECONDS
        )
        log, crawlable = running.log(), running.web.crawlable()
    assert {request.url for request in log if not request.is_robots} == crawlable
    assert _repeated(log) <= 3 * WORKERS
    assert overlaps(log) == []
    # The pause is kept across restarts too: what was in flight counts as asked.
    assert min(gap for host in gaps(log).values() for gap in host) >= DELAY_SECONDS
    with open_collection(directory) as collection:
        stored = {page.url for page in collection.pages()}
        status = collection.status()
    answered_ok = {r.url for r in log if not r.is_robots and r.status == 200 and r.complete}
    assert stored == answered_ok
    assert status.queued == 0
    assert status.discovered == status.answered + status.excluded + status.failed


def test_no_reader_outlives_a_killed_crawl(web: Web, tmp_path: Path) -> None:
    with serve(web, {"*": Latency(0.01)}) as running:
        process = _start(tmp_path / "corpus", running.web.seeds())
        running.wait(30)
        readers = [os.pidfd_open(child) for child in _children_of(process.pid)]
        assert readers
        process.kill()
        process.communicate(timeout=PATIENCE_SECONDS)
        for reader in readers:
            ended, _, _ = select.select([reader], [], [], PATIENCE_SECONDS)
            os.close(reader)
            assert ended


def _children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]
