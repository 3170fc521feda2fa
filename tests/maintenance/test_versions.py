"""Old versions stay by policy, and `compact` gives back what only the others needed."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.config import load
from shoal.engine.engine import Engine
from shoal.errors import Busy
from shoal.layout.layout import Layout, WriteLock
from shoal.maintenance.compact import DEAD_SHARE, Compacted, compact
from shoal.maintenance.verify import verifying
from shoal.model.urls.rowkey import row_key
from shoal.store.archive import files
from shoal.store.table import RocksTable
from tests.crawl.run import QUICK, crawl
from tests.store.readers import by_warcio, check
from tests.world import RobotsMix, Running, Web, serve

SETTINGS = {"politeness.delay": 0.02, "crawl.scope": "host"}


def told(version: int) -> str:
    """A text that hardly compresses, so that its share of a file is its share of the pages."""
    words = (f"{(version * 7919 + n * 104729) % 1_000_003:06d}" for n in range(200))
    return f"Version {version} of the tale of the clownfish: " + " ".join(words)


class Tale:
    """One page that changes, crawled again and again into one collection."""

    def __init__(self, site: Running, directory: Path) -> None:
        self._site = site
        self.directory = directory
        self.url = f"http://{site.web.host_name(0)}:{site.port}/tale"
        self.versions = 0
        self._other = site.put(0, "/other", "<p>Another page, which never changes.</p>")

    def crawl(self, count: int, **settings: object) -> None:
        named = {f"crawl.{name}": value for name, value in settings.items()}
        for _ in range(count):
            self.versions += 1
            self._site.put(0, "/tale", f"<p>{told(self.versions)}</p>")
            if self.versions > 1:
                asyncio.run(self._queue())
            crawl(self.directory, [self._other, self.url], {**SETTINGS, **named})

    async def _queue(self) -> None:
        engine = Engine(self.directory, load(self.directory, QUICK, {}))
        assert engine.raise_url(row_key(self.url), 1.0)
        await engine.close()

    def compact(self, keep: int, share: float = DEAD_SHARE) -> Compacted:
        config = load(self.directory, {"crawl.versions": keep}, {})
        return compact(self.directory, config, share, lambda _: None)

    def stored(self) -> list[tuple[str, str]]:
        """(text, body) of every version that can be read, the newest first."""
        found, before = [], None
        with open_collection(self.directory) as collection:
            for when, _ in collection.history(self.url):
                page = collection.page(self.url, when)
                if page is not None and page.stored.when != before:
                    before = page.stored.when
                    found.append((page.text, page.body.decode()))
        return found

    def expected(self, *versions: int) -> list[tuple[str, str]]:
        return [(told(version), f"<p>{told(version)}</p>") for version in versions]

    def findings(self) -> list[str]:
        with verifying(Layout(self.directory), lambda _: None) as verifier:
            return [f"{found.where}: {found.says}" for found in verifier.findings()]

    def records(self) -> Counter[str]:
        """How many records the archive has of each URL; robots.txt is one."""
        seen = [each for path in files(self.directory / "warc") for each in by_warcio(path)]
        urls = [each.url or "" for each in seen if each.kind != "warcinfo"]
        return Counter("robots" if url.endswith("/robots.txt") else url for url in urls)

    def warc_bytes(self) -> int:
        return sum(path.stat().st_size for path in files(self.directory / "warc"))

    def texts(self) -> int:
        with RocksTable(self.directory / "table", reader=True) as table:
            return sum(1 for _ in table.scan("text", b"\x01"))


@pytest.fixture(scope="module")
def site() -> Iterator[Running]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=3, hosts=2, pages=2, robots=robots)) as running:
        yield running


@pytest.fixture
def tale(site: Running, tmp_path: Path) -> Tale:
    return Tale(site, tmp_path / "corpus")


@pytest.fixture(scope="module")
def five(site: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection with five versions of the tale, to be copied."""
    tale = Tale(site, tmp_path_factory.mktemp("five") / "corpus")
    tale.crawl(5, versions=9)
    return tale.directory


@pytest.fixture
def grown(tale: Tale, five: Path) -> Tale:
    shutil.copytree(five, tale.directory)
    tale.versions = 5
    return tale


@pytest.mark.parametrize(
    ("keep", "readable"),
    [
        (2, [4, 3]),
        pytest.param(1, [4], marks=pytest.mark.slow),
        pytest.param(9, [4, 3, 2, 1], marks=pytest.mark.slow),
    ],
)
def test_as_many_versions_stay_as_the_policy_says(
    tale: Tale, keep: int, readable: list[int]
) -> None:
    tale.crawl(4, versions=keep)
    assert tale.stored() == tale.expected(*readable)
    assert tale.texts() == len(readable) + 1
    assert tale.findings() == []


