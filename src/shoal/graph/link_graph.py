"""Who links to whom? The graph as it stands in files, read by memory map.

hashes              of the rows, ascending; a node's number is its place here
names, .offsets     the rows, in the order of the nodes
site_of             the number of each node's site
sites, .offsets     the keys of the sites
in, .offsets        for each node those that link to it
out, .offsets       for each node those that it links to
fetched             whether its links are known
rank, site_rank     PageRank, and that of the sites (pagerank.py, sites.py)
site_links_in       how many other sites link to each site
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.graph.arrays import F8, I8, U4, U8, Bools, Floats, Hashes, Ids, Offsets, mapped
from shoal.model.digest import seeded_number

EDGES_AT_ONCE = 1 << 21


class Piece(NamedTuple):
    """A stretch of edges [start, end), which belong to the nodes [first, last)."""

    start: int
    end: int
    first: int
    last: int


class Adjacency(NamedTuple):
    """Of each node its neighbours in one direction: `neighbours[offsets[n]:offsets[n + 1]]`."""

    offsets: Offsets
    neighbours: Ids
    weights: Floats | None = None
    """Of each edge; without them all are equal."""

    @property
    def nodes(self) -> int:
        return len(self.offsets) - 1

    def of(self, node: int) -> Ids:
        return self.neighbours[self.offsets[node] : self.offsets[node + 1]]

    def degrees(self) -> Offsets:
        return np.diff(self.offsets)

    def pieces(self) -> Iterator[Piece]:
        """All edges in order; a node whose edges are many lies in several pieces."""
        edges = len(self.neighbours)
        for start in range(0, edges, EDGES_AT_ONCE):
            end = min(edges, start + EDGES_AT_ONCE)
            first = int(np.searchsorted(self.offsets, start, "right")) - 1
            yield Piece(start, end, first, int(np.searchsorted(self.offsets, end, "left")))

    def begins(self, piece: Piece) -> tuple[Offsets, Bools]:
        """Where in the piece each of its nodes begins, and whether it has an edge there at all."""
        begins = np.maximum(self.offsets[piece.first : piece.last], piece.start)
        ends = np.minimum(self.offsets[piece.first + 1 : piece.last + 1], piece.end)
        return begins - piece.start, begins < ends

    def owners(self, piece: Piece) -> Ids:
        """For each edge of the piece the node that it belongs to."""
        bounds = np.clip(self.offsets[piece.first : piece.last + 1], piece.start, piece.end)
        found: Ids = np.repeat(np.arange(piece.first, piece.last, dtype=U4), np.diff(bounds))
        return found

    def of_all(self, nodes: Ids | Offsets) -> Ids:
        """The neighbours of several nodes, one behind the other."""
        starts = self.offsets[nodes]
        counts = self.offsets[nodes + 1] - starts
        total = int(counts.sum())
        before = np.cumsum(counts) - counts
        places: Offsets = np.arange(total) + np.repeat(starts - before, counts)
        return self.neighbours[places]


class LinkGraph:
    """A finished graph in a directory."""

    def __init__(self, directory: Path, seed: int) -> None:
        self._seed = seed
        # All now: when this graph is replaced, what is not mapped yet is gone, and `names`, which
        # is always there, the last: then nothing was missing before it.
        self.hashes: Hashes = mapped(directory / "hashes", U8)
        self.site_of: Ids = mapped(directory / "site_of", U4)
        self.into = _adjacency(directory / "in")
        self.out = _adjacency(directory / "out")
        self.fetched: Bools = mapped(directory / "fetched", np.dtype(np.bool_))
        self.rank: Floats = _if_there(directory / "rank", F8)
        self.site_rank: Floats = _if_there(directory / "site_rank", F8)
        self._site_links_in: Ids = _if_there(directory / "site_links_in", U4)
        self._names = _Names(directory / "names")
        self._sites = _Names(directory / "sites")

    @property
    def nodes(self) -> int:
        return len(self.hashes)

    @property
    def edges(self) -> int:
        return len(self.into.neighbours)

    @property
    def site_count(self) -> int:
        return len(self._sites)

    def highest(self, at_most: int, *, unfetched: bool = True) -> list[int]:
        """The nodes of the highest ranks, in order; also of pages that nobody fetched."""
        if unfetched:
            return highest(self.rank, at_most)
        nodes = np.flatnonzero(self.fetched)
        return [int(nodes[place]) for place in highest(self.rank[nodes], at_most)]

    def highest_sites(self, at_most: int) -> list[int]:
        return highest(self.site_rank, at_most)

    def sites_linking(self, number: int) -> int:
        """How many other sites link to a site."""
        return int(self._site_links_in[number])

    def row(self, node: int) -> bytes:
        return self._names[node]

    def rows(self) -> Iterator[bytes]:
        """Of all nodes, in order."""
        return iter(self._names)

    def links(self) -> Iterator[tuple[int, list[int]]]:
        """Every node with those that it links to, in order."""
        for node in range(self.nodes):
            yield node, self.out.of(node).tolist()

    def site(self, number: int) -> bytes:
        return self._sites[number]

    def site_number(self, key: bytes) -> int | None:
        return next((number for number, site in enumerate(self._sites) if site == key), None)

    def node(self, row: bytes) -> int | None:
        found = self.nodes_of([row])
        return found[0] if found else None

    def nodes_of(self, rows: Sequence[bytes]) -> list[int]:
        """Of the rows that are in the graph, without those that are not."""
        asked = np.array([seeded_number(row, self._seed) for row in rows], U8)
        places = np.searchsorted(self.hashes, asked)
        return [
            place
            for place, wanted in zip(places.tolist(), asked.tolist(), strict=True)
            if place < self.nodes and int(self.hashes[place]) == wanted
        ]


def _adjacency(path: Path) -> Adjacency:
    return Adjacency(mapped(path.with_name(f"{path.name}.offsets"), I8), mapped(path, U4))


def _if_there(path: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
    """A graph that is being made has no ranks yet."""
    return mapped(path, dtype) if path.exists() else np.empty(0, dtype)


def highest(ranks: Floats, at_most: int) -> list[int]:
    """The places of the highest numbers, in order."""
    kept = np.arange(len(ranks))
    if at_most < len(ranks):
        kept = np.argpartition(-ranks, at_most)[:at_most]
    return [int(each) for each in kept[np.lexsort((kept, -ranks[kept]))]]


class _Names:
    """Byte strings, one behind the other."""

    _AT_ONCE = 1 << 16

    def __init__(self, path: Path) -> None:
        self._offsets: Offsets = mapped(path.with_name(f"{path.name}.offsets"), I8)
        self._blob = mapped(path, np.dtype(np.uint8))

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, number: int) -> bytes:
        return self._blob[self._offsets[number] : self._offsets[number + 1]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        for first in range(0, len(self), self._AT_ONCE):
            ends = self._offsets[first : first + self._AT_ONCE + 1].tolist()
            blob = self._blob[ends[0] : ends[-1]].tobytes()
            for start, end in pairwise(ends):
                yield blob[start - ends[0] : end - ends[0]]
