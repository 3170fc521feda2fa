"""What are the pages of a collection worth by their links? `shoal rank` from Python.

`rank` reads all stored links, also while a crawl writes more, makes the graph of them apart and
lets it take the place of the one before. Searches, the frontier and the reports read that.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from shoal.access.opening import graph_place, open_collection
from shoal.access.rank_copies import hand_out
from shoal.analysis.cluster_ranking import SLICE_BYTES, build, vote_slice
from shoal.collection.collection import Collection
from shoal.collection.slices import in_order
from shoal.collection.tablets import Tablets
from shoal.collection.view import TabletView
from shoal.errors import CollectionError, UsageError
from shoal.fleet.work import Work
from shoal.fleet.workplace import workplace
from shoal.graph.edges import Progress as Progress
from shoal.graph.generations import Summary, opened
from shoal.graph.graph_building import NoneKnown, make, make_by
from shoal.graph.link_graph import LinkGraph
from shoal.graph.scores import RankFile
from shoal.graph.sites import pages_of
from shoal.graph.votes import Votes
from shoal.layout.crawl_row import roots_of
from shoal.layout.layout import place_of
from shoal.layout.ranks import graph_of
from shoal.model.record import Struct
from shoal.model.urls.partition import Partition
from shoal.model.urls.rowkey import site_of_key, url_of

MOST_PERSONAL = 1000
_FIRST_ROW = b"\x01"

Making = Callable[[Path, Sequence[bytes], Progress], Summary]
"""Makes a graph in a place, with the rows that ranks start from, and lets it hold."""


class Ranked(Struct):
    """A page, or a site."""

    url: str
    rank: float
    """PageRank: of all pages (or sites) together 1."""
    score: float
    """From 0 to 1, as `Ranks` gives it."""
    links_in: int
    """Pages that vote for it; of a site: other sites that do."""
    was: float | None
    """Its score before; None where nothing was ranked."""


class Ranking(Struct):
    summary: Summary
    before: Summary | None
    pages: list[Ranked]
    """The highest, in order."""
    sites: list[Ranked]

    def __repr__(self) -> str:
        ranked = f"{self.summary.nodes:,} pages by {self.summary.edges:,} links"
        highest = f", highest {self.pages[0].url}" if self.pages else ""
        return f"<Ranking of {ranked}{highest}>"


class RankRequest(NamedTuple):
    personal: Sequence[bytes] = ()
    """Rows that the ranks start from."""
    site: bytes = b""
    """Only pages of that site are named; empty: of any."""
    top: int = 20
    """So many of them."""
    unfetched: bool = False
    """Also pages that others link to and that were never fetched."""


def rank(  # noqa: PLR0913 - the flags of the command, by name
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    personal: Sequence[str] = (),
    top: int = 20,
    told: Progress | None = None,
    site: str = "",
    address: str = "",
    unfetched: bool = False,
) -> Ranking:
    """`shoal.rank`."""
    with open_collection(dir) as collection, workplace(collection, address) as work:
        return rank_pages(collection, work, personal, told, top=top, site=site, unfetched=unfetched)


def rank_pages(  # noqa: PLR0913 - the flags of the command, by name
    collection: Collection,
    work: Work,
    personal: str | Sequence[str] = (),
    progress: Progress | None = None,
    *,
    top: int = 20,
    site: str = "",
    unfetched: bool = False,
) -> Ranking:
    """As `rank`, of what is open. The links of one tablet are read in their order; those of many
    are put together in parts, by whoever does the work."""
    rows = [collection.row(url) for url in checked(personal, top)]
    key = site_of_key(collection.row(site)) if site else b""
    place, tablets = collection.graph_place, collection.tablets
    place.mkdir(parents=True, exist_ok=True)
    is_one = tablets.count == 1
    seeds = tablets.ask(0, seed_rows)
    making = (
        partial(make, stored_votes(tablets), seeds=seeds)
        if is_one
        else partial(make_by, partial(build, work), seeds=seeds)
    )
    found = rank_by(making, graph_of(place), RankRequest(rows, key, top, unfetched), progress)
    hand_out(tablets, place)
    return found


def seed_rows(collection: TabletView) -> list[bytes]:
    """Of what its last crawl started from: a question (tablets.py)."""
    return [collection.row(url) for url in roots_of(collection.table)]


def checked(personal: str | Sequence[str], top: int) -> list[str]:
    """The personal pages that were named, if that is in order."""
    if top < 0:
        raise UsageError("top must be 0 or more")
    request = [personal] if isinstance(personal, str) else list(personal)
    if len(request) > MOST_PERSONAL:
        raise UsageError(f"at most {MOST_PERSONAL:,} personal pages can be named")
    return request


def rank_by(
    making: Making, place: Path, request: RankRequest, progress: Progress | None = None
) -> Ranking:
    """Make a graph in some way, and say what is highest in it."""
    before = opened(place, RankFile)  # what is mapped stays when the files are replaced
    try:
        making(place, request.personal, progress or _silent)
    except NoneKnown:
        raise UsageError(
            "None of the personal pages is fetched or linked to in this collection; "
            "`shoal urls` lists those that are."
        ) from None
    found = opened(place, lambda path, summary: _ranking(path, summary, before, request))
    if found is None:
        raise CollectionError("The ranks were removed as soon as they were made; try again.")
    return found


def ranking(dir: str | Path | None = None, top: int = 20) -> Ranking | None:  # noqa: A002 - as above
    """What was ranked last, as far as it is stored; None where nothing was."""
    place = graph_of(graph_place(place_of(dir)))
    return opened(place, lambda path, summary: _ranking(path, summary, None, RankRequest(top=top)))


def stored_votes(tablets: Tablets) -> Iterator[tuple[bytes, Votes]]:
    """Every page whose links are stored, with those it votes for, in row order; of a collection
    with one tablet."""
    here = Partition(0, tablets.count)
    for row, ballot in in_order(tablets, vote_slice, _FIRST_ROW, here, SLICE_BYTES):
        yield row, Votes(ballot.targets, ballot.links)


def _ranking(
    path: Path, summary: Summary, before: RankFile | None, request: RankRequest
) -> Ranking:
    graph, now = LinkGraph(path, summary.seed), RankFile(path, summary)
    top = request.top
    pages, sites = [], []
    for node in _nodes(graph, request):
        row = graph.row(node)
        was = None if before is None else before.page(row)
        links_in = len(graph.into.of(node))
        pages.append(Ranked(url_of(row), float(graph.rank[node]), now.page(row), links_in, was))
    for number in graph.highest_sites(top):
        key = graph.site(number)
        was = None if before is None else before.site(key)
        links_in = graph.sites_linking(number)
        value = float(graph.site_rank[number])
        sites.append(Ranked(url_of(key), value, now.site(key), links_in, was))
    return Ranking(summary, None if before is None else before.summary, pages, sites)


def _nodes(graph: LinkGraph, request: RankRequest) -> list[int]:
    key, top, unfetched = request.site, request.top, request.unfetched
    if not key:
        return graph.highest(top, unfetched=unfetched)
    number = graph.site_number(key)
    if number is None:
        raise UsageError(f"no page of {url_of(key)} is fetched or linked to in this collection")
    return pages_of(graph, number, top, unfetched=unfetched)


def _silent(doing: str, done: int, total: int) -> None:
    del doing, done, total
