"""What does a sitemap or a feed add? URLs by the ten thousand, and hints about known ones.

They are too many for one batch: the visit's own batch takes them down in parcels (`queue 06`), and
each parcel is worked off in a batch of its own, which deletes it. A kill costs nothing, and pages
are fetched meanwhile.

A hint is believed as far as the site's hints proved right: that a page changed since its last
visit makes it due, and its next visit says whether that was so.
"""

from collections.abc import Iterator, Sequence

from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.schedule.allowance import Again
from shoal.frontier.sources.guessed_sitemaps import Guesses, listed
from shoal.frontier.sources.sitemap_metadata import Telling
from shoal.frontier.state.frontier_state import Books
from shoal.frontier.state.provenance import Trail
from shoal.frontier.state.rows import AGAIN, NAMED_MARK, SiteRow, UrlRow, after_mark
from shoal.frontier.state.settings import FrontierSettings
from shoal.model.cell import to_ms
from shoal.model.change_history import Life
from shoal.model.link import Link, Rel, Source
from shoal.model.listings.listing import DEFAULT_PRIORITY, Named
from shoal.model.record import Struct, pack, unpack
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.visit import Visit
from shoal.ports import Batch, Elsewhere

_AT_ONCE = 500
_MOST_LISTED = 200
"""Sitemaps that one robots.txt may name."""
_SITEMAP_PRIORITY = 0.9
_PAGE_DEPTH = 2
"""As if the site's first page had a link to it."""
_HINT_WEIGHT = 0.5
"""What a told frequency counts for, in changes that were seen."""
_LEAST_TRUST = 0.4
_JUST_NOW_MS = 1000


class Parcel(Struct, array_like=True):
    finder: bytes
    """The row of the sitemap or feed."""
    named: list[Named]


class Namings:
    def __init__(
        self,
        books: Books,
        discovery: Discovery,
        settings: FrontierSettings,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self._books = books
        self._telling = Telling(books, elsewhere)
        self._discovery = discovery
        self._settings = settings
        self.guesses = Guesses(books, discovery, settings)
        self._number = 0
        self.pending = next(self._parcels(), None) is not None
        """Whether something was named that was not offered yet."""

    def take_robots(self, batch: Batch, site: bytes, sitemaps: Sequence[str], now: float) -> None:
        """The sitemaps that a robots.txt names."""
        finder = site + b"/robots.txt"
        urls = listed(sitemaps[:_MOST_LISTED], site)
        links = [Link(url, row_key(url)) for url in urls]
        self.take_sitemaps(batch, finder, links, 1, now)
        self.guesses.name(batch, links, finder, now)

    def take_sitemaps(
        self, batch: Batch, finder: bytes, sitemaps: Sequence[Link], depth: int, now: float
    ) -> None:
        for link in sitemaps:
            link.excluded, link.source, link.rel = "", Source.SITEMAP, int(Rel.SITEMAP)
            link.priority = _SITEMAP_PRIORITY
        self._discovery.offer(batch, sitemaps, Trail(depth, 0, finder), now)

    def take_below(self, batch: Batch, visit: Visit, below: Sequence[Link], now: float) -> None:
        """The sitemaps that an index of them names."""
        if below and visit.depth <= 1 + self._settings.sitemap_depth:
            self.take_sitemaps(batch, visit.row, below, visit.depth + 1, now)

    def take(self, batch: Batch, finder: bytes, named: Sequence[Named], now: float) -> None:
        """What a sitemap or a feed names, to be offered soon."""
        for start in range(0, min(len(named), self._settings.sitemap_urls), _AT_ONCE):
            self._number = max(self._number + 1, round(now * 1_000_000))
            parcel = Parcel(finder, list(named[start : start + _AT_ONCE]))
            batch.put("queue", NAMED_MARK + self._number.to_bytes(8, "big"), pack(parcel))
            self.pending = True

    def go_on(self, batch: Batch, now: float) -> None:
        """Offer what stands in the first parcel."""
        found = next(self._parcels(), None)
        if found is None:
            self.pending = False
            return
        key, stored = found
        batch.delete("queue", key)
        parcel = unpack(Parcel, stored)
        links = [each.link for each in parcel.named]
        if self._settings.by_priority:
            for link, each in zip(links, parcel.named, strict=True):
                link.priority = min(
                    0.99, max(0.0, link.priority + each.priority - DEFAULT_PRIORITY)
                )
        targets = self._offer(batch, parcel.finder, links, now)
        self._telling.keep(batch, parcel.finder, parcel.named, targets, now)
        for row, each in zip(targets, parcel.named, strict=True):
            if row and (each.modified or each.change_seconds):
                self._hint(batch, row, each, now)

    def _offer(
        self, batch: Batch, finder: bytes, links: Sequence[Link], now: float
    ) -> Sequence[bytes]:
        """Only what nobody knew counts towards the most of a site: a sitemap is read again and
        again. Beyond that it gives no more than hints about known ones."""
        sites, site = self._books.sites, site_of_key(finder)
        if sites.row(site).named >= self._settings.sitemap_urls:
            return [link.row for link in links]
        before = self._books.urls.known
        targets = self._discovery.offer(batch, links, Trail(_PAGE_DEPTH, 0, finder), now)
        sites.row(site).named += self._books.urls.known - before
        sites.touch(site)
        return targets

    def _hint(self, batch: Batch, row: bytes, named: Named, now: float) -> None:
        card = self._books.urls.card(row)
        if card is None or row in self._books.in_flight:
            return
        url = card.url
        if url.life is None:
            if url.visits or not named.change_seconds:
                return
            weight = _HINT_WEIGHT
            url.life = Life(quiet_seconds=weight * named.change_seconds, dated=weight)
        elif self._says_changed(url, site_of_key(row), named, now):
            url.told_ms = to_ms(named.modified)
            if self._settings.again.mode is Again.ALSO:
                self._discovery.dequeue(batch, card)
                self._discovery.enqueue(batch, card, to_ms(now), now, again=True)
                return
        else:
            return
        self._books.urls.write(batch, card, now)

    def _says_changed(self, url: UrlRow, site: bytes, named: Named, now: float) -> bool:
        """Since its last visit, and of a site whose hints were right."""
        if url.life is None or not url.life.seen_ms or not 0 < named.modified <= now:
            return False
        if url.waiting and url.level < AGAIN:
            return False  # it is about to be asked for anyway
        is_later = to_ms(named.modified) > max(url.life.seen_ms + _JUST_NOW_MS, url.told_ms)
        return is_later and trust(self._books.sites.row(site)) >= _LEAST_TRUST

    def _parcels(self) -> Iterator[tuple[bytes, bytes]]:
        return self._books.table.scan("queue", NAMED_MARK, after_mark(NAMED_MARK))


def trust(site: SiteRow) -> float:
    """How likely a page has changed when its sitemap says so, by what was seen at its site."""
    return (site.told_right + 1) / (site.told_right + site.told_wrong + 2)
