"""What if a duplicate is none after all? URLs that were refused as duplicates are queued again, and
pages change their place among duplicates.

A lesson (duplicates/learn/lessons.py) refuses URLs; when it is unlearned, all that it refused at a
site are wanted again. There may be many: the site is marked in the visit's batch (`queue 04 site`),
and its rows are gone through in slices, the mark keeping the place, so that a kill costs nothing.
"""

from collections.abc import Iterator, Sequence

from shoal.frontier.background.bulk_updates import some_rows
from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.state.frontier_state import Books
from shoal.frontier.state.rows import AS_DUPLICATE, REOPEN_MARK, after_mark
from shoal.frontier.state.urls import Card
from shoal.model.document import Regraded
from shoal.model.outcome import State
from shoal.model.verdict import Verdict
from shoal.ports import Batch


class SecondThoughts:
    def __init__(self, books: Books, discovery: Discovery) -> None:
        self._books = books
        self._discovery = discovery
        self.pending = next(self._marks(), None) is not None
        """Whether a site's rows are still to be gone through."""

    def take(self, batch: Batch, verdict: Verdict, now: float) -> None:
        """What a visit says of other pages."""
        self.regrade(batch, verdict.regraded, now)
        for row in verdict.reopened:
            card = self._books.urls.card(row)
            if card is not None:
                self._reopen(batch, card, now)

        for site in verdict.unlearned:
            batch.put("queue", REOPEN_MARK + site, b"")
            self.pending = True

    def regrade(self, batch: Batch, regraded: Sequence[Regraded], now: float) -> None:
        """The counts follow when another stands for a group."""
        for each in regraded:
            card = self._books.urls.card(each.row)
            if card is not None and card.url.state is State.FETCHED:
                card.url.reason = each.fate
                self._books.urls.write(batch, card, now)

    def go_on(self, batch: Batch, now: float) -> None:
        """Go through some more rows of a site that is marked."""
        found = next(self._marks(), None)
        if found is None:
            self.pending = False
            return
        key, place = found
        site = key[len(REOPEN_MARK) :]
        cards, place = some_rows(self._books, site, place)
        for card in cards:
            self._reopen(batch, card, now)
        if place:
            batch.put("queue", key, place)
        else:
            batch.delete("queue", key)

    def _reopen(self, batch: Batch, card: Card, now: float) -> None:
        if card.url.state is State.EXCLUDED and card.url.category in AS_DUPLICATE:
            card.url.state, card.url.reason, card.url.tries = State.QUEUED, "", 0
            self._discovery.enqueue(batch, card, 0, now)

    def _marks(self) -> Iterator[tuple[bytes, bytes]]:
        return self._books.table.scan("queue", REOPEN_MARK, after_mark(REOPEN_MARK))
