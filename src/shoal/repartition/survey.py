"""What is there to be moved, and what does each tablet have of the whole? One look at all rows.

For repartition.py: which records each tablet needs, how its counts and its share of the refresher's
sums come out, and what the sources keep that is of no one site. Memory grows with the sites.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from shoal.cluster.outbox import Arrivals
from shoal.errors import CollectionError, DamagedError
from shoal.freshness.dividing import Planned, both, both_prices, site_of_group
from shoal.freshness.price import PriceState
from shoal.freshness.priors import Group
from shoal.freshness.refresher import GROUP_KEY, PRICE_KEY
from shoal.frontier.exchange.repartition import Domains, Tally, Whole
from shoal.frontier.state.rows import SiteRow, site_of_row_key, unpack_url
from shoal.layout.crawl_row import CRAWL_KEY, CrawlRow
from shoal.model.cell import NUL
from shoal.model.messages import Position
from shoal.model.record import JSON_ERRORS, unpack
from shoal.model.record import VERSION as SCHEMA
from shoal.model.urls.partition import Owners, tablet_of_site
from shoal.ports import Table
from shoal.store.change_log import last_sequence
from shoal.store.claims import locations_of, version_of
from shoal.store.removal import Claims
from shoal.store.rows import FetchRow

_AT_ONCE = 1000
_JUDGED_BY_NOBODY = b"\x00"
"""A scope's signature that is none: everything is judged again at the next start."""

Read = TypeVar("Read")


class Survey:
    def __init__(self, sources: int, tablets: int, scratch: Table) -> None:
        self.owners = Owners(tablets)
        self._before = Owners(sources)
        self._scratch = scratch
        self.claims = Claims(scratch, tablets)
        self.tallies = [Tally() for _ in range(tablets)]
        self.planned = [Planned() for _ in range(tablets)]
        self.domains = Domains(tablets)
        self.whole = Whole()
        self.price: PriceState | None = None
        self.wide_groups: dict[str, Group] = {}
        """Of pages of all sites."""
        self.taken: list[dict[int, Position]] = []
        """By source: how far it has come with what others sent."""
        self.restricted: dict[bytes, list[str]] = {}
        """Pages that are not for everybody, with their readers; of most collections none."""
        self.sequence = 0
        self.urls = 0
        self._crawls: list[CrawlRow] = []

    def look(self, number: int, table: Table, archive: Path) -> None:
        """At one source."""
        self._look_at_sites(table)
        self._look_at_pages(number, table)
        self.claims.note_robots(number, archive)
        self.taken.append(Arrivals(table).now())
        self.sequence = max(self.sequence, last_sequence(table))

    def crawl_row(self, moved_roots: list[str]) -> CrawlRow | None:
        """What all crawls started from. Where they differ, or a seed has moved and not all were
        told, the scope is another than before."""
        if not self._crawls:
            return None
        first = self._crawls[0]
        roots = list(dict.fromkeys(url for row in self._crawls for url in row.roots))
        roots += [url for url in moved_roots if url not in roots]
        same = all(row.signature == first.signature for row in self._crawls)
        is_known = same and roots == first.roots
        return CrawlRow(SCHEMA, roots, first.signature if is_known else _JUDGED_BY_NOBODY)

    def _look_at_sites(self, table: Table) -> None:
        kept: dict[bytes, bytes] = {}
        for key, value in table.scan("site", b""):
            if self.whole.holds(key):
                kept[key] = value
            elif key == PRICE_KEY:
                price = _read(key, partial(unpack, PriceState, value))
                self.price = price if self.price is None else both_prices(self.price, price)
            elif key == CRAWL_KEY:
                self._crawls.append(_read(key, partial(unpack, CrawlRow, value)))
            elif key.startswith(GROUP_KEY):
                name = key[len(GROUP_KEY) :].decode()
                if site_of_group(name) is None:
                    before = self.wide_groups.get(name, Group())
                    self.wide_groups[name] = both(before, unpack(Group, value))
            elif (site := site_of_row_key(key)) is not None:
                tablet = tablet_of_site(site, self.owners.tablets)
                row = _read(key, partial(unpack, SiteRow, value))
                self.tallies[tablet].add_site(row)
                self.domains.note(site, tablet)
        self.whole.add(kept)
        if any(row.schema != SCHEMA for row in self._crawls):
            raise CollectionError(
                "A collection was written by another release of Shoal; divide it with that one."
            )

    def _look_at_pages(self, number: int, table: Table) -> None:
        policy = "" if self.price is None else self.price.policy
        batch, pending = self._scratch.batch(), 0
        for key, stored in table.scan("page", b"\x01"):
            row, _, cell = key.partition(NUL)
            if self._before.of(row) != number:
                raise CollectionError(
                    f"The collections to be divided are not the tablets of one cluster, in their "
                    f"order: number {number} has {row!r}."
                )
            tablet = self.owners.of(row)
            if cell == b"url":
                url = _read(key, partial(unpack_url, stored))
                self.urls += 1
                self.tallies[tablet].add_url(url)
                if url.history is not None:
                    self.planned[tablet].add(url.history, policy)
                continue
            version = _read(key, partial(version_of, key, stored))
            if cell == b"fetch" and version is not None and isinstance(version.value, FetchRow):
                readers = version.value.document.readers
                if readers:
                    self.restricted[row] = readers
            for location in () if version is None else locations_of(version.value):
                self.claims.note(batch, tablet, number, location)
                pending += 1
            if pending >= _AT_ONCE:
                self._scratch.write(batch)
                batch, pending = self._scratch.batch(), 0
        self._scratch.write(batch)


def _read(key: bytes, how: Callable[[], Read]) -> Read:
    try:
        return how()
    except JSON_ERRORS as error:
        raise DamagedError(
            f"The cell {key[:80]!r} does not read ({error}); run shoal repair first."
        ) from error
