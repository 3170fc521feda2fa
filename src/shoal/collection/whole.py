"""What is in a cluster? The reading methods of a collection, over all its tablets.

What is asked of one page goes to the tablet that has it; what is asked of all comes from all, in
row order. It makes no difference where the tablets stand. Every read is made for the principal that
the tablets were opened for.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeAlias, TypeVar

from shoal.closing import Closing
from shoal.collection import questions as asked
from shoal.collection.collection import Collection
from shoal.collection.page import Page
from shoal.collection.report.status_all import status_all
from shoal.collection.slices import in_order, of_one
from shoal.collection.tablets import Tablets, owner_of
from shoal.config import Config
from shoal.errors import UsageError
from shoal.frontier.state.rows import UrlRow
from shoal.frontier.state.view import SiteView
from shoal.layout.ranges import key_range
from shoal.layout.snapshot import Status
from shoal.model.listings.sitemap_metadata import Told
from shoal.model.outcome import State
from shoal.model.record import unpack
from shoal.model.urls.rowkey import row_key, url_of
from shoal.sources.seeds import named_url
from shoal.store.pages import Filter, StoredPage
from shoal.store.rows import FetchRow, VisitRow

if TYPE_CHECKING:
    from shoal.collection.report.explain import Explanation
    from shoal.collection.search.results import Results
    from shoal.collection.search.search_all import SearchAll

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

_FIRST_SITE = b"\x01"


class Whole(Closing):
    """A cluster, opened for reading: `Collection` over its tablets."""

    def __init__(
        self, tablets: Tablets, directory: str = "", graph_place: Path | None = None
    ) -> None:
        """With the name of the place where it is, to be shown, and the directory in which the graph
        of its links is made."""
        self.tablets = tablets
        self.directory = directory
        self._graph_place = graph_place
        self._search: SearchAll | None = None

    @property
    def place(self) -> str:
        """Where its orders go."""
        return self.directory

    @property
    def config(self) -> Config:
        """The settings, which all tablets have alike."""
        return self.tablets.ask(0, asked.settings)

    @property
    def graph_place(self) -> Path:
        if self._graph_place is None:
            raise UsageError("ranks need a place; open the cluster with shoal.open")
        return self._graph_place

    def refresh(self) -> None:
        """See what was written since the cluster was opened."""
        self.tablets.refresh()

    def close(self) -> None:
        self.tablets.close()

    # --- one page ---------------------------------------------------------------------------

    def canonical(self, url: str) -> str:
        return self.ask(url, Collection.canonical)

    def row(self, url: str) -> bytes:
        return self.ask(url, Collection.row)

    def page(self, url: str, at: float | None = None) -> Page | None:
        """The stored copy of a page, or the one that was current at a time."""
        found = self.ask(url, asked.one_page, at)
        return None if found is None else Page(self, found.stored)

    def stored_text(self, row: bytes, when: float) -> str:
        owner = owner_of(self.tablets, row)
        return self.tablets.ask(owner, Collection.stored_text, row, when)

    def stored_body(self, row: bytes, when: float) -> bytes:
        owner = owner_of(self.tablets, row)
        return self.tablets.ask(owner, Collection.stored_body, row, when)

    def holds(self, row: bytes) -> bool:
        return self.tablets.ask(owner_of(self.tablets, row), Collection.holds, row)

    def history(self, url: str) -> list[tuple[float, VisitRow]]:
        return self.ask(url, Collection.history)

    def links(self, url: str) -> list[tuple[str, str]]:
        """(target URL, anchor text) of the links on a page."""
        return self.ask(url, Collection.links)

    def anchors(self, url: str) -> list[tuple[str, str]]:
        """(source URL, anchor text) of the pages that link to it, wherever they are."""
        return list(self.each_anchor(url))

    def each_anchor(self, url: str) -> Iterator[tuple[str, str]]:
        """The same, one at a time: a front page may have a hundred thousand."""
        owner, name = self._owner(url), _meant(url)
        said = (each for _, each in of_one(self.tablets, owner, asked.anchor_slice, b"", name))
        seen: set[asked.Said] = set()
        for each in readable(self.tablets, said):
            if each not in seen:
                seen.add(each)
                yield url_of(each.source), each.text

    def marks(self, url: str) -> dict[str, str]:
        return self.ask(url, Collection.marks)

    def told(self, url: str) -> list[Told]:
        return self.ask(url, Collection.told)

    def rank(self, url: str) -> float:
        """What a page is worth by the links to it, from 0 to 1, as of the last ranking of all."""
        return self.ask(url, Collection.rank)

    def lead(self, url: str) -> str:
        """The URL of the page that stands for its near-duplicates, also one of another tablet."""
        lead, elsewhere = self.ask(url, asked.lead_of, self.tablets.count)
        return elsewhere or lead

    def duplicates(self, url: str) -> list[str]:
        """The other pages of its group of near-duplicates, as far as its tablet has them; the one
        that stands for all first."""
        found, lead = self.ask(url, Collection.duplicates), self.lead(url)
        elsewhere = lead and owner_of(self.tablets, row_key(lead)) != self._owner(url)
        return [lead, *found] if elsewhere else found

    def explain(self, url: str) -> "Explanation":
        """Why a URL was taken, or not, as its tablet knows it."""
        return self.ask(url, Collection.explain)

    # --- all of them ------------------------------------------------------------------------

    def pages(
        self,
        where: str = "",
        *,
        since: float | None = None,
        until: float | None = None,
        status: int | None = None,
    ) -> Iterator[Page]:
        """Stored pages of all tablets, in row order."""
        start, end = key_range(where)
        wanted = Filter(since, until, status)
        for row, (when, fetch) in in_order(self.tablets, asked.page_slice, start, end, wanted):
            yield Page(self, StoredPage(row, when, unpack(FetchRow, fetch)))

    def urls(self, where: str = "", state: State | None = None) -> Iterator[tuple[str, UrlRow]]:
        """Every known URL with its state, in row order."""
        start, end = key_range(where)
        for row, url in in_order(self.tablets, asked.url_slice, start, end, state):
            yield url_of(row), url

    def hosts(self) -> Iterator[SiteView]:
        return (view for _, view in in_order(self.tablets, asked.site_slice, _FIRST_SITE))

    def status(self) -> Status:
        return status_all(self.tablets, self.directory)

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
        """The pages that words are about, the best first, as one index would have them."""
        from shoal.collection.search.search_all import SearchAll  # noqa: PLC0415 - only who searches needs it

        if self._search is None:
            self._search = SearchAll(self.tablets)
        return self._search.search(
            text, limit=limit, page=page, site_limit=site_limit, explain=explain, facets=facets
        )

    # --- whom to ask ------------------------------------------------------------------------

    def ask(
        self,
        url: str,
        question: Callable[Concatenate[Collection, str, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer:
        """A question about a page, to the tablet that has it."""
        return self.tablets.ask(self._owner(url), question, _meant(url), *given, **named)

    def _owner(self, url: str) -> int:
        """By its host alone: scheme, and parameters that a collection strips, do not matter."""
        return owner_of(self.tablets, row_key(named_url(url)))

    def __repr__(self) -> str:
        status = self.status()
        counts = f"{status.fetched:,} pages of {status.discovered:,} URLs"
        return f"<Whole {self.directory} of {self.tablets.count} tablets with {counts}>"


def _meant(url: str) -> str:
    """What the owner is told: a file of this machine by its URL, anything else as it was written,
    because where no scheme is named the owner knows which one is known."""
    named = named_url(url)
    return named if named.startswith("file:") else url


def readable(tablets: Tablets, said: Iterable[asked.Said]) -> Iterator[asked.Said]:
    """Of what pages say those whose page may be named to who asks: each tablet knows its own."""
    rest = iter(said)
    everything: bool | None = None
    while some := list(islice(rest, asked.SEEN_AT_ONCE)):
        if everything is None:
            everything = tablets.ask(0, asked.sees_all)
        if everything:
            yield from some
            continue
        seen = seen_rows(tablets, [each.source for each in some])
        yield from (each for each in some if each.source in seen)


def seen_rows(tablets: Tablets, rows: Sequence[bytes]) -> set[bytes]:
    """Those of some pages that may be named."""
    by_owner: dict[int, list[bytes]] = defaultdict(list)
    for row in dict.fromkeys(rows):
        by_owner[owner_of(tablets, row)].append(row)
    found: set[bytes] = set()
    for owner, its in by_owner.items():
        may = tablets.ask(owner, asked.seen, its)
        found.update(row for row, ok in zip(its, may, strict=True) if ok)
    return found


Opened: TypeAlias = Collection | Whole
