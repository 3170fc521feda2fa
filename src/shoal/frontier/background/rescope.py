"""What if the scope or the order changed? What was refused or still waits is judged again.

Run once at a start whose rules differ from the last one's: what is now wanted is queued, what waits
and is no longer wanted is excluded. Pages that were answered stay as they are.
"""

from collections.abc import Callable

from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.outcome.queue_order import DEFAULT_PRIORITY
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.rows import BY_ANSWER, REVISIT, row_of_url_key, unpack_url
from shoal.frontier.state.urls import UrlState
from shoal.model.link import LinkSource
from shoal.model.outcome import State
from shoal.model.urls.rowkey import url_of
from shoal.model.visit import SOURCES
from shoal.ports import Batch

_NOT_BY_SCOPE = (*BY_ANSWER, "nofollow", "redirects")
"""Refusals that do not come from the scope and are not judged again here."""
_BATCH = 1000


class Rescope:
    def __init__(
        self,
        state: FrontierState,
        discovery: Discovery,
        max_depth: int | None,
        refuses: Callable[[str], str],
        refuses_item: Callable[[str], str] | None = None,
    ) -> None:
        """`refuses_item`: of what a feed brings that a person named."""
        self._state = state
        self._discovery = discovery
        self._refuses = refuses
        self._refuses_item = refuses_item or refuses
        self._max_depth = max_depth

    def run(self, write: Callable[[Batch], None], now: float) -> int:
        """Returns how many URLs changed their state."""
        table, urls = self._state.table, self._state.urls
        changed, pending = 0, 0
        urls.begin()
        batch = table.batch()
        for key, stored in table.scan("page", b""):
            row = row_of_url_key(key)
            if row is None or row in self._state.in_flight:
                continue
            url = unpack_url(stored)
            changed += self._judge(batch, UrlState(row, url, url.counted_as), now)
            pending += 1
            if pending >= _BATCH:
                write(batch)
                urls.begin()
                batch, pending = table.batch(), 0
        write(batch)
        return changed

    def _judge(self, batch: Batch, state: UrlState, now: float) -> bool:
        url = state.url
        if url.state is State.EXCLUDED and url.category not in _NOT_BY_SCOPE:
            if self._refusal(state):
                return False
            url.state, url.reason = State.QUEUED, ""
            self._discovery.enqueue(batch, state, 0, now)
            return True
        wished = url.source in (LinkSource.SEED, LinkSource.SUBMIT) or url.kind in SOURCES
        if url.state is State.QUEUED and not wished and (refusal := self._refusal(state)):
            self._discovery.dequeue(batch, state)
            url.state, url.reason = State.EXCLUDED, refusal
            self._state.urls.write(batch, state, now)
            return True
        self._place_anew(batch, state, now)
        return False

    def _place_anew(self, batch: Batch, state: UrlState, now: float) -> None:
        """The order may be another now."""
        row, url, _ = state
        if not url.waiting or url.state is not State.QUEUED or not 0 < url.level < REVISIT:
            return
        if (values := self._discovery.valuing) is not None:
            values.value_anew(row, url)
        elif url.worth is not None:
            url.worth, url.priority = None, DEFAULT_PRIORITY
        else:
            return
        self._discovery.enqueue(batch, state, url.due_ms, now)

    def _refusal(self, state: UrlState) -> str:
        if self._max_depth is not None and state.url.depth > self._max_depth:
            return f"depth: {state.url.depth} is beyond the limit of {self._max_depth}"
        is_item = state.url.source is LinkSource.NAMED_FEED
        return (self._refuses_item if is_item else self._refuses)(url_of(state.row))
