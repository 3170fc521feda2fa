"""Which URLs are behind a number? A page of the list of known URLs, from a cursor on.

Rows are read in their order until a page is full or enough were looked at: then the page ends with
a cursor to go on from. So a list of one in a million costs many short reads, and never a long one.
Each tablet of a cluster is asked for the same page; the list is whole up to where the first of them
stopped.

Every line has a key, and a list is in the order of its keys: the row alone by address; behind the
place of its state, for which the rows are gone through once for each; behind its time, newest
first. No rows are stored by time: all of a range are looked at for each page, and a range that has
too many for that is refused.
"""

import time
from collections.abc import Callable, Iterator
from heapq import merge, nsmallest
from itertools import islice
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import unquote

from shoal.clock import iso
from shoal.collection.collection import Collection
from shoal.collection.view import TabletView
from shoal.errors import UsageError
from shoal.frontier.state.rows import LISTED_INSIDE, UrlRow, row_of_url_key, unpack_url
from shoal.layout.index_state import fate_of
from shoal.layout.ranges import key_range
from shoal.model import outcome
from shoal.model.document import Fate
from shoal.model.outcome import State
from shoal.model.record import Struct
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
_TIME_BYTES = 8


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
    place = _place(cursor, wanted.sort) if cursor else b""
    answers = tablets.ask_all(listed, wanted, place, most, tablets.count)
    end = min((each.rest for each in answers if each.rest), default=b"")
    lines = merge(*(each.lines for each in answers), key=itemgetter(0))
    known = [(key, line) for key, line in lines if not end or key < end]
    rest = known[most][0] if len(known) > most else end
    looked_at = sum(each.looked_at for each in answers)
    return UrlPage([line for _, line in known[:most]], rest.hex(), looked_at)


def listed(collection: TabletView, wanted: Wanted, place: bytes, most: int, tablets: int) -> Listed:
    """From a key on; a question, with one of so many tablets' share of the rows to look at."""
    most_rows = max(most, _MOST_LOOKED_AT // tablets) if tablets > 1 else _MOST_LOOKED_AT
    reading = _Reading(collection, wanted, most_rows, _MOST_READ_BYTES // tablets)
    if wanted.sort == "time":
        return _by_time(reading, place, most)
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


def _by_time(reading: "_Reading", place: bytes, most: int) -> Listed:
    """The newest first; what was never fetched comes last."""

    def found() -> Iterator[tuple[bytes, UrlRow]]:
        for row, url in reading.rows(b""):
            if reading.is_over:
                raise UsageError(
                    f"the list is too long to be sorted by time, after {reading.looked_at:,} URLs; "
                    "name a host, or sort it by address or state"
                )
            reading.looked_at += 1
            key = (_LAST_TIME - url.fetched_ms).to_bytes(_TIME_BYTES, "big") + row
            if key >= place and reading.takes(row, url):
                yield key, url

    newest = nsmallest(most + 1, found(), key=itemgetter(0))
    lines = [(key, reading.line(key[_TIME_BYTES:], url)) for key, url in islice(newest, most)]
    return Listed(lines, newest[most][0] if len(newest) > most else b"", reading.looked_at)


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
        collection = self._collection
        return (
            (not self._states or any(map(url.is_listed_as, self._states)))
            and self._has_reason(row, url)
            and (not self._text or _has_text(url_of(row), self._text))
            and (
                collection.principal.everything
                or collection.store.page(row, collection.principal) is not None
            )
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


def _place(cursor: str, sort: str) -> bytes:
    try:
        place = bytes.fromhex(cursor)
    except ValueError:
        place = b""
    if not place or (sort == "time" and len(place) < _TIME_BYTES):
        raise UsageError("the cursor is not one that a list gave")
    return place


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
