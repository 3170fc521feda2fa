"""What is in one tablet? Its table, store, frontier and index, opened for reading.

Reads go through a secondary view of the table, so they work while a crawl writes to it; `refresh`
brings the view up to date. Every read is made for a principal, by default the owner. People see a
`Collection`, which asks the views of its tablets.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from shoal.closing import Closing
from shoal.collection import own_file
from shoal.collection.page import Page as Page
from shoal.config import Config, load
from shoal.errors import DamagedError
from shoal.frontier.state.rows import UrlRow
from shoal.frontier.state.view import FrontierView, SiteView
from shoal.layout.duplicates import groups
from shoal.layout.index_state import IndexHolds, read_state
from shoal.layout.layout import Layout, ReadLock, is_locked
from shoal.layout.ranges import key_range
from shoal.layout.ranks import Ranks
from shoal.layout.snapshot import Snapshot, Status, read_snapshot, status_of
from shoal.model.listings.sitemap_metadata import SitemapMetadata
from shoal.model.outcome import State
from shoal.model.principal import OWNER, Principal
from shoal.model.urls.rowkey import part_of, url_of
from shoal.model.urls.url import ParamRules
from shoal.sources.seeds import named_url
from shoal.store.change_log import last_sequence
from shoal.store.pages import EVERYTHING, Filter, PageStore
from shoal.store.rows import VisitRow
from shoal.store.table import RocksTable

if TYPE_CHECKING:
    from shoal.collection.report.explain import Explanation
    from shoal.collection.search.searching import Searcher

MOST_DUPLICATES = 1000
"""Of one page, that are looked at."""


class TabletView(Closing):
    """A tablet, opened for reading."""

    def __init__(self, place: Path | Layout, principal: Principal = OWNER) -> None:
        layout = place if isinstance(place, Layout) else Layout(place)
        layout.must_exist()
        self.principal = principal
        self.config: Config = load(layout.directory, {}, {})
        with ExitStack() as undo:
            self._reading = ReadLock(layout)
            undo.callback(self._reading.release)
            self.layout = layout.pinned(self._reading.data)
            self.table = RocksTable(self.layout.table, reader=True)
            undo.pop_all()
        self.store = PageStore(self.table, self.layout.warc, self.config.crawl.versions)
        self.frontier = FrontierView(self.table)
        self._index_holds = IndexHolds(self.layout)
        url = self.config.url
        self._params = ParamRules.from_names(url.strip, url.keep)
        self.searcher: Searcher | None = None

    def refresh(self) -> None:
        """See what was written since the collection was opened."""
        self.table.catch_up()

    def canonical(self, url: str) -> str:
        """The URL that is meant, by the same rule as for a seed; where no scheme is named, the one
        that is known."""
        meant = named_url(url, self._params)
        if "://" in url or not meant.startswith("https://"):
            return meant
        plain = meant.replace("https://", "http://", 1)
        is_known = self.frontier.url(self.store.find(meant)) is not None
        return meant if is_known or self.frontier.url(self.store.find(plain)) is None else plain

    def page(self, url: str, at: float | None = None) -> Page | None:
        """The stored copy of a page, or the one that was current at a time."""
        stored = self.store.page(self.row(url), self.principal, at)
        return None if stored is None else Page(self, stored)

    def row(self, url: str) -> bytes:
        row = self.store.find(self.canonical(url))
        member = url.partition("#")[2]
        # A document within another one has the address of that one, and its name behind the mark.
        inner = row + part_of(f"#{unquote(member)}") if member else row
        return inner if member and self.store.page(inner, self.principal) is not None else row

    def pages(
        self,
        where: str = "",
        *,
        since: float | None = None,
        until: float | None = None,
        status: int | None = None,
    ) -> Iterator[Page]:
        """Stored pages in row order. `where` is a URL prefix, a domain or a suffix such as
        `.edu`."""
        start, end = key_range(where)
        wanted = (
            Filter(since, until, status) if (since, until, status) != (None,) * 3 else EVERYTHING
        )
        for stored in self.store.stream(start, end, self.principal, wanted):
            yield Page(self, stored)

    def stored_text(self, row: bytes, when: float) -> str:
        """Of a version of a page: all of it, menus and all; empty where none is kept."""
        return self.store.text(row, self.principal, when)

    def stored_body(self, row: bytes, when: float) -> bytes:
        """Of a version of a page, as the server sent it; a file of one's own as it stands there.
        Empty where none is kept."""
        try:
            record = self.store.raw(row, self.principal, when)
        except DamagedError:  # the archive may have been compacted since it was looked at
            self.refresh()
            record = self.store.raw(row, self.principal, when)
        if record is not None:
            return record.http_body
        page = self.store.page(row, self.principal, when)
        return b"" if page is None else own_file.body_of(page, self.principal)

    def urls(self, where: str = "", state: State | None = None) -> Iterator[tuple[str, UrlRow]]:
        """Every known URL with its state, in row order."""
        start, end = key_range(where)
        for row, url in self.known(start, end, state):
            yield url_of(row), url

    def known(
        self, start: bytes, end: bytes, state: State | None = None
    ) -> Iterator[tuple[bytes, UrlRow]]:
        """The known URLs of a range of rows, by their rows."""
        for row, url in self.frontier.urls(start, end):
            if (state is None or url.state is state) and self._may_name(row):
                yield row, url

    def holds(self, row: bytes) -> bool:
        """Whether searches find it."""
        return self._index_holds(row)

    def history(self, url: str) -> list[tuple[float, VisitRow]]:
        return list(self.store.history(self.row(url), self.principal))

    def links(self, url: str) -> list[tuple[str, str]]:
        """(target URL, anchor text) of the links on a page."""
        return [
            (out.link.url, out.link.text) for out in self.store.links(self.row(url), self.principal)
        ]

    def anchors(self, url: str) -> list[tuple[str, str]]:
        """(source URL, anchor text) of the pages that link to it; to a page that stands for its
        near-duplicates also those that link to them."""
        row = self.row(url)
        found: dict[tuple[str, str], None] = {}  # in their order, each once
        for each in (row, *self.followers(row)):
            for source, _, anchor in self.store.anchors(each, self.principal):
                found[url_of(source), anchor.text] = None
        return list(found)

    def duplicates(self, url: str, at_most: int = MOST_DUPLICATES) -> list[str]:
        """The URLs of the other pages of its group of near-duplicates; the first is the one that
        stands for all, if it is another."""
        row, found = self.row(url), groups(self.table, self.store)
        group_id, lead = found.group_of(row), found.representative_of(row)
        if group_id is None or lead is None:
            return []
        others = (each for each in found.members(group_id) if each not in (row, lead))
        seen = (each for each in others if self.store.page(each, self.principal) is not None)
        return [url_of(each) for each in (*([lead] if lead != row else []), *islice(seen, at_most))]

    def lead(self, url: str) -> str:
        """The URL of the page that stands for its near-duplicates; its own, if it has none. Empty
        when no such page is stored."""
        row = self.row(url)
        if self.store.page(row, self.principal) is None:
            return ""
        return url_of(groups(self.table, self.store).representative_of(row) or row)

    def rank(self, url: str) -> float:
        """What a page is worth by the links to it, from 0 to 1, as of the last `shoal rank`."""
        return Ranks(self.layout.directory).rank_of([self.row(url)])[0]

    def followers(self, row: bytes) -> list[bytes]:
        """The rows of the near-duplicates that a page stands for."""
        found = groups(self.table, self.store)
        group_id = found.group_of(row)
        if group_id is None or found.representative_of(row) != row:
            return []
        others = (each for each in found.members(group_id) if each != row)
        return list(islice(others, MOST_DUPLICATES))

    def hosts(self) -> Iterator[SiteView]:
        return self.frontier.sites()

    def explain(self, url: str) -> "Explanation":
        """Why a URL was taken, or not: `verdict`, and the `lines` of its story."""
        from shoal.collection.report.explain import explain  # noqa: PLC0415
        from shoal.layout.crawl_row import roots_of  # noqa: PLC0415 - they need this module

        return explain(self, url, roots_of(self.table))

    def marks(self, url: str) -> dict[str, str]:
        return self.store.marks(self.row(url), self.principal)

    def told(self, url: str) -> list[SitemapMetadata]:
        """What sitemaps say of a page: pictures, videos, news, translations."""
        return self.store.sitemap_metadata(self.row(url), self.principal)

    def is_running(self) -> bool:
        return is_locked(self.layout)

    def status(self) -> Status:
        live = read_snapshot(self.layout.status) if self.is_running() else None
        state = read_state(self.layout)
        snapshot = live or Snapshot(
            self.frontier.counts().as_dict(),
            indexed=0 if state is None else state.pages,
            is_index_whole=state is not None and state.position >= last_sequence(self.table),
        )
        return status_of(self.layout.directory, snapshot)

    def _may_name(self, row: bytes) -> bool:
        return self.principal.everything or self.store.page(row, self.principal) is not None

    def close(self) -> None:
        self.table.close()
        self._reading.release()
