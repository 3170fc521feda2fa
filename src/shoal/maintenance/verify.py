"""Does a collection hold together? Every invariant, checked from the stored bytes (`shoal verify`).

rows, queue, front index, counts   the frontier's own audit
rows ↔ WARC records   each place reads back, names the row's URL, and has the row's digest
links ↔ anchors       both ways: every link has its cell, and there are no more cells
text                  belongs to a version of its page, and has that version's digest
near-duplicates       index, groups and pages agree; one page of each group is no duplicate
change log            without a gap, up to the number that was handed out last
index                 has every page that is to be found, with what it is found by, and no other
index, graph          their files have their checksums
WARC files            a row of whole records from the first byte to the last

Streaming: memory grows with the sites, and with the pages by a digest each. For a collection that
nobody writes to.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

from shoal.errors import Busy, DamagedError
from shoal.frontier.audit.audit import audit
from shoal.frontier.state.rows import unpack_url, url_key
from shoal.graph.generations import file_faults
from shoal.layout.identity import partition_of
from shoal.layout.layout import Layout, WriteLock, is_given_way, is_locked
from shoal.maintenance.group_findings import Finding, group_findings
from shoal.maintenance.index_findings import index_findings
from shoal.model.cell import NUL, newest_key, stamp_of, time_in_older_key, to_ms, value_of
from shoal.model.compression import ZSTD_ERRORS, unzstd
from shoal.model.digest import payload_digest, text_digest
from shoal.model.document import WarcLocation
from shoal.model.outcome import Outcome
from shoal.model.record import JSON_ERRORS, unpack
from shoal.model.urls.partition import tablet_of_row
from shoal.model.urls.rowkey import row_key, site_of_key, url_of
from shoal.model.visit import SOURCES
from shoal.ports import Table
from shoal.store import archive, claims
from shoal.store.archived_visits import archived_visits
from shoal.store.cells import Cells
from shoal.store.change_log import last_sequence
from shoal.store.members import members
from shoal.store.rows import FETCH, LINKS, FetchRow, OutLink, VisitRow
from shoal.store.table import RocksTable, must_be_whole

_TELL_EVERY = 100_000
_UNREADABLE: tuple[type[Exception], ...] = (*ZSTD_ERRORS, *JSON_ERRORS)

Progress = Callable[[str], None]


class Sighting(NamedTuple):
    """What an archived record is, without its body."""

    url: str
    kind: str
    said_digest: str
    digest: str
    """Of the body as it stands there; empty for a record without one."""


@contextmanager
def verifying(layout: Layout, progress: Progress) -> Iterator["Verifier"]:
    """Open a collection to be checked. It is read alone; a crawl at work would be half-way through
    something."""
    layout.must_exist()
    is_followed = is_given_way(layout)
    if is_locked(layout) and not is_followed:
        raise Busy(f"A process is writing to {layout.directory}; verify it when that has ended.")
    must_be_whole(layout.table)
    held = WriteLock(layout) if is_followed else nullcontext()
    with held, RocksTable(layout.table, reader=True) as table:
        yield Verifier(table, layout, progress)


def graph_findings(directory: Path) -> Iterator[Finding]:
    """Files of the link graph and the ranks that are not as they were written."""
    return (Finding("graph", "", fault) for fault in file_faults(directory))


class Verifier:
    def __init__(self, table: Table, layout: Layout, progress: Progress) -> None:
        self._table = table
        self._layout = layout
        self._directory = layout.warc
        self._progress = progress
        self._cells = Cells(table)
        self.checked: dict[str, int] = {}

    def findings(self) -> Iterator[Finding]:
        self._progress("Checking the queue, the front index and the counts …")
        try:
            for problem in audit(self._table):
                yield Finding("frontier", "", problem)
        except JSON_ERRORS as error:
            yield Finding("frontier", "", f"A row of the frontier does not read: {error}.")
        yield from self._rows()
        yield from self._texts()
        yield from self._links()
        self._progress("Checking groups of near-duplicates …")
        yield from group_findings(self._table, self._cells)
        yield from self._changes()
        self._progress("Checking the full-text index …")
        yield from index_findings(self._table, self._layout)
        yield from graph_findings(self._layout.graph)
        yield from self._files()
        yield from self._unknown()

    # --- rows and records -------------------------------------------------------------------

    def _rows(self) -> Iterator[Finding]:
        self._progress("Checking rows against the records of the archive …")
        for row in claims.rows(self._table):
            self._count("rows", 1)
            where = url_of(row.row)
            for key in row.damaged:
                yield Finding("row", where, f"The cell {key!r} does not read.")
            if not row.known and row.versions:
                yield Finding("row", where, "It has a stored page, and the frontier has no row.")
            yield from self._lacking(row, where)
            seen: dict[WarcLocation, Sighting | str] = {}
            for version in row.versions:
                for location, fault in record_faults(self._directory, row.row, version.value, seen):
                    place = f"{location.file} at {location.offset}"
                    yield Finding("record", where, f"{fault} ({place})")
            self._count("records", len(seen))

    def _lacking(self, row: claims.Row, where: str) -> Iterator[Finding]:
        stored = self._table.get("page", url_key(row.row))
        is_queued = stored is not None and unpack_url(stored).waiting
        if lacks_page(self._table, row) and not is_queued:
            yield Finding("row", where, "It was fetched, and no page is stored.")

    # --- texts ------------------------------------------------------------------------------

    def _texts(self) -> Iterator[Finding]:
        self._progress("Checking texts …")
        for key, stored in self._table.scan("text", b"\x01"):
            self._count("texts", 1)
            fault = text_fault(self._cells, key, stored)
            if fault:
                yield Finding("text", url_of(key.partition(NUL)[0]), fault)

    # --- links ------------------------------------------------------------------------------

    def _links(self) -> Iterator[Finding]:
        """Every link has its anchor; and if there are no more anchors than that, every anchor has
        its link. Only when there are more is each looked up."""
        self._progress("Checking links against anchors …")
        expected = 0
        for row, _, links in out_links(self._table):
            if links is None:
                yield Finding("link", url_of(row), "Its links do not read.")
            targets = sorted({out.target for out in links or () if out.target})
            expected += len(targets)
            keys = [newest_key(target, row) for target in targets]
            found = self._table.get_many("anchor", keys)
            for target, anchor in zip(targets, found, strict=True):
                self._count("links", 1)
                if anchor is None:
                    says = f"Its link to {url_of(target)} has no anchor there."
                    yield Finding("link", url_of(row), says)
        anchors = sum(1 for _ in own_anchors(self._table))
        if anchors != expected:
            for target, source in strange_anchors(self._table, self._cells):
                says = f"{url_of(source)} has no link to it, and an anchor stands here."
                yield Finding("link", url_of(target), says)

    # --- the log and the files --------------------------------------------------------------

    def _changes(self) -> Iterator[Finding]:
        self._progress("Checking the change log …")
        before = None
        for key, _ in self._table.scan("change", b""):
            number = int.from_bytes(key, "big")
            self._count("changes", 1)
            if before is not None and number != before + 1:
                yield Finding("change", "", f"The change log has a gap: {before}, then {number}.")
            before = number
        last = last_sequence(self._table)
        if before is not None and before != last:
            says = f"The change log ends with {before}, and {last} is said to be its last number."
            yield Finding("change", "", says)

    def _files(self) -> Iterator[Finding]:
        for path in archive.files(self._directory):
            self._progress(f"Reading {path.name} …")
            end, size = 0, path.stat().st_size
            for member in members(path):
                self._count("archived records", 1)
                if member.offset != end:
                    length = member.offset - end
                    says = f"{length:,} bytes at {end} are no record."
                    yield Finding("archive", path.name, says)
                end = member.end
            if end != size:
                says = f"Its last {size - end:,} bytes are no whole record."
                yield Finding("archive", path.name, says)
            elif not size:
                yield Finding("archive", path.name, "It is empty.")

    def _unknown(self) -> Iterator[Finding]:
        """Pages that are archived and have no row. One that waits is asked for again: its visit may
        have been cut off by a kill."""
        self._progress("Looking for archived pages without a row …")
        partition = partition_of(self._table)
        for visit in archived_visits(self._directory):
            try:
                row = row_key(visit.url)
            except ValueError:
                continue  # no URL of ours
            if not partition.owns(site_of_key(row)):
                continue  # another tablet's, whose body a page of this one shares
            if self._table.get("page", url_key(row)) is None:
                place = f"{visit.response.file} at {visit.response.offset}"
                yield Finding("archive", visit.url, f"It is archived, and has no row ({place}).")

    def _count(self, name: str, amount: int) -> None:
        before = self.checked.get(name, 0)
        self.checked[name] = before + amount
        if before // _TELL_EVERY != (before + amount) // _TELL_EVERY:
            self._progress(f"{before + amount:,} {name} …")


def lacks_page(table: Table, row: claims.Row) -> bool:
    """Whether it was fetched as a page, and nothing is stored."""
    stored = table.get("page", url_key(row.row))
    if stored is not None and unpack_url(stored).kind in SOURCES:
        return False
    newest = [version.value for version in row.versions if version.newest]
    visited = any(isinstance(v, VisitRow) and v.outcome is Outcome.OK for v in newest)
    return visited and not any(isinstance(value, FetchRow) for value in newest)


def record_faults(
    directory: Path,
    row: bytes,
    value: FetchRow | VisitRow,
    seen: dict[WarcLocation, Sighting | str],
) -> Iterator[tuple[WarcLocation, str]]:
    """What is wrong with the records that a version points at. `seen` keeps a record from being
    read twice: versions of a row often share one."""
    fetch = value if isinstance(value, FetchRow) else None
    for location in claims.locations_of(value):
        if location not in seen:
            seen[location] = _look(directory, location)
        record = seen[location]
        if isinstance(record, str):
            yield location, record
            continue
        named = fetch is not None and fetch.document.name
        borrowed = fetch is not None and location == fetch.payload != fetch.visit.response
        url = url_of(row)
        if record.url != url and not (borrowed or (named and url.startswith(record.url))):
            yield location, f"Its record is one of {record.url}."
        elif record.kind == "response" and record.said_digest != record.digest:
            yield location, "The body in its record does not have the digest that the record says."
        elif fetch is not None and location == fetch.payload:
            if record.kind != "response":
                yield location, f"Its body should stand in a response, and this is a {record.kind}."
            elif fetch.document.body_digest not in ("", record.digest):
                yield location, "The body in its record does not have the digest that the row says."


def _look(directory: Path, location: WarcLocation) -> Sighting | str:
    try:
        record = archive.read_record_at(directory, location)
    except DamagedError as error:
        return str(error)
    kind = record.headers.get("warc-type", "")
    return Sighting(
        record.headers.get("warc-target-uri", ""),
        kind,
        record.headers.get("warc-payload-digest", ""),
        payload_digest(record.http_body) if kind == "response" else "",
    )


def text_fault(cells: Cells, key: bytes, stored: bytes) -> str:
    """Why a text is not that of a version of its page; empty when it is."""
    row, _, rest = key.partition(NUL)
    newest = NUL not in rest
    when_ms = stamp_of(stored) if newest else time_in_older_key(key)
    page = cells.get(row, FETCH, when_ms / 1000)
    if page is None or to_ms(page.when) != when_ms:  # of a version that is no longer kept
        return "" if cells.get(row, FETCH) else "It has a text and no stored page."
    try:
        digest = unpack(FetchRow, page.value).document.text_digest
        if text_digest(unzstd(value_of(stored) if newest else stored)) != digest:
            return "Its text does not have the digest that its row says."
    except _UNREADABLE as error:
        return f"Its text does not read: {error}."
    return ""


def out_links(table: Table) -> Iterator[tuple[bytes, float, list[OutLink] | None]]:
    """(row, when, links) of every page that has any; None for links that do not read."""
    for key, stored in table.scan("link", b"\x01"):
        row, _, rest = key.partition(NUL)
        if NUL in rest:
            continue
        try:
            yield row, stamp_of(stored) / 1000, unpack(list[OutLink], value_of(stored))
        except JSON_ERRORS:
            yield row, stamp_of(stored) / 1000, None


def own_anchors(table: Table) -> Iterator[tuple[bytes, bytes]]:
    """(target, source) of all anchors, but for those of pages that other tablets have."""
    number, tablets = partition_of(table)
    for key, _ in table.scan("anchor", b"\x01"):
        target, _, source = key.partition(NUL)
        if tablets == 1 or tablet_of_row(source, tablets) == number:
            yield target, source


def strange_anchors(table: Table, cells: Cells) -> Iterator[tuple[bytes, bytes]]:
    """(target, source) of anchors whose source has no such link. One lookup per anchor."""
    for target, source in own_anchors(table):
        cell = cells.get(source, LINKS)
        try:
            links = [] if cell is None else unpack(list[OutLink], cell.value)
        except JSON_ERRORS:
            continue  # told already
        if all(out.target != target for out in links):
            yield target, source
