"""How early did the most important pages come? `shoal order report`.

Important are the pages of the highest PageRank among all that were fetched, as far as everyone may
read them. The order in which they came is held against others, replayed on the same links
(replay.py): breadth first, random, perfect, and the crawl's own values without any politeness,
which says what the waits at hosts cost.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import islice
from math import sqrt
from pathlib import Path

from shoal.access.opening import open_collection
from shoal.analysis import replay
from shoal.analysis.cluster_ranking import SLICE_BYTES, Ballot, vote_slice
from shoal.analysis.graph_report import with_graph
from shoal.analysis.ranking import Progress, rank, seed_rows
from shoal.collection.slices import Slice, cut, in_order
from shoal.collection.view import TabletView
from shoal.counters import Counts
from shoal.errors import UsageError
from shoal.frontier.state.worth import Importance, Scale, Worth, add_vote
from shoal.graph.link_graph import LinkGraph
from shoal.layout.layout import in_directory, place_of
from shoal.layout.order import importance_of
from shoal.model.cell import to_ms
from shoal.model.outcome import State
from shoal.model.record import Struct
from shoal.model.urls.partition import Partition
from shoal.model.urls.rowkey import site_of_key
from shoal.store.rows import VISIT

_FEWEST = 2
MOST_PAGES = 1_000_000
_SHARE = 0.05
"""Of the pages: the most important, where nobody says how many."""
_TENTH = 0.1
_POINTS = 200
_BYTES = 64
_SEED = 20
_FIRST_ROW = b"\x01"
THIS, POLITE, BREADTH, RANDOM, PERFECT = (
    "this crawl",
    "without politeness",
    "breadth first",
    "random",
    "perfect",
)


class OrderCurve(Struct):
    name: str
    at_tenth: float
    """The share of the important pages that was found after a tenth of all."""
    area: float
    """Under its curve; 1 would be if all had been there from the first page on."""
    points: list[tuple[float, float]]
    """The share of the pages that were fetched, and that of the important ones among them."""


class OrderReport(Struct):
    pages: int
    """That were fetched, and to which links lead from the seeds."""
    important: int
    left_out: int
    """Fetched, but not reached by links: named by sitemaps, feeds or persons."""
    rank_mass: float | None
    """See `Status.rank_mass`."""
    loss: float | None
    """What politeness cost of the area; None of an order that is not played again."""
    curves: list[OrderCurve]

    def __repr__(self) -> str:
        areas = ", ".join(f"{each.name} {each.area:.3f}" for each in self.curves)
        return f"<Order of {self.pages:,} pages: {areas}>"


class _Order(Struct):
    """What the collection's settings say of its order."""

    name: str
    importance: Importance | None
    counts: dict[str, int]


def order_report(
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    top: int | None = None,
    told: Progress | None = None,
) -> OrderReport:
    """`shoal.order_report`."""
    if top is not None and top < 1:
        raise UsageError("top must be 1 or more")
    place, tell = place_of(dir), told or (lambda _doing, _done, _total: None)
    mass = rank(place, top=0, told=tell).summary.rank_mass
    with open_collection(place) as collection:
        tablets = collection.tablets
        came = dict(islice(in_order(tablets, came_slice, _FIRST_ROW), MOST_PAGES + 1))
        if len(came) < _FEWEST:
            raise UsageError(
                f"An order is of {_FEWEST} fetched pages at least; fetch some with: "
                f"shoal crawl URL{in_directory(place)}"
            )
        if len(came) > MOST_PAGES:
            raise UsageError(f"An order can be reported of {MOST_PAGES:,} pages at most")
        ranks = with_graph(place, lambda graph: _ranks(graph, came), tell)
        web = Web(came, ranks, tablets.ask(0, seed_rows))
        whole = Partition(0, tablets.count)
        web.take(in_order(tablets, vote_slice, _FIRST_ROW, whole, SLICE_BYTES))
        if len(web.order) < _FEWEST:
            raise UsageError("Links lead from no seed to a second page that was fetched")
        return _report(web, tablets.ask(0, order_of), top, mass)


def _ranks(graph: LinkGraph, rows: Iterable[bytes]) -> dict[bytes, float]:
    """PageRank; without those that are not in the graph."""
    found = ((row, graph.node(row)) for row in rows)
    return {row: float(graph.rank[node]) for row, node in found if node is not None}


