"""When a feed is asked again, as the commit of its visit says: also after a 304, which says
nothing."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from shoal.clock import iso
from shoal.config import load
from shoal.engine.source_schedule import DiskSourceSchedule
from shoal.frontier.sources.injections import done
from shoal.model.document import Document, Understood
from shoal.model.link import Link
from shoal.model.listings.feed import Feed, FeedRow, Item, feed_key
from shoal.model.listings.listing import ListedUrl
from shoal.model.outcome import Outcome
from shoal.model.record import pack
from shoal.model.urls.rowkey import row_key, site_key
from shoal.model.urls.url import site_of
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Batch
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
        self.directory = directory
        self.source_schedule = DiskSourceSchedule(
            table, load(directory, {}, {}), directory, steady=True
        )

    def poll(self, outcome: Outcome, now: float, feed: Feed | None = None) -> float:
        """How long until the next."""
        batch = self._table.batch()
        understood = Understood(feed=feed)
        _, due = self.source_schedule.take_feed(
            batch, self.visit(), Fetched(outcome), understood, now
        )
        self._table.write(batch)
        return due - now

    def visit(self) -> Visit:
        return Visit(URL, row_key(URL), site_key(site_of(URL)), VisitKind.FEED)

    def batch(self) -> Batch:
        return self._table.batch()

    def write(self, row: FeedRow) -> None:
        batch = self._table.batch()
        batch.put("site", feed_key(row_key(URL)), pack(row))
        self._table.write(batch)


@pytest.fixture
def polls(table: RocksTable, tmp_path: Path) -> Polls:
    return Polls(table, tmp_path)


def test_an_unchanged_feed_keeps_its_wishes(polls: Polls) -> None:
    items = [Item(guid=str(n), published=f"2026-11-01T{n:02d}:00:00Z") for n in range(24)]
    feed = Feed("rss20", ttl_seconds=6 * HOUR, skip_days=[0], items=items, url="https://a.example/")
    assert polls.poll(Outcome.OK, NOW, feed) == 24 * HOUR, "2026-11-02 is a Monday: it is skipped"
    later = NOW + 24 * HOUR
    assert polls.poll(Outcome.UNCHANGED, later) >= 6 * HOUR
    row = polls.source_schedule.feed(row_key(URL))
    assert (row.page_url, row.ttl_seconds, row.skip_days) == ("https://a.example/", 6 * HOUR, [0])


def test_items_without_dates_count_when_they_are_first_seen(polls: Polls) -> None:
    waits = [
        polls.poll(Outcome.OK, NOW + n * HOUR, Feed("rss20", items=[Item(guid=str(n))]))
        for n in range(12)
    ]
    assert polls.source_schedule.feed(row_key(URL)).posted == [
        NOW + n * HOUR for n in reversed(range(12))
    ]
    assert waits[-1] < waits[0]
    again = Feed("rss20", items=[Item(guid="11")])
    polls.poll(Outcome.OK, NOW + 12 * HOUR, again)
    assert len(polls.source_schedule.feed(row_key(URL)).posted) == 12


def dated(*seconds_ago: float, now: float) -> list[Item]:
    return [Item(guid=str(now - ago), published=iso(now - ago)) for ago in seconds_ago]


def test_what_a_poll_finds_speeds_it_up_at_once(polls: Polls) -> None:
    old = dated(*(n * 29 * HOUR for n in range(1, 21)), now=NOW)
    usual = polls.poll(Outcome.OK, NOW, Feed("rss20", items=old))
    assert usual > 6 * HOUR
    now = NOW + usual
    news = dated(100, 5 * HOUR, now=now)
    assert polls.poll(Outcome.OK, now, Feed("rss20", items=news + old)) == usual / 4
    late = dated(400 * HOUR, 500 * HOUR, now=now)
    again = polls.poll(Outcome.OK, now + HOUR, Feed("rss20", items=late + news + old))
    assert again > 6 * HOUR, "they are new here, but were posted long ago"


def test_a_feed_that_shows_nothing_it_showed_before_is_asked_sooner_and_sooner(
    polls: Polls,
) -> None:
    now, waits = NOW, list[float]()
    for number in range(5):
        waits.append(polls.poll(Outcome.OK, now, Feed("rss20", items=[Item(guid=str(number))])))
        now += waits[-1]
    assert all(later <= sooner / 4 for sooner, later in pairwise(waits[:3]))
    assert waits[-1] == 300


def test_a_feed_that_dates_its_items_anew_is_not_a_fast_one(polls: Polls) -> None:
    now = NOW
    for _ in range(12):
        items = [Item(guid="same", published=iso(now))]
        now += polls.poll(Outcome.OK, now, Feed("rss20", items=items))
    assert polls.source_schedule.feed(row_key(URL)).posted == [NOW]
    ahead = [Item(guid="ahead", published=iso(now + 9 * HOUR))]
    polls.poll(Outcome.OK, now, Feed("rss20", items=ahead))
    assert polls.source_schedule.feed(row_key(URL)).posted == [now, NOW], "when it was first seen"


def test_failures_make_it_wait(polls: Polls) -> None:
    polls.poll(Outcome.OK, NOW, Feed("rss20", items=[Item(guid="1")]))
    waits = [polls.poll(Outcome.TIMEOUT, NOW + n) for n in range(3)]
    assert waits == sorted(waits)
    assert polls.source_schedule.feed(row_key(URL)).failures == 3
    polls.poll(Outcome.UNCHANGED, NOW + 9)
    assert polls.source_schedule.feed(row_key(URL)).failures == 0


def test_a_feed_that_was_removed_is_not_asked_again_whatever_it_answers(polls: Polls) -> None:
    polls.poll(Outcome.OK, NOW, Feed("rss20", items=[Item(guid="1")]))
    row = polls.source_schedule.feed(row_key(URL))
    assert polls.source_schedule.is_wanted(row_key(URL))
    row.removed = True
    polls.write(row)
    assert not polls.source_schedule.is_wanted(row_key(URL))
    for outcome in (Outcome.OK, Outcome.UNCHANGED, Outcome.TIMEOUT, Outcome.MISSING):
        visit = polls.visit()
        batch = polls.batch()
        _, due = polls.source_schedule.take(batch, visit, Fetched(outcome), Understood(), NOW)
        assert due is None, outcome
    feed, batch = Document(media_type="application/rss+xml"), polls.batch()
    taken = polls.source_schedule.adopt(batch, row_key(URL), feed, NOW)
    assert taken is None, "a page that announces it changes nothing"
    other = row_key("https://b.example/feed")
    assert polls.source_schedule.adopt(batch, other, feed, NOW) == NOW + 300, (
        "not sooner than feeds.shortest"
    )


@pytest.mark.parametrize(
    ("media_type", "follow", "steady", "is_feed"),
    [
        ("application/rss+xml", "yes", True, True),
        ("application/atom+xml", "yes", True, True),
        ("application/feed+json", "yes", True, True),
        ("application/json", "yes", True, False),
        ("text/html", "yes", True, False),
        ("application/rss+xml", "no", True, False),
        ("application/rss+xml", "yes", False, False),
    ],
)
def test_what_is_polled_from_now_on(
    table: RocksTable, tmp_path: Path, media_type: str, follow: str, steady: bool, is_feed: bool
) -> None:
    config = load(tmp_path, {"feeds.follow": follow}, {})
    source_schedule = DiskSourceSchedule(table, config, tmp_path, steady=steady)
    batch = table.batch()
    due = source_schedule.adopt(batch, row_key(URL), Document(media_type=media_type), NOW)
    table.write(batch)
    assert (due is not None) is is_feed
    assert (table.get("site", feed_key(row_key(URL))) is not None) is is_feed, "as it is listed"


def items_of(
    source_schedule: DiskSourceSchedule, table: RocksTable, items: list[Item], excluded: str = ""
) -> list[str]:
    """A poll shows these; the URLs that are left to be fetched."""
    named = [ListedUrl(Link(each.url, row_key(each.url), excluded=excluded)) for each in items]
    understood = Understood(feed=Feed("rss20", items=items), listed=named)
    visit = Visit(URL, row_key(URL), site_key(site_of(URL)), VisitKind.FEED)
    batch = table.batch()
    offered, _ = source_schedule.take(batch, visit, Fetched(Outcome.OK, 200), understood, NOW)
    table.write(batch)
    return [each.link.url for each in offered]


def waiting(source_schedule: DiskSourceSchedule) -> list[str]:
    return [injection.url for _, injection in source_schedule.injections.waiting()]


def whole(url: str) -> Item:
    return Item(guid=url, url=url, title="T", content="<p>All of it</p>", is_whole=True)


def test_whole_articles_are_injected_and_the_pages_of_others_offered(
    table: RocksTable, polls: Polls
) -> None:
    own, part = whole("https://www.a.example/1"), Item(guid="2", url="https://a.example/2")
    strange = whole("https://elsewhere.example/3")
    assert items_of(polls.source_schedule, table, [own, part, strange]) == [part.url, strange.url]
    assert waiting(polls.source_schedule) == [own.url], "a feed speaks for its own domain only"
    assert items_of(polls.source_schedule, table, [own, part, strange]) == [], (
        "they were there before"
    )
    assert waiting(polls.source_schedule) == [own.url]


def test_not_those_that_the_scope_refuses(table: RocksTable, polls: Polls) -> None:
    item = whole("https://a.example/1")
    assert items_of(polls.source_schedule, table, [item], "scope: elsewhere") == [item.url]
    assert waiting(polls.source_schedule) == []


def test_nor_any_where_pages_are_wanted(table: RocksTable, tmp_path: Path) -> None:
    source_schedule = DiskSourceSchedule(
        table, load(tmp_path, {"feeds.items": "page"}, {}), tmp_path, steady=True
    )
    item = whole("https://a.example/1")
    assert items_of(source_schedule, table, [item]) == [item.url]
    assert waiting(source_schedule) == []


def test_many_articles_of_one_moment_are_all_kept_in_order(table: RocksTable, polls: Polls) -> None:
    items = [whole(f"https://a.example/{n}") for n in range(40)]
    items_of(polls.source_schedule, table, items)
    assert waiting(polls.source_schedule) == [item.url for item in items]
    again = DiskSourceSchedule(table, load(polls.directory, {}, {}), polls.directory, steady=True)
    number, first = next(again.injections.waiting())
    assert first.url == items[0].url
    batch = table.batch()
    done(batch, number)
    table.write(batch)
    assert waiting(again) == [item.url for item in items[1:]]


def test_a_sitemap_is_asked_again_after_half_of_its_silence(
    table: RocksTable, polls: Polls
) -> None:
    visit = Visit("https://a.example/s.xml", b"s", b"", VisitKind.SITEMAP)

    def wait(*ago: float) -> float:
        link = Link("https://a.example/1", b"1")
        understood = Understood(listed=[ListedUrl(link, NOW - each) for each in ago])
        batch = table.batch()
        _, due = polls.source_schedule.take(batch, visit, Fetched(Outcome.OK, 200), understood, NOW)
        assert due is not None
        return (due - NOW) / HOUR

    assert wait() == 24
    assert wait(-5 * HOUR) == 24, "the future tells nothing"
    assert wait(100 * HOUR, 40 * HOUR) == 20
    assert wait(HOUR / 60) == 1
    assert wait(9_000 * HOUR) == 7 * 24
