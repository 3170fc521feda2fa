"""When a feed is asked again, as the commit of its visit says: also after a 304, which says
nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.app.source_desk import Desk
from shoal.config import load
from shoal.model.document import Understood
from shoal.model.feed import Feed, Item
from shoal.model.outcome import Outcome
from shoal.model.rowkey import row_key, site_key
from shoal.model.url import site_of
from shoal.model.visit import Fetched, Kind, Visit
from shoal.store.table import RocksTable

URL = "https://a.example/feed"
NOW = 1_793_577_600.0
HOUR = 3600.0


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RocksTable]:
    table = RocksTable(tmp_path / "table")
    yield table
    table.close()


class Polls:
    def __init__(self, table: RocksTable, directory: Path) -> None:
        self._table = table
        self.desk = Desk(table, load(directory, {}, {}), directory, steady=True)

    def poll(self, outcome: Outcome, now: float, feed: Feed | None = None) -> float:
        """How long until the next."""
        visit = Visit(URL, row_key(URL), site_key(site_of(URL)), Kind.FEED)
        batch = self._table.batch()
        understood = Understood(feed=feed)
        due = self.desk.take_feed(batch, visit, Fetched(outcome), understood, now)
        self._table.write(batch)
        return due - now


@pytest.fixture
def polls(table: RocksTable, tmp_path: Path) -> Polls:
    return Polls(table, tmp_path)


def test_an_unchanged_feed_keeps_its_wishes(polls: Polls) -> None:
    items = [Item(guid=str(n), published=f"2026-11-01T{n:02d}:00:00Z") for n in range(24)]
    feed = Feed("rss20", ttl_seconds=6 * HOUR, skip_days=[0], items=items, url="https://a.example/")
    assert polls.poll(Outcome.OK, NOW, feed) == 24 * HOUR, "2026-11-02 is a Monday: it is skipped"
    later = NOW + 24 * HOUR
    assert polls.poll(Outcome.UNCHANGED, later) >= 6 * HOUR
    row = polls.desk.feed(row_key(URL))
    assert (row.page_url, row.ttl_seconds, row.skip_days) == ("https://a.example/", 6 * HOUR, [0])


def test_items_without_dates_count_when_they_are_first_seen(polls: Polls) -> None:
    waits = [
        polls.poll(Outcome.OK, NOW + n * HOUR, Feed("rss20", items=[Item(guid=str(n))]))
        for n in range(12)
    ]
    assert polls.desk.feed(row_key(URL)).posted == [NOW + n * HOUR for n in reversed(range(12))]
    assert waits[-1] < waits[0]
    again = Feed("rss20", items=[Item(guid="11")])
    polls.poll(Outcome.OK, NOW + 12 * HOUR, again)
    assert len(polls.desk.feed(row_key(URL)).posted) == 12


def test_failures_make_it_wait(polls: Polls) -> None:
    polls.poll(Outcome.OK, NOW, Feed("rss20", items=[Item(guid="1")]))
    waits = [polls.poll(Outcome.TIMEOUT, NOW + n) for n in range(3)]
    assert waits == sorted(waits)
    assert polls.desk.feed(row_key(URL)).failures == 3
    polls.poll(Outcome.UNCHANGED, NOW + 9)
    assert polls.desk.feed(row_key(URL)).failures == 0
