"""How far is it from page to page? Shortest paths from a sample of pages.

Searches from 64 pages go on at once, one bit of a number for each, so that a link is followed for
all of them together. From the pages of the sample every distance is exact; what is said of all
pages is an estimate, and the longest distance a lower bound. The effective diameter is the distance
within which 90% of the connected pairs lie, interpolated (Leskovec, Kleinberg and Faloutsos 2005).
"""

import numpy as np

from shoal.graph.arrays import U8, Hashes, Ids, each_once
from shoal.graph.link_graph import Adjacency
from shoal.graph.walks import neighbourhoods
from shoal.model.record import Struct

SAMPLE = 256
_BITS = 64
_MANY_EDGES = 20_000_000
"""From so many on one search must do: it takes minutes."""
_EFFECTIVE = 0.9
MOST_STEPS = 20_000
"""Of one search: a chain of pages longer than this is a trap, and is followed no further."""


class Distances(Struct):
    sampled: int
    """Pages that were started from; all of them: nothing is estimated."""
    connected: float
    """Share of the ordered pairs of pages of which the first leads to the second."""
    mean: float
    """Links on the shortest path between connected pages."""
    effective: float
    """Within which 90% of them lie."""
    longest: int


def distances(out: Adjacency, seed: int = 0, sample: int = SAMPLE) -> Distances:
    nodes = out.nodes
    if len(out.neighbours) > _MANY_EDGES:
        sample = min(sample, _BITS)
    if sample < nodes:
        drawn = np.random.default_rng(seed).choice(nodes, sample, replace=False)
    else:
        drawn = np.arange(nodes)
    pairs: list[int] = [0]
    for first in range(0, len(drawn), _BITS):
        for steps, count in enumerate(
            _search(out, drawn[first : first + _BITS].astype(np.uint32)), 1
        ):
            if steps == len(pairs):
                pairs.append(0)
            pairs[steps] += count
    total = sum(pairs)
    possible = len(drawn) * (nodes - 1)
    if not total:
        return Distances(len(drawn), 0.0, 0.0, 0.0, 0)
    mean = sum(steps * count for steps, count in enumerate(pairs)) / total
    return Distances(len(drawn), total / possible, mean, _effective(pairs), len(pairs) - 1)


def _search(out: Adjacency, start: Ids) -> list[int]:
    """For 1, 2, 3 … links how many pairs (one of the start, any page) are that far apart."""
    seen: Hashes = np.zeros(out.nodes, U8)
    fresh: Hashes = np.zeros(out.nodes, U8)
    fresh[start] = np.uint64(1) << np.arange(len(start), dtype=U8)
    front = start
    counts: list[int] = []
    while len(front) and len(counts) <= MOST_STEPS:
        bits = fresh[front]
        seen[front] |= bits
        fresh[front] = 0
        found = []
        at = 0
        for nodes, near in neighbourhoods(out, front):
            degrees = out.offsets[nodes + 1] - out.offsets[nodes]
            np.bitwise_or.at(fresh, near, np.repeat(bits[at : at + len(nodes)], degrees))
            found.append(each_once(near))
            at += len(nodes)
        near = each_once(np.concatenate(found))
        fresh[near] &= ~seen[near]
        front = near[fresh[near] != 0]
        counts.append(int(np.bitwise_count(fresh[front]).sum()))
    return counts[:-1] if counts and not counts[-1] else counts


def _effective(pairs: list[int]) -> float:
    wanted, below = _EFFECTIVE * sum(pairs), 0
    for steps, count in enumerate(pairs):
        if below + count >= wanted:
            return steps - 1 + (wanted - below) / count
        below += count
    return float(len(pairs) - 1)
