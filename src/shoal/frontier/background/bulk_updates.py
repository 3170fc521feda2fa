"""How are many rows changed by one command? A slice at a time, so that the crawl goes on meanwhile.

A command that concerns many URLs leaves a mark, and every slice of rows is written in one batch
with the place where the next begins: a kill costs nothing, and a command that is given twice begins
again and finds little left to do. Two kinds of marks:

    queue  05 h site              its URLs are to agree with whether its host is excluded by hand
           05 r site NUL reason   what failed there for this reason is queued again; any site, any
                                  reason where they are empty

What is in flight is passed over: when it comes back, `Discovery.enqueue` and `give_back` look.
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.rows import (
    BULK_UPDATE_MARK,
    BY_HAND,
    UrlRow,
    after_mark,
    row_of_url_key,
    unpack_url,
)
from shoal.frontier.state.urls import UrlState
from shoal.model.cell import NUL
from shoal.model.outcome import State
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Batch

_ROWS_AT_ONCE = 200
_HOST = BULK_UPDATE_MARK + b"h"
_RETRY = BULK_UPDATE_MARK + b"r"


def some_rows(state: FrontierState, site: bytes, place: bytes) -> tuple[list[UrlState], bytes]:
    """The next few URLs of a site (of all, where it is empty) that are not in flight, and the place
    behind them; an empty place: there are no more."""
    rows = list(islice(state.table.scan("page", place or site, site + b"\xff"), _ROWS_AT_ONCE))
    found = []
    for key, stored in rows:
        row = row_of_url_key(key)
        if row is None or row in state.in_flight or (site and site_of_key(row) != site):
            continue
        url = unpack_url(stored)
        found.append(UrlState(row, url, url.counted_as))
    return found, rows[-1][0] + NUL if len(rows) == _ROWS_AT_ONCE else b""


class BulkUpdates:
    def __init__(self, state: FrontierState, discovery: Discovery) -> None:
        self._state = state
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
            states, place = some_rows(self._state, site, place)
            self._settle(batch, site, states, now)
        else:
            site, _, reason = key[len(_RETRY) :].partition(NUL)
            states, place = some_rows(self._state, site, place)
            self._retry(batch, reason.decode(), states, now)
        if place:
            batch.put("queue", key, place)
        else:
            batch.delete("queue", key)

    def _settle(self, batch: Batch, site: bytes, states: list[UrlState], now: float) -> None:
        excluded = self._state.sites.is_excluded(site)
        for state in states:
            url = state.url
            if excluded and url.state is State.QUEUED:
                self._discovery.turn_away(batch, state, now)
            elif not excluded and url.state is State.EXCLUDED and url.category == BY_HAND:
                url.state, url.reason = State.QUEUED, ""
                self._discovery.enqueue(batch, state, 0, now)

    def _retry(self, batch: Batch, reason: str, states: list[UrlState], now: float) -> None:
        sites = self._state.sites
        for state in states:
            url, site = state.url, site_of_key(state.row)
            if not _failed_so(url, reason) or sites.is_excluded(site):
                continue
            if url.state is State.FAILED:
                sites.row(site).failed -= 1  # it counts again if it fails again
            self._discovery.dequeue(batch, state)
            url.state, url.reason, url.tries = State.QUEUED, "", 0
            self._discovery.enqueue(batch, state, 0, now)

    def _mark_what_was_in_flight(self) -> None:
        """What was being asked of an excluded host when the last process ended still waits."""
        sites = self._state.sites
        marked = [site for site in sites.marked() if sites.is_excluded(site)]
        if marked:
            batch = self._state.table.batch()
            for site in marked:
                batch.put("queue", _HOST + site, b"")
            self._state.table.write(batch)

    def _marks(self) -> Iterator[tuple[bytes, bytes]]:
        return self._state.table.scan("queue", BULK_UPDATE_MARK, after_mark(BULK_UPDATE_MARK))


def _failed_so(url: UrlRow, reason: str) -> bool:
    """`timeout` is a cause, `404` a status; without either, whatever failed (a page that is gone
    has not)."""
    if url.state is State.FAILED:
        return reason in ("", url.category, str(url.status))
    return url.state is State.GONE and reason == url.category
