"""The index follows the table: what is in the one is in the other, whatever happened between."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

from shoal.access.indexing import reindex
from shoal.collection.view import TabletView
from shoal.index.fields import digest_of
from shoal.index.reader import IndexReader
from shoal.index.writer import IndexWriter
from shoal.indexer import index_process as following
from shoal.indexer.entries import Entries, unix
from shoal.indexer.follower import Follower
from shoal.indexer.index_child import command_of
from shoal.indexer.indexing import bring_up_to_date
from shoal.layout.index_state import IndexState, read_state
from shoal.layout.layout import Layout
from shoal.maintenance.index_findings import index_findings
from shoal.model.cell import newest_key, value_of
from shoal.model.compression import zstd
from shoal.model.document import Document, Fate, Understood
from shoal.model.entry import Entry
from shoal.model.link import Link, Rel
from shoal.model.outcome import Outcome
from shoal.model.principal import OWNER
from shoal.model.record import from_json, pack, unpack
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import site_of
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Table
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.cli.command import clean_environment
from tests.crawl.run import crawl
from tests.store.parts import finished
from tests.world import RobotsMix, Web, serve

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
NO_ROBOTS = RobotsMix(disallow=0, crawl_delay=0, missing=0, error=0)


@dataclass
class Shelf:
    """A table that is written to by hand, and the index that follows it."""

    table: RocksTable
    store: PageStore
    path: Path
    clock: float = 1_700_000_000.0

    def put(
        self,
        url: str,
        text: str = "fish",
        links: dict[str, str] | None = None,
        *,
        fate: Fate = Fate.WAITING,
        rel: int = 0,
        readers: list[str] | None = None,
        more: tuple[str, ...] = (),
    ) -> None:
        """A visit of a page that says this, and calls others so."""
        document = Document(text=zstd(text.encode()), text_chars=len(text), fate=fate)
        document.readers = readers or []
        out = [Link(to, row_key(to), said, rel, more=more) for to, said in (links or {}).items()]
        self._visit(url, Outcome.OK, Understood([document], out))

    def lose(self, url: str) -> None:
        self._visit(url, Outcome.GONE, Understood())

    def _visit(self, url: str, outcome: Outcome, understood: Understood) -> None:
        self.clock += 1
        row = row_key(url)
        is_first = self.store.page(row, OWNER) is None
        visit = Visit(url, row, site_key(site_of(url)), is_first=is_first)
        batch = self.store.batch()
        fetched = Fetched(outcome, status=200, ended=self.clock)
        targets = [link.row for link in understood.links]
        self.store.keep(batch, visit, fetched, understood, finished(understood, targets))
        self.store.commit(batch)

    def share(self, url: str, readers: list[str]) -> None:
        batch = self.store.batch()
        self.store.amend(batch, row_key(url), self.clock, readers)
        self.store.commit(batch)

    def remove(self, url: str) -> None:
        self.clock += 1
        batch = self.store.batch()
        self.store.remove(batch, row_key(url), self.clock)
        self.store.commit(batch)

    def forget_changes(self, up_to: int) -> None:
        batch = self.store.batch()
        self.store.log.forget(batch, up_to, 1000)
        self.store.commit(batch)

    def follow(self) -> int:
        """To the end, and committed; returns the position."""
        with IndexWriter(self.path) as writer:
            follower = Follower(self.table, self.store, writer)
            while follower.step():
                pass
            return follower.commit()

    def anchors(self, url: str) -> list[tuple[str, int]]:
        entry = Entries(self.table, self.store).of(row_key(url))
        assert entry is not None
        return entry.anchors

    def assert_equal(self) -> None:
        assert_index_is_table(self.table, self.store, self.path)


def assert_index_is_table(table: Table, store: PageStore, path: Path) -> int:
    """Row by row, and all that each is found by. Returns how many there are."""
    entries = Entries(table, store)
    rows = [page.row for page in store.stream(b"\x01", b"\xff", OWNER)]
    wanted = {row: digest_of(entry) for row in rows if (entry := entries.of(row)) is not None}
    assert dict(IndexReader(path).digests()) == wanted
    return len(wanted)


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    with RocksTable(tmp_path / "table") as table:
        yield Shelf(table, PageStore(table, tmp_path / "warc"), tmp_path / "index")


def test_what_is_stored_is_found(shelf: Shelf) -> None:
    shelf.put(A, "cod", {B: "the haddock page"})
    shelf.put(B, "haddock")
    assert shelf.follow() == shelf.store.log.last == 2
    shelf.assert_equal()
    assert shelf.anchors(B) == [("the haddock page", 1)]


@pytest.mark.parametrize("fate", [Fate.NOINDEX, Fate.DUPLICATE, Fate.EMPTY, Fate.DROPPED])
def test_what_is_not_to_be_found_leaves(shelf: Shelf, fate: Fate) -> None:
    shelf.put(A, "cod")
    shelf.put(B, "haddock")
    shelf.follow()
    shelf.put(A, "cod", fate=fate)
    shelf.follow()
    assert [row for row, _ in IndexReader(shelf.path).digests()] == [row_key(B)]
    shelf.remove(B)
    shelf.follow()
    assert list(IndexReader(shelf.path).digests()) == []


def test_a_link_that_comes_later_is_an_anchor_too(shelf: Shelf) -> None:
    shelf.put(A)
    shelf.follow()
    shelf.put(B, links={A: "one name"})
    shelf.follow()
    shelf.put(C, links={A: "one name"})
    shelf.follow()
    assert shelf.anchors(A) == [("one name", 2)]
    shelf.assert_equal()


def test_every_text_of_a_page_for_another_is_indexed(shelf: Shelf) -> None:
    """One site says them, and has one link."""
    shelf.put(B, "haddock")
    shelf.put(A, "cod", {B: "the haddock page"}, more=("fish soup", "a recipe"))
    shelf.follow()
    shelf.assert_equal()
    assert shelf.anchors(B) == [("a recipe", 1), ("fish soup", 1), ("the haddock page", 1)]
    assert [source for source, _ in shelf.store.said_of(row_key(B))] == [row_key(A)]
    assert len(shelf.store.links_of(row_key(A))) == 1  # and one vote
    shelf.put(A, "cod", {B: "the haddock page"}, more=("a recipe",))
    shelf.follow()
    shelf.assert_equal()
    assert shelf.anchors(B) == [("a recipe", 1), ("the haddock page", 1)]


def test_links_of_an_older_release_are_read(shelf: Shelf) -> None:
    """They have one text each, and say no more."""
    shelf.put(B, "haddock")
    shelf.put(A, "cod", {B: "the haddock page"}, more=("soup",))
    for family, row, qualifier in (("link", A, b"out"), ("anchor", B, row_key(A))):
        key = newest_key(row_key(row), qualifier)
        stored = shelf.table.get(family, key)
        assert stored is not None
        stamp, value = stored[: -len(value_of(stored))], unpack(list[Any], value_of(stored))
        if family == "link":
            old: list[Any] = [[link[:9], target] for link, target in value]
        else:
            old = value[:2]
        batch = shelf.table.batch()
        batch.put(family, key, stamp + pack(old))
        shelf.table.write(batch)
    [out] = shelf.store.links_of(row_key(A))
    assert (out.link.text, out.link.more) == ("the haddock page", ())
    assert shelf.anchors(B) == [("the haddock page", 1)]
    shelf.follow()
    shelf.assert_equal()


def test_a_link_that_goes_is_none_any_more(shelf: Shelf) -> None:
    shelf.put(A)
    shelf.put(B, links={A: "a name", C: "another"})
    shelf.put(C)
    shelf.follow()
    shelf.put(B, links={A: "a new name"})
    shelf.follow()
    shelf.assert_equal()
    assert shelf.anchors(C) == []
    shelf.put(B, links={A: "a name"})
    shelf.remove(B)
    shelf.follow()
    shelf.assert_equal()
    assert shelf.anchors(A) == []


def test_a_link_that_is_not_followed_says_nothing(shelf: Shelf) -> None:
    shelf.put(A)
    shelf.put(B, links={A: "buy now"}, rel=int(Rel.SPONSORED))
    shelf.follow()
    assert shelf.anchors(A) == []
    shelf.assert_equal()


def test_nobody_finds_a_page_by_what_only_others_may_read(shelf: Shelf) -> None:
    shelf.put(A)
    shelf.put(B, links={A: "a secret name"}, readers=["ann"])
    shelf.follow()
    assert shelf.anchors(A) == []
    shelf.share(B, [])
    shelf.follow()
    assert shelf.anchors(A) == [("a secret name", 1)]
    shelf.assert_equal()


def test_what_is_owed_holds_the_position_back(shelf: Shelf) -> None:
    """Killed between the change and the anchors that it brings, nothing is missing afterwards."""
    shelf.put(A)
    shelf.follow()
    shelf.put(B, links={A: "a name"})
    with IndexWriter(shelf.path) as writer:
        follower = Follower(shelf.table, shelf.store, writer)
        assert follower.step() == 1
        assert follower.commit() == 1  # of 2: the anchor of A is owed
    shelf.follow()
    shelf.assert_equal()


def test_an_index_that_fell_behind_the_log_is_made_anew(shelf: Shelf) -> None:
    shelf.put(A)
    shelf.follow()
    shelf.put(B)
    shelf.put(C)
    shelf.forget_changes(2)
    shelf.follow()
    shelf.assert_equal()


def test_an_index_that_is_ahead_of_the_table_is_made_anew(shelf: Shelf) -> None:
    """After a power loss the table may have lost its last second."""
    shelf.put(A)
    with IndexWriter(shelf.path) as writer:
        writer.commit(99)
    assert shelf.follow() == 1
    shelf.assert_equal()


def test_any_story_ends_alike(shelf: Shelf) -> None:
    """Pages come, change, go, with links among them; followed now and then, or made anew."""
    chance = Random(4)
    urls = [f"http://{host}.example/{page}" for host in "abc" for page in range(4)]
    fates = [Fate.WAITING] * 5 + [Fate.NOINDEX]
    for _ in range(120):
        url = chance.choice(urls)
        match chance.randrange(8):
            case 0:
                shelf.remove(url)
            case 1:
                shelf.follow()
            case _:
                links = {to: f"name {chance.randrange(3)}" for to in chance.sample(urls, 3)}
                shelf.put(url, f"word{chance.randrange(5)}", links, fate=chance.choice(fates))
    shelf.follow()
    shelf.assert_equal()
    before = dict(IndexReader(shelf.path).digests())
    assert before
    with IndexWriter(shelf.path) as writer:
        follower = Follower(shelf.table, shelf.store, writer)
        follower.rebuild()
        follower.commit()
    assert dict(IndexReader(shelf.path).digests()) == before


def test_a_mark_is_found(shelf: Shelf) -> None:
    shelf.put(A)
    shelf.follow()
    batch = shelf.store.batch()
    shelf.store.mark(batch, row_key(A), {"topic": "fish", "seen": "yes"}, shelf.clock)
    shelf.store.mark(batch, row_key(B), {"topic": "none"}, shelf.clock)
    shelf.store.commit(batch)
    entry = Entries(shelf.table, shelf.store).of(row_key(A))
    assert entry is not None
    assert entry.marks == ["seen=yes", "topic=fish"]
    assert shelf.store.marks(row_key(B), OWNER) == {}  # no such page
    shelf.follow()
    shelf.assert_equal()
    batch = shelf.store.batch()
    shelf.store.mark(batch, row_key(A), {"topic": ""}, shelf.clock)
    shelf.store.commit(batch)
    assert shelf.store.marks(row_key(A), OWNER) == {"seen": "yes"}
    shelf.remove(A)
    assert shelf.store.marks(row_key(A), OWNER) == {}


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("2024-05-01", 1714521600.0),
        ("2024-05-01T12:00:00+02:00", 1714557600.0),
        ("", 0.0),
        ("yesterday", 0.0),
        ("0001-01-01", 0.0),
        ("9999-99-99", 0.0),
    ],
)
def test_dates(written: str, seconds: float) -> None:
    assert unix(written) == seconds


def test_a_crawl_is_indexed_as_it_goes(tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    with serve(Web(seed=2, hosts=4, pages=40, robots=NO_ROBOTS)) as web:
        settings = {"index.follow": "yes", "politeness.delay": 0.01}
        summary = crawl(directory, web.web.seeds(), settings)
    assert summary.index_problem == ""
    fates = summary.status.fetched_by_fate
    assert fates["indexed"] > 20
    assert "waiting for the index" not in fates
    with TabletView(directory) as collection:
        layout = collection.layout
        count = assert_index_is_table(collection.table, collection.store, layout.index)
        assert count == fates["indexed"]
        assert collection.status().fetched_by_fate == fates
        assert list(collection.store.log.after(0)) == []  # the log is eaten up
        assert bring_up_to_date(directory) == 0
        assert reindex(directory).pages == count
        assert_index_is_table(collection.table, collection.store, layout.index)


def test_a_crawl_without_an_index_is_indexed_later(tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    with serve(Web(seed=2, hosts=2, pages=8, robots=NO_ROBOTS)) as web:
        summary = crawl(directory, web.web.seeds(), {"politeness.delay": 0.01})
    assert summary.status.fetched_by_fate["waiting for the index"] > 0
    assert bring_up_to_date(directory) > 0
    with TabletView(directory) as collection:
        assert "waiting for the index" not in collection.status().fetched_by_fate
        assert_index_is_table(collection.table, collection.store, collection.layout.index)


def test_an_index_of_another_release_is_made_anew(tmp_path: Path) -> None:
    directory = tmp_path / "corpus"
    with serve(Web(seed=2, hosts=2, pages=8, robots=NO_ROBOTS)) as web:
        crawl(directory, web.web.seeds(), {"politeness.delay": 0.01, "index.follow": "yes"})
    version = Layout(directory).index / "shoal-index-version"
    assert bring_up_to_date(directory) == 0
    version.write_text("0\n")
    assert bring_up_to_date(directory) > 0
    with TabletView(directory) as collection:
        assert assert_index_is_table(collection.table, collection.store, collection.layout.index)
        assert list(index_findings(collection.table, collection.layout)) == []


def test_kill_while_indexing(tmp_path: Path) -> None:
    """The process that writes the index is killed again and again; the next goes on."""
    directory = tmp_path / "corpus"
    with serve(Web(seed=5, hosts=6, pages=150, robots=NO_ROBOTS)) as web:
        crawl(directory, web.web.seeds(), {"politeness.delay": 0.005})
    layout, chance = Layout(directory), Random(1)
    for _ in range(4):
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "shoal.indexer.index_process", directory, layout.data],
            env=clean_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        time.sleep(0.3 + chance.uniform(0, 0.4))  # not to wait for something: to be anywhere
        process.kill()
        process.communicate()
    bring_up_to_date(directory)
    with TabletView(directory) as collection:
        assert assert_index_is_table(collection.table, collection.store, layout.index) > 50
        state = read_state(layout)
        assert state is not None
        assert state.position == collection.store.log.last


# --- what somebody waits for ----------------------------------------------------------------------


def test_a_change_that_is_awaited_is_entered_before_the_others(shelf: Shelf) -> None:
    """It is found with the next commit, though the log was not followed so far; the others are not
    skipped, and what it links to is told as well."""
    for number in range(5):
        shelf.put(f"{A}{number}", "cod")
    shelf.put(B, "herring", {A: "of the cod"})
    shelf.put(A, "all about cod")
    with IndexWriter(shelf.path) as writer:
        follower = Follower(shelf.table, shelf.store, writer)
        assert follower.enter_ahead([6, 99]) == [99], "this one is not there yet"
        assert follower.commit() == 0
        assert set(dict(IndexReader(shelf.path).digests())) == {row_key(B)}
        while follower.step():
            pass
        follower.commit()
    shelf.assert_equal()
    assert shelf.anchors(A) == [("of the cod", 1)]


def test_what_was_entered_ahead_and_has_changed_since(shelf: Shelf) -> None:
    shelf.put(A, "cod")
    shelf.put(B, "herring")
    with IndexWriter(shelf.path) as writer:
        follower = Follower(shelf.table, shelf.store, writer)
        assert follower.enter_ahead([1, 2]) == []
        shelf.put(B, "haddock")
        shelf.remove(A)
        while follower.step():
            pass
        follower.commit()
    shelf.assert_equal()


def test_between_the_rows_of_one_step(shelf: Shelf) -> None:
    """What is awaited may come while many others are entered, and is committed among them."""
    for number in range(120):
        shelf.put(f"{A}{number}", "cod")
    seen: list[int] = []
    with IndexWriter(shelf.path) as writer:
        follower = Follower(shelf.table, shelf.store, writer)

        def between() -> None:
            if not seen:
                shelf.put(B, "herring")
                follower.enter_ahead([121])
            seen.append(follower.commit())

        while follower.step(between):
            pass
        follower.commit()
    assert seen[:2] == [0, 0], "what is not whole is not said to be"
    shelf.assert_equal()


def test_what_was_entered_ahead_is_not_entered_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(120):
        shelf.put(f"{A}{number}", "cod")
    entered: list[bytes] = []
    real = Entries.of

    def counted(self: Entries, row: bytes) -> Entry | None:
        entered.append(row)
        return real(self, row)

    monkeypatch.setattr(Entries, "of", counted)
    with IndexWriter(shelf.path) as writer:
        follower = Follower(shelf.table, shelf.store, writer)

        def between() -> None:
            follower.enter_ahead(range(100, 121))

        while follower.step(between):
            pass
        follower.commit()
    assert sorted(entered) == sorted(row_key(f"{A}{number}") for number in range(120))


def test_whose_changes_are_awaited(shelf: Shelf) -> None:
    """Of documents that were brought in, and of a person's wish; not of what a crawl finds."""
    taken: list[list[int]] = []
    for kind, level in (
        (VisitKind.PAGE, 3),
        (VisitKind.PAGE, 0),
        (VisitKind.INJECTED, 0),
        (VisitKind.PAGE, 0x81),
    ):
        url = f"{A}{len(taken)}"
        visit = Visit(url, row_key(url), site_key(site_of(url)), kind, level=level, is_first=True)
        batch = shelf.store.batch()
        fetched = Fetched(Outcome.OK, status=200, ended=shelf.clock)
        understood = Understood([Document()])
        shelf.store.keep(batch, visit, fetched, understood, finished(understood))
        shelf.store.commit(batch)
        taken.append(shelf.store.log.take_awaited())
    assert taken == [[], [2], [3], []]
    assert shelf.store.log.take_awaited() == []


