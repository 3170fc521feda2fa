"""Which feeds are there, a page at a time? When each was asked, when it will be, and who pushes it.

Feeds belong to the machinery of a crawl, not to what it found: only who may read everything is
told of them.
"""

from collections.abc import Iterator
from itertools import islice

from shoal.clock import iso
from shoal.collection.collection import Collection
from shoal.layout.subscriptions import PushState, push_states
from shoal.model.listings.feed import FEED_KEYS, FeedRow, row_of_feed_key
from shoal.model.record import Struct, unpack
from shoal.model.urls.rowkey import row_key, url_of

PAGE_SIZE = 50
MOST_PAGES = 400


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


def feed_page(collection: Collection, page: int = 1) -> FeedPage:
    """In the order of their sites; those that were removed are left out."""
    if not collection.principal.everything:
        return FeedPage([], page, has_more=False)
    start = (page - 1) * PAGE_SIZE
    rows = list(islice(feed_rows(collection), start, start + PAGE_SIZE + 1))
    pushed = push_states(collection.layout.directory) if rows else {}
    shown = [_state(collection, url, row, pushed.get(url)) for url, row in rows[:PAGE_SIZE]]
    return FeedPage(shown, page, has_more=len(rows) > PAGE_SIZE and page < MOST_PAGES)


def feed_rows(collection: Collection) -> Iterator[tuple[str, FeedRow]]:
    """Each feed that is wanted, by its URL."""
    for key, stored in collection.table.scan("site", FEED_KEYS, FEED_KEYS[:-1] + b"\x01"):
        row = row_of_feed_key(key)
        feed = unpack(FeedRow, stored)
        if row is not None and not feed.removed:
            yield url_of(row), feed


def time_of(seconds: float) -> str:
    """As ISO 8601; empty for none."""
    return iso(seconds) if seconds else ""


def next_poll(collection: Collection, url: str) -> str:
    """When a feed is asked again, as ISO 8601; empty: as soon as a crawl runs. The queue says so:
    failures, wishes and pauses change it after a poll has proposed a date."""
    known = collection.frontier.url(row_key(url))
    return time_of(known.due_ms / 1000) if known is not None and known.waiting else ""


def _state(collection: Collection, url: str, row: FeedRow, pushed: PushState | None) -> FeedState:
    problem = row.problem
    if pushed is not None and pushed.problem and not problem:
        problem = f"push: {pushed.problem}"
    return FeedState(
        url=url,
        title=row.title,
        polled=time_of(row.polled_ms / 1000),
        next=next_poll(collection, url),
        status=row.status,
        failures=row.failures,
        hub="" if pushed is None else pushed.hub,
        pushed_until=time_of(row.pushed_until_ms / 1000 if pushed is None else pushed.until),
        delivered=0 if pushed is None else pushed.delivered,
        problem=problem,
    )
