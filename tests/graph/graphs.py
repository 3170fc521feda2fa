"""Graphs for tests: given by their edges, drawn at random, and read out of files."""

from collections.abc import Iterable
from pathlib import Path
from random import Random

import numpy as np

from shoal.graph.edges import build
from shoal.graph.link_graph import Adjacency, LinkGraph
from shoal.graph.sorted_runs import RunWriter

SEED = 7
Edges = set[tuple[int, int]]


def adjacency(pairs: Iterable[tuple[int, int]], nodes: int) -> Adjacency:
    """Of (owner, neighbour)."""
    ordered = sorted(pairs)
    offsets = np.zeros(nodes + 1, np.int64)
    for owner, _ in ordered:
        offsets[owner + 1] += 1
    return Adjacency(np.cumsum(offsets), np.array([other for _, other in ordered], np.uint32))


def both_ways(edges: Edges, nodes: int) -> tuple[Adjacency, Adjacency]:
    """(into, out) of edges (source, target)."""
    return adjacency(((t, s) for s, t in edges), nodes), adjacency(edges, nodes)


def drawn(nodes: int, edges: int, seed: int, dangling: float = 0.3) -> Edges:
    """At random; some nodes have no links at all, low numbers get more links than high ones."""
    random = Random(seed)
    sources = [node for node in range(nodes) if random.random() >= dangling] or [0]
    pairs = (
        (random.choice(sources), min(random.randrange(nodes), random.randrange(nodes)))
        for _ in range(edges)
    )
    return {(source, target) for source, target in pairs if source != target}


def row(number: int) -> bytes:
    return f"org,reef{number % 5})443:https/page/{number}".encode()


def written(edges: Edges, nodes: int, directory: Path, rows_per_run: int = 50) -> LinkGraph:
    """Through runs on disk; every node is a page, with links or without."""
    writer = RunWriter(directory, SEED, rows_per_run)
    for node in range(nodes):
        writer.add(row(node), [row(target) for source, target in sorted(edges) if source == node])
    writer.flush()
    build(writer.runs, directory, lambda *_: None)
    return LinkGraph(directory, SEED)
