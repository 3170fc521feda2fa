"""Which URLs are behind a number? A page of the list of known URLs, from a cursor on.

Rows are read in their order until a page is full or enough were looked at: then the page ends with
a cursor to go on from. So a list of one in a million costs many short reads, and never a long one.
Each tablet of a cluster is asked for the same page; the list is whole up to where the first of them
stopped.

Every line has a key, and a list is in the order of its keys: the row alone by address; behind the
place of its state, for which the rows are gone through once for each.

No rows are stored by time. For a page in that order all rows are looked at, over as many requests
as that takes; the cursor carries along the newest that were found so far, bounded in bytes, and
they are shown when the last row was seen. So a page may be short, and is never wrong.
"""

import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator, Sequence
from heapq import merge, nsmallest
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import unquote

from shoal.clock import iso
from shoal.collection.collection import Collection
from shoal.collection.tablets import Tablets
from shoal.collection.view import TabletView
from shoal.errors import UsageError
from shoal.frontier.state.rows import LISTED_INSIDE, UrlRow, row_of_url_key, unpack_url
from shoal.layout.index_state import fate_of
from shoal.layout.ranges import key_range
from shoal.model import outcome
from shoal.model.digest import stable_number
from shoal.model.document import Fate
from shoal.model.outcome import State
from shoal.model.record import JSON_ERRORS, Struct, pack, unpack
from shoal.model.urls.rowkey import KeyRange, row_key, url_of

MOST_ON_A_PAGE = 100
_MOST_LOOKED_AT = 50_000
_MOST_READ_BYTES = 64 << 20
_MOST_SECONDS = 0.7
_OTHER = "other"
STORED = "stored"
ANSWERED = "answered"
INSIDE = LISTED_INSIDE
IN_FLIGHT = "in flight"
_GROUPS: dict[str, tuple[str, ...]] = {
    STORED: (State.FETCHED, State.UNCHANGED, INSIDE),
    ANSWERED: outcome.ANSWERED,
    INSIDE: (INSIDE,),
}
_PARTS = (*map(str, State), INSIDE)
"""In the order of a list that is sorted by state; each URL stands in one."""
SORTS = ("address", "state", "time")
_LAST_TIME = (1 << 64) - 1
_MOST_KEPT_BYTES = 2400
"""Of lines that a cursor carries along: it is a part of an address, which may have 8,000."""
_SHORT_BYTES = 1000
"""Of a row that a cursor names beside these lines."""
_NO_CURSOR = "the cursor is not one that a list gave"


class UrlLine(Struct):
    url: str
    state: str
    reason: str
    depth: int
    status: int
    fetched: str
    """ISO 8601; empty when it never was."""
    waiting: bool


class UrlPage(Struct):
    urls: list[UrlLine]
    next: str
    """The cursor to go on from; empty at the end."""
    looked_at: int


class Wanted(Struct, frozen=True):
    state: str = ""
    """One of the states, `inside`, `stored`, `answered`, `in flight`, or empty for all."""
    reason: str = ""
    """As it is counted: what precedes the colon; `other`: none was given."""
    where: str = ""
    """A host, a domain or a URL prefix."""
    text: str = ""
    """What the address has in it, in capitals or not."""
    sort: str = SORTS[0]


class Listed(NamedTuple):
    """What one tablet has of a page of the list."""

    lines: list[tuple[bytes, UrlLine]]
    """By their keys, in order."""
    rest: bytes
    """The key to go on with; empty when there is none."""
    looked_at: int


def url_page(held: Collection, wanted: Wanted, cursor: str = "", most: int = 50) -> UrlPage:
    if wanted.state == IN_FLIGHT:
        return _in_flight(held, wanted)
    tablets = held.tablets
    _states(wanted.state)  # a wrong one is told before anybody is asked
    if wanted.sort == "time":
        return _page_by_time(tablets, wanted, cursor, most)
    place = _place(cursor) if cursor else b""
    answers = tablets.ask_all(listed, wanted, place, most, tablets.count)
    end = min((each.rest for each in answers if each.rest), default=b"")
    lines = merge(*(each.lines for each in answers), key=itemgetter(0))
    known = [(key, line) for key, line in lines if not end or key < end]
    rest = known[most][0] if len(known) > most else end
    looked_at = sum(each.looked_at for each in answers)
    return UrlPage([line for _, line in known[:most]], _written(rest), looked_at)


