"""Which stored pages are asked for again? All of them in a steady crawl, some in a refresh.

A crawl of one pass gives no page a date. When a steady one begins, the pages without a date get
one; a refresh makes those due that are meant. Both go through the rows a slice at a time, in
batches that remember the place, beside the visits (background.py):

    queue  08 s                   every page without a date gets one
           08 f selection         these are due now

What a refresh chose and could not ask for, because its host is paused or must be left alone, waits
no more when the refresh is over: no other crawl would take it, and the next refresh chooses anew.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from math import exp, expm1
from typing import Protocol

from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.outcome.missing import MissingSettings, ask_again_at
from shoal.frontier.outcome.queue_order import URGENT
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.schedule.sites import Sites
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.provenance import Provenance
from shoal.frontier.state.rows import (
    NO_SITEMAP,
    REVISIT,
    SCHEDULE_MARK,
    UNWANTED,
    UrlRow,
    after_mark,
    level_start,
    read_entry,
    row_of_url_key,
    unpack_url,
)
from shoal.frontier.state.settings import Seams
from shoal.frontier.state.urls import UrlState
from shoal.model.cell import NUL, to_ms
from shoal.model.change_history import ChangeHistory
from shoal.model.link import Link, Rel
from shoal.model.outcome import Outcome, State
from shoal.model.record import Struct, pack, unpack
from shoal.model.urls.rowkey import is_inside, site_of_key
from shoal.model.visit import SOURCES, VisitKind
from shoal.ports import Batch

_ROWS_AT_ONCE = 200
_ALL = SCHEDULE_MARK + b"s"
_SOME = SCHEDULE_MARK + b"f"
_STORED = (State.FETCHED, State.UNCHANGED)
_TO_TRY = {
    State.GONE: Outcome.MISSING,
    State.REDIRECT: Outcome.REDIRECT,
    State.FAILED: Outcome.TIMEOUT,
}
"""What was not found when it was last asked for, and what its next visit waits for."""
_REMOVED = f"{UNWANTED}: it was removed (shoal feed add URL takes it back)"


class Selection(Struct, array_like=True):
    """Which pages a refresh is of."""

    start: bytes = b"\x01"
    end: bytes = b"\xff"
    seen_before_ms: int = 0
    """Only those that were last visited before; 0: all."""
    changed_first: bool = False
    """Those first that have probably changed."""


class Schedules:
    def __init__(
        self, state: FrontierState, discovery: Discovery, seams: Seams, missing: MissingSettings
    ) -> None:
        self._state = state
        self._discovery = discovery
        self._refresher = seams.refresher
        self._source_schedule = seams.source_schedule
        self._missing = missing
        self.pending = next(self._marks(), None) is not None
        """Whether rows are still to be gone through."""

    def date_all(self, batch: Batch, now: float) -> None:
        """A steady crawl begins: pages without a date get one, by and by."""
        del now
        batch.put("queue", _ALL, b"")
        self.pending = True

    def select(self, selection: Selection, batch: Batch, now: float) -> None:
        """A refresh begins."""
        del now
        batch.put("queue", _SOME + pack(selection), b"")
        self.pending = True

    def want_feed(self, link: Link, wanted: bool, batch: Batch, now: float) -> None:
        """Poll a feed from now on, or no more."""
        self._state.sites.admit_private(site_of_key(link.row))
        if wanted:
            self._discovery.offer(batch, [link], Provenance(1), now)
        row = self._state.urls.row_of(link.row)
        state = self._state.urls.state_of(row)
        if state is None:
            return
        url = state.url
        if url.kind is not VisitKind.FEED:
            self._make_source(batch, url, VisitKind.FEED)
        if wanted and url.source is not link.source:  # what it had named before was judged
            url.source, url.etag, url.last_modified = link.source, "", ""
        if row in self._state.in_flight:  # its commit looks whether it is wanted
            self._state.urls.write(batch, state, now)
            return
        self._discovery.dequeue(batch, state)
        if not wanted:
            is_new = url.state is State.QUEUED
            url.state, url.reason = (
                (State.EXCLUDED, _REMOVED) if is_new else (url.state, url.reason)
            )
            self._state.urls.write(batch, state, now)
            return
        if url.state is State.EXCLUDED:
            url.state, url.reason = State.QUEUED, ""
        is_revisit = url.state is not State.QUEUED and self._state.allowance.mode is Mode.STEADY
        self._discovery.enqueue(
            batch, state, to_ms(now) if is_revisit else 0, now, revisit=is_revisit
        )

    def want_sitemaps(self, links: Iterable[Link], batch: Batch, now: float) -> None:
        """What a person calls a sitemap and was known as a page is read again, as a sitemap. A feed
        stays one: what it names is taken already."""
        for link in links:
            if not link.rel & Rel.SITEMAP:
                continue
            row = self._state.urls.row_of(link.row)
            state = self._state.urls.state_of(row)
            if state is None:
                continue
            is_missed = state.url.category == NO_SITEMAP
            if state.url.kind is VisitKind.PAGE or is_missed:
                self._make_source(batch, state.url, VisitKind.SITEMAP)
                state.url.source = link.source if is_missed else state.url.source
                self._state.urls.write(batch, state, now)
                self._discovery.hasten(batch, row, URGENT, now)

    def _make_source(self, batch: Batch, url: UrlRow, kind: VisitKind) -> None:
        """It was read as a page: a 304 would hide what it names."""
        url.kind, url.etag, url.last_modified = kind, "", ""
        if url.history is not None and self._refresher is not None:
            self._refresher.forget(batch, url.history)
        url.history = None

    def go_on(self, batch: Batch, now: float) -> None:
        mark = next(self._marks(), None)
        if mark is None:
            self.pending = False
            return
        key, place = mark
        if key == _ALL:
            states, place = self._some_rows(b"\x01", b"\xff", place)
            for state in states:
                self._date(batch, state, now)
        else:
            chosen = unpack(Selection, key[len(_SOME) :])
            states, place = self._some_rows(chosen.start, chosen.end, place)
            for state in states:
                self._make_due(batch, state, chosen, now)
        if place:
            batch.put("queue", key, place)
        else:
            batch.delete("queue", key)

    def _date(self, batch: Batch, state: UrlState, now: float) -> None:
        url = state.url
        if url.waiting or self._refresher is None or self._is_inside(batch, state, now):
            return
        if url.kind in SOURCES:
            if url.category == NO_SITEMAP or url.kind is VisitKind.REQUISITE:
                return
            if self._source_schedule is None or self._source_schedule.is_wanted(state.row):
                self._discovery.enqueue(batch, state, to_ms(now), now, revisit=True)
        elif url.state in _STORED and url.fetched_ms:
            history = url.history = url.history or ChangeHistory(seen_ms=url.fetched_ms)
            due = self._refresher.plan(batch, state.row, history, now)
            if due is not None and url.hinted_ms > history.seen_ms:
                due = now  # its sitemap said so, while no steady crawl was there
            if due is not None:
                self._discovery.enqueue(batch, state, to_ms(due), now, revisit=True)
        elif url.state in _TO_TRY and not (url.lost and url.state is State.GONE):
            due = ask_again_at(url, _TO_TRY[url.state], now, self._missing)
            if due is not None:
                self._discovery.enqueue(batch, state, to_ms(due), now, revisit=True)

    def _make_due(self, batch: Batch, state: UrlState, chosen: Selection, now: float) -> None:
        url = state.url
        if url.kind is not VisitKind.PAGE or not url.fetched_ms or url.lost:
            return
        if self._is_inside(batch, state, now):
            return  # it comes with the file that holds it
        if url.waiting and url.level < REVISIT:
            return  # a wish: it is next anyway
        if url.state is not State.QUEUED and url.state not in (*_STORED, *_TO_TRY):
            return
        seen_ms = seen(url)
        if chosen.seen_before_ms and seen_ms >= chosen.seen_before_ms:
            return
        self._discovery.dequeue(batch, state)
        place = _still_same(url, now) if chosen.changed_first else 0.0
        url.tries = 0
        due_ms = self._state.allowance.chosen_ms(place)
        self._discovery.enqueue(batch, state, due_ms, now, revisit=True)

    def leave(self, site: bytes, batch: Batch, now: float) -> int:
        """Some pages of a site that are chosen wait no more; returns how many there were."""
        start = level_start(site, REVISIT + 1)
        end = start + self._state.allowance.chosen_ms(1.0).to_bytes(8, "big") + b"\xff"
        keys = list(islice(self._state.table.scan("queue", start, end), _ROWS_AT_ONCE))
        for key, _ in keys:
            batch.delete("queue", key)
            state = self._state.urls.state_of(read_entry(site, key).row)
            if state is None:
                continue
            self._discovery.dequeue(batch, state)
            state.url.tries = 0
            if state.url.state is State.QUEUED:  # a person wished for it: the next crawl takes it
                self._discovery.enqueue(batch, state, 0, now)
            else:
                self._state.urls.write(batch, state, now)
        return len(keys)

    def _is_inside(self, batch: Batch, state: UrlState, now: float) -> bool:
        """What an older release wrote learns that it is, and is counted so from now on."""
        inside = is_inside(state.row)
        if inside and not state.url.inside:
            state.url.inside = True
            self._state.urls.write(batch, state, now)
        return inside

    def _some_rows(self, start: bytes, end: bytes, place: bytes) -> tuple[list[UrlState], bytes]:
        """The next few URLs of a range that are not in flight, and the place behind them; an empty
        place: there are no more."""
        state = self._state
        rows = list(islice(state.table.scan("page", place or start, end), _ROWS_AT_ONCE))
        found = []
        for key, stored in rows:
            row = row_of_url_key(key)
            if row is not None and row not in state.in_flight:
                url = unpack_url(stored)
                found.append(UrlState(row, url, url.counted_as))
        return found, rows[-1][0] + NUL if len(rows) == _ROWS_AT_ONCE else b""

    def _marks(self) -> Iterator[tuple[bytes, bytes]]:
        return self._state.table.scan("queue", SCHEDULE_MARK, after_mark(SCHEDULE_MARK))


class Refreshed(Protocol):
    """A frontier whose refresh is over."""

    @property
    def sites(self) -> Sites: ...
    @property
    def schedules(self) -> Schedules: ...
    def change(self, work: Callable[[Batch, float], None]) -> None: ...


def leave_chosen(frontier: Refreshed) -> int:
    """What was chosen and not asked for waits no more; a slice in a batch."""
    counts: list[int] = []

    def leave(site: bytes, batch: Batch, now: float) -> None:
        counts.append(frontier.schedules.leave(site, batch, now))

    for site in [site for site in frontier.sites.known() if frontier.sites.row(site).waiting]:
        frontier.change(partial(leave, site))
        while counts[-1] == _ROWS_AT_ONCE:
            frontier.change(partial(leave, site))
    return sum(counts)


def seen(url: UrlRow) -> int:
    """When a page was last known to be what is stored, in milliseconds."""
    return max(url.fetched_ms, 0 if url.history is None else url.history.seen_ms)


def _still_same(url: UrlRow, now: float) -> float:
    """How likely a page is still what is stored: of one without an estimate, by its age alone."""
    quiet_seconds = max(0.0, now - seen(url) / 1000)
    if url.history is None or not url.history.log_rate_sd:
        return 0.5 + 0.5 * -expm1(-1 / (1 + quiet_seconds / 86_400)) / 2
    return exp(-min(700.0, exp(url.history.log_rate) * quiet_seconds))