@contextmanager
def indexing_process(directory: Path) -> Iterator["subprocess.Popen[bytes]"]:
    with subprocess.Popen(
        command_of(Layout(directory)),
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_the_process_hears_every_word(tmp_path: Path) -> None:
    """Also two that come at once, and one that names what does not exist."""
    directory = tmp_path / "corpus"
    with serve(Web(seed=2, hosts=2, pages=8, robots=NO_ROBOTS)) as web:
        crawl(directory, web.web.seeds(), {"politeness.delay": 0.01})
    with TabletView(directory) as collection:
        last = collection.store.log.last
    with indexing_process(directory) as process:
        out, _ = process.communicate(b"soon 1 2\nsoon 999999\nfinish\n", timeout=60)
        assert process.returncode == 0
    states = [from_json(IndexState, line) for line in out.splitlines()]
    assert states[-1].position == last
    with TabletView(directory) as collection:
        assert assert_index_is_table(collection.table, collection.store, collection.layout.index)


def test_an_awaited_change_is_committed_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whenever somebody waits: ordinary commits are made once a day here, a look at the table once
    an hour."""
    for name in ("_SECONDS_BETWEEN_COMMITS", "_LEAST_SECONDS_BETWEEN_COMMITS"):
        monkeypatch.setattr(following, name, 86_400.0)
    for name in ("_SECONDS_BETWEEN_LOOKS", "_SECONDS_BETWEEN_QUIET_LOOKS"):
        monkeypatch.setattr(following, name, 3_600.0)
    directory = tmp_path / "corpus"
    with serve(Web(seed=2, hosts=2, pages=8, robots=NO_ROBOTS)) as web:
        crawl(directory, web.web.seeds(), {"politeness.delay": 0.01})
    layout = Layout(directory)
    told: list[IndexState] = []
    reading, writing = os.pipe()

    def hear(state: IndexState) -> None:
        told.append(state)
        os.write(writing, b"soon 2\n" if len(told) == 1 else b"finish\n")

    monkeypatch.setattr(following, "_tell", hear)
    with TabletView(directory) as collection, IndexWriter(layout.index) as writer:
        os.write(writing, b"soon 1\n")
        following.Following(collection, layout, writer, following.Words(reading)).run()
    os.close(writing)
    os.close(reading)
    assert len(told) == 3, "two early ones, and the last"
    with TabletView(directory) as collection:
        assert told[-1].position == collection.store.log.last
        assert assert_index_is_table(collection.table, collection.store, layout.index)
