"""A crawl that is held up, a disk that is full: it goes on, or ends with a sentence and no loss."""

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.crawler import PATIENCE_SECONDS, Crawler, is_root
from tests.world import Latency, RobotsMix, Running, Web, serve

WEB = Web(
    seed=13,
    hosts=30,
    pages=120,
    skew=0,
    mean_bytes=4000,
    robots=RobotsMix(crawl_delay=0, error=0),
)


@pytest.fixture
def running() -> Iterator[Running]:
    with serve(WEB, {"*": Latency(0.01)}) as served:
        yield served


def processes_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [pid, *(int(pid) for task in tasks for pid in (task / "children").read_text().split())]


def hold_up(process: subprocess.Popen[bytes], seconds: float) -> None:
    """The whole process tree stops, as a laptop does whose lid is closed."""
    tree = processes_of(process.pid)
    for pid in tree:
        os.kill(pid, signal.SIGSTOP)
    time.sleep(seconds)  # being held up for so long is what is tested
    for pid in tree:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("seconds", [2.0, pytest.param(61.0, marks=pytest.mark.slow)])
def test_a_crawl_that_was_held_up_goes_on(tmp_path: Path, running: Running, seconds: float) -> None:
    crawler = Crawler(tmp_path / "corpus", running.web.seeds())
    process = crawler.run_until(running, 80)
    hold_up(process, seconds)
    _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, err.decode()
    crawler.check_complete(running)


def ends_with_a_sentence(process: subprocess.Popen[bytes]) -> str:
    out, err = process.communicate(timeout=PATIENCE_SECONDS)
    said = err.decode()
    assert process.returncode in (1, 2), said
    assert "Traceback" not in said
    assert "fault in Shoal itself" not in said
    assert "Finished" not in out.decode()
    sentences = [line for line in said.splitlines() if line.startswith("shoal: ")]
    assert len(sentences) == 1, said
    return sentences[0]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    if not is_root():
        pytest.skip("only root can mount a small disk")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=96m", "none", str(disk)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_ends_a_crawl_and_loses_nothing(small_disk: Path, running: Running) -> None:
    crawler = Crawler(
        small_disk / "corpus", running.web.seeds(), more=("--min-free-disk", "0", "--quiet")
    )
    process = crawler.run_until(running, 80)
    ballast = small_disk / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 65536)
    assert "No space left on device" in ends_with_a_sentence(process)
    # Still full: the same command says so again, and does no harm.
    ends_with_a_sentence(crawler.start())
    ballast.unlink()
    crawler.finish()
    crawler.check_complete(running)


def test_a_table_that_can_not_be_written_ends_a_crawl_and_loses_nothing(
    tmp_path: Path, running: Running
) -> None:
    crawler = Crawler(tmp_path / "corpus", running.web.seeds(), more=("--quiet",))
    process = crawler.run_until(running, 80)
    # Of the main process alone: its children still append to the archive.
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1000, 1000))
    assert "can't be written" in ends_with_a_sentence(process)
    crawler.finish()
    crawler.check_complete(running)


@pytest.mark.slow
def test_readers_that_are_killed_lose_no_link(tmp_path: Path, running: Running) -> None:
    """Every reader dies when it has archived its ninth page: the page is read once more."""
    crawler = Crawler(tmp_path / "corpus", running.web.seeds())
    process = crawler.start("archive.written:9")
    _, err = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, err.decode()
    assert len(crawler.warc_files()) > 10  # one for each life of a reader
    crawler.check_complete(running)
    assert crawler.check_repeats(running.log()) == 0
