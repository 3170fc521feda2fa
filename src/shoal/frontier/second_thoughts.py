"""What if a duplicate is none after all? URLs that were refused as duplicates are queued again, and
pages change their place among duplicates (U4).

A lesson (dedupe/lessons.py) refuses URLs; when it is unlearned, all that it refused at a site are
wanted again. There may be many: the site is marked in the visit's batch (`queue 04 site`), and
its rows are gone through in slices, the mark keeping the place, so that a kill costs nothing.
"""

from collections.abc import Iterator
from itertools import islice

from shoal.frontier.books import Books
from shoal.frontier.discovery import Discovery
from shoal.frontier.rows import (
    AS_DUPLICATE,
    LAST_MARK,
    REOPEN_MARK,
    after_mark,
    row_of_url_key,
    unpack_url,
)
from shoal.frontier.urls import Card
from shoal.model.document import Understood
from shoal.model.outcome import State
from shoal.model.rowkey import site_of_key
from shoal.ports import Batch

_ROWS_AT_ONCE = 500


class SecondThoughts:
    def __init__(self, books: Books, discovery: Discovery) -> None:
        self._books = books
        self._discovery = discovery
        self.pending = next(self._marks(), None) is not None
        """Whether a site's rows are still to be gone through."""

    def take(self, batch: Batch, understood: Understood, now: float) -> None:
        """What a visit says of other pages."""
        for each in understood.regraded:  # the counts follow when another stands for a group
            card = self._books.urls.card(each.row)
            if card is not None and card.url.state is State.FETCHED:
                card.url.reason = each.fate
                self._books.urls.write(batch, card, now)

        for row in understood.reopened:
            card = self._books.urls.card(row)
            if card is not None:
                self._reopen(batch, card, now)

        for site in understood.unlearned:
            batch.put("queue", REOPEN_MARK + site, b"")
            self.pending = True

    def go_on(self, batch: Batch, now: float) -> None:
        """Go through some more rows of a site that is marked."""
        found = next(self._marks(), None)
        if found is None:
            self.pending = False
            return
        key, place = found
        site = key[len(REOPEN_MARK) :]
        rows = self._books.table.scan("page", place or site, site + b"\xff")
        last = b""
        for page_key, stored in islice(rows, _ROWS_AT_ONCE):
            last = page_key
            row = row_of_url_key(page_key)
            if row is None or site_of_key(row) != site or row in self._books.in_flight:
                continue
            url = self._books.urls.read(row) or unpack_url(stored)
            self._reopen(batch, Card(row, url, url.counted_as), now)
        if last:
            batch.put("queue", key, last + b"\x00")
        else:
            batch.delete("queue", key)

    def _reopen(self, batch: Batch, card: Card, now: float) -> None:
        if card.url.state is State.EXCLUDED and card.url.category in AS_DUPLICATE:
            card.url.state, card.url.reason, card.url.tries = State.QUEUED, "", 0
            self._discovery.enqueue(batch, card, 0, now)

    def _marks(self) -> Iterator[tuple[bytes, bytes]]:
        return self._books.table.scan("queue", REOPEN_MARK, after_mark(LAST_MARK))
