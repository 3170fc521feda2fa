"""What does a sitemap say of its pages? It is kept in their rows, in the batch that names them.

A cell for each sitemap that says something (model/listings/sitemap_metadata.py), so that no other
is read to write one: what a later reading of the same sitemap says takes its place, and goes when
it says nothing any more. Of pages that other tablets have, it is sent there.
"""

from collections.abc import Sequence

from shoal.frontier.state.frontier_state import FrontierState
from shoal.model.cell import stamped, to_ms
from shoal.model.listings.listing import ListedUrl
from shoal.model.listings.sitemap_metadata import SitemapMetadata, metadata_key
from shoal.model.messages import Described
from shoal.model.record import pack
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Batch, RemoteTablets


class MetadataWriter:
    def __init__(self, state: FrontierState, remote: RemoteTablets | None) -> None:
        self._table = state.table
        self._urls = state.urls
        self._remote = remote

    def keep(
        self,
        batch: Batch,
        finder: bytes,
        urls: Sequence[ListedUrl],
        targets: Sequence[bytes],
        now: float,
    ) -> None:
        """What a sitemap or a feed says of its pages; `targets` are their rows, empty for another
        tablet's."""
        own: list[tuple[bytes, SitemapMetadata | None]] = []
        away: dict[bytes, list[tuple[bytes, SitemapMetadata]]] = {}
        for row, each in zip(targets, urls, strict=True):
            if row:
                own.append((row, each.metadata))
            elif each.metadata is not None:
                away.setdefault(site_of_key(each.link.row), []).append(
                    (each.link.row, each.metadata)
                )
        self._write(batch, finder, own, now)
        if self._remote is not None:
            for site, pages in away.items():
                self._remote.send(batch, site, Described(finder, pages, to_ms(now)))

    def take_in(self, batch: Batch, item: Described) -> None:
        """What the sitemap of another tablet says of pages here."""
        pages = [(self._urls.row_of(row), metadata) for row, metadata in item.pages]
        self._write(batch, item.finder, pages, item.when_ms / 1000)

    def _write(
        self,
        batch: Batch,
        finder: bytes,
        pages: Sequence[tuple[bytes, SitemapMetadata | None]],
        now: float,
    ) -> None:
        without = []
        for row, metadata in pages:
            if metadata is None:
                without.append(metadata_key(row, finder))
            elif self._urls.read(row) is not None:
                batch.put("page", metadata_key(row, finder), stamped(to_ms(now), pack(metadata)))
        for key, known in zip(without, self._table.get_many("page", without), strict=True):
            if known is not None:
                batch.delete("page", key)
