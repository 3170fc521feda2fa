"""How are the tables of some tablets filled? Cell by cell from each source, as repartition.py says.

Some tablets at a time: an open table takes memory, so many tablets are filled by several passes
over the sources.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from shoal.cluster.outbox import OUTBOX_KEYS
from shoal.duplicates.across.across import start_over
from shoal.duplicates.across.repartition import (
    OF_GROUPS,
    Arriving,
    StoredGroups,
    either,
    tablets_of_print,
)
from shoal.duplicates.family import FAMILY
from shoal.engine.mail_sources import row_of_key
from shoal.freshness.dividing import all_planned, part_of_group, part_of_price, site_of_group
from shoal.freshness.refresher import GROUP_KEY, PRICE_KEY
from shoal.frontier.exchange.repartition import (
    NUMBERED,
    Whole,
    both_credits,
    strange,
    tablet_of_site_key,
    tablets_of_queue_key,
)
from shoal.frontier.schedule.credit import CreditRow
from shoal.frontier.state.rows import BULK_UPDATE_MARK, EXCLUDED_KEY, SCHEDULE_MARK
from shoal.layout.crawl_row import CRAWL_KEY
from shoal.layout.runs import RUN_KEYS
from shoal.model.cell import NUL, newest_key, stamp_of, stamped, value_of
from shoal.model.document import Fate
from shoal.model.link import Anchor
from shoal.model.listings.feed import FEED_KEYS
from shoal.model.listings.listing import sitemap_key
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import PARTITION_KEY, Partition
from shoal.model.urls.rowkey import row_key, url_of
from shoal.model.urls.spelling import spellings
from shoal.model.words.topic import TOPIC_KEYS, is_learned_key
from shoal.ports import Table
from shoal.repartition.survey import Survey
from shoal.store import archive_ends
from shoal.store.cells import Cells
from shoal.store.change_log import SEQUENCE_KEY
from shoal.store.claims import repoint, stored_form, version_of
from shoal.store.rows import FETCH, FetchRow, OutLink

_BATCH_BYTES = 1 << 20
_SITEMAPS = sitemap_key(b"")
_WRITTEN_AGAIN = (CRAWL_KEY, PRICE_KEY, SEQUENCE_KEY, PARTITION_KEY)

SourceOf = Callable[[int], Table]
"""The table of a source, by its number; good until the next one is asked for."""


class Filling:
    """A table that is written in batches of some size."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._batch = table.batch()
        self._bytes = 0

    def put(self, family: str, key: bytes, value: bytes) -> None:
        self._batch.put(family, key, value)
        self._bytes += len(key) + len(value)
        if self._bytes >= _BATCH_BYTES:
            self.flush()

    def get(self, family: str, key: bytes) -> bytes | None:
        self.flush()
        return self.table.get(family, key)

    def flush(self) -> None:
        if self._bytes:
            self.table.write(self._batch)
            self._batch, self._bytes = self.table.batch(), 0


