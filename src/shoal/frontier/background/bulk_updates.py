"""How are many rows changed by one wish? A slice at a time, so that the crawl goes on meanwhile.

A wish that concerns many URLs leaves a mark, and every slice of rows is written in one batch with
the place where the next begins: a kill costs nothing, and a wish that is said twice begins again
and finds little left to do. Two kinds of marks:

    queue  05 h site              its URLs are to agree with whether its host is excluded by hand
           05 r site NUL reason   what failed there for this reason is queued again; any site, any
                                  reason where they are empty

What is in flight is passed over: when it comes back, `Discovery.enqueue` and `give_back` look.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.state.frontier_state import Books
from shoal.frontier.state.rows import (
    BY_HAND,
    SWEEP_MARK,
    UrlRow,
    after_mark,
    row_of_url_key,
    unpack_url,
)
from shoal.frontier.state.urls import Card
from shoal.model.cell import NUL
from shoal.model.outcome import State
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Batch

_ROWS_AT_ONCE = 200
_HOST = SWEEP_MARK + b"h"
_RETRY = SWEEP_MARK + b"r"


def some_rows(books: Books, site: bytes, place: bytes) -> tuple[list[Card], bytes]:
    """The next few URLs of a site (of all, where it is empty) that are not in flight, and the place
    behind them; an empty place: there are no more."""
    rows = list(islice(books.table.scan("page", place or site, site + b"\xff"), _ROWS_AT_ONCE))
    found = []
    for key, stored in rows:
        row = row_of_url_key(key)
        if row is None or row in books.in_flight or (site and site_of_key(row) != site):
            continue
        url = unpack_url(stored)
        found.append(Card(row, url, url.counted_as))
    return found, rows[-1][0] + NUL if len(rows) == _ROWS_AT_ONCE else b""


class Sweeps:
    def __init__(self, books: Books, discovery: Discovery) -> None:
        self._books = books
        self._discovery = discovery
        self._mark_what_was_in_flight()
        self.pending = next(self._marks(), None) is not None
        """Whether rows are still to be gone through."""

    def settle(self, batch: Batch, sites: Iterable[bytes]) -> None:
        """Their host was excluded, or is so no more."""
        self._mark(batch, [_HOST + site for site in sites])

    def retry(self, batch: Batch, sites: Iterable[bytes], reason: str) -> None:
        self._mark(batch, [_RETRY + site + NUL + reason.encode() for site in sites])

    def _mark(self, batch: Batch, keys: list[bytes]) -> None:
        for key in keys:
            batch.put("queue", key, b"")
        self.pending = self.pending or bool(keys)

    def go_on(self, batch: Batch, now: float) -> None:
        """Go through some more rows, as the first mark says."""
        mark = next(self._marks(), None)
        if mark is None:
            self.pending = False
            return
        key, place = mark
        if key.startswith(_HOST):
            site = key[len(_HOST) :]
            cards, place = some_rows(self._books, site, place)
            self._settle(batch, site, cards, now)
        else:
            site, _, reason = key[len(_RETRY) :].partition(NUL)
            cards, place = some_rows(self._books, site, place)
            self._retry(batch, reason.decode(), cards, now)
        if place:
            batch.put("queue", key, place)
        else:
            batch.delete("queue", key)

    def _settle(self, batch: Batch, site: bytes, cards: list[Card], now: float) -> None:
        excluded = self._books.sites.is_excluded(site)
        for card in cards:
            url = card.url
            if excluded and url.state is State.QUEUED:
                self._discovery.turn_away(batch, card, now)
            elif not excluded and url.state is State.EXCLUDED and url.category == BY_HAND:
                url.state, url.reason = State.QUEUED, ""
                self._discovery.enqueue(batch, card, 0, now)

    def _retry(self, batch: Batch, reason: str, cards: list[Card], now: float) -> None:
        sites = self._books.sites
        for card in cards:
            url, site = card.url, site_of_key(card.row)
            if not _failed_so(url, reason) or sites.is_excluded(site):
                continue
            if url.state is State.FAILED:
                sites.row(site).failed -= 1  # it counts again if it fails again
            self._discovery.dequeue(batch, card)
            url.state, url.reason, url.tries = State.QUEUED, "", 0
            self._discovery.enqueue(batch, card, 0, now)

    def _mark_what_was_in_flight(self) -> None:
        """What was being asked of an excluded host when the last process ended still waits."""
        sites = self._books.sites
        marked = [site for site in sites.marked() if sites.is_excluded(site)]
        if marked:
            batch = self._books.table.batch()
            for site in marked:
                batch.put("queue", _HOST + site, b"")
            self._books.table.write(batch)

    def _marks(self) -> Iterator[tuple[bytes, bytes]]:
        return self._books.table.scan("queue", SWEEP_MARK, after_mark(SWEEP_MARK))


def _failed_so(url: UrlRow, reason: str) -> bool:
    """`timeout` is a cause, `404` a status; without either, whatever failed (a page that is gone
    has not)."""
    if url.state is State.FAILED:
        return reason in ("", url.category, str(url.status))
    return url.state is State.GONE and reason == url.category
