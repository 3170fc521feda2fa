"""How much of the weight that can be reached from the seeds has been fetched, at least?

Cho and Schonfeld, "RankMass crawler: a crawler with high personalized PageRank coverage guarantee"
(2007). Somebody who starts at a seed, follows a link 85 times in 100 and else starts over at a seed
is at each page with some probability; all of them add up to 1. What is summed here are only the
ways that lead through pages whose links are known, step by step. Ways that were left out can only
add to it, so the sum over the fetched pages is a lower bound, whatever else there is.
"""

from collections.abc import Sequence

import numpy as np

from shoal.graph.arrays import Floats
from shoal.graph.link_graph import LinkGraph
from shoal.graph.pagerank import WALK, Walk, received


def rank_mass(graph: LinkGraph, seeds: Sequence[int], walk: Walk = WALK) -> float:
    """From 0 to 1; 0 without a seed in the graph."""
    starts = sorted(set(seeds))
    if not starts:
        return 0.0
    links = graph.out.degrees()
    given = np.where(graph.fetched & (links > 0), walk.damping / np.maximum(links, 1), 0.0)
    first: Floats = np.zeros(graph.nodes)
    first[starts] = (1 - walk.damping) / len(starts)
    sums = step = first
    for _ in range(walk.max_iterations):
        step = received(graph.into, step * given)
        sums = sums + step
        if float(step.sum()) < walk.tolerance:
            break
    return min(1.0, float(sums[graph.fetched].sum()))
