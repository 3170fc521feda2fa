"""Files that end in the middle of something, and a clock that was set back."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.frontier.state.rows import CLOCK_KEY
from shoal.model.record import pack
from shoal.store.table import RocksTable
from tests.crash.crawler import PATIENCE_SECONDS, Crawler
from tests.world import Latency, RobotsMix, Running, Web, repeats, serve

WEB = Web(
    seed=17,
    hosts=30,
    pages=150,
    skew=0,
    mean_bytes=4000,
    robots=RobotsMix(crawl_delay=0, error=0),
)
HOUR_MS = 3_600_000


@pytest.fixture
def running() -> Iterator[Running]:
    with serve(WEB, {"*": Latency(0.01)}) as served:
        yield served


@pytest.fixture
def crawler(tmp_path: Path, running: Running) -> Crawler:
    return Crawler(tmp_path / "corpus", running.web.seeds())


def kill_after(crawler: Crawler, running: Running, requests: int) -> None:
    process = crawler.run_until(running, requests)
    process.kill()
    process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == -signal.SIGKILL


def test_a_record_that_was_half_written_is_cut_off(crawler: Crawler, running: Running) -> None:
    kill_after(crawler, running, 80)
    newest = crawler.warc_files()[-1]
    with newest.open("r+b") as file:
        half = file.read(200)
        file.seek(0, 2)
        file.write(half)
    (newest.parent / "shoal-20260101000000-00000000-0001.warc.gz").touch()
    found = crawler.shoal("verify", "--quiet")
    assert found.returncode == 1
    assert f"{newest.name}: Its last 200 bytes are no whole record." in found.stdout
    said = crawler.finish()
    assert f"{newest.name} ended in a torn record; 200 bytes were cut off" in said
    crawler.check_complete(running)


@pytest.mark.slow
def test_pages_whose_records_are_lost_are_fetched_again(crawler: Crawler, running: Running) -> None:
    """As after a power loss: the table knows of records that did not reach the disk."""
    crawler.finish()
    newest = crawler.warc_files()[-1]
    size = newest.stat().st_size
    with newest.open("r+b") as file:
        file.truncate(size // 2)
    said = crawler.finish()
    assert "ended in a torn record" in said
    assert "were lost with the end of a file; they are fetched again" in said
    again = repeats(running.log())
    assert len(again) > 10
    # Whole, not only if they changed: what they were compared with is lost.
    assert all(group[-1].if_none_match is None for group in again.values())
    crawler.check_complete(running)
    assert "lost" not in crawler.finish()


@pytest.mark.slow
def test_a_kill_while_lost_records_are_looked_for_costs_nothing(
    crawler: Crawler, running: Running
) -> None:
    crawler.finish()
    newest = crawler.warc_files()[-1]
    with newest.open("r+b") as file:
        file.truncate(newest.stat().st_size // 2)
    for passing in (1, 3, 7):
        process = crawler.start(f"recovery.middle:{passing}")
        process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == -signal.SIGKILL
    crawler.finish()
    crawler.check_complete(running)


@pytest.mark.parametrize(
    "damage",
    [
        "cut",
        pytest.param("flipped far back", marks=pytest.mark.slow),
        pytest.param("flipped", marks=pytest.mark.slow),
        pytest.param("junk", marks=pytest.mark.slow),
    ],
)
def test_a_torn_log_costs_its_end_alone(crawler: Crawler, running: Running, damage: str) -> None:
    kill_after(crawler, running, 100)
    log = max((crawler.directory / "table").glob("*.log"), key=lambda path: path.name)
    data = log.read_bytes()
    assert len(data) > 10_000
    match damage:
        case "cut":
            data = data[:-37]
        case "flipped":
            data = data[:-64] + bytes(byte ^ 0xFF for byte in data[-64:])
        case "flipped far back":
            middle = len(data) * 3 // 4
            data = data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]
        case "junk":
            data += b"\xa5" * 1000
    log.write_bytes(data)
    looked = crawler.shoal("verify", "--quiet")
    if looked.returncode:  # a reader does not open it, and says who does
        assert "its log is damaged" in looked.stderr
        assert "Traceback" not in looked.stderr
    RocksTable(crawler.directory / "table").close()
    crawler.verify()  # what is left is a prefix, and agrees with itself
    said = crawler.finish()
    assert "ended without warning" in said
    crawler.check_complete(running)


@pytest.mark.slow
def test_a_clock_that_was_set_back_stops_nothing(crawler: Crawler, running: Running) -> None:
    """The second life runs an hour ahead, so for the third the clock was set back by an hour: all
    that it finds, hosts' clocks too, is of the future."""
    kill_after(crawler, running, 60)
    with RocksTable(crawler.directory / "table") as table:
        assert table.get("site", CLOCK_KEY) is not None
        batch = table.batch()
        ahead_ms = round(time.time() * 1000) + HOUR_MS
        batch.put("site", CLOCK_KEY, pack(ahead_ms))
        table.write(batch)
    kill_after(crawler, running, 60)
    started = time.monotonic()
    said = crawler.finish()
    assert time.monotonic() - started < 60
    assert "clock was set back by 1 h" in said or "clock was set back by 59 min" in said
    crawler.check_complete(running)
