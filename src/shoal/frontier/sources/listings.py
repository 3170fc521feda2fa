"""What does a sitemap or a feed add? URLs by the ten thousand, and hints about known ones.

They are too many for one batch: the visit's own batch takes them down in listings (`queue 06`), and
each listing is worked off in a batch of its own, which deletes it. A kill costs nothing, and pages
are fetched meanwhile.

A hint is believed as far as the site's hints proved right: that a page changed since its last
visit makes it due, and its next visit says whether that was so.
"""

from collections.abc import Iterator, Sequence

from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.sources.guessed_sitemaps import Guesses, listed
from shoal.frontier.sources.requisites import Requisites
from shoal.frontier.sources.sitemap_metadata import MetadataWriter
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.provenance import Provenance
from shoal.frontier.state.rows import LISTING_MARK, REVISIT, SiteRow, UrlRow, after_mark
from shoal.frontier.state.settings import FrontierSettings
from shoal.model.cell import to_ms
from shoal.model.change_history import ChangeHistory
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.listings.listing import DEFAULT_PRIORITY, ListedUrl
from shoal.model.record import Struct, pack, unpack
from shoal.model.urls.rowkey import row_key, site_of_key
from shoal.model.visit import Visit
from shoal.ports import Batch, RemoteTablets

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


class Listing(Struct, array_like=True):
    finder: bytes
    """The row of the sitemap or feed."""
    urls: list[ListedUrl]


class Listings:
    def __init__(
        self,
        state: FrontierState,
        discovery: Discovery,
        settings: FrontierSettings,
        remote: RemoteTablets | None = None,
    ) -> None:
        self._state = state
        self._metadata = MetadataWriter(state, remote)
        self._discovery = discovery
        self._settings = settings
        self.guesses = Guesses(state, discovery, settings)
        self.requisites = Requisites(state, discovery, settings.requisites)
        self._number = 0
        self.pending = next(self._waiting(), None) is not None
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
            link.excluded, link.source, link.rel = "", LinkSource.SITEMAP, int(Rel.SITEMAP)
            link.priority = _SITEMAP_PRIORITY
        self._discovery.offer(batch, sitemaps, Provenance(depth, 0, finder), now)

    def take_below(self, batch: Batch, visit: Visit, below: Sequence[Link], now: float) -> None:
        """The sitemaps that an index of them names."""
        if below and visit.depth <= 1 + self._settings.sitemap_depth:
            self.take_sitemaps(batch, visit.row, below, visit.depth + 1, now)

    def take(
        self, batch: Batch, finder: bytes, url_listed: Sequence[ListedUrl], now: float
    ) -> None:
        """What a sitemap or a feed names, to be offered soon."""
        for start in range(0, min(len(url_listed), self._settings.sitemap_urls), _AT_ONCE):
            self._number = max(self._number + 1, round(now * 1_000_000))
            listing = Listing(finder, list(url_listed[start : start + _AT_ONCE]))
            batch.put("queue", LISTING_MARK + self._number.to_bytes(8, "big"), pack(listing))
            self.pending = True

    def go_on(self, batch: Batch, now: float) -> None:
        """Offer what stands in the first listing."""
        found = next(self._waiting(), None)
        if found is None:
            self.pending = False
            return
        key, stored = found
        batch.delete("queue", key)
        listing = unpack(Listing, stored)
        links = [each.link for each in listing.urls]
        if self._settings.by_priority:
            for link, each in zip(links, listing.urls, strict=True):
                link.priority = min(
                    0.99, max(0.0, link.priority + each.priority - DEFAULT_PRIORITY)
                )
        targets = self._offer(batch, listing.finder, links, now)
        self._metadata.keep(batch, listing.finder, listing.urls, targets, now)
        for row, each in zip(targets, listing.urls, strict=True):
            if row and (each.modified or each.change_seconds):
                self._hint(batch, row, each, now)

    def _offer(
        self, batch: Batch, finder: bytes, links: Sequence[Link], now: float
    ) -> Sequence[bytes]:
        """Only what nobody knew counts towards the most of a site: a sitemap is read again and
        again. Beyond that it gives no more than hints about known ones."""
        sites, site = self._state.sites, site_of_key(finder)
        if sites.row(site).listed >= self._settings.sitemap_urls:
            return [link.row for link in links]
        before = self._state.urls.known
        targets = self._discovery.offer(batch, links, Provenance(_PAGE_DEPTH, 0, finder), now)
        sites.row(site).listed += self._state.urls.known - before
        sites.touch(site)
        return targets

    def _hint(self, batch: Batch, row: bytes, url_listed: ListedUrl, now: float) -> None:
        state = self._state.urls.state_of(row)
        if state is None or row in self._state.in_flight:
            return
        url = state.url
        if url.history is None:
            if url.visits or not url_listed.change_seconds:
                return
            weight = _HINT_WEIGHT
            url.history = ChangeHistory(
                quiet_seconds=weight * url_listed.change_seconds, dated=weight
            )
        elif self._says_changed(url, site_of_key(row), url_listed, now):
            url.hinted_ms = to_ms(url_listed.modified)
            if self._settings.revisits.mode is Mode.STEADY:
                self._discovery.dequeue(batch, state)
                self._discovery.enqueue(batch, state, to_ms(now), now, revisit=True)
                return
        else:
            return
        self._state.urls.write(batch, state, now)

    def _says_changed(self, url: UrlRow, site: bytes, url_listed: ListedUrl, now: float) -> bool:
        """Since its last visit, and of a site whose hints were right."""
        if url.history is None or not url.history.seen_ms or not 0 < url_listed.modified <= now:
            return False
        if url.waiting and url.level < REVISIT:
            return False  # it is about to be asked for anyway
        is_later = to_ms(url_listed.modified) > max(
            url.history.seen_ms + _JUST_NOW_MS, url.hinted_ms
        )
        return is_later and trust(self._state.sites.row(site)) >= _LEAST_TRUST

    def _waiting(self) -> Iterator[tuple[bytes, bytes]]:
        return self._state.table.scan("queue", LISTING_MARK, after_mark(LISTING_MARK))


def trust(site: SiteRow) -> float:
    """How likely a page has changed when its sitemap says so, by what was seen at its site."""
    return (site.hints_right + 1) / (site.hints_right + site.hints_wrong + 2)
