"""What is a page worth by the links to it? PageRank by power iteration over edges on disk.

Brin and Page, "The anatomy of a large-scale hypertextual Web search engine" (1998), as a
probability: the ranks of all pages add up to 1. A page gives 0.85 of its rank to those it links to,
in equal parts (or by the edges' weights); the rest, and all of what pages without links have, goes
to every page alike, or to the pages one chooses (Page et al. 1999; Haveliwala 2003). Float64; an
iteration reads the edges once, in pieces, so that memory holds only three numbers for each node.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from shoal.graph.arrays import Floats, Offsets, each_once
from shoal.graph.link_graph import Adjacency

Told = Callable[[int, float], None]
"""After each iteration: its number, and by how much the ranks changed (L1)."""


class Walk(NamedTuple):
    damping: float = 0.85
    """How often somebody who wanders about follows a link, rather than start anew."""
    tolerance: float = 1e-10
    """It ends when the ranks change by less than this, all changes added up (L1)."""
    max_iterations: int = 200


WALK = Walk()


class PageRank(NamedTuple):
    rank: Floats
    iterations: int
    residual: float
    """By how much the ranks changed in the last iteration, all changes added up."""
    floor: float
    """The rank of a page that nobody links to (0 when personalised)."""


def pagerank(
    into: Adjacency,
    out_weight: Floats | Offsets,
    personal: Sequence[int] = (),
    walk: Walk = WALK,
    told: Told | None = None,
) -> PageRank:
    """`out_weight` is the sum of the weights of a node's out-edges, or their number."""
    nodes, (damping, tolerance, max_iterations) = into.nodes, walk
    if not nodes:
        return PageRank(np.empty(0), 0, 0.0, 0.0)
    chosen = each_once(np.array(personal, np.int64)) if len(personal) else None
    rank: Floats = np.full(nodes, 1 / nodes)
    if chosen is not None:
        rank = np.zeros(nodes)
        rank[chosen] = 1 / len(chosen)
    dangling = np.flatnonzero(out_weight == 0)
    per_weight = damping / np.maximum(out_weight, np.finfo(np.float64).tiny)
    per_weight[dangling] = 0.0
    residual, iteration, floor = 1.0, 0, 0.0
    while residual > tolerance and iteration < max_iterations:
        jump = 1 - damping + damping * float(rank[dangling].sum())
        new = received(into, rank * per_weight)
        if chosen is None:
            floor = jump / nodes
            new += floor
        else:
            new[chosen] += jump / len(chosen)
        new /= new.sum()  # what rounding lost
        residual = float(np.abs(new - rank).sum())
        rank, iteration = new, iteration + 1
        if told is not None:
            told(iteration, residual)
    return PageRank(rank, iteration, residual, floor)


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