def test_a_stricter_policy_is_applied_by_compact(grown: Tale) -> None:
    tale = grown
    before = tale.warc_bytes()
    done = tale.compact(keep=2, share=0.0)
    assert (done.versions_dropped, done.texts_dropped) == (3, 3)
    assert done.records_dropped == 6  # a response and a request for each
    assert tale.stored() == tale.expected(5, 4)
    assert tale.texts() == 3
    assert tale.warc_bytes() < before * 0.6
    assert tale.findings() == []
    assert all(check(path) == "" for path in files(tale.directory / "warc"))
    with open_collection(tale.directory) as collection:
        history = collection.history(tale.url)
    assert len(history) == 5  # that it was visited is remembered
    assert sum(visit.response is not None for _, visit in history) == 2
    assert tale.compact(keep=2, share=0.0).records_dropped == 0  # there is nothing left to do
    tale.crawl(1, versions=2)
    assert tale.stored() == tale.expected(6, 5)
    assert tale.findings() == []


def test_robots_records_stay_though_no_row_points_at_them(grown: Tale) -> None:
    before = grown.records()["robots"]
    grown.compact(keep=1, share=0.0)
    after = grown.records()
    assert after["robots"] == before >= 2
    assert after[grown.url] == 2


def test_a_file_that_is_mostly_alive_is_left_alone(grown: Tale) -> None:
    tale = grown
    names = [path.name for path in files(tale.directory / "warc")]
    assert tale.compact(keep=9).files_rewritten == 0
    assert [path.name for path in files(tale.directory / "warc")] == names


def test_a_reader_that_was_there_before_reads_on(grown: Tale) -> None:
    tale = grown
    with open_collection(tale.directory) as collection:
        page = collection.page(tale.url)
        assert page is not None
        tale.compact(keep=1, share=0.0)
        assert page.body.decode() == f"<p>{told(5)}</p>"


def test_what_was_removed_leaves_the_archive_too(grown: Tale) -> None:
    tale = grown

    async def remove() -> None:
        engine = Engine(tale.directory, load(tale.directory, QUICK, {}))
        batch = engine._store.batch()
        engine._store.remove(batch, row_key(tale.url), engine.clock.now())
        engine._store.commit(batch)
        await engine.close()

    asyncio.run(remove())
    tale.compact(keep=9, share=0.0)
    bodies = [s.payload for path in files(tale.directory / "warc") for s in by_warcio(path)]
    assert not any(b"tale of the clownfish" in body for body in bodies)
    # It comes again with the body that it had: whole, because nothing is there to refer to.
    tale.versions -= 1
    tale.crawl(1)
    assert tale.stored() == tale.expected(5)
    assert tale.findings() == []


def test_not_while_somebody_writes(grown: Tale) -> None:
    with WriteLock(Layout(grown.directory)), pytest.raises(Busy):
        grown.compact(keep=1)


PROGRAM = """
import sys
from pathlib import Path
from shoal.maintenance import compact as app
from shoal.config import load
from shoal.store import compaction
app._ROWS_AT_ONCE = compaction._ROWS_AT_ONCE = 1
directory = Path(sys.argv[1])
app.compact(directory, load(directory, {"crawl.versions": 2}, {}), 0.0, lambda _: None)
"""
POINTS = ("trimming:2", "copied", "moved", "deleting")
BETWEEN = ("compact.trimming", "compact.moving", "compaction.middle")


@pytest.mark.parametrize(
    "point",
    [
        *(f"compact.{name}" for name in POINTS),
        *(pytest.param(name, marks=pytest.mark.slow) for name in BETWEEN),
    ],
)
def test_a_kill_at_any_moment_loses_nothing(grown: Tale, point: str) -> None:
    tale = grown
    before = tale.records()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tale.directory)],
        env={**os.environ, "SHOAL_FAULT": point},
        capture_output=True,
        check=False,
    )
    assert done.returncode in (-9, -14), done.stderr
    assert tale.stored()[:2] == tale.expected(5, 4)
    assert tale.findings() == []
    tale.compact(keep=2, share=0.0)
    assert tale.stored() == tale.expected(5, 4)
    assert tale.findings() == []
    after = tale.records()
    assert (after[tale.url], after["robots"]) == (4, before["robots"])  # none lost, none twice
    assert after.total() == before.total() - 6
    tale.crawl(1, versions=2)
    assert tale.stored() == tale.expected(6, 5)
    assert tale.findings() == []
