"""Where does one get by following links? Breadth-first search by whole levels, in numpy.

A level's neighbours are gathered in pieces, so that a search holds a few numbers for each node and
never one for each edge.
"""

from collections.abc import Iterator

import numpy as np

from shoal.graph.arrays import Bools, Ids, each_once
from shoal.graph.link_graph import EDGES_AT_ONCE, Adjacency


def neighbourhoods(adjacency: Adjacency, nodes: Ids) -> Iterator[tuple[Ids, Ids]]:
    """(some of the nodes, all their neighbours), of bounded size."""
    ends = np.cumsum(adjacency.offsets[nodes + 1] - adjacency.offsets[nodes])
    start = 0
    while start < len(nodes):
        before = int(ends[start - 1]) if start else 0
        end = max(start + 1, int(np.searchsorted(ends, before + EDGES_AT_ONCE, "right")))
        yield nodes[start:end], adjacency.of_all(nodes[start:end])
        start = end


def reached(adjacency: Adjacency, start: Ids, within: Bools | None = None) -> Bools:
    """All nodes that can be reached from these, with themselves; only through those within."""
    seen: Bools = np.zeros(adjacency.nodes, np.bool_)
    seen[start] = True
    front = start
    while len(front):
        found = []
        for _, near in neighbourhoods(adjacency, front):
            new = near[~seen[near]]
            if within is not None:
                new = new[within[new]]
            seen[new] = True
            found.append(each_once(new))
        front = np.concatenate(found)
    return seen
