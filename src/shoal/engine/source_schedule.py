"""What does a sitemap or a feed come to, in its visit's commit? The SourceDesk port.

Of a feed only what is new counts: its items are known by their guids as given. An article that the
feed carries whole is put among the injections and read from there, unless its page was fetched
already; the pages of the others are offered, to be fetched next. When a feed is asked again is
for its own rhythm to say; while a hub pushes it, it is asked as seldom as may be.
"""

from collections.abc import Sequence
from pathlib import Path

from shoal.config import Config
from shoal.freshness.promises import promised_seconds
from shoal.frontier.sources.injections import Injection, Injections
from shoal.frontier.state.view import FrontierView
from shoal.layout.subscriptions import Pushed
from shoal.model.cell import to_ms
from shoal.model.document import Document, Understood
from shoal.model.link import Link
from shoal.model.listings.article import article_html
from shoal.model.listings.feed import MAX_POSTED, Feed, FeedRow, Item, feed_key, remember, unseen
from shoal.model.listings.listing import ListedUrl, SitemapRow, sitemap_key
from shoal.model.outcome import Outcome
from shoal.model.record import pack, unpack
from shoal.model.urls.url import canonical, registered_domain, site_of
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Batch, Table
from shoal.sources.feed import item_keys
from shoal.sources.poll_interval import PollHints, next_poll_seconds
from shoal.sources.w3c_date import when as seconds_of

FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/rdf+xml")
JSON_FEED_TYPE = "application/feed+json"
_DAY_SECONDS = 86_400.0
_MOST_SITEMAP_SECONDS = 7 * _DAY_SECONDS
_LEAST_SITEMAP = 12.0
"""In shortest intervals: an hour by default."""
_FEED_PRIORITY = 0.9


