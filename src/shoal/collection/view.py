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
from shoal.collection import own_file, own_mail
from shoal.collection.page import Page as Page
from shoal.config import Config, load
from shoal.errors import DamagedError, UsageError
from shoal.frontier.state.rows import RobotsRow, UrlRow
from shoal.frontier.state.view import FrontierView, SiteView
from shoal.layout.duplicates import groups
from shoal.layout.following import read_following
from shoal.layout.index_state import IndexHolds, read_state
from shoal.layout.layout import Layout, ReadLock, is_locked
from shoal.layout.ranges import key_range
from shoal.layout.ranks import Ranks
from shoal.layout.snapshot import Snapshot, Status, read_last_snapshot, read_snapshot, status_of
from shoal.model.listings.sitemap_metadata import SitemapMetadata
from shoal.model.principal import OWNER, Principal
from shoal.model.record import changed
from shoal.model.robots.patterns import path_of
from shoal.model.robots.site_signals import said_of
from shoal.model.urls.rowkey import holder_of, part_of, row_key, site_of_key, url_of
from shoal.model.urls.spelling import spellings
from shoal.model.urls.url import ParamRules
from shoal.sources.seeds import named_url
from shoal.store.change_log import last_sequence
from shoal.store.pages import EVERYTHING, Filter, PageStore, StoredPage
from shoal.store.rows import VisitRow
from shoal.store.table import RocksTable

if TYPE_CHECKING:
    from shoal.collection.report.explain import Explanation
    from shoal.collection.search.searching import Searcher

