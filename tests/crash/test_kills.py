"""kill -9 at any moment loses nothing: at random, and at every named point of a commit."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from shoal.collection.view import TabletView
from tests.cli.command import clean_environment
from tests.crash.crawler import PATIENCE_SECONDS, Crawler
from tests.indexer.test_follower import assert_index_is_table
from tests.world import Latency, RobotsMix, Running, Web, serve

POLITE_ROBOTS = RobotsMix(crawl_delay=0, error=0)
POINTS = (
    "archive.written+parent",
    "commit.before",
    "commit.after",
    "recovery.middle",
    "compaction.middle",
)
_COMPACT = """
import sys
from pathlib import Path
from shoal.store.table import RocksTable
RocksTable(Path(sys.argv[1])).compact()
"""


def kill_at_random(crawler: Crawler, running: Running, requests: int, chance: random.Random) -> int:
    """Kill it when so many more requests have come, and a little later."""
    process = crawler.run_until(running, requests)
    time.sleep(chance.uniform(0, 0.05))  # not to wait for something: to be anywhere in the loop
    process.kill()
    process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode


def kill_at_point(crawler: Crawler, point: str, chance: random.Random) -> int:
    """Let it kill itself. During compaction, and in a recovery, it is not yet asking anybody."""
    if point == "compaction.middle":
        return kill_in_compaction(crawler)
    passing = chance.randint(1, 3 if point == "recovery.middle" else 12)
    process = crawler.start(f"{point}:{passing}")
    process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode


def kill_in_compaction(crawler: Crawler) -> int:
    done = subprocess.run(
        [sys.executable, "-c", _COMPACT, str(crawler.directory / "table")],
        env=clean_environment() | {"SHOAL_FAULT": "compaction.middle"},
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    return done.returncode


def kill_again_and_again(crawler: Crawler, running: Running, kills: int, pages: int) -> None:
    """Half at random, half at the points, in turn; then to the end."""
    chance = random.Random(7)
    each = max(5, pages // (2 * kills))
    for number in range(kills):
        if number % 2 == 0:
            code = kill_at_random(crawler, running, chance.randint(each // 2, each), chance)
        else:
            point = POINTS[number // 2 % len(POINTS)]
            code = kill_at_point(crawler, point, chance)
            assert code in (-signal.SIGKILL, -signal.SIGALRM), point
        assert code < 0, f"it ended by itself before kill {number}"
        crawler.kills.append(time.time())
    crawler.finish()


def promise_is_kept(directory: Path, web: Web, crawler_of: Crawler, kills: int) -> None:
    with serve(web, {"*": Latency(0.01)}) as running:
        crawler = crawler_of
        crawler.directory, crawler.seeds = directory, running.web.seeds()
        kill_again_and_again(crawler, running, kills, web.pages)
        crawler.check_complete(running)
        again = crawler.check_repeats(running.log())
    print(f"{kills} kills, {len(running.web.crawlable())} pages, {again} requests repeated")


def test_ten_kills_lose_nothing(tmp_path: Path) -> None:
    web = Web(seed=3, hosts=40, pages=300, skew=0, mean_bytes=2000, robots=POLITE_ROBOTS)
    crawler = Crawler(tmp_path, (), workers=16, more=("--set", "index.follow=yes"))
    promise_is_kept(tmp_path / "corpus", web, crawler, 10)
    with TabletView(tmp_path / "corpus") as collection:
        index = collection.layout.index
        assert assert_index_is_table(collection.table, collection.store, index) > 100


def test_the_delay_outlives_a_kill(tmp_path: Path) -> None:
    """It is longer than a restart takes: who forgot whom it asked would be seen."""
    web = Web(seed=4, hosts=20, pages=40, skew=0, mean_bytes=2000, robots=POLITE_ROBOTS)
    with serve(web, {"*": Latency(0.2)}) as running:
        crawler = Crawler(tmp_path / "corpus", running.web.seeds(), delay_seconds=2.0, workers=16)
        for requests in (12, 12):
            kill_at_random(crawler, running, requests, random.Random(1))
            crawler.kills.append(time.time())
        crawler.finish()
        crawler.check_complete(running)
        crawler.check_repeats(running.log())


@pytest.mark.slow
def test_fifty_kills_lose_nothing(tmp_path: Path) -> None:
    web = Web(seed=5, hosts=200, pages=5000, skew=0, mean_bytes=4000, robots=POLITE_ROBOTS)
    promise_is_kept(tmp_path / "corpus", web, Crawler(tmp_path, (), 0.5, workers=32), 50)
