"""Where is it kept? Pages as rows: everything one visit changes goes into one batch.

Writing is the Store port. Reading takes a principal, always: a page whose readers do not include
it is not there. The raw response stands in the archive, the row knows where.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from shoal import faults
from shoal.errors import DamagedError
from shoal.model.cell import NUL, newest_key, to_ms, value_of
from shoal.model.compression import unzstd
from shoal.model.document import Document, Reassigned, Understood, WarcLocation
from shoal.model.link import Anchor
from shoal.model.listings.sitemap_metadata import MOST_SITEMAPS, SitemapMetadata, metadata_range
from shoal.model.mail_words import OF_THE_SOURCE, Fields
from shoal.model.outcome import Outcome
from shoal.model.principal import OWNER, Principal
from shoal.model.record import pack, unpack
from shoal.model.urls.rowkey import part_of, row_key, url_of
from shoal.model.urls.spelling import spellings
from shoal.model.verdict import Finished
from shoal.model.visit import OF_SITE, SOURCES, Fetched, Visit, VisitKind
from shoal.ports import Batch, RemoteTablets, Table
from shoal.store import archive, warc
from shoal.store.archive_ends import ArchiveEnds
from shoal.store.cells import Cells
from shoal.store.change_log import ChangeLog
from shoal.store.linking import Linking
from shoal.store.rows import (
    FETCH,
    LINKS,
    TEXT,
    VISIT,
    VISITS_KEPT,
    FetchRow,
    OutLink,
    VisitRow,
    What,
    stored_inside,
    visit_row,
)

Put = Callable[[Batch, bytes, str, bytes, float, int], None]
"""`Cells.put`, or `Cells.first` where nothing can have been written before."""

_NOT_VISITED = (Outcome.REFUSED, Outcome.CANCELLED)
_LEFT = (Outcome.REDIRECT, Outcome.MISSING, Outcome.GONE)


@dataclass(frozen=True)
class StoredPage:
    """A page as it was at one time."""

    row: bytes
    when: float
    fetch: FetchRow

    @property
    def url(self) -> str:
        return url_of(self.row)

    @property
    def document(self) -> Document:
        return self.fetch.document


@dataclass(frozen=True)
class Filter:
    """Which pages of a range are wanted."""

    since: float | None = None
    until: float | None = None
    status: int | None = None

    def takes(self, page: StoredPage) -> bool:
        return (
            (self.since is None or page.when >= self.since)
            and (self.until is None or page.when < self.until)
            and (self.status is None or page.fetch.visit.status == self.status)
        )


EVERYTHING = Filter()


class PageStore:
    """The Store port on a Table and an archive directory."""

    def __init__(
        self,
        table: Table,
        archive_directory: Path,
        versions: int = 3,
        remote: RemoteTablets | None = None,
    ) -> None:
        self._table = table
        self._archive = archive_directory
        self._versions = versions
        self.cells = Cells(table)
        self.ends = ArchiveEnds()
        self.log = ChangeLog(table)
        self.linking = Linking(self.cells, self.log, remote)

    # --- writing ----------------------------------------------------------------------------

    def batch(self) -> Batch:
        return self._table.batch()

    def commit(self, batch: Batch) -> None:
        faults.point("commit.before")
        self._table.write(batch)
        faults.point("commit.after")

    def keep(
        self,
        batch: Batch,
        visit: Visit,
        fetched: Fetched,
        understood: Understood,
        finished: Finished,
    ) -> None:
        self.ends.note(batch, understood.response, understood.request)
        if visit.kind in OF_SITE or fetched.outcome in _NOT_VISITED:
            self._tell_of_refusal(batch, visit, fetched)
            return
        when = fetched.ended
        verdict = finished.verdict
        row = visit_row(visit, fetched, understood, finished.change)
        put = self.cells.first if visit.is_first else self.cells.put
        put(batch, visit.row, VISIT, pack(row), when, VISITS_KEPT)
        payload = self._payload(visit, understood)
        before = self.log.last
        for document in verdict.documents:
            fetch = FetchRow(row, document, payload, fetched.headers)
            write = self.cells.put if document.name else put
            self._keep_document(batch, visit.row + part_of(document.name), fetch, when, write)
        is_no_page = fetched.outcome in _LEFT or visit.kind in SOURCES
        if is_no_page and not visit.is_first and self._newest(visit.row) is not None:
            # What is stored is no longer there.
            self.log.append(batch, visit.row, What.AMENDED, when)
        if finished.is_back:
            self._tell_of_it(batch, visit.row, when)
        if verdict.documents or fetched.outcome is Outcome.REDIRECT:
            readers = verdict.documents[0].readers if verdict.documents else []
            self.linking.keep(batch, visit, finished.links, finished.targets, when, readers)
        self.reassign(batch, verdict.reassigned, when)
        for representative in verdict.orphaned:
            self.log.append(batch, representative, What.LINKED, when)
        for inside in finished.removed:
            self.remove(batch, inside, when)
        if visit.is_awaited:
            self.log.await_since(before)

    def _tell_of_refusal(self, batch: Batch, visit: Visit, fetched: Fetched) -> None:
        """A page that is stored may no longer be asked for: it is no longer found, either."""
        is_page = visit.kind is VisitKind.PAGE and not visit.is_first
        if is_page and fetched.outcome is Outcome.REFUSED and self._newest(visit.row) is not None:
            self._tell_of_it(batch, visit.row, fetched.ended)

    def _tell_of_it(self, batch: Batch, row: bytes, when: float) -> None:
        for each in (row, *stored_inside(self.cells, row)):
            self.log.append(batch, each, What.AMENDED, when)

    def _keep_document(
        self, batch: Batch, row: bytes, fetch: FetchRow, when: float, put: Put
    ) -> None:
        document = fetch.document
        text, marks = document.text, document.marks
        document.text, document.marks = b"", []
        put(batch, row, FETCH, pack(fetch), when, self._versions)
        document.text, document.marks = text, marks
        self._set_marks(batch, row, dict(marks), when)
        if text:
            put(batch, row, TEXT, text, when, self._versions)
        self.log.append(batch, row, What.WRITTEN, when)

    def reassign(self, batch: Batch, reassigned: Sequence[Reassigned], when: float) -> None:
        """Pages have another place among near-duplicates than before."""
        for each in reassigned:
            cell = self.cells.get(each.row, FETCH)
            if cell is None:
                continue
            fetch = unpack(FetchRow, cell.value)
            fetch.document.fate, fetch.document.duplicate_of = each.fate, each.duplicate_of
            self.cells.put(batch, each.row, FETCH, pack(fetch), cell.when, self._versions)
            self.log.append(batch, each.row, What.AMENDED, when)

    def _payload(self, visit: Visit, understood: Understood) -> WarcLocation | None:
        """A body that came again was archived as a revisit: its bytes stand further back."""
        seen = visit.seen_digest
        if not seen or all(document.body_digest != seen for document in understood.documents):
            return understood.response
        if visit.seen_location is not None:
            return visit.seen_location
        for cell in self.cells.versions(visit.row, FETCH):
            before = unpack(FetchRow, cell.value)
            if before.payload is not None and before.document.body_digest == seen:
                return before.payload
        return self._archived(visit.row, seen) or understood.response

    def _archived(self, row: bytes, digest: str) -> WarcLocation | None:
        """The response of an earlier visit that had this body: the page was removed since."""
        for cell in self.cells.versions(row, VISIT):
            location = unpack(VisitRow, cell.value).response
            if location is None:
                continue
            try:
                headers = archive.read_record_at(self._archive, location).headers
            except DamagedError:
                continue
            said = headers.get("warc-type"), headers.get("warc-payload-digest")
            if said == ("response", digest):
                return location
        return None

    def remove(self, batch: Batch, row: bytes, when: float) -> None:
        fetch = self._newest(row)
        if fetch is None:
            return
        self.linking.take_back(batch, row, when)
        for column in (FETCH, TEXT, LINKS):
            self.cells.delete(batch, row, column)
        for name in self.marks(row, OWNER):
            batch.delete("mark", newest_key(row, name.encode()))
        gone = VisitRow(Outcome.GONE, started=when, note="removed without a visit")
        self.cells.put(batch, row, VISIT, pack(gone), when, VISITS_KEPT)
        self.log.append(batch, row, What.REMOVED, when)

    def amend(  # noqa: PLR0913 - all that may change without a visit
        self,
        batch: Batch,
        row: bytes,
        when: float,
        readers: Sequence[str],
        fields: Fields = (),
        place: Reassigned | None = None,
    ) -> None:
        """All versions alike: what was readable yesterday is not a loophole."""
        versions = list(self.cells.versions(row, FETCH))
        if not versions:
            return
        for cell in versions:
            fetch = unpack(FetchRow, cell.value)
            fetch.document.readers = list(readers)
            if place is not None and cell is versions[0]:
                fetch.document.fate, fetch.document.duplicate_of = place.fate, place.duplicate_of
            own = [each for each in fetch.document.fields if each[0] not in OF_THE_SOURCE]
            fetch.document.fields = [*own, *fields]
            self.cells.put(batch, row, FETCH, pack(fetch), cell.when, self._versions)
        self.linking.amend(batch, row, readers)
        self.log.append(batch, row, What.SHARED, when)

    def mark(self, batch: Batch, row: bytes, marks: Mapping[str, str], when: float) -> None:
        """What analysis found out about a stored page; an empty value is none."""
        if self._newest(row) is None:
            return
        self._set_marks(batch, row, marks, when)
        self.log.append(batch, row, What.AMENDED, when)

    def _set_marks(self, batch: Batch, row: bytes, marks: Mapping[str, str], when: float) -> None:
        for name, value in marks.items():
            if value:
                self.cells.set(batch, row, "mark", name.encode(), value.encode(), when)
            else:
                batch.delete("mark", newest_key(row, name.encode()))

    # --- reading ----------------------------------------------------------------------------

    def find(self, url: str) -> bytes:
        """The row of a URL, whichever way its trailing slash is spelled."""
        rows = spellings(row_key(url))
        for qualifier in (b"fetch", b"url"):
            stored = self._table.get_many("page", [newest_key(row, qualifier) for row in rows])
            for row, value in zip(rows, stored, strict=True):
                if value is not None:
                    return row
        return rows[0]

    def page(self, row: bytes, principal: Principal, at: float | None = None) -> StoredPage | None:
        cell = self.cells.get(row, FETCH, at)
        if cell is None:
            return None
        page = StoredPage(row, cell.when, unpack(FetchRow, cell.value))
        if not principal.may_read(page.document.readers):
            return None
        # Whoever may not read it today does not read what it was before.
        return page if at is None or self._may_see(row, principal) else None

    def read(self, row: bytes, principal: Principal, at: float | None = None) -> Document | None:
        page = self.page(row, principal, at)
        if page is None:
            return None
        cell = self.cells.get(row, TEXT, page.when)
        # A version without text has no cell: an older version's text is not its own.
        own = cell is not None and to_ms(cell.when) == to_ms(page.when)
        page.document.text = cell.value if cell is not None and own else b""
        return page.document

    def whole(self, row: bytes, principal: Principal) -> StoredPage | None:
        """The newest version of a page, its text with it."""
        page = self.page(row, principal)
        cell = None if page is None else self.cells.get(row, TEXT)
        if page is not None and cell is not None and to_ms(cell.when) == to_ms(page.when):
            page.document.text = cell.value
        return page

    def text(self, row: bytes, principal: Principal, at: float | None = None) -> str:
        document = self.read(row, principal, at)
        return unzstd(document.text).decode() if document is not None and document.text else ""

    def raw(self, row: bytes, principal: Principal, at: float | None = None) -> warc.Record | None:
        """The archived response; its HTTP head and body are those the server sent."""
        page = self.page(row, principal, at)
        if page is None or page.fetch.payload is None:
            return None
        return archive.read_record_at(self._archive, page.fetch.payload)

    def history(self, row: bytes, principal: Principal) -> Iterator[tuple[float, VisitRow]]:
        """Every visit that is remembered, newest first. Without a page it is not known who may
        read it (it may have been removed), so only the owner sees its visits."""
        if not principal.everything and self.page(row, principal) is None:
            return
        for cell in self.cells.versions(row, VISIT):
            yield cell.when, unpack(VisitRow, cell.value)

    def links_of(self, row: bytes) -> list[OutLink]:
        cell = self.cells.get(row, LINKS)
        return [] if cell is None else unpack(list[OutLink], cell.value)

    def links(self, row: bytes, principal: Principal) -> list[OutLink]:
        return self.links_of(row) if self._may_see(row, principal) else []

    def anchors(
        self, row: bytes, principal: Principal, start: bytes = b""
    ) -> Iterator[tuple[bytes, float, Anchor]]:
        """(source row, when, anchor) of every page that links here, of those one may read; from a
        source on."""
        for cell in self.cells.scan("anchor", newest_key(row, start), row + b"\x01"):
            anchor = unpack(Anchor, cell.value)
            if principal.may_read(anchor.readers) and self._may_see(cell.qualifier, principal):
                yield cell.qualifier, cell.when, anchor

    def marks(self, row: bytes, principal: Principal) -> dict[str, str]:
        """What analysis found out about it, by name."""
        if not self._may_see(row, principal):
            return {}
        cells = self.cells.row("mark", row)
        return {cell.qualifier.decode(): cell.value.decode() for cell in cells}

    def sitemap_metadata(self, row: bytes, principal: Principal) -> list[SitemapMetadata]:
        """What sitemaps say of it, of a few of them."""
        if not self._may_see(row, principal):
            return []
        cells = islice(self._table.scan("page", *metadata_range(row)), MOST_SITEMAPS)
        return [unpack(SitemapMetadata, value_of(stored)) for _, stored in cells]

    def said_of(self, row: bytes) -> Iterator[tuple[bytes, Anchor]]:
        """What every page that links here calls it, for those who see everything."""
        sources = len(row) + len(NUL)
        for key, stored in self._table.scan("anchor", row + NUL, row + b"\x01"):
            yield key[sources:], unpack(Anchor, value_of(stored))

    def stream(
        self,
        start: bytes,
        end: bytes | None,
        principal: Principal,
        wanted: Filter = EVERYTHING,
    ) -> Iterator[StoredPage]:
        """Pages of a range of rows (a site, a domain, all of .edu) in row order."""
        for cell in self.cells.scan("page", start, end):
            if cell.qualifier != b"fetch":
                continue
            page = StoredPage(cell.row, cell.when, unpack(FetchRow, cell.value))
            if wanted.takes(page) and principal.may_read(page.document.readers):
                yield page

    def _may_see(self, row: bytes, principal: Principal) -> bool:
        if principal.everything:
            return True
        cell = self.cells.get(row, FETCH)
        return cell is None or principal.may_read(unpack(FetchRow, cell.value).document.readers)

    def _newest(self, row: bytes) -> FetchRow | None:
        cell = self.cells.get(row, FETCH)
        return None if cell is None else unpack(FetchRow, cell.value)