MOST_DUPLICATES = 1000
"""Of one page, that are looked at."""
ONLY_THE_OWNER = "Only the owner of this collection sees this."


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
        self._last_site: tuple[bytes, RobotsRow | None] | None = None
        """Whose robots.txt was looked up last: an export asks for each page of a site."""

    def refresh(self) -> None:
        """See what was written since the collection was opened."""
        self.table.catch_up()
        self._last_site = None

    def canonical(self, url: str) -> str:
        """The URL that is meant, by the same rule as for a seed; where no scheme is named, the one
        that is known."""
        meant = named_url(url, self._params)
        if "://" in url or not meant.startswith("https://"):
            return meant
        plain = meant.replace("https://", "http://", 1)
        is_known = self.knows(self._find(meant))
        return meant if is_known or not self.knows(self._find(plain)) else plain

    def page(self, url: str, at: float | None = None) -> Page | None:
        """The stored copy of a page, or the one that was current at a time."""
        stored = self.store.page(self.row(url), self.principal, at)
        return None if stored is None else Page(self, stored)

    def row(self, url: str) -> bytes:
        row = self._find(self.canonical(url))
        member = url.partition("#")[2]
        # A document within another one has the address of that one, and its name behind the mark:
        # as its URL writes it, or as a person does.
        for name in dict.fromkeys((member, unquote(member))) if member else ():
            inner = row + part_of(f"#{name}")
            if self.store.page(inner, self.principal) is not None:
                return inner
        return row

    def _find(self, url: str) -> bytes:
        """As the store finds it; a page that may not be read is as if it were not there."""
        if self.principal.everything:
            return self.store.find(url)
        rows = spellings(row_key(url))
        return next((row for row in rows if self.may_name(row)), rows[0])

    def knows(self, row: bytes) -> bool:
        """Whether a URL is known, as far as who asks may know."""
        if not self.principal.everything:
            return self.may_name(row)
        return self.frontier.url(row) is not None

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
        """Of a version of a page, as the server sent it; a file or a mail of one's own as it stands
        there, and of what is inside it that. Empty where none is kept."""
        try:
            record = self.store.raw(row, self.principal, when)
        except DamagedError:  # the archive may have been compacted since it was looked at
            self.refresh()
            record = self.store.raw(row, self.principal, when)
        if record is not None:
            return record.http_body
        page = self.store.page(row, self.principal, when)
        return b"" if page is None else self._own_body(page)

    def _own_body(self, page: StoredPage) -> bytes:
        if own_mail.is_own(page.url):
            return own_mail.body_of(self.table, page.url, self.principal)
        if page.document.name:
            outer = self.store.page(holder_of(page.row), self.principal)
            return b"" if outer is None else own_file.body_of(outer, self.principal)
        return own_file.body_of(page, self.principal)

    def urls(self, where: str = "", state: str | None = None) -> Iterator[tuple[str, UrlRow]]:
        """Every known URL with its state, in row order."""
        start, end = key_range(where)
        for row, url in self.known(start, end, state):
            yield url_of(row), url

    def known(
        self, start: bytes, end: bytes, state: str | None = None
    ) -> Iterator[tuple[bytes, UrlRow]]:
        """The known URLs of a range of rows, by their rows."""
        for row, url in self.frontier.urls(start, end):
            if (state is None or url.is_listed_as(state)) and self.may_name(row):
                yield row, url if self.principal.everything else _of_itself(url)

    def holds(self, row: bytes) -> bool:
        """Whether searches find it."""
        return self.may_name(row) and self._index_holds(row)

    def given_up_as(self, row: bytes) -> str:
        """What a stored page is that is not there any more; empty while it is."""
        known = self.frontier.url(holder_of(row)) if self.may_name(row) else None
        return "" if known is None else known.given_up_as

    def history(self, url: str) -> list[tuple[float, VisitRow]]:
        found = self.store.history(self.row(url), self.principal)
        if self.principal.everything:
            return list(found)
        # Where a record stands in the archive tells of those before it.
        return [(when, changed(visit, response=None, request=None)) for when, visit in found]

    def links(self, url: str) -> list[tuple[str, str]]:
        """(target URL, anchor text) of the links on a page, each once."""
        return [
            (out.link.url, text)
            for out in self.store.links(self.row(url), self.principal)
            for text in (out.link.text, *out.link.more)
        ]

    def anchors(self, url: str) -> list[tuple[str, str]]:
        """(source URL, anchor text) of the pages that link to it; to a page that stands for its
        near-duplicates also those that link to them."""
        row = self.row(url)
        found: dict[tuple[str, str], None] = {}  # in their order, each once
        for each in (row, *self.followers(row)):
            for source, _, anchor in self.store.anchors(each, self.principal):
                found.update(dict.fromkeys((url_of(source), text) for text in anchor.texts))
        return list(found)

    def duplicates(self, url: str, at_most: int = MOST_DUPLICATES) -> list[str]:
        """The URLs of the other pages of its group of near-duplicates; the first is the one that
        stands for all, if it is another."""
        row, found = self.row(url), groups(self.table, self.store)
        group_id, lead = found.group_of(row), found.representative_of(row)
        if group_id is None or lead is None or not self.may_name(row):
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
        if group_id is None or found.representative_of(row) != row or not self.may_name(row):
            return []
        others = (each for each in found.members(group_id) if each != row)
        return list(islice(others, MOST_DUPLICATES))

    def hosts(self, start: bytes = b"\x01") -> Iterator[SiteView]:
        """For the owner alone: what waits at a host, and why, is of all pages."""
        self.must_see_all()
        return self.frontier.sites(start)

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

    def site_says(self, url: str) -> dict[str, str]:
        """What its site says about the use of a page, as it was last asked."""
        row = self.row(url)
        site = site_of_key(row)
        if self._last_site is None or self._last_site[0] != site:
            self._last_site = site, self.frontier.robots(site)
        robots = self._last_site[1]
        if robots is None or not (robots.rules.signals or robots.reservations):
            return {}
        return said_of(robots.rules.signals, robots.reservations, path_of(url_of(row)))

    def is_running(self) -> bool:
        return is_locked(self.layout)

    def must_see_all(self) -> None:
        """What is counted over everything is told to nobody else, whatever there is."""
        if not self.principal.everything:
            raise UsageError(ONLY_THE_OWNER)

    def status(self) -> Status:
        self.must_see_all()
        live = read_snapshot(self.layout.status) if self.is_running() else None
        state, last = read_state(self.layout), read_last_snapshot(self.layout.status)
        snapshot = live or Snapshot(
            self.frontier.counts().as_dict(),
            indexed=0 if state is None else state.pages,
            is_index_whole=state is not None and state.position >= last_sequence(self.table),
            indexed_inside=0 if state is None else state.inside,
            visits={} if last is None else last.visits,
        )
        found, following = status_of(self.layout.directory, snapshot), read_following(self.layout)
        found.following = [] if following is None else [following]
        return found

    def may_name(self, row: bytes) -> bool:
        """Whether who asks may know of a stored page."""
        return self.principal.everything or self.store.page(row, self.principal) is not None

    def close(self) -> None:
        self.table.close()
        self._reading.release()


def _of_itself(url: UrlRow) -> UrlRow:
    """What the page itself is like: not who named it, how near it is to the seeds, or when its turn
    is, which also depend on pages that others read."""
    return UrlRow(
        url.state,
        url.reason,
        status=url.status,
        digest=url.digest,
        fetched_ms=url.fetched_ms,
        visits=url.visits,
        kind=url.kind,
    )
