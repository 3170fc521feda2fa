"""What is in a collection? Reading it, from Python as from the command line.

A collection has one tablet, in a directory, or many, which a cluster keeps. What is asked of one
page goes to the tablet that has it; what is asked of all comes from all, in row order. It makes no
difference where the tablets stand. Every read is made for the principal that the tablets were
opened for, and also while a crawl writes; `refresh` brings what is read up to date.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from shoal.closing import Closing
from shoal.collection import questions as asked
from shoal.collection.page import Page
from shoal.collection.readable import readable
from shoal.collection.report.status_sum import summed
from shoal.collection.search.request import SearchRequest
from shoal.collection.slices import in_order, of_one
from shoal.collection.tablets import Tablets, owner_of
from shoal.collection.view import MOST_DUPLICATES, TabletView
from shoal.config import Config
from shoal.duplicates.near.sketch import resemblance
from shoal.errors import UsageError
from shoal.frontier.state.rows import UrlRow
from shoal.frontier.state.view import SiteView
from shoal.layout.ranges import key_range
from shoal.layout.runs import Run
from shoal.layout.snapshot import Status
from shoal.model.listings.sitemap_metadata import SitemapMetadata
from shoal.model.record import unpack
from shoal.model.urls.file_url import file_url
from shoal.model.urls.rowkey import row_key, url_of
from shoal.sources.seeds import gone_path, named_url
from shoal.store.pages import Filter, StoredPage
from shoal.store.rows import FetchRow, VisitRow

if TYPE_CHECKING:
    from shoal.collection.mail import Mail
    from shoal.collection.report.explain import Explanation
    from shoal.collection.report.freshness import Freshness
    from shoal.collection.search.results import Results
    from shoal.collection.search.search_all import SearchAll

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_FIRST_SITE = b"\x01"


class Collection(Closing):
    """A collection, opened for reading."""

    def __init__(self, tablets: Tablets, place: str = "", graph_place: Path | None = None) -> None:
        """With the name of the place where it is, to which its commands go, and the directory in
        which the graph of its links is made."""
        self.tablets = tablets
        self.place = place
        self._graph_place = graph_place
        self._search: SearchAll | None = None

    @property
    def config(self) -> Config:
        """The settings, which all tablets have alike."""
        return self.tablets.ask(0, asked.settings)

    @property
    def graph_place(self) -> Path:
        """The directory in which ranks and the link graph are made."""
        if self._graph_place is None:
            raise UsageError("ranks need a place; open the collection with shoal.open")
        return self._graph_place

    def refresh(self) -> None:
        """See what was written since it was opened."""
        self.tablets.refresh()

    def close(self) -> None:
        """Give back what is held open; a `with` block does so by itself."""
        self.tablets.close()

    # --- one page ---------------------------------------------------------------------------

    def canonical(self, url: str) -> str:
        """The URL that is meant, by the same rule as for a seed; where no scheme is named, the one
        that is known."""
        return self.ask(url, TabletView.canonical)

    def row(self, url: str) -> bytes:
        """The key under which a URL stands in the table."""
        return self.ask(url, TabletView.row)

    def page(self, url: str, at: float | None = None) -> Page | None:
        """The stored copy of a page, or the one that was current at a time."""
        found = self.ask(url, asked.one_page, at)
        return None if found is None else Page(self, found.stored)

    def stored_text(self, row: bytes, when: float) -> str:
        """All the text of a version, by its row and its time; `Page.whole_text` asks this."""
        owner = owner_of(self.tablets, row)
        return self.tablets.ask(owner, TabletView.stored_text, row, when)

    def stored_body(self, row: bytes, when: float) -> bytes:
        """The body of a version as the server sent it; `Page.body` asks this."""
        owner = owner_of(self.tablets, row)
        return self.tablets.ask(owner, TabletView.stored_body, row, when)

    def holds(self, row: bytes) -> bool:
        """Whether searches find a page."""
        return self.tablets.ask(owner_of(self.tablets, row), TabletView.holds, row)

    def given_up_as(self, row: bytes) -> str:
        """What a stored page is that is not there any more; empty while it is."""
        return self.tablets.ask(owner_of(self.tablets, row), TabletView.given_up_as, row)

    def history(self, url: str) -> list[tuple[float, VisitRow]]:
        """When a page was visited, and what each visit came to, the newest first."""
        return self.ask(url, TabletView.history)

    def links(self, url: str) -> list[tuple[str, str]]:
        """(target URL, anchor text) of the links on a page."""
        return self.ask(url, TabletView.links)

    def anchors(self, url: str) -> list[tuple[str, str]]:
        """(source URL, anchor text) of the pages that link to it, wherever they are, or to a
        near-duplicate that it stands for; `shoal.links` counts those apart (`to_duplicates`)."""
        return list(self.each_anchor(url))

    def each_anchor(self, url: str) -> Iterator[tuple[str, str]]:
        """The same, one at a time: a front page may have a hundred thousand."""
        name = self._meant(url)
        owner = self._owner(name)
        said = (each for _, each in of_one(self.tablets, owner, asked.anchor_slice, b"", name))
        seen: set[tuple[bytes, str]] = set()
        for each in readable(self.tablets, said):
            for text in each.texts:
                if (each.source, text) not in seen:
                    seen.add((each.source, text))
                    yield url_of(each.source), text

    def marks(self, url: str) -> dict[str, str]:
        """What was found out about a page, by name."""
        return self.ask(url, TabletView.marks)

    def told(self, url: str) -> list[SitemapMetadata]:
        """What sitemaps say of a page: pictures, videos, news, translations."""
        return self.ask(url, TabletView.told)

    def site_says(self, url: str) -> dict[str, str]:
        """What its site says about the use of a page: in robots.txt, and in tdmrep.json."""
        return self.ask(url, TabletView.site_says)

    def rank(self, url: str) -> float:
        """What a page is worth by the links to it, from 0 to 1, as of the last ranking of all."""
        return self.ask(url, TabletView.rank)

    def lead(self, url: str) -> str:
        """The URL of the page that stands for its near-duplicates, also one of another tablet."""
        lead, elsewhere = self.ask(url, asked.lead_of, self.tablets.count)
        return elsewhere or lead

    def duplicates(self, url: str, at_most: int = MOST_DUPLICATES) -> list[str]:
        """The URLs of the other pages of its group of near-duplicates, as far as its tablet has
        them; the first is the one that stands for all, if it is another."""
        found, lead = self.ask(url, TabletView.duplicates, at_most), self.lead(url)
        elsewhere = lead and owner_of(self.tablets, row_key(lead)) != self._owner(self._meant(url))
        return [lead, *found] if elsewhere else found

    def alike(self, url: str, other: str) -> float:
        """How much of what two pages of one group say is the same, from 0 to 1."""
        ours, theirs = self.ask(url, asked.sketch_of), self.ask(other, asked.sketch_of)
        return resemblance(ours, theirs) if ours and theirs else 0.0

    def explain(self, url: str) -> "Explanation":
        """Why a URL was taken, or not: `verdict`, and the `lines` of its story."""
        return self.ask(url, TabletView.explain)

    def mail(self, url: str) -> "Mail | None":
        """What a mail says of itself, with its attachments and all mails of its thread; None where
        there is no such mail."""
        from shoal.collection.mail import mail_of  # noqa: PLC0415 - it needs this module

        return mail_of(self, url)

    # --- all of them ------------------------------------------------------------------------

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
        wanted = Filter(since, until, status)
        for row, (when, fetch) in in_order(self.tablets, asked.page_slice, start, end, wanted):
            yield Page(self, StoredPage(row, when, unpack(FetchRow, fetch)))

    def urls(self, where: str = "", state: str | None = None) -> Iterator[tuple[str, UrlRow]]:
        """Every known URL with its state, in row order."""
        start, end = key_range(where)
        for row, url in in_order(self.tablets, asked.url_slice, start, end, state):
            yield url_of(row), url

    def hosts(self) -> Iterator[SiteView]:
        """Every site that is known, in row order: `name`, `origin`, `waiting`, `fetched`, `failed`,
        `delay_seconds`, `paused`. Orders (`pause`, `slow` …) take its `name`."""
        return (view for _, view in in_order(self.tablets, asked.site_slice, _FIRST_SITE))

    def is_running(self) -> bool:
        """Whether a crawl, or another command, writes to it."""
        return any(self.tablets.ask_all(TabletView.is_running))

    def sees_everything(self) -> bool:
        """Whether the principal that it was opened for may read all of it."""
        return self.tablets.ask(0, asked.sees_all)

    def status(self) -> Status:
        """Counts that add up, and what a running crawl does: what `shoal status --json` prints."""
        return summed(self.tablets.ask_all(TabletView.status), self.place)

    def runs(self) -> list[Run]:
        """The last crawls that were made of it, the newest first: when, why each ended, and what
        was asked for and found. Each tablet of a cluster has its own."""
        found = [run for each in self.tablets.ask_all(asked.runs) for run in each]
        return sorted(found, key=lambda run: -run.started)

    def freshness(self, where: str = "", since: float | str | None = None) -> "Freshness":
        """How fresh its pages are, and how old: now, since a time (or an age, '7d'), by site."""
        from shoal.collection.report.freshness import freshness  # noqa: PLC0415 - it needs this module

        return freshness(self, where, since=since)

    def search(  # noqa: PLR0913 - the words of the command, by name
        self,
        text: str,
        *,
        limit: int = 10,
        page: int = 1,
        site_limit: int = 2,
        explain: bool = False,
        facets: bool = False,
    ) -> "Results":
        """The pages that words are about, the best first; docs/search.md has the query language."""
        from shoal.collection.search.search_all import SearchAll  # noqa: PLC0415 - only who searches needs it

        if self._search is None:
            self._search = SearchAll(self.tablets)
        wanted = SearchRequest(text, limit, page, site_limit, explain, facets)
        return self._search.search(wanted)

    # --- whom to ask ------------------------------------------------------------------------

    def ask(
        self,
        url: str,
        question: Callable[Concatenate[TabletView, str, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer:
        """A question about a page, to the tablet that has it."""
        meant = self._meant(url)
        return self.tablets.ask(self._owner(meant), question, meant, *given, **named)

    def _owner(self, url: str) -> int:
        """By its host alone: scheme, and parameters that a collection strips, do not matter."""
        return owner_of(self.tablets, row_key(named_url(url)))

    def _meant(self, url: str) -> str:
        """A file that has gone from a folder that is read is still meant by its path. What stands
        behind a mark lies in the file before it, where that is there."""
        place, mark, _ = url.partition("#")
        gone = b"" if mark and Path(place).is_file() else gone_path(url)
        if gone and any(self.tablets.ask_all(asked.is_below_a_source, gone)):
            return file_url(gone)
        return _meant(url)

    def __repr__(self) -> str:
        if not self.sees_everything():
            return f"<Collection {self.place}>"
        status = self.status()
        counts = f"{status.fetched + status.unchanged:,} pages of {status.discovered:,} URLs"
        return f"<Collection {self.place} with {counts}>"


def _meant(url: str) -> str:
    """What the owner is told: a file of this machine by its URL, anything else as it was written,
    because where no scheme is named the owner knows which one is known. What lies in a file has its
    name behind a mark, which a file's own name may have, too."""
    place, mark, inside = url.partition("#")
    if mark and not Path(url).exists():
        outer = named_url(place) if place else ""
        return f"{outer}#{inside}" if outer.startswith("file:") else url
    named = named_url(url)
    return named if named.startswith("file:") else url