class DiskSourceSchedule:
    def __init__(self, table: Table, config: Config, directory: Path, *, steady: bool) -> None:
        self._table = table
        self._config = config
        self._pushed = Pushed(directory)
        self._steady = steady
        self._view = FrontierView(table)
        self.injections = Injections(table)

    def take(
        self, batch: Batch, visit: Visit, fetched: Fetched, understood: Understood, now: float
    ) -> tuple[Sequence[ListedUrl], float | None]:
        named: Sequence[ListedUrl] = understood.listed
        if visit.kind is VisitKind.SITEMAP:
            due = now + self._sitemap_seconds(batch, visit.row, understood, now)
        else:
            named, due = self.take_feed(batch, visit, fetched, understood, now)
        return named, due if self._steady and due else None

    def adopt(self, batch: Batch, row: bytes, document: Document, now: float) -> float | None:
        """A page may turn out to be a feed. Its links were just found: no hurry to ask again."""
        if not self._steady or self._config.feeds.follow == "no":
            return None
        is_feed = document.media_type in FEED_TYPES or document.media_type == JSON_FEED_TYPE
        feed = self.feed(row)
        if not is_feed or feed.removed:
            return None
        batch.put("site", feed_key(row), pack(feed))
        return now + self._config.feeds.shortest

    def is_wanted(self, row: bytes) -> bool:
        return not self.feed(row).removed

    def feed(self, row: bytes) -> FeedRow:
        stored = self._table.get("site", feed_key(row))
        return FeedRow() if stored is None else unpack(FeedRow, stored)

    def take_feed(
        self, batch: Batch, visit: Visit, fetched: Fetched, understood: Understood, now: float
    ) -> tuple[Sequence[ListedUrl], float]:
        """A feed was polled, or pushed. Returns which of its pages are to be offered, and when to
        ask for it; 0: it is no longer asked for."""
        row, feed = self.feed(visit.row), understood.feed
        named: Sequence[ListedUrl] = understood.listed
        last_ms, found = row.polled_ms, 0
        row.polled_ms, row.status = to_ms(now), fetched.status
        if feed is not None and feed.form:
            between = (last_ms / 1000, now)
            named, found = self._take_items(batch, row, visit.url, understood, between)
            row.failures, row.problem = 0, feed.problem
        elif fetched.outcome is Outcome.UNCHANGED:
            row.failures, row.problem = 0, ""
        elif fetched.outcome is Outcome.REDIRECT:
            row.problem = "it has moved"
        else:
            row.failures += 1
            row.problem = "it is no feed" if fetched.outcome is Outcome.OK else str(fetched.outcome)
        hints = PollHints(
            ttl_seconds=row.ttl_seconds,
            max_age_seconds=promised_seconds(fetched),
            skip_hours=row.skip_hours,
            skip_days=row.skip_days,
            failures=row.failures,
            found=found,
            found_in_seconds=now - last_ms / 1000 if last_ms else 0.0,
        )
        due = now + self._poll_seconds(visit.url, row, hints, now)
        batch.put("site", feed_key(visit.row), pack(row))
        return named, 0.0 if row.removed else due

    def _take_items(
        self,
        batch: Batch,
        row: FeedRow,
        url: str,
        understood: Understood,
        between: tuple[float, float],
    ) -> tuple[list[ListedUrl], int]:
        """Returns the pages that are to be asked for, and how many items were posted between the
        last poll and this one, as far as is known."""
        last, now = between
        feed = understood.feed or Feed()
        row.title, row.hubs, row.self_url = feed.title, feed.hubs, feed.self_url
        row.page_url, row.ttl_seconds = feed.url, feed.ttl_seconds
        row.skip_hours, row.skip_days = feed.skip_hours, feed.skip_days
        keys = item_keys(feed.items)
        fresh = [feed.items[place] for place in unseen(row, keys)]
        remember(row, keys)
        # The dates of items that were there before say nothing: some feeds date all with each poll.
        times = [_posted(item, now) for item in fresh]
        row.posted = sorted({*times, *row.posted}, reverse=True)[:MAX_POSTED]
        links = {each.link.url: each for each in understood.listed}
        outside = [each for each in understood.listed if each.link.excluded.startswith("scope:")]
        row.items, row.outside = len(feed.items), len(outside)
        offered = []
        for item in fresh:
            named = links.get(canonical(item.url, url) or "") if item.url else None
            if named is not None and not self._takes_whole(batch, url, item, named.link, now):
                offered.append(named)
        is_all_new = bool(fresh) and len(fresh) == len(feed.items)  # probably others were missed
        return offered, sum(when > last for when in times) + is_all_new

    def _takes_whole(self, batch: Batch, feed_url: str, item: Item, link: Link, now: float) -> bool:
        """Whether the item itself is the page, which then need not be asked for."""
        link.priority = max(link.priority, _FEED_PRIORITY)
        known = self._view.url(link.row)
        is_wanted = item.is_whole and self._config.feeds.items == "whole" and not link.excluded
        if is_wanted and (known is None or not known.visits) and _speaks_for(feed_url, link.url):
            self.injections.put(batch, Injection(link.url, link.row, article_html(item), now))
            return True
        return False

    def _poll_seconds(self, url: str, row: FeedRow, hints: PollHints, now: float) -> float:
        feeds = self._config.feeds
        pushed_until = self._pushed.until(url) if row.hubs else 0.0
        if pushed_until > now:
            row.pushed_until_ms = to_ms(pushed_until)
            return feeds.longest
        row.pushed_until_ms = 0
        return next_poll_seconds(
            hints, row.posted, now, shortest=feeds.shortest, longest=feeds.longest
        )

    def _sitemap_seconds(
        self, batch: Batch, row: bytes, understood: Understood, now: float
    ) -> float:
        """Half as long as it has been quiet."""
        stored = self._table.get("site", sitemap_key(row))
        known = SitemapRow() if stored is None else unpack(SitemapRow, stored)
        times = (each.modified for each in understood.listed if each.modified <= now)
        known.newest = max(known.newest, max(times, default=0.0))
        batch.put("site", sitemap_key(row), pack(known))
        least = _LEAST_SITEMAP * self._config.refresh.shortest
        quiet = (now - known.newest) / 2 if known.newest else _DAY_SECONDS
        return min(max(quiet, least), max(least, _MOST_SITEMAP_SECONDS))


def _posted(item: Item, now: float) -> float:
    """When it was first seen, where it tells no date, or one that is still to come."""
    when = seconds_of(item.published or item.updated)
    return when if 0 < when <= now else now


def _speaks_for(feed_url: str, page_url: str) -> bool:
    """A feed's word is taken for a page of its own domain; any other is asked for its page. Files
    are: each has its own readers."""
    feed, page = site_of(feed_url).host, site_of(page_url).host
    domain = registered_domain(feed)
    return (bool(feed) and feed == page) or (bool(domain) and domain == registered_domain(page))
