"""What do pages add that they need to look as they did? Pictures, styles, scripts: so many a page.

What a style sheet names is held against the page that needed the style sheet first: so a page has
no more in all than the settings say, however its styles are nested. Where that page's row is
another tablet's, a style sheet has as many as a page.
"""

from collections.abc import Sequence

from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.provenance import Provenance
from shoal.frontier.state.urls import UrlState
from shoal.model.link import Link
from shoal.model.visit import Visit, VisitKind
from shoal.ports import Batch

_MOST_LEVELS = 3


class Requisites:
    def __init__(self, state: FrontierState, discovery: Discovery, most: int) -> None:
        self._urls = state.urls
        self._discovery = discovery
        self._most = most

    def take(self, batch: Batch, visit: Visit, needed: Sequence[Link], now: float) -> None:
        """A page or a style sheet was read, and needs these."""
        is_page = visit.kind is VisitKind.PAGE
        page = self._page_of(visit.row)
        if page is not None:
            before = 0 if is_page else page.url.requisites
            needed = needed[: max(0, self._most - before)]
            page.url.requisites = before + len(needed)
            self._urls.write(batch, page, now)
        level = 1 if is_page else visit.depth + 1
        self._discovery.offer(batch, needed, Provenance(level, 0, visit.row), now)

    def _page_of(self, row: bytes) -> UrlState | None:
        """The page that needs it, as far as its row is here."""
        for _ in range(_MOST_LEVELS):
            state = self._urls.state_of(row)
            if state is None or state.url.kind is not VisitKind.REQUISITE:
                return state
            row = state.url.found_from
        return None