class Wave:
    """The tablets that are filled in one pass."""

    def __init__(
        self, survey: Survey, sources: int, source: SourceOf, tables: Mapping[int, Table]
    ) -> None:
        self._survey = survey
        self._owners = survey.owners
        self._tablets = survey.owners.tablets
        self._sources = range(sources)
        self._source = source
        self._all = {tablet: Filling(table) for tablet, table in tables.items()}

    def run(self) -> None:
        for number in self._sources:
            source = self._source(number)
            self._move_pages(number, source)
            for family in ("text", "mark"):
                self._move_rows(source, family)
            self._move_anchors(source)
            self._move_sites(source)
            self._move_queue(source)
            self._move_prints(source)
        for number in self._sources:  # all anchors are there: they say which row a link is kept at
            self._move_links(self._source(number))
        self._move_groups()
        for filling in self._all.values():
            filling.flush()

    def finish(self, tablet: int, ends: Mapping[str, int], roots: Sequence[str]) -> None:
        """What a tablet has of the whole."""
        survey, filling = self._survey, self._all[tablet]
        found = survey.whole.keys(survey.tallies[tablet], is_first=tablet == 0)
        planned, all_of_them = survey.planned[tablet], all_planned(survey.planned)
        if survey.price is not None:
            found[PRICE_KEY] = pack(part_of_price(survey.price, planned, all_of_them))
        for name, group in survey.wide_groups.items():
            part = part_of_group(name, group, planned, all_of_them)
            found[GROUP_KEY + name.encode()] = pack(part)
        crawl = survey.crawl_row(list(roots))
        if crawl is not None:
            found[CRAWL_KEY] = pack(crawl)
        # The log begins behind a number that no index has: each is rebuilt from the rows.
        found[SEQUENCE_KEY] = max(1, survey.sequence).to_bytes(8, "big")
        if self._tablets > 1:
            found[PARTITION_KEY] = pack(Partition(tablet, self._tablets))
        batch = filling.table.batch()
        for key, value in found.items():
            batch.put("site", key, value)
        for file, end in ends.items():
            archive_ends.correct(batch, file, end)
        if self._tablets > 1:
            start_over(batch)
        filling.table.write(batch)
        filling.table.sync()

    # --- rows -------------------------------------------------------------------------------

    def _move_pages(self, number: int, source: Table) -> None:
        location_of = self._survey.claims.location_of
        for key, stored in source.scan("page", b"\x01"):
            row, _, cell = key.partition(NUL)
            tablet = self._owners.of(row)
            if tablet not in self._all:
                continue
            version = None if cell == b"url" else version_of(key, stored)
            value = stored
            if version is not None and repoint(version.value, partial(location_of, tablet, number)):
                value = stored_form(version)
            self._all[tablet].put("page", key, value)

    def _move_rows(self, source: Table, family: str) -> None:
        for key, stored in source.scan(family, b""):
            tablet = self._owners.of(key.partition(NUL)[0])
            if tablet in self._all:
                self._all[tablet].put(family, key, stored)

    def _move_anchors(self, source: Table) -> None:
        """What a page that is not for everybody says tells its readers."""
        restricted = self._survey.restricted
        for key, stored in source.scan("anchor", b""):
            target, _, said_by = key.partition(NUL)
            tablet = self._owners.of(target)
            if tablet not in self._all:
                continue
            value = stored
            if restricted and (readers := restricted.get(said_by)):
                anchor = unpack(Anchor, value_of(stored))
                anchor.readers = readers
                value = stamped(stamp_of(stored), pack(anchor))
            self._all[tablet].put("anchor", key, value)

    def _move_links(self, source: Table) -> None:
        for key, stored in source.scan("link", b""):
            row, _, cell = key.partition(NUL)
            tablet = self._owners.of(row)
            if tablet not in self._all:
                continue
            if cell == b"out":
                links = unpack(list[OutLink], value_of(stored))
                if self._change_owner(tablet, row, links):
                    stored = stamped(stamp_of(stored), pack(links))  # noqa: PLW2901 - or as it was
            self._all[tablet].put("link", key, stored)

    def _change_owner(self, tablet: int, row: bytes, links: list[OutLink]) -> bool:
        """A target that leaves the tablet is no longer named, one that comes to its owner is.
        Whether anything changed."""
        changed, owner = False, []
        for out in links:
            if out.target:
                if self._owners.of(out.target) != tablet:
                    out.target, changed = b"", True
            elif self._owners.of(out.link.row, out.link.site_length) == tablet:
                owner.append(out)
        if not owner:
            return changed
        filling = self._all[tablet]
        filling.flush()
        places = [place for out in owner for place in spellings(out.link.row)]
        anchors = filling.table.get_many("anchor", [newest_key(place, row) for place in places])
        kept = {place for place, anchor in zip(places, anchors, strict=True) if anchor is not None}
        for out in owner:  # without an anchor it is still on its way: see outbox.py
            out.target = next((each for each in spellings(out.link.row) if each in kept), b"")
        return True

    # --- sites and queues -------------------------------------------------------------------

    def _move_sites(self, source: Table) -> None:
        for key, value in source.scan("site", b""):
            if key.startswith(TOPIC_KEYS):  # each learns from what was said, and from its own pages
                for filling in self._all.values():
                    if not is_learned_key(key) or filling.table.get("site", key) is None:
                        filling.put("site", key, value)
                continue
            if key.startswith(NUL) and not key.startswith(EXCLUDED_KEY):
                tablet = self._tablet_of_own(key)
                if tablet is None:
                    continue
            else:
                tablet = tablet_of_site_key(key, self._tablets)
            if tablet is None:
                self._move_credit(key, value)
            elif tablet in self._all:
                self._all[tablet].put("site", key, value)

    def _tablet_of_own(self, key: bytes) -> int | None:
        """For what stands under NUL; None for what is rebuilt, or divided by sums."""
        if (of_source := row_of_key(key)) is not None:
            return self._owners.of(of_source)
        for prefix in (FEED_KEYS, _SITEMAPS):
            if key.startswith(prefix):
                return self._owners.of(key[len(prefix) :])
        if key.startswith(RUN_KEYS):
            return 0
        if key.startswith(GROUP_KEY):
            url = site_of_group(key[len(GROUP_KEY) :].decode())
            return None if url is None else self._owners.of(row_key(url))
        if (
            Whole.holds(key)
            or key in _WRITTEN_AGAIN
            or key.startswith(OUTBOX_KEYS)
            or archive_ends.is_mark(key)
        ):
            return None
        raise strange("site", key)

    def _move_credit(self, key: bytes, value: bytes) -> None:
        for tablet, part in self._survey.domains.divide(key, value).items():
            if tablet in self._all:
                before = self._before(tablet, "site", key)
                row = part if before is None else both_credits(unpack(CreditRow, before), part)
                self._all[tablet].put("site", key, pack(row))

    def _move_queue(self, source: Table) -> None:
        for key, value in source.scan("queue", b""):
            for tablet in tablets_of_queue_key(key, value, self._tablets):
                if tablet not in self._all:
                    continue
                free, before = key, None
                if key[:1] in (*NUMBERED, BULK_UPDATE_MARK, SCHEDULE_MARK):
                    before = self._before(tablet, "queue", key)
                if before is not None and key[:1] in NUMBERED:
                    free, before = self._next_free(tablet, key), None
                place = value if before is None else min(before, value)
                self._all[tablet].put("queue", free, place)

    def _next_free(self, tablet: int, key: bytes) -> bytes:
        number = int.from_bytes(key[1:])
        while self._all[tablet].get("queue", key) is not None:
            number += 1
            key = key[:1] + number.to_bytes(len(key) - 1)
        return key

    def _before(self, tablet: int, family: str, key: bytes) -> bytes | None:
        """What another source had under the same key."""
        return self._all[tablet].get(family, key) if len(self._sources) > 1 else None

    # --- prints -----------------------------------------------------------------------------

    def _move_prints(self, source: Table) -> None:
        for key, value in source.scan(FAMILY, b""):
            if key.startswith(OF_GROUPS):
                continue
            tablets = tablets_of_print(key, value, self._tablets)
            if tablets is None:
                raise strange(FAMILY, key)
            for tablet in tablets:
                if tablet in self._all:
                    before = self._before(tablet, FAMILY, key)
                    kept = value if before is None else either(key, before, value)
                    self._all[tablet].put(FAMILY, key, kept)

    def _move_groups(self) -> None:
        arriving = {
            tablet: Arriving(filling.table, tablet, self._tablets, partial(_reassign, filling))
            for tablet, filling in self._all.items()
        }
        for filling in self._all.values():
            filling.flush()
        for number in self._sources:
            table = self._source(number)
            source, cells = StoredGroups(table), Cells(table)
            for group_id, group in source.groups():
                for row, fingerprint in source.members(group_id, group):
                    tablet = self._owners.of(row)
                    if tablet in arriving:
                        arriving[tablet].take(group_id, group, row, fingerprint)
                alone = len(self._sources) == 1
                stands = group.representative if alone else _stands_for(cells, group.representative)
                for each in arriving.values():
                    each.end(group.representative, stands)
        for each in arriving.values():
            each.join()


def _stands_for(cells: Cells, representative: bytes) -> bytes:
    """The page that stands for the representative of a group: one of another tablet, or itself."""
    cell = cells.get(representative, FETCH)
    document = None if cell is None else unpack(FetchRow, cell.value).document
    if document is None or document.fate is not Fate.DUPLICATE or not document.duplicate_of:
        return representative
    return row_key(document.duplicate_of)


def _reassign(filling: Filling, row: bytes, representative: bytes) -> None:
    """A page stands for its group here, and is a duplicate of one of another tablet."""
    key = newest_key(row, b"fetch")
    stored = filling.get("page", key)
    if stored is None:
        return
    fetch = unpack(FetchRow, value_of(stored))
    fetch.document.fate, fetch.document.duplicate_of = Fate.DUPLICATE, url_of(representative)
    filling.put("page", key, stamped(stamp_of(stored), pack(fetch)))
    filling.flush()
