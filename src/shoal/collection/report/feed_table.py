"""Which feeds are there, a page at a time? When each was asked, when it will be, and who pushes it.

Feeds belong to the machinery of a crawl, not to what it found: only who may read everything is
told of them.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from shoal.clock import iso
from shoal.collection.collection import Collection
from shoal.collection.slices import Slice, cut, in_order
from shoal.collection.view import TabletView
from shoal.layout.subscriptions import PushState, push_states
from shoal.model.listings.feed import FEED_KEYS, FeedRow, row_of_feed_key
from shoal.model.record import Struct, unpack
from shoal.model.urls.rowkey import url_of

PAGE_SIZE = 50
MOST_PAGES = 400
_FEED_BYTES = 1000
"""What a feed takes, about."""


class FeedState(Struct):
    url: str
    title: str
    polled: str
    """When it was last asked; empty: never."""
    next: str
    """When it is asked again; empty: as soon as a crawl runs."""
    status: int
    failures: int
    hub: str
    """That was asked to push it; empty: it is polled only."""
    pushed_until: str
    """When the hub's lease ends; empty: nobody pushes it."""
    delivered: int
    """What the hub has pushed, so many times."""
    problem: str


class FeedPage(Struct):
    feeds: list[FeedState]
    page: int
    has_more: bool


class KnownFeed(NamedTuple):
    """A feed that is wanted, as its tablet knows it."""

    url: str
    row: FeedRow
    next: str
    """When it is asked again, as ISO 8601; empty: as soon as a crawl runs. The queue says so:
    failures, commands and pauses change it after a poll has proposed a date."""
    pushed: PushState | None


def feed_page(collection: Collection, page: int = 1) -> FeedPage:
    """In the order of their sites; those that were removed are left out."""
    start = (page - 1) * PAGE_SIZE
    found = list(islice(known_feeds(collection), start, start + PAGE_SIZE + 1))
    shown = [_state(each) for each in found[:PAGE_SIZE]]
    return FeedPage(shown, page, has_more=len(found) > PAGE_SIZE and page < MOST_PAGES)


def known_feeds(collection: Collection) -> Iterator[KnownFeed]:
    """Each feed that is wanted, in the order of their sites."""
    return (each for _, each in in_order(collection.tablets, feed_slice, b""))


def feed_slice(view: TabletView, start: bytes) -> Slice[KnownFeed]:
    return cut(((row, feed, _FEED_BYTES) for row, feed in feeds_at(view, start)))


def feeds_at(view: TabletView, start: bytes = b"") -> Iterator[tuple[bytes, KnownFeed]]:
    if not view.principal.everything:
        return
    pushed = push_states(view.layout.directory)
    for key, stored in view.table.scan("site", FEED_KEYS, FEED_KEYS[:-1] + b"\x01"):
        row, feed = row_of_feed_key(key), unpack(FeedRow, stored)
        if row is not None and row >= start and not feed.removed:
            url, known = url_of(row), view.frontier.url(row)
            due = known.due_ms / 1000 if known is not None and known.waiting else 0.0
            yield row, KnownFeed(url, feed, time_of(due), pushed.get(url))


def time_of(seconds: float) -> str:
    """As ISO 8601; empty for none."""
    return iso(seconds) if seconds else ""


def _state(feed: KnownFeed) -> FeedState:
    row, pushed = feed.row, feed.pushed
    problem = row.problem
    if pushed is not None and pushed.problem and not problem:
        problem = f"push: {pushed.problem}"
    return FeedState(
        url=feed.url,
        title=row.title,
        polled=time_of(row.polled_ms / 1000),
        next=feed.next,
        status=row.status,
        failures=row.failures,
        hub="" if pushed is None else pushed.hub,
        pushed_until=pushed_until(feed),
        delivered=0 if pushed is None else pushed.delivered,
        problem=problem,
    )


def pushed_until(feed: KnownFeed) -> str:
    """When the hub's lease ends, as ISO 8601; empty: nobody pushes it."""
    return time_of(feed.row.pushed_until_ms / 1000 if feed.pushed is None else feed.pushed.until)
