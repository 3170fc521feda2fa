"""PageRank against two other ways to compute it: solving the linear system, and a plain loop."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.graph import link_graph
from shoal.graph.link_graph import Adjacency
from shoal.graph.pagerank import Walk, pagerank
from tests.graph.graphs import Edges, both_ways, drawn, row, written

NODES = 120


def solved(edges: Edges, nodes: int, personal: list[int]) -> NDArray[np.float64]:
    """The linear system (1 - d M) r = (1 - d) v, dense, by elimination."""
    jump = np.zeros(nodes)
    jump[personal or slice(None)] = 1 / (len(set(personal)) or nodes)
    step = np.zeros((nodes, nodes))
    for source, target in edges:
        step[target, source] = 1.0
    given = step.sum(axis=0)
    step[:, given > 0] /= given[given > 0]
    step[:, given == 0] = jump[:, None]
    found = np.linalg.solve(np.eye(nodes) - 0.85 * step, 0.15 * jump)
    return found.astype(np.float64)


def looped(edges: Edges, nodes: int) -> list[float]:
    """As in a textbook: dictionaries and floats."""
    out: dict[int, list[int]] = {}
    for source, target in edges:
        out.setdefault(source, []).append(target)
    rank = [1 / nodes] * nodes
    for _ in range(300):
        lost = sum(rank[node] for node in range(nodes) if node not in out)
        new = [(0.15 + 0.85 * lost) / nodes] * nodes
        for source, targets in out.items():
            for target in targets:
                new[target] += 0.85 * rank[source] / len(targets)
        rank = new
    return rank


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("personal", [[], [3], [5, 0, 5, 77]])
def test_equals_the_solution_of_the_linear_system(seed: int, personal: list[int]) -> None:
    edges = drawn(NODES, 500, seed)
    into, out = both_ways(edges, NODES)
    found = pagerank(into, out.degrees(), personal)
    assert found.residual <= 1e-10
    assert np.abs(found.rank - solved(edges, NODES, personal)).max() < 1e-9
    assert found.rank.sum() == pytest.approx(1)


@pytest.mark.parametrize("piece", [1, 7, 64])
def test_equals_a_plain_loop_whatever_is_read_at_once(
    piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_graph, "EDGES_AT_ONCE", piece)
    edges = drawn(NODES, 700, 9)
    into, out = both_ways(edges, NODES)
    found = pagerank(into, out.degrees())
    assert np.abs(found.rank - looped(edges, NODES)).max() < 1e-9


def test_through_files_and_back(tmp_path: Path) -> None:
    edges = drawn(NODES, 600, 11)
    graph = written(edges, NODES, tmp_path)
    found = pagerank(graph.into, graph.out.degrees())
    wanted = looped(edges, NODES)
    for node in range(NODES):
        [place] = graph.nodes_of([row(node)])
        assert found.rank[place] == pytest.approx(wanted[node], abs=1e-9)


def test_the_floor_is_the_rank_of_an_unlinked_page() -> None:
    into, out = both_ways({(0, 1), (1, 2), (2, 1)}, 4)
    found = pagerank(into, out.degrees())
    assert found.rank[0] == pytest.approx(found.floor, rel=1e-8)
    assert found.rank[3] == pytest.approx(found.floor, rel=1e-8)
    assert found.rank.min() >= found.floor * (1 - 1e-8)


def test_weights_share_out_the_rank() -> None:
    """A node that gives three quarters of its links to one and a quarter to another."""
    into = Adjacency(np.array([0, 0, 1, 2]), np.array([0, 0], np.uint32), np.array([3.0, 1.0]))
    found = pagerank(into, np.array([4.0, 0.0, 0.0]))
    gained = found.rank - found.floor
    assert gained[1] / gained[2] == pytest.approx(3)


def test_far_from_the_chosen_pages_there_is_no_rank() -> None:
    into, out = both_ways({(0, 1), (1, 0), (2, 3), (3, 2)}, 4)
    found = pagerank(into, out.degrees(), [0])
    assert found.rank[2:].tolist() == [0, 0]


def test_it_ends_after_so_many_iterations() -> None:
    into, out = both_ways({(0, 1), (1, 2), (2, 0)}, 4)
    told: list[int] = []
    found = pagerank(
        into,
        out.degrees(),
        walk=Walk(tolerance=0, max_iterations=3),
        progress=lambda n, _: told.append(n),
    )
    assert found.iterations == 3
    assert told == [1, 2, 3]


def test_a_graph_without_nodes_has_no_ranks() -> None:
    assert (
        len(pagerank(Adjacency(np.zeros(1, np.int64), np.empty(0, np.uint32)), np.empty(0)).rank)
        == 0
    )
