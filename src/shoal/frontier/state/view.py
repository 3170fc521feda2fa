"""What does the frontier know? Its rows, read by another process while a crawl runs or after it
ended."""

from collections.abc import Iterator
from typing import NamedTuple

from shoal.counters import Counts
from shoal.frontier.schedule.credit import FEWEST_SITES, CreditRow, domain_of, read_credit
from shoal.frontier.state.rows import (
    COUNTS_KEY,
    HostRow,
    RobotsRow,
    SiteRow,
    UrlRow,
    excluded_key,
    host_row_key,
    robots_row_key,
    row_of_url_key,
    site_of_row_key,
    site_row_key,
    unpack_url,
    url_key,
)
from shoal.frontier.state.worth import Importance, Parts, Scale
from shoal.model.record import unpack
from shoal.model.urls.partition import host_of_site
from shoal.model.urls.rowkey import url_of
from shoal.model.urls.url import site_of
from shoal.model.words.topic import is_topical
from shoal.ports import Table


class SiteView(NamedTuple):
    """How a site stands: its name and its numbers, and below them the rows that these are of."""

    site: bytes
    row: SiteRow
    host: bytes
    clock: HostRow
    credit: CreditRow | None
    """Of its registered domain; None when there is no other site to wait behind."""
    excluded: bool = False
    """Whether a person wants nothing more of its host."""

    @property
    def origin(self) -> str:
        """Scheme, host and port, as `https://example.org`."""
        return site_of(url_of(self.site)).origin

    @property
    def name(self) -> str:
        """The host as commands take it, as `example.org`; of files the scheme."""
        site = site_of(url_of(self.site))
        return site.host_label or f"{site.scheme}:"

    @property
    def waiting(self) -> int:
        """URLs that wait to be fetched, or asked for again."""
        return self.row.waiting

    @property
    def fetched(self) -> int:
        """Pages that were fetched."""
        return self.row.fetched

    @property
    def failed(self) -> int:
        """Visits that failed."""
        return self.row.failed

    @property
    def delay_seconds(self) -> float:
        """What is kept between two requests; 0 when it was not asked yet."""
        return self.delay_ms / 1000

    @property
    def paused(self) -> bool:
        """Whether a person wants it to be left alone."""
        return self.clock.paused

    def __repr__(self) -> str:
        numbers = f"{self.fetched:,} fetched, {self.waiting:,} waiting, {self.failed:,} failed"
        left = "excluded, " if self.excluded else "paused, " if self.paused else ""
        return f"<Host {self.origin} {left}{numbers}>"

    @property
    def delay_ms(self) -> int:
        """What is kept between two requests; 0 when it was not asked yet."""
        return max(self.clock.delay_ms, self.clock.own_delay_ms)


class FrontierView:
    def __init__(self, table: Table) -> None:
        self._table = table

    def counts(self) -> Counts:
        stored = self._table.get("site", COUNTS_KEY)
        return Counts(None if stored is None else unpack(dict[str, int], stored))

    def parts(self, row: bytes, url: UrlRow, wanted: Importance, rank: float) -> Parts | None:
        """What a URL is worth, and of what that is made up; None where nothing is known of it."""
        if url.worth is None:
            return None
        if url.worth.linking or is_topical(url.worth.about):
            return Parts(url.priority, url.priority, 0.0, url.worth.location)
        return Scale(wanted, self.counts(), lambda _row: rank).parts(row, url.worth)

    def url(self, row: bytes) -> UrlRow | None:
        stored = self._table.get("page", url_key(row))
        return None if stored is None else unpack_url(stored)

    def urls(self, start: bytes, end: bytes | None) -> Iterator[tuple[bytes, UrlRow]]:
        """The known URLs of a range of rows, in row order."""
        for key, stored in self._table.scan("page", start, end):
            row = row_of_url_key(key)
            if row is not None:
                yield row, unpack_url(stored)

    def site(self, site: bytes) -> SiteView | None:
        stored = self._table.get("site", site_row_key(site))
        return None if stored is None else self._view(site, unpack(SiteRow, stored))

    def sites(self, start: bytes = b"\x01") -> Iterator[SiteView]:
        for key, stored in self._table.scan("site", start):
            site = site_of_row_key(key)
            if site is not None:
                yield self._view(site, unpack(SiteRow, stored))

    def robots(self, site: bytes) -> RobotsRow | None:
        stored = self._table.get("site", robots_row_key(site))
        return None if stored is None else unpack(RobotsRow, stored)

    def _view(self, site: bytes, row: SiteRow) -> SiteView:
        host = host_of_site(site)
        stored = self._table.get("site", host_row_key(host))
        clock = HostRow() if stored is None else unpack(HostRow, stored)
        alone = self.counts()["total/sites"] < FEWEST_SITES
        credit = None if alone else read_credit(self._table, domain_of(site))
        excluded = self._table.get("site", excluded_key(host)) is not None
        return SiteView(site, row, host, clock, credit, excluded)
