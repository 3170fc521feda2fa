"""What is a site worth by the links of other sites? The graph of sites, and PageRank on it.

A site is a scheme, a host and a port, as everywhere. Site A links to B with the weight of the
distinct links from pages of A to pages of B; links within a site say nothing of its worth. So a
site can't raise itself with pages of its own, and one with a link in every footer gives most of
what it has to whom it names there.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shoal.graph.arrays import F8, U4, U8, Appended, Floats, Hashes, Offsets, mapped, write
from shoal.graph.edges import merged
from shoal.graph.link_graph import Adjacency, LinkGraph

_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class SiteGraph(NamedTuple):
    into: Adjacency
    out_weight: Floats


def site_graph(graph: LinkGraph, scratch: Path) -> SiteGraph:
    """Sites may be linked in as many pairs as pages are: so these are sorted on disk as well."""
    degrees = np.zeros(graph.site_count, np.int64)
    out_weight: Floats = np.zeros(graph.site_count)
    files = list(_sorted_links(graph, scratch))
    with (
        Appended(scratch / "site_sources", U4) as neighbours,
        Appended(scratch / "site_weights", F8) as weights,
    ):
        for links in merged([mapped(file, U8) for file in files]):
            keys, counts = np.unique(links, return_counts=True)
            sources = (keys & _LOW).astype(U4)
            targets = (keys >> _HALF).astype(np.int64)
            degrees += np.bincount(targets, minlength=len(degrees))
            out_weight += np.bincount(sources, counts, minlength=len(degrees))
            neighbours.add(sources)
            weights.add(counts)
    offsets: Offsets = np.zeros(len(degrees) + 1, np.int64)
    np.cumsum(degrees, out=offsets[1:])
    into = Adjacency(
        offsets, mapped(scratch / "site_sources", U4), mapped(scratch / "site_weights", F8)
    )
    return SiteGraph(into, out_weight)


def _sorted_links(graph: LinkGraph, scratch: Path) -> Iterator[Path]:
    """For every link to another site (target, source) as one number; ascending in each file."""
    for number, piece in enumerate(graph.into.pieces()):
        target = graph.site_of[graph.into.owners(piece)].astype(U8)
        source = graph.site_of[graph.into.neighbours[piece.start : piece.end]].astype(U8)
        across = target != source
        keys: Hashes = np.sort(target[across] << _HALF | source[across])
        path = scratch / f"sites-{number:05d}"
        write(path, keys, U8)
        yield path


def pages_of(graph: LinkGraph, site: int, at_most: int, *, unfetched: bool = True) -> list[int]:
    """The pages of a site, the highest rank first; also those that nobody fetched."""
    meant = graph.site_of == site
    nodes = np.flatnonzero(meant if unfetched else meant & graph.fetched)
    return [int(node) for node in nodes[np.argsort(-graph.rank[nodes], kind="stable")[:at_most]]]
