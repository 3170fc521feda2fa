"""How is a graph divided by its nodes? A part has the nodes of a range of hashes, and what is done
with a part needs nothing of the others but what they hand over.

Pages come from tablets as pieces, one for each part: nodes of that part that were named, and links
to them. `gather` makes a part of its pieces. Links come from any part: a part tells each other one
which of its nodes it wants shares of, by their hashes (*wanted*), and `number` answers with their
places there. From then on only numbers go from part to part, in that order.

These functions are pure, and the tasks of partitioned_graph.py: a number of parts that fits makes
each fit into memory, however large the graph is.
"""

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from shoal.graph.arrays import U4, U8, Bools, Floats, Hashes, Ids, Offsets, each_once
from shoal.graph.edges import bounds_of, each_row_once
from shoal.graph.link_graph import Adjacency
from shoal.graph.pagerank import Moved, Own, own
from shoal.graph.sorted_runs import Gathered

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class Piece(NamedTuple):
    """Of some pages and links what belongs to one part."""

    hashes: Hashes
    """Of its nodes, ascending."""
    names: bytes
    """Their rows, one behind the other."""
    ends: Offsets
    fetched: Bools
    """Whether a node's links are known."""
    targets: Hashes
    """Of each link; one of the nodes."""
    sources: Hashes
    """Of each link; a node of any part."""


def split(found: Gathered, parts: int) -> list[Piece]:
    """A piece for each part."""
    bounds = bounds_of(parts)
    fetched = np.zeros(len(found.hashes), np.bool_)
    fetched[found.sources] = True
    cuts = [0, *np.searchsorted(found.hashes, bounds).tolist(), len(found.hashes)]
    by_target = np.argsort(found.edges[:, 1], kind="stable")
    sources, targets = found.edges[by_target, 0], found.edges[by_target, 1]
    links = np.searchsorted(targets, cuts).tolist()
    pieces = []
    for (start, end), (first, last) in zip(pairwise(cuts), pairwise(links), strict=True):
        names, ends = _joined(found.rows[start:end])
        pieces.append(
            Piece(
                found.hashes[start:end],
                names,
                ends,
                fetched[start:end],
                found.hashes[targets[first:last]],
                found.hashes[sources[first:last]],
            )
        )
    return pieces


def _joined(rows: list[bytes]) -> tuple[bytes, Offsets]:
    return b"".join(rows), np.cumsum(np.fromiter(map(len, rows), np.int64, len(rows)))


def rows_of(names: bytes, ends: Offsets) -> list[bytes]:
    return [names[start:end] for start, end in pairwise((0, *ends.tolist()))]


class NodeNames(NamedTuple):
    """What the files of a graph say of a part's nodes."""

    names: bytes
    ends: Offsets
    fetched: Bools


GATHERED = 4
"""What `gather` returns before what is wanted of each part."""


def gather(parts: int, *pieces: Piece) -> list[Any]:
    """How many nodes it has; their hashes; the `NodeNames`; its links as an Adjacency to what is
    wanted of all parts, in order; and then what is wanted of each part."""
    rows = [row for piece in pieces for row in rows_of(piece.names, piece.ends)]
    hashes, kept = each_row_once([piece.hashes for piece in pieces], rows)
    fetched = np.zeros(len(hashes), np.bool_)
    for piece in pieces:
        fetched[np.searchsorted(hashes, piece.hashes[piece.fetched])] = True
    nothing = np.empty(0, U8)
    targets = np.concatenate([*(piece.targets for piece in pieces), nothing])
    sources = np.concatenate([*(piece.sources for piece in pieces), nothing])
    wanted = each_once(sources)
    keys = np.searchsorted(hashes, targets).astype(U8) << _HALF
    links = each_once(keys | np.searchsorted(wanted, sources).astype(U8))
    into = _adjacency(links, len(hashes))
    cuts = [0, *np.searchsorted(wanted, bounds_of(parts)).tolist(), len(wanted)]
    asked = [wanted[start:end] for start, end in pairwise(cuts)]
    return [len(hashes), hashes, NodeNames(*_joined(kept), fetched), into, *asked]


def _adjacency(keys: Hashes, nodes: int) -> Adjacency:
    """Of ascending pairs (owner, neighbour), each one number."""
    degrees = np.bincount((keys >> _HALF).astype(np.int64), minlength=nodes)
    offsets: Offsets = np.zeros(nodes + 1, np.int64)
    np.cumsum(degrees, out=offsets[1:])
    return Adjacency(offsets, (keys & _LOW).astype(U4))


def number(hashes: Hashes, *wanted: Hashes) -> list[Ids]:
    """The places of its nodes that other parts want."""
    return [np.searchsorted(hashes, each).astype(U4) for each in wanted]


def turn(part: int, begins: Offsets, into: Adjacency, *places: Ids) -> list[Any]:
    """Its links by the numbers that the nodes have in the whole graph; and, for each part, the
    links that come from there, as (place there, number of the target)."""
    sources = np.concatenate([np.empty(0, np.int64), *map(np.add, begins, places)]).astype(U4)
    owners = np.repeat(np.arange(into.nodes, dtype=np.int64), into.degrees()) + begins[part]
    at_home = np.concatenate([np.empty(0, U4), *places])[into.neighbours].astype(U8)
    keys = at_home << _HALF | owners.astype(U8)
    part_of = np.repeat(np.arange(len(places)), [len(each) for each in places])[into.neighbours]
    return [sources[into.neighbours], *(keys[part_of == each] for each in range(len(places)))]


def outgoing(nodes: int, *links: Hashes) -> list[Any]:
    """The links from its nodes, as all parts that they lead to have told them."""
    return [_adjacency(np.sort(np.concatenate([*links, np.empty(0, U8)])), nodes)]


# --- ranking ---------------------------------------------------------------------------------


def begin(out: Adjacency, chosen: Offsets | None, starts: int, *places: Ids) -> list[Any]:
    """What holds for all iterations, first ranks, what they are worth, and each part's shares."""
    these = own(out.degrees(), chosen, starts)
    rank = these.first_ranks()
    shares, dangling = these.given(rank)
    moved = Moved(dangling, 0.0, float(rank.sum()))
    return [these, rank, moved, *(shares[each] for each in places)]


def step(jump: float, these: Own, into: Adjacency, rank: Floats, *given: Any) -> list[Any]:
    """An iteration: `given` are the places that each part wants, and the shares from each part.
    Returns new ranks, what has changed, and each part's shares."""
    places, incoming = given[: len(given) // 2], given[len(given) // 2 :]
    new = these.next_ranks(into, np.concatenate(incoming), jump)
    shares, dangling = these.given(new)
    moved = Moved(dangling, float(np.abs(new - rank).sum()), float(new.sum()))
    return [new, moved, *(shares[each] for each in places)]
