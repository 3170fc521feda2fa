"""What shape has the web that was gathered? The parts of a bow tie.

Broder et al., "Graph structure in the Web" (2000). Core: the largest set of pages that all reach
each other. In: pages from which it is reached. Out: pages that it reaches. Tubes lead from In to
Out past the core. Tendrils: what else hangs together with all that, if links are followed in either
direction. Islands: the rest. Every page is in exactly one part. Where no two pages reach each other
there is no core; then what hangs together most is counted among the tendrils.
"""

from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.graph.arrays import Bools
from shoal.graph.components import largest_core, weak_labels
from shoal.graph.link_graph import Adjacency
from shoal.graph.walks import reached


class BowTiePart(IntEnum):
    ISLAND = 0
    CORE = 1
    IN = 2
    OUT = 3
    TUBE = 4
    TENDRIL = 5


class BowTie(NamedTuple):
    parts: NDArray[np.uint8]
    """The Part of each node."""
    weak_components: int
    largest_weak: int
    """Pages of the largest."""

    def count(self, part: BowTiePart) -> int:
        return int(np.count_nonzero(self.parts == part))


def bow_tie(into: Adjacency, out: Adjacency) -> BowTie:
    parts: NDArray[np.uint8] = np.full(into.nodes, BowTiePart.ISLAND, np.uint8)
    if not into.nodes:
        return BowTie(parts, 0, 0)
    labels = weak_labels(into, out)
    roots, sizes = np.unique(labels, return_counts=True)
    core = largest_core(into, out)
    root = labels[core[0]] if len(core) else roots[np.argmax(sizes)]
    if len(core) or sizes.max() > 1:
        parts[labels == root] = BowTiePart.TENDRIL
    if len(core):
        ahead, behind = reached(out, core), reached(into, core)
        parts[ahead] = BowTiePart.OUT
        parts[behind] = BowTiePart.IN
        parts[core] = BowTiePart.CORE
        parts[_tubes(into, out, parts)] = BowTiePart.TUBE
    return BowTie(parts, len(roots), int(sizes.max()))


def _tubes(into: Adjacency, out: Adjacency, parts: NDArray[np.uint8]) -> Bools:
    others = parts == BowTiePart.TENDRIL
    entered = reached(out, np.flatnonzero(parts == BowTiePart.IN).astype(np.uint32), others)
    left = reached(into, np.flatnonzero(parts == BowTiePart.OUT).astype(np.uint32), others)
    tubes: Bools = others & entered & left
    return tubes