def came_slice(view: TabletView, start: bytes) -> Slice[tuple[int, Worth]]:
    """When each page was fetched first that everyone may read, and what is known of it beside
    links: a question (tablets.py)."""
    if not start:
        return Slice([], b"")

    def found() -> Iterator[tuple[bytes, tuple[int, Worth], int]]:
        for row, url in view.frontier.urls(start, None):
            if url.state not in (State.FETCHED, State.UNCHANGED) or url.restricted or url.inside:
                continue
            when_ms, worth = url.fetched_ms, url.worth or Worth()
            if url.visits > 1:
                visits = [cell.when for cell in view.store.cells.versions(row, VISIT)]
                when_ms = to_ms(min(visits)) if visits else when_ms
            yield row, (when_ms, Worth(worth.location, worth.ruled, worth.about)), _BYTES

    return cut(found())


def order_of(view: TabletView) -> _Order:
    """As the settings of the collection have it: a question (tablets.py)."""
    wanted = importance_of(view.config)
    return _Order(view.config.crawl.order, wanted, view.frontier.counts().as_dict())


class Web:
    """The fetched pages, by numbers of their own, with their links as these stand on them."""

    def __init__(
        self,
        came: Mapping[bytes, tuple[int, Worth]],
        ranks: Mapping[bytes, float],
        seeds: Sequence[bytes],
    ) -> None:
        self.rows = list(ranks)
        self.rank = list(ranks.values())
        self.worth = [came[row][1] for row in self.rows]
        self.links: list[list[int]] = [[] for _ in self.rows]
        self.among = [1] * len(self.rows)
        """How many links of each page are votes, those to other pages too."""
        self.order: list[int] = []
        """Those that links lead to from the seeds, as they came."""
        self._numbers = {row: number for number, row in enumerate(self.rows)}
        times = [came[row][0] for row in self.rows]
        self.by_time = sorted(range(len(self.rows)), key=times.__getitem__)
        named = [self._numbers[row] for row in seeds if row in self._numbers]
        self.seeds = list(dict.fromkeys(named or self.by_time[:1]))

    def take(self, votes: Iterable[tuple[bytes, Ballot]]) -> None:
        numbers = self._numbers
        for row, ballot in votes:
            if (number := numbers.get(row)) is not None:
                named = [*ballot.targets, *ballot.away]
                self.among[number] = max(1, len(named))
                self.links[number] = [numbers[each] for each in named if each in numbers]
        reached = set(replay.breadth_first(self.links, self.seeds))
        self.order = [number for number in self.by_time if number in reached]


def _report(web: Web, order: _Order, top: int | None, mass: float | None) -> OrderReport:
    pages = len(web.order)
    most = max(1, min(pages, round(_SHARE * pages) if top is None else top))
    wanted = frozenset(nlargest(most, web.order, key=lambda each: (web.rank[each], -each)))
    links, seeds = web.links, web.seeds
    polite = _without_politeness(web, order)
    found = {
        THIS: web.order,
        **({} if polite is None else {POLITE: polite}),
        BREADTH: replay.breadth_first(links, seeds),
        RANDOM: replay.at_random(links, seeds, _SEED),
        PERFECT: replay.best_known_first(links, seeds, web.rank),
    }
    curves = [_curve(name, each, wanted) for name, each in found.items()]
    areas = {each.name: each.area for each in curves}
    loss = None if polite is None else areas[POLITE] - areas[THIS]
    return OrderReport(pages, most, len(web.rows) - pages, mass, loss, curves)


def _without_politeness(web: Web, order: _Order) -> list[int] | None:
    """The crawl's own order if it had waited for no host; None for one that is not played again."""
    if order.name == "breadth":
        return replay.breadth_first(web.links, web.seeds)
    if order.importance is None:
        return None
    ranks = dict(zip(web.rows, web.rank, strict=True))
    highest = max(web.rank)
    scale = Scale(order.importance, Counts(order.counts), lambda row: ranks[row] / highest)
    sites = [site_of_key(row) for row in web.rows]
    worth = [Worth(each.location, each.ruled, each.about) for each in web.worth]
    by_share = order.importance.votes == "shares"

    def vote(page: int, target: int) -> None:
        amount = 1 / sqrt(web.among[page]) if by_share else 1.0
        add_vote(worth[target], sites[page], amount)

    def value(page: int) -> float:
        return scale.value(web.rows[page], worth[page])

    return replay.by_votes(web.links, web.seeds, vote, value)


def _curve(name: str, order: Sequence[int], wanted: frozenset[int]) -> OrderCurve:
    shares = replay.share_found(order, wanted)
    pages = len(shares)
    tenth = shares[max(1, int(_TENTH * pages)) - 1]
    places = sorted({round(pages * point / _POINTS) for point in range(1, _POINTS + 1)} - {0})
    points = [(place / pages, shares[place - 1]) for place in places]
    return OrderCurve(name, tenth, replay.area_under(shares), [(0.0, 0.0), *points])
