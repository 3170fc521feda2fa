"""Which pages are good lists of links, and which are named by those? Hubs and authorities.

Kleinberg, "Authoritative sources in a hyperlinked environment" (1999): a hub is worth the sum of
the authorities that it links to, an authority the sum of the hubs that link to it. Asked of the
surroundings of some pages: these, all that they link to, and up to 50 that link to each. Links
within a site are left out, as there, since they are for finding one's way; only where there are no
others do they count.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.graph.arrays import U4, Floats, Ids, Offsets, each_once
from shoal.graph.link_graph import Adjacency, LinkGraph
from shoal.graph.pagerank import received

MOST_LINKING = 50
MOST_NODES = 100_000
_TOLERANCE = 1e-10
_MAX_ITERATIONS = 500
_FEW_ITERATIONS = 30


class Hits(NamedTuple):
    nodes: Ids
    hubs: Floats
    """Squares add up to 1."""
    authorities: Floats
    iterations: int


def hits_around(graph: LinkGraph, roots: list[int]) -> Hits:
    """Of the surroundings of some pages."""
    nodes = surroundings(graph, roots)
    into, out = _between(graph, nodes)
    hubs, authorities, iterations = hits(into, out)
    return Hits(nodes, hubs, authorities, iterations)


def hits(into: Adjacency, out: Adjacency) -> tuple[Floats, Floats, int]:
    """Hubs and authorities of a whole graph."""
    hubs: Floats = _unit(np.ones(into.nodes))
    authorities: Floats = np.zeros(into.nodes)
    iteration, moved = 0, 1.0
    while iteration < _MAX_ITERATIONS and moved > _TOLERANCE:
        new = _unit(received(into, hubs))
        moved = float(np.abs(new - authorities).sum())
        authorities = new
        hubs = _unit(received(out, authorities))
        iteration += 1
    return hubs, authorities, iteration


def hubs_of(links: Sequence[tuple[int, int]], nodes: int) -> list[float]:
    """Hubs of a few links, given as pairs; links within a site are among them if they are given."""
    source, target = np.array(links, np.int64).reshape(-1, 2).T
    hubs: Floats = _unit(np.ones(nodes))
    for _ in range(_FEW_ITERATIONS):
        authorities = _unit(np.bincount(target, hubs[source], nodes).astype(np.float64))
        hubs = _unit(np.bincount(source, authorities[target], nodes).astype(np.float64))
    return [float(each) for each in hubs]


def surroundings(graph: LinkGraph, roots: list[int]) -> Ids:
    found = [np.array(roots, U4)]
    for root in roots:
        found.append(graph.out.of(root))
        # Those of the highest rank: whoever has links from everywhere would bring in the whole web.
        linking = graph.into.of(root)
        found.append(linking[np.argsort(-graph.rank[linking], kind="stable")[:MOST_LINKING]])
    return each_once(np.concatenate(found))[:MOST_NODES]


def _between(graph: LinkGraph, nodes: Ids) -> tuple[Adjacency, Adjacency]:
    """The links between some nodes, renumbered by their places."""
    counts = graph.out.offsets[nodes + 1] - graph.out.offsets[nodes]
    targets = graph.out.of_all(nodes)
    sources = np.repeat(np.arange(len(nodes)), counts)
    places = np.minimum(np.searchsorted(nodes, targets), max(0, len(nodes) - 1))
    inside = nodes[places] == targets
    sources, places = sources[inside], places[inside]
    across = graph.site_of[nodes[sources]] != graph.site_of[nodes[places]]
    if across.any():
        sources, places = sources[across], places[across]
    return _adjacency(places, sources, len(nodes)), _adjacency(sources, places, len(nodes))


def _adjacency(owners: Offsets, others: Offsets, nodes: int) -> Adjacency:
    order = np.argsort(owners, kind="stable")
    offsets: Offsets = np.zeros(nodes + 1, np.int64)
    np.cumsum(np.bincount(owners, minlength=nodes), out=offsets[1:])
    return Adjacency(offsets, others[order].astype(U4))


def _unit(vector: Floats) -> Floats:
    length = float(np.sqrt(np.square(vector).sum()))
    return vector / length if length else vector
