"""Which URLs are behind a number? A page of the list of known URLs, from a cursor on.

Rows are read in their order until a page is full or enough were looked at: then the page ends with
a cursor to go on from. So a list of one in a million costs many short reads, and never a long one.
Each tablet of a cluster is asked for the same page; the list is whole up to where the first of them
stopped.
"""

import time
from collections.abc import Callable
from heapq import merge
from operator import itemgetter
from typing import NamedTuple

from shoal.clock import iso
from shoal.collection.collection import Collection
from shoal.collection.view import TabletView
from shoal.errors import UsageError
from shoal.frontier.state.rows import UrlRow
from shoal.layout.index_state import fate_of
from shoal.layout.ranges import key_range
from shoal.model import outcome
from shoal.model.document import Fate
from shoal.model.outcome import State
from shoal.model.record import Struct
from shoal.model.urls.rowkey import url_of

MOST_ON_A_PAGE = 100
_MOST_LOOKED_AT = 50_000
_MOST_SECONDS = 0.7
_OTHER = "other"
ANSWERED = "answered"
IN_FLIGHT = "in flight"
_GROUPS = {ANSWERED: outcome.ANSWERED}


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
    """One of the states, `answered`, `in flight`, or empty for all."""
    reason: str = ""
    """As it is counted: what precedes the colon; `other`: none was given."""
    where: str = ""
    """A host, a domain or a URL prefix."""


class Listed(NamedTuple):
    """What one tablet has of a page of the list."""

    lines: list[tuple[bytes, UrlLine]]
    rest: bytes
    """The row to go on with; empty when there is none."""
    looked_at: int


def url_page(held: Collection, wanted: Wanted, cursor: str = "", most: int = 50) -> UrlPage:
    if wanted.state == IN_FLIGHT:
        return _in_flight(held)
    tablets = held.tablets
    _states(wanted.state)  # a wrong one is told before anybody is asked
    place = _place(cursor) if cursor else b""
    answers = tablets.ask_all(listed, wanted, place, most, tablets.count)
    end = min((each.rest for each in answers if each.rest), default=b"")
    lines = merge(*(each.lines for each in answers), key=itemgetter(0))
    known = [(row, line) for row, line in lines if not end or row < end]
    rest = known[most][0] if len(known) > most else end
    looked_at = sum(each.looked_at for each in answers)
    return UrlPage([line for _, line in known[:most]], rest.hex(), looked_at)


def listed(collection: TabletView, wanted: Wanted, place: bytes, most: int, tablets: int) -> Listed:
    """From a row on; a question, with one of so many tablets' share of the rows to look at."""
    collection.must_see_all()
    takes = _taker(collection, wanted)
    start, end = key_range(wanted.where)
    found: list[tuple[bytes, UrlLine]] = []
    looked_at, deadline_s = 0, time.monotonic() + _MOST_SECONDS
    most_looked_at = max(most, _MOST_LOOKED_AT // tablets) if tablets > 1 else _MOST_LOOKED_AT
    for row, url in collection.frontier.urls(max(start, place), end):
        if looked_at >= most_looked_at or len(found) >= most or time.monotonic() > deadline_s:
            return Listed(found, row, looked_at)
        looked_at += 1
        if takes(row, url):
            found.append((row, _line(row, url, fate_of(url.reason, row, collection.holds))))
    return Listed(found, b"", looked_at)


def _in_flight(collection: Collection) -> UrlPage:
    """They are known to the running crawl alone."""
    live = collection.status().live
    asking = [] if live is None else live.asking
    lines = [UrlLine(url, IN_FLIGHT, "", 0, 0, "", waiting=True) for url in asking]
    return UrlPage(lines, "", len(lines))


def _taker(collection: TabletView, wanted: Wanted) -> Callable[[bytes, UrlRow], bool]:
    states, reason = _states(wanted.state), wanted.reason
    if not reason:
        return lambda _row, url: url.state in states
    category = "" if reason == _OTHER else reason
    stored = Fate.WAITING if reason == Fate.INDEXED else category
    return lambda row, url: (
        url.state in states
        and (
            str(url.status) == reason
            or (url.category == stored and fate_of(stored, row, collection.holds) == category)
        )
    )


def _states(name: str) -> tuple[State, ...]:
    if not name:
        return tuple(State)
    if name in _GROUPS:
        return _GROUPS[name]
    if name not in tuple(State):
        known = ", ".join((*State, ANSWERED, IN_FLIGHT))
        raise UsageError(f"{name[:40]!r} is no state of a URL; there are: {known}")
    return (State(name),)


def _place(cursor: str) -> bytes:
    try:
        return bytes.fromhex(cursor)
    except ValueError:
        raise UsageError("the cursor is not one that a list gave") from None


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
