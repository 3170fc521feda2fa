"""What does a sitemap say of its pages? It is kept in their rows, in the batch that names them.

A cell for each sitemap that says something (model/listings/sitemap_metadata.py), so that no other
is read to write one: what a later reading of the same sitemap says takes its place, and goes when
it says nothing any more. Of pages that other tablets have, it is sent there.
"""

from collections.abc import Sequence

from shoal.frontier.state.frontier_state import Books
from shoal.model.cell import stamped, to_ms
from shoal.model.listings.listing import Named
from shoal.model.listings.sitemap_metadata import Told, told_key
from shoal.model.messages import Described
from shoal.model.record import pack
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Batch, Elsewhere


class Telling:
    def __init__(self, books: Books, elsewhere: Elsewhere | None) -> None:
        self._table = books.table
        self._urls = books.urls
        self._elsewhere = elsewhere

    def keep(
        self,
        batch: Batch,
        finder: bytes,
        named: Sequence[Named],
        targets: Sequence[bytes],
        now: float,
    ) -> None:
        """What a sitemap or a feed says of its pages; `targets` are their rows, empty for another
        tablet's."""
        own: list[tuple[bytes, Told | None]] = []
        away: dict[bytes, list[tuple[bytes, Told]]] = {}
        for row, each in zip(targets, named, strict=True):
            if row:
                own.append((row, each.told))
            elif each.told is not None:
                away.setdefault(site_of_key(each.link.row), []).append((each.link.row, each.told))
        self._write(batch, finder, own, now)
        if self._elsewhere is not None:
            for site, pages in away.items():
                self._elsewhere.send(batch, site, Described(finder, pages, to_ms(now)))

    def take_in(self, batch: Batch, item: Described) -> None:
        """What the sitemap of another tablet says of pages here."""
        pages = [(self._urls.row_of(row), told) for row, told in item.pages]
        self._write(batch, item.finder, pages, item.when_ms / 1000)

    def _write(
        self,
        batch: Batch,
        finder: bytes,
        pages: Sequence[tuple[bytes, Told | None]],
        now: float,
    ) -> None:
        untold = []
        for row, told in pages:
            if told is None:
                untold.append(told_key(row, finder))
            elif self._urls.read(row) is not None:
                batch.put("page", told_key(row, finder), stamped(to_ms(now), pack(told)))
        for key, known in zip(untold, self._table.get_many("page", untold), strict=True):
            if known is not None:
                batch.delete("page", key)
