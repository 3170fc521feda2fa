"""Pages that vanish, move and flap, and sites that are down: what the index then holds."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from shoal.api import open as open_collection
from shoal.frontier.state.rows import SiteRow, site_row_key
from shoal.index.reader import IndexReader
from shoal.indexer.indexing import bring_up_to_date
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.model.record import pack, unpack
from shoal.model.urls.rowkey import site_key, url_of
from shoal.model.urls.url import site_of
from shoal.store.table import RocksTable
from tests.crawl.again import crawl_until, refresh
from tests.crawl.run import crawl
from tests.world import Gone, Redirect, RobotsMix, Running, Status, Web, serve

TALES = {
    "/": "The harbour master keeps a book of all ships, and of those who never came back.",
    "/stays": "Seagrass meadows keep the sand where it is, whatever the winter storms may want.",
    "/vanishes": "Eels leave the rivers in autumn nights, and nobody sees where they spawn.",
    "/forgotten": "A lightship lay before this coast until the sands had wandered on.",
    "/gone": "The last sturgeon of this estuary was caught by a cook from the next town.",
    "/moves": "Hermit crabs change their houses in a queue, from the largest to the smallest.",
    "/away": "Puffins spend the winter far out, and come home on the same day each spring.",
    "/flaps": "The tidal causeway is open for six hours, and then closed for another six.",
    "/other/down": "Beacons were lit on every headland when the fleet was sighted.",
}
FAST = {"politeness.delay": 0.02, "refresh.keep_missing": 0.2}
STEADY = {**FAST, "refresh.shortest": 0.1, "refresh.longest": 10.0, "refresh.budget": 20 * 86_400.0}


@dataclass(frozen=True)
class Harbour:
    """Host 0 with the pages above, host 1 that can go down, host 2 that closes itself."""

    running: Running
    directory: Path

    def url(self, path: str, host: int = 0) -> str:
        return f"http://{self.running.web.host_name(host)}:{self.running.port}{path}"

    def at(self, path: str, *behaviours: Gone | Status | Redirect) -> None:
        self.running.set(f"{self.running.web.host_name(0)}{path}", *behaviours)

    def break_all(self) -> None:
        self.at("/vanishes", Gone(404))
        self.at("/forgotten", Gone(404))
        self.at("/gone", Gone(410))
        self.at("/moves", Redirect("/moved", 301))
        self.at("/away", Redirect("/", 302))
        self.at("/flaps", Status(404, every=2))
        self.running.put(0, "/moved", page(TALES["/moves"]))
        self.running.robots(2, "User-agent: *\nDisallow: /\n")
        self.running.down(1)
        self._forget_robots()

    def _forget_robots(self) -> None:
        """As if a day had passed: robots.txt of host 2 is asked again."""
        key = site_row_key(site_key(site_of(self.url("/", 2))))
        with RocksTable(Layout(self.directory).table) as table:
            stored = table.get("site", key)
            assert stored is not None
            row = unpack(SiteRow, stored)
            row.robots_until_ms = 0
            batch = table.batch()
            batch.put("site", key, pack(row))
            table.write(batch)

    def indexed(self) -> set[str]:
        """What is found, as paths; of the other hosts as /down and /closed."""
        bring_up_to_date(self.directory)
        rows = dict(IndexReader(Layout(self.directory).index).digests())
        names = {self.url("/", 1): "down", self.url("/", 2): "closed"}
        urls = {url_of(row) for row in rows}
        return {names.get(url) or url.removeprefix(self.url("/")) or "home" for url in urls}

    def asked(self, path: str) -> list[float]:
        """When a page of host 0 was asked for."""
        return [each.start for each in self.running.log() if each.url == self.url(path)]


def page(tale: str, links: str = "") -> str:
    return f"<title>{tale[:20]}</title><main><p>{tale}</p></main>{links}"


@pytest.fixture
def harbour(tmp_path: Path) -> Iterator[Harbour]:
    robots = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)
    with serve(Web(seed=2, hosts=3, pages=3, starts=3, robots=robots)) as running:
        links = "".join(f"<a href='{path}'>{path}</a> " for path in TALES if "other" not in path)
        for path, tale in TALES.items():
            if path == "/":
                running.put(0, path, page(tale, links))
            elif path == "/other/down":
                running.put(1, "/", page(tale))
            else:
                running.put(0, path, page(tale))
        running.put(2, "/", page("A private beach has its own tides, or so the owner says."))
        yield Harbour(running, tmp_path / "corpus")


ALL = {"home", "stays", "vanishes", "forgotten", "gone", "moves", "away", "flaps", "down", "closed"}


def test_what_the_index_holds_after_refreshes(harbour: Harbour) -> None:
    running, directory = harbour.running, harbour.directory
    assert crawl(directory, running.web.seeds(), FAST).finished
    assert harbour.indexed() == ALL

    harbour.break_all()
    assert refresh(directory, {**FAST, "refresh.keep_missing": 3_600.0}).finished
    left = harbour.indexed()
    assert {"gone", "moves", "closed"}.isdisjoint(left), "their owners have said so"
    assert ALL - {"gone", "moves", "closed"} <= left, "an accident, or nobody there to ask"

    for _ in range(3):
        assert refresh(directory, FAST).finished
    left = harbour.indexed()
    assert {"vanishes", "forgotten", "away"}.isdisjoint(left), "missing for long, and often enough"
    assert {"home", "stays", "flaps", "down"} <= left
    with open_collection(directory) as collection:
        kept = collection.page(harbour.url("/vanishes"))
        assert kept is not None, "it is not found, but what it said is still there"
        assert kept.text.strip() == TALES["/vanishes"]

    harbour.at("/vanishes")
    running.up(1)
    with open_collection(directory) as collection:
        collection.submit(harbour.url("/vanishes"))
    assert crawl(directory, [], FAST).finished
    left = harbour.indexed()
    assert {"moved", "down"} <= left
    assert not {"gone", "moves", "forgotten"} & left
    assert "vanishes" in left, "it is there again, and somebody asked for it"


@pytest.mark.slow
def test_what_the_index_holds_after_a_steady_crawl(harbour: Harbour) -> None:
    running, directory = harbour.running, harbour.directory
    assert crawl(directory, running.web.seeds(), FAST).finished
    assert harbour.indexed() == ALL
    harbour.break_all()
    before = {path: len(harbour.asked(path)) for path in TALES}

    def asked_often_enough() -> bool:
        return len(harbour.asked("/vanishes")) - before["/vanishes"] >= 3 and bool(
            harbour.asked("/moved")
        )

    crawl_until(directory, [], STEADY, asked_often_enough)
    left = harbour.indexed()
    assert {"home", "stays", "flaps", "down", "moved"} <= left
    assert {"gone", "moves", "closed", "vanishes"}.isdisjoint(left)
    again = harbour.asked("/vanishes")[before["/vanishes"] :]
    assert again[2] - again[1] > 2 * (again[1] - again[0]), "the gaps grow"
    assert len(harbour.asked("/gone")) - before["/gone"] == 1, "410 is believed at once"
    assert len(harbour.asked("/flaps")) - before["/flaps"] > 2
    assert len(harbour.asked("/stays")) - before["/stays"] > 2


@pytest.mark.slow
def test_a_page_that_comes_back_in_time_was_never_away(harbour: Harbour) -> None:
    running, directory = harbour.running, harbour.directory
    assert crawl(directory, running.web.seeds(), FAST).finished
    harbour.at("/vanishes", Gone(404))
    keeping = {**FAST, "refresh.keep_missing": 3_600.0}
    for _ in range(2):
        refresh(directory, keeping)
    with open_collection(directory) as collection:
        row = dict(collection.urls())[harbour.url("/vanishes")]
        assert (row.misses, row.lost, row.missing_ms > 0) == (2, False, True)
    assert harbour.indexed() == ALL
    harbour.at("/vanishes")
    refresh(directory, keeping)
    with open_collection(directory) as collection:
        row = dict(collection.urls())[harbour.url("/vanishes")]
        assert (row.misses, row.lost, row.missing_ms) == (0, False, 0)
    assert harbour.indexed() == ALL


@pytest.mark.parametrize("goes", [True, False])
def test_a_copy_that_leaves_takes_what_others_call_it(harbour: Harbour, goes: bool) -> None:
    """The page that stood for it is no longer found by the words of links to the copy."""
    running, directory = harbour.running, harbour.directory
    text = " ".join(f"{tale} {word}" for word in ("One", "Two") for tale in TALES.values())
    links = "<a href='/one'>first spelling</a> <a href='/two'>second spelling</a>"
    running.put(0, "/", page(TALES["/"], links))
    running.put(0, "/one", page(text))
    running.put(0, "/two", page(text + " Three."))
    assert crawl(directory, [harbour.url("/")], FAST).finished
    bring_up_to_date(directory)
    found = harbour.indexed() & {"one", "two"}
    assert len(found) == 1, "one stands for both"
    copy = ({"one", "two"} - found).pop()
    with open_collection(directory) as collection:
        called = "first spelling" if copy == "one" else "second spelling"
        assert [each.url for each in collection.search(f'"{called}"')]
    if goes:
        harbour.at(f"/{copy}", Gone(410))
    else:
        running.put(
            0, f"/{copy}", page("Something else stands here, of nets and of their menders.")
        )
    with open_collection(directory) as collection:
        collection.submit(harbour.url(f"/{copy}"))  # that one alone is asked for again
    assert crawl(directory, [], FAST).finished
    bring_up_to_date(directory)
    with verifying(Layout(directory), lambda _: None) as verifier:
        assert list(verifier.findings()) == []