def listed(collection: TabletView, wanted: Wanted, place: bytes, most: int, tablets: int) -> Listed:
    """From a key on; a question, with one of so many tablets' share of the rows to look at."""
    most_rows = max(most, _MOST_LOOKED_AT // tablets) if tablets > 1 else _MOST_LOOKED_AT
    reading = _Reading(collection, wanted, most_rows, _MOST_READ_BYTES // tablets)
    found: list[tuple[bytes, UrlLine]] = []
    deadline_s = time.monotonic() + _MOST_SECONDS
    for prefix, part in _passes(wanted):
        first = place[len(prefix) :] if place.startswith(prefix) else b""
        if place and prefix + first < place:
            continue  # this state was gone through
        for row, url in reading.rows(first):
            if reading.is_over or len(found) >= most or time.monotonic() > deadline_s:
                return Listed(found, prefix + row, reading.looked_at)
            reading.looked_at += 1
            if part in ("", _part_of(url)) and reading.takes(row, url):
                found.append((prefix + row, reading.line(row, url)))
    return Listed(found, b"", reading.looked_at)


class Recent(NamedTuple):
    """A line of a list by time: the newest comes first, those of one moment in any order that
    stays."""

    key: bytes
    row: bytes


class TimeCursor(Struct, array_like=True):
    """How far a page by time is."""

    first: bytes = b""
    """The key that the page begins with."""
    row: bytes = b""
    """The row to look at next; empty: from the beginning."""
    kept: list[Recent] = []
    """The newest so far."""
    beyond: bytes = b""
    """What has this key, or a later one, is of no use for the page; empty: nothing was left out."""


class Seen(NamedTuple):
    """What one tablet found for a page by time."""

    newest: list[Recent]
    rest: bytes
    """The row to go on with; empty when there is none."""
    looked_at: int


def _page_by_time(tablets: Tablets, wanted: Wanted, cursor: str, most: int) -> UrlPage:
    at = _time_cursor(cursor)

    def ask(stop: bytes) -> list[Seen]:
        return tablets.ask_all(newest, wanted, at, stop, most, tablets.count)

    answers = ask(b"")
    stop = min((each.rest for each in answers if each.rest), default=b"")
    if stop and tablets.count > 1:
        answers = ask(stop)  # all of them as far as the first that had enough
    looked_at = sum(each.looked_at for each in answers)
    found = sorted({*at.kept, *(line for each in answers for line in each.newest)})
    kept, beyond = _that_fit(found, at.beyond, most, _MOST_KEPT_BYTES if stop else None)
    if stop:
        further = TimeCursor(at.first, stop, kept, beyond)
        return UrlPage([], _written(pack(further)), looked_at)
    lines = {row: line for each in tablets.ask_all(lines_of, kept, wanted) for row, line in each}
    rest = _written(pack(TimeCursor(beyond))) if beyond else ""
    return UrlPage([lines[each.row] for each in kept if each.row in lines], rest, looked_at)


def newest(  # noqa: PLR0913 - what a question is told stands in it
    view: TabletView, wanted: Wanted, at: TimeCursor, stop: bytes, most: int, tablets: int
) -> Seen:
    """A question: the newest of the next rows, up to one where it must end, or with enough read."""
    reading = _Reading(view, wanted, _MOST_LOOKED_AT // tablets, _MOST_READ_BYTES // tablets)
    rest = b""

    def is_enough(row: bytes) -> bool:
        """Rather at a short row; but there may be none."""
        is_last = reading.looked_at >= 2 * _MOST_LOOKED_AT // tablets
        return reading.is_over and (len(row) <= _SHORT_BYTES or is_last)

    def found() -> Iterator[Recent]:
        nonlocal rest
        for row, url in reading.rows(at.row):
            if row >= stop if stop else is_enough(row):
                rest = row
                return
            reading.looked_at += 1
            when = (_LAST_TIME - url.fetched_ms).to_bytes(8, "big")
            key = when + stable_number(row).to_bytes(8, "big")
            is_of_page = key >= at.first and (not at.beyond or key < at.beyond)
            if is_of_page and reading.takes(row, url):
                yield Recent(key, row)

    return Seen(nsmallest(most + 1, found()), rest, reading.looked_at)


def lines_of(
    view: TabletView, lines: Sequence[Recent], wanted: Wanted
) -> list[tuple[bytes, UrlLine]]:
    """A question: those that a tablet has, as they are now."""
    reading = _Reading(view, wanted, 0, 0)
    known = [(each.row, view.frontier.url(each.row)) for each in lines]
    return [
        (row, reading.line(row, url))
        for row, url in known
        if url is not None and reading.takes(row, url)
    ]


def _that_fit(
    found: Sequence[Recent], beyond: bytes, most: int, most_bytes: int | None
) -> tuple[list[Recent], bytes]:
    """The first of them, one at least, and the key of the first that is left out."""
    kept: list[Recent] = []
    size_bytes = 0
    for each in found:
        size_bytes += len(each.key) + len(each.row)
        is_full = most_bytes is not None and size_bytes > most_bytes
        if kept and (len(kept) == most or is_full):
            return kept, each.key
        kept.append(each)
    return kept, beyond


def _time_cursor(cursor: str) -> TimeCursor:
    try:
        return unpack(TimeCursor, _place(cursor)) if cursor else TimeCursor()
    except JSON_ERRORS:
        raise UsageError(_NO_CURSOR) from None


def _passes(wanted: Wanted) -> list[tuple[bytes, str]]:
    """What is taken each time that the rows are gone through (empty: everything), and what its
    keys begin with."""
    if wanted.sort != "state":
        return [(b"", "")]
    return [(bytes([place]), part) for place, part in enumerate(_PARTS)]


def _part_of(url: UrlRow) -> str:
    return INSIDE if url.inside else str(url.state)


class _Reading:
    """The rows of one tablet that are read for a page, and how much that was."""

    def __init__(
        self, collection: TabletView, wanted: Wanted, most_rows: int, most_bytes: int
    ) -> None:
        collection.must_see_all()
        self.wanted = wanted
        self.looked_at = 0
        self._collection = collection
        self._range: KeyRange = key_range(wanted.where)
        self._most_rows = most_rows
        self._left_bytes = most_bytes
        self._states = _states(wanted.state)
        self._has_reason = _reason_taker(collection, wanted.reason)
        self._text = wanted.text.lower()

    @property
    def is_over(self) -> bool:
        """Whether enough was read, and something at least."""
        return self.looked_at >= self._most_rows or (self._left_bytes < 0 and self.looked_at > 0)

    def rows(self, first: bytes) -> Iterator[tuple[bytes, UrlRow]]:
        start, end = self._range
        for key, stored in self._collection.table.scan("page", max(start, first), end):
            self._left_bytes -= len(key) + len(stored)
            row = row_of_url_key(key)
            if row is not None:
                yield row, unpack_url(stored)

    def takes(self, row: bytes, url: UrlRow) -> bool:
        return (
            (not self._states or any(map(url.is_listed_as, self._states)))
            and self._has_reason(row, url)
            and (not self._text or _has_text(url_of(row), self._text))
        )

    def line(self, row: bytes, url: UrlRow) -> UrlLine:
        return _line(row, url, fate_of(url.reason, row, self._collection.holds))


def _in_flight(collection: Collection, wanted: Wanted) -> UrlPage:
    """They are known to the running crawl alone."""
    live = collection.status().live
    start, end = key_range(wanted.where)
    lines = [
        UrlLine(url, IN_FLIGHT, "", 0, 0, "", waiting=True)
        for url in ([] if live is None else live.asking)
        if start <= row_key(url) < end and _has_text(url, wanted.text.lower())
    ]
    return UrlPage(lines, "", len(lines))


def _has_text(url: str, text: str) -> bool:
    """As it is written, or as a person reads it."""
    return not text or text in url.lower() or text in unquote(url).lower()


def _reason_taker(collection: TabletView, reason: str) -> Callable[[bytes, UrlRow], bool]:
    if not reason:
        return lambda _row, _url: True
    category = "" if reason == _OTHER else reason
    stored = Fate.WAITING if reason == Fate.INDEXED else category
    return lambda row, url: (
        str(url.status) == reason
        or (url.category == stored and fate_of(stored, row, collection.holds) == category)
    )


def _states(name: str) -> tuple[str, ...]:
    """None for all."""
    if not name:
        return ()
    if name in _GROUPS:
        return _GROUPS[name]
    if name not in tuple(State):
        known = ", ".join((*State, *_GROUPS, IN_FLIGHT))
        raise UsageError(f"{name[:40]!r} is no state of a URL; there are: {known}")
    return (State(name),)


def _written(place: bytes) -> str:
    """As a part of an address: shorter than in hexadecimal digits by a third."""
    return urlsafe_b64encode(place).decode().rstrip("=")


def _place(cursor: str) -> bytes:
    try:
        return urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    except ValueError:
        raise UsageError(_NO_CURSOR) from None


def _line(row: bytes, url: UrlRow, reason: str) -> UrlLine:
    return UrlLine(
        url=url_of(row),
        state=str(url.state),
        reason=reason,
        depth=url.depth,
        status=url.status,
        fetched=iso(url.fetched_ms / 1000) if url.fetched_ms else "",
        waiting=url.waiting,
    )
