"""What is a page worth by the links to it? PageRank by power iteration over edges on disk.

Brin and Page, "The anatomy of a large-scale hypertextual Web search engine" (1998), as a
probability: the ranks of all pages add up to 1. A page gives 0.85 of its rank to those it links to,
in equal parts (or by the edges' weights); the rest, and all of what pages without links have, goes
to every page alike, or to the pages one chooses (Page et al. 1999; Haveliwala 2003). Float64; an
iteration reads the edges once, in pieces, so that memory holds only three numbers for each node.

Nodes may be divided among many (partitioned_graph.py): what an iteration does with some nodes, and
when it is over, is written once, here.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from shoal.graph.arrays import Floats, Offsets, each_once
from shoal.graph.link_graph import Adjacency

WalkProgress = Callable[[int, float], None]
"""After each iteration: its number, and by how much the ranks changed."""


class Walk(NamedTuple):
    damping: float = 0.85
    """How often somebody who wanders about follows a link, rather than start over."""
    tolerance: float = 1e-10
    """It ends when the ranks change by less than this, all changes added up."""
    max_iterations: int = 200


WALK = Walk()


class PageRank(NamedTuple):
    rank: Floats
    iterations: int
    residual: float
    """By how much the ranks changed in the last iteration, all changes added up."""
    floor: float
    """The rank of a page that nobody links to (0 when personalised)."""


class Own(NamedTuple):
    """What an iteration needs to know of some nodes, beside the links to them."""

    per_weight: Floats
    """What of a node's rank goes over each of its links; 0 for one without links."""
    dangling: Offsets
    """Those without links."""
    chosen: Offsets | None
    """Those where one starts over; None: anywhere."""
    at_first: float
    """The rank that each of those has before anything is known."""

    def first_ranks(self) -> Floats:
        rank: Floats = np.zeros(len(self.per_weight))
        rank[slice(None) if self.chosen is None else self.chosen] = self.at_first
        return rank

    def given(self, rank: Floats) -> tuple[Floats, float]:
        """What each node gives over a link; and the rank of those that have none."""
        return rank * self.per_weight, float(rank[self.dangling].sum())

    def next_ranks(self, into: Adjacency, shares: Floats, jump: float) -> Floats:
        """From the shares of those that link to them, as `into` numbers those."""
        new = received(into, shares)
        new[slice(None) if self.chosen is None else self.chosen] += jump * self.at_first
        return new


def own(
    out_weight: Floats | Offsets, chosen: Offsets | None, starts: int, walk: Walk = WALK
) -> Own:
    """One starts over at so many nodes, of which `chosen` are among these; None: at any."""
    dangling = np.flatnonzero(out_weight == 0)
    per_weight = walk.damping / np.maximum(out_weight, np.finfo(np.float64).tiny)
    per_weight[dangling] = 0.0
    return Own(per_weight, dangling, chosen, 1 / starts)


class Moved(NamedTuple):
    """What an iteration has done to some nodes."""

    dangling: float
    """The ranks of those without links, added up."""
    change: float
    """By how much ranks have changed, all changes added up."""
    total: float
    """The ranks of all, added up: 1 but for what rounding lost."""


class Walked(NamedTuple):
    iterations: int
    residual: float
    jump: float
    """What in the last iteration went to where one starts over."""
    total: float


def iterate(
    step: Callable[[float], Moved],
    dangling: float,
    walk: Walk = WALK,
    progress: WalkProgress | None = None,
) -> Walked:
    """Until the ranks stand still. A step is given what goes to where one starts over."""
    found = Walked(0, 1.0, 0.0, 1.0)
    while found.residual > walk.tolerance and found.iterations < walk.max_iterations:
        jump = 1 - walk.damping + walk.damping * dangling
        dangling, change, total = step(jump)
        found = Walked(found.iterations + 1, change, jump, total)
        if progress is not None:
            progress(found.iterations, change)
    return found


def pagerank(
    into: Adjacency,
    out_weight: Floats | Offsets,
    personal: Sequence[int] = (),
    walk: Walk = WALK,
    progress: WalkProgress | None = None,
) -> PageRank:
    """`out_weight` is the sum of the weights of a node's out-edges, or their number."""
    if not into.nodes:
        return PageRank(np.empty(0), 0, 0.0, 0.0)
    chosen = each_once(np.array(personal, np.int64)) if len(personal) else None
    all_nodes = own(out_weight, chosen, into.nodes if chosen is None else len(chosen), walk)
    rank = all_nodes.first_ranks()
    shares, dangling = all_nodes.given(rank)

    def step(jump: float) -> Moved:
        nonlocal rank, shares
        new = all_nodes.next_ranks(into, shares, jump)
        change, rank = float(np.abs(new - rank).sum()), new
        shares, dangling = all_nodes.given(rank)
        return Moved(dangling, change, float(rank.sum()))

    walked = iterate(step, dangling, walk, progress)
    rank /= walked.total
    return PageRank(rank, walked.iterations, walked.residual, floor_of(walked, all_nodes))


def floor_of(walked: Walked, part: Own) -> float:
    return 0.0 if part.chosen is not None else walked.jump * part.at_first / walked.total


def received(into: Adjacency, shares: Floats) -> Floats:
    """What each node gets: the sum of the shares of those that link to it."""
    received: Floats = np.zeros(into.nodes)
    for piece in into.pieces():
        got = shares[into.neighbours[piece.start : piece.end]]
        if into.weights is not None:
            got *= into.weights[piece.start : piece.end]
        begins, is_linked = into.begins(piece)
        # `reduceat` gives an empty stretch the number behind it, so these are left out.
        sums = np.add.reduceat(got, begins[is_linked])
        received[piece.first : piece.last][is_linked] += sums
    return received
