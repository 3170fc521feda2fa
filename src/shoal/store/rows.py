"""What is remembered of a page? The values of the cells that the store writes.

page:fetch    the document as last fetched          (versions by policy)
page:visit    every visit in short                  (the last twenty)
text:body     its plain text, UTF-8, zstd           (versions by policy)
link:out      its links, each with its target's row (the newest)
anchor:SOURCE at the target's row: what SOURCE calls it
change        the log that followers read: sequence → what changed
"""

from collections.abc import Iterator
from enum import StrEnum

from shoal.model import change_history
from shoal.model.document import Document, Understood, WarcLocation
from shoal.model.link import Link
from shoal.model.outcome import Outcome
from shoal.model.record import Struct, unpack
from shoal.model.urls.rowkey import inside_range
from shoal.model.visit import Fetched, Visit
from shoal.store.cells import Cells

VISITS_KEPT = 20
FETCH = "page:fetch"
VISIT = "page:visit"
TEXT = "text:body"
LINKS = "link:out"
_FETCH = b"fetch"


class VisitRow(Struct, array_like=True):
    outcome: Outcome
    status: int = 0
    started: float = 0.0
    seconds: float = 0.0
    address: str = ""
    location: str = ""
    """Where a redirect leads, as the server wrote it."""
    note: str = ""
    cut: bool = False
    tries: int = 0
    response: WarcLocation | None = None
    request: WarcLocation | None = None
    change: change_history.Change = change_history.Change.UNKNOWN


class FetchRow(Struct, array_like=True):
    visit: VisitRow
    document: Document
    """Without its text, which has a cell of its own."""
    payload: WarcLocation | None = None
    """The record that has the body: an earlier one when the newest is a revisit."""
    headers: list[tuple[str, str]] = []


class OutLink(Struct, array_like=True):
    link: Link
    target: bytes
    """The row it is kept under; empty when another tablet owns it."""


class What(StrEnum):
    WRITTEN = "written"
    REMOVED = "removed"
    AMENDED = "amended"
    SHARED = "shared"
    """Other people may read it from now on."""
    LINKED = "linked"
    """What links to it says less than before."""


class Change(Struct, array_like=True):
    row: bytes
    what: What
    when: float


def stored_inside(cells: Cells, row: bytes) -> Iterator[bytes]:
    """The rows of the documents that are stored as inside this one."""
    return (cell.row for cell in cells.scan("page", *inside_range(row)) if cell.qualifier == _FETCH)


def stored_fate(cells: Cells, row: bytes) -> str:
    """Of the copy that is stored of a page; empty when there is none."""
    cell = cells.get(row, FETCH)
    return "" if cell is None else unpack(FetchRow, cell.value).document.fate


def visit_row(
    visit: Visit, fetched: Fetched, understood: Understood, change: change_history.Change
) -> VisitRow:
    return VisitRow(
        fetched.outcome,
        fetched.status,
        fetched.started,
        fetched.seconds,
        fetched.address,
        fetched.header("location"),
        fetched.note,
        fetched.cut,
        visit.tries,
        understood.response,
        understood.request,
        change,
    )
