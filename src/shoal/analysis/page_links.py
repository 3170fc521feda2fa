"""Who links to a page, and to whom does it link? Both ways, with what is said and what it counts.

Read from the table, not from the graph: what a crawl has just found is there already. Scores are
those of the last `shoal rank`.
"""

from collections.abc import Iterable, Iterator
from heapq import nlargest
from itertools import islice
from pathlib import Path

from shoal.access.opening import open_collection
from shoal.analysis.graph_report import with_graph
from shoal.analysis.ranking import Progress
from shoal.collection.view import TabletView
from shoal.errors import UsageError
from shoal.graph.hits import hits_around
from shoal.graph.link_graph import LinkGraph
from shoal.layout.layout import place_of
from shoal.layout.ranks import Ranks
from shoal.model.link import NO_VOTE, Rel
from shoal.model.record import Struct
from shoal.model.urls.rowkey import url_of

MOST_LINKS = 10_000
_AT_ONCE = 1000


class PageLink(Struct):
    url: str
    """The page at its other end."""
    text: str
    rel: list[str]
    counts: bool
    """Whether it is a vote in the ranking, as far as the link itself tells."""
    score: float
    """Of the page at its other end, from 0 to 1."""


class PageLinks(Struct):
    url: str
    score: float
    site_score: float
    total_in: int
    """Links to the page itself."""
    total_out: int
    links_in: list[PageLink]
    """Of the highest scores first; not all, if they are many."""
    links_out: list[PageLink]
    """As they stand on the page."""
    to_duplicates: int = 0
    """Further links, to near-duplicates that it stands for: `Collection.anchors` has them, too."""


class Surroundings(Struct):
    """Hubs and authorities among the pages around one."""

    pages: int
    hubs: list[tuple[str, float]]
    authorities: list[tuple[str, float]]


def links(
    url: str,
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    at_most: int = MOST_LINKS,
) -> PageLinks:
    with open_collection(dir) as collection:
        return collection.ask(url, links_of, at_most)


def links_of(collection: TabletView, url: str, at_most: int = MOST_LINKS) -> PageLinks:
    """The links of a page, both ways: a question (tablets.py). Every tablet has the ranks of all
    pages, and a page's own tablet what others call it."""
    row, ranks = collection.row(url), Ranks(collection.layout.directory)
    out = collection.store.links(row, collection.principal)
    inwards = Inwards(collection, row, ranks)
    best = nlargest(at_most, inwards, key=lambda link: link.score)
    if not inwards.count and not out and not collection.knows(row):
        raise UsageError(
            f"{collection.canonical(url)} is not in this collection: it was never fetched, and no "
            "page links to it"
        )
    shown = out[:at_most]
    scores = ranks.rank_of([each.target or each.link.row for each in shown])
    outwards = [
        _link(each.link.url, each.link.text, each.link.rel, score)
        for each, score in zip(shown, scores, strict=True)
    ]
    return PageLinks(
        url=url_of(row),
        score=ranks.rank_of([row])[0],
        site_score=ranks.site_rank_of([row])[0],
        total_in=inwards.count,
        total_out=len(out),
        links_in=best,
        links_out=outwards,
        to_duplicates=_to_duplicates(collection, row),
    )


def _to_duplicates(collection: TabletView, row: bytes) -> int:
    """What `anchors` says of a page beyond the links to itself."""
    store, principal = collection.store, collection.principal

    def said_of(target: bytes) -> set[tuple[bytes, str]]:
        found = store.anchors(target, principal)
        return {(source, text) for source, _, anchor in found for text in anchor.texts}

    followers = collection.followers(row)
    of_others = set[tuple[bytes, str]]().union(*map(said_of, followers))
    return len(of_others - said_of(row)) if followers else 0


class Inwards:
    """The links to a page; `count` is how many there were, once all were seen."""

    def __init__(self, collection: TabletView, row: bytes, ranks: Ranks) -> None:
        self._collection, self._row, self._ranks = collection, row, ranks
        self.count = 0

    def __iter__(self) -> Iterator[PageLink]:
        store, principal = self._collection.store, self._collection.principal
        found = store.anchors(self._row, principal)
        while each := list(islice(found, _AT_ONCE)):
            self.count += len(each)
            scores = self._ranks.rank_of([source for source, _, _ in each])
            for (source, _, anchor), score in zip(each, scores, strict=True):
                yield _link(url_of(source), anchor.text, anchor.rel, score)


def around(
    url: str,
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    top: int = 10,
    progress: Progress | None = None,
) -> Surroundings:
    """The best hubs and authorities among the pages that link to a page or that it links to."""
    place = place_of(dir)
    with open_collection(place) as collection:
        row, name = collection.row(url), collection.canonical(url)

        def ask(graph: LinkGraph) -> Surroundings | None:
            node = graph.node(row)
            if node is None:
                return None
            found = hits_around(graph, [node])
            names = [graph.row(each) for each in found.nodes.tolist()]
            hubs = zip(found.hubs.tolist(), names, strict=True)
            authorities = zip(found.authorities.tolist(), names, strict=True)
            return Surroundings(len(names), _best(hubs, top), _best(authorities, top))

        found = with_graph(place, ask, progress or (lambda _doing, _done, _total: None))
    if found is None:
        raise UsageError(f"{name} is not in the link graph; `shoal rank` makes it anew")
    return found


def _best(valued: Iterable[tuple[float, bytes]], top: int) -> list[tuple[str, float]]:
    return [(url_of(row), value) for value, row in nlargest(top, valued) if value > 0]


def _link(url: str, text: str, rel: int, score: float) -> PageLink:
    names = [flag.name.lower() for flag in Rel if flag & rel and flag.name]
    return PageLink(url, text, names, not rel & NO_VOTE, score)
