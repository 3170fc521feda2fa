"""Which records do rows point at? Every version of every page, with its places in the archive.

For those who hold rows against the archive: `verify`, `repair`, and the recovery after records were
lost. One row at a time; a row has a few versions and a score of visits, so memory is bounded.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from shoal.model.cell import NUL, stamp_of, stamped, time_in_older_key, value_of
from shoal.model.document import WarcLocation
from shoal.model.listings.sitemap_metadata import SitemapMetadata, is_metadata
from shoal.model.record import JSON_ERRORS, pack, unpack
from shoal.ports import Batch, Table
from shoal.store.rows import FetchRow, VisitRow

_FIRST_ROW = b"\x01"
_KINDS: dict[bytes, type[FetchRow] | type[VisitRow]] = {b"fetch": FetchRow, b"visit": VisitRow}


class Version(NamedTuple):
    """One version of a cell, and the key under which it stands."""

    key: bytes
    when_ms: int
    newest: bool
    value: FetchRow | VisitRow


@dataclass
class Row:
    row: bytes
    known: bool = False
    """Whether the frontier has a row of it."""
    versions: list[Version] = field(default_factory=list)
    """Of the page as fetched and of its visits, each newest first."""
    damaged: list[bytes] = field(default_factory=list)
    """Keys whose values do not read."""


def rows(table: Table) -> Iterator[Row]:
    """Every row of the family `page`, in row order."""
    pairs = table.scan("page", _FIRST_ROW)
    for name, cells in groupby(pairs, key=lambda pair: pair[0].partition(NUL)[0]):
        row = Row(name)
        for key, stored in cells:
            _sort_in(row, key, stored)
        yield row


def _sort_in(row: Row, key: bytes, stored: bytes) -> None:
    try:
        version = version_of(key, stored)
    except JSON_ERRORS:
        row.damaged.append(key)
        return
    if version is not None:
        row.versions.append(version)
    row.known |= key[len(row.row) + 1 :] == b"url"


def version_of(key: bytes, stored: bytes) -> Version | None:
    """What stands under a key of the family `page`; None when it has no places in the archive.
    Raises one of JSON_ERRORS when it does not read."""
    _, _, rest = key.partition(NUL)
    qualifier, _, older = rest.partition(NUL)
    kind = _KINDS.get(qualifier)
    if kind is None:
        if is_metadata(qualifier):
            unpack(SitemapMetadata, value_of(stored))
        return None
    newest = not older
    when_ms = stamp_of(stored) if newest else time_in_older_key(key)
    return Version(key, when_ms, newest, unpack(kind, value_of(stored) if newest else stored))


def locations_of(value: FetchRow | VisitRow) -> list[WarcLocation]:
    """The records that a version can't do without."""
    if isinstance(value, VisitRow):
        locations = [value.response, value.request]
    else:
        locations = [*dict.fromkeys((value.payload, value.visit.response, value.visit.request))]
    return [location for location in locations if location is not None]


def repoint(value: FetchRow | VisitRow, moved: Callable[[WarcLocation], WarcLocation]) -> bool:
    """Records have moved: let a version point at where they are. Whether that changed anything."""

    def now(location: WarcLocation | None) -> WarcLocation | None:
        return None if location is None else moved(location)

    visit, before = value.visit if isinstance(value, FetchRow) else value, locations_of(value)
    visit.response, visit.request = now(visit.response), now(visit.request)
    if isinstance(value, FetchRow):
        value.payload = now(value.payload)
    return locations_of(value) != before


def disown(batch: Batch, version: Version, lost: set[WarcLocation]) -> None:
    """The version no longer claims records that are lost; what else it says stays."""
    value = version.value
    visit = value.visit if isinstance(value, FetchRow) else value
    visit.response = None if visit.response in lost else visit.response
    visit.request = None if visit.request in lost else visit.request
    if isinstance(value, FetchRow):
        value.payload = None if value.payload in lost else value.payload
    rewrite(batch, version)


def rewrite(batch: Batch, version: Version) -> None:
    """Put a version whose value was changed back under its key."""
    batch.put("page", version.key, stored_form(version))


def stored_form(version: Version) -> bytes:
    packed = pack(version.value)
    return stamped(version.when_ms, packed) if version.newest else packed
