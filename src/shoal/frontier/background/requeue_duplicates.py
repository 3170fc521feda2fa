"""What if a duplicate is none after all? URLs that were refused as duplicates are queued again, and
pages change their place among duplicates.

A lesson (duplicates/learn/lessons.py) refuses URLs; when it is revoked, all that it refused at a
site are wanted again. There may be many: the site is marked in the visit's batch (`queue 04 site`),
and its rows are gone through in slices, the mark keeping the place, so that a kill costs nothing.
"""

from collections.abc import Iterator, Sequence

from shoal.frontier.background.bulk_updates import some_rows
from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.rows import AS_DUPLICATE, REOPEN_MARK, after_mark
from shoal.frontier.state.urls import UrlState
from shoal.model.document import Reassigned
from shoal.model.outcome import State
from shoal.model.verdict import Verdict
from shoal.ports import Batch


class DuplicateRequeuer:
    def __init__(self, state: FrontierState, discovery: Discovery) -> None:
        self._state = state
        self._discovery = discovery
        self.pending = next(self._marks(), None) is not None
        """Whether a site's rows are still to be gone through."""

    def take(self, batch: Batch, verdict: Verdict, now: float) -> None:
        """What a visit says of other pages."""
        self.reassign(batch, verdict.reassigned, now)
        for row in verdict.reopened:
            state = self._state.urls.state_of(row)
            if state is not None:
                self._reopen(batch, state, now)

        for site in verdict.revoked:
            batch.put("queue", REOPEN_MARK + site, b"")
            self.pending = True

    def reassign(self, batch: Batch, reassigned: Sequence[Reassigned], now: float) -> None:
        """The counts follow when another stands for a group."""
        for each in reassigned:
            state = self._state.urls.state_of(each.row)
            if state is not None and state.url.state is State.FETCHED:
                state.url.reason = each.fate
                self._state.urls.write(batch, state, now)

    def go_on(self, batch: Batch, now: float) -> None:
        """Go through some more rows of a site that is marked."""
        found = next(self._marks(), None)
        if found is None:
            self.pending = False
            return
        key, place = found
        site = key[len(REOPEN_MARK) :]
        states, place = some_rows(self._state, site, place)
        for state in states:
            self._reopen(batch, state, now)
        if place:
            batch.put("queue", key, place)
        else:
            batch.delete("queue", key)

    def _reopen(self, batch: Batch, state: UrlState, now: float) -> None:
        if state.url.state is State.EXCLUDED and state.url.category in AS_DUPLICATE:
            state.url.state, state.url.reason, state.url.tries = State.QUEUED, "", 0
            self._discovery.enqueue(batch, state, 0, now)

    def _marks(self) -> Iterator[tuple[bytes, bytes]]:
        return self._state.table.scan("queue", REOPEN_MARK, after_mark(REOPEN_MARK))
