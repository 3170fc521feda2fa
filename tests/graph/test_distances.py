"""Distances against breadth-first search in plain Python."""

from collections import deque

import pytest

from shoal.graph import walks
from shoal.graph.distances import distances
from tests.graph.graphs import Edges, both_ways, drawn


def measured(edges: Edges, nodes: int) -> list[int]:
    """Of every connected ordered pair."""
    found = []
    for start in range(nodes):
        steps = {start: 0}
        queue = deque([start])
        while queue:
            node = queue.popleft()
            for source, target in edges:
                if source == node and target not in steps:
                    steps[target] = steps[node] + 1
                    queue.append(target)
        found += [each for each in steps.values() if each]
    return sorted(found)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("at_once", [3, 1 << 21])
def test_from_all_pages_nothing_is_estimated(
    seed: int, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walks, "EDGES_AT_ONCE", at_once)
    nodes = 90  # more than are searched from at once
    edges = drawn(nodes, 170, seed)
    _, out = both_ways(edges, nodes)
    wanted = measured(edges, nodes)
    found = distances(out)
    assert found.sampled == nodes
    assert found.connected == pytest.approx(len(wanted) / (nodes * (nodes - 1)))
    assert found.mean == pytest.approx(sum(wanted) / len(wanted))
    assert found.longest == wanted[-1]
    within = sum(each <= found.effective for each in wanted) / len(wanted)
    beyond = sum(each <= found.effective + 1 for each in wanted) / len(wanted)
    assert within <= 0.9 <= beyond


def test_a_sample_is_near_the_truth() -> None:
    nodes = 400
    _, out = both_ways(drawn(nodes, 1600, 1), nodes)
    whole, part = distances(out, sample=nodes), distances(out, sample=120)
    assert part.sampled == 120
    assert part.connected == pytest.approx(whole.connected, abs=0.1)
    assert part.mean == pytest.approx(whole.mean, abs=0.3)
    assert part.longest <= whole.longest


def test_a_chain() -> None:
    _, out = both_ways({(n, n + 1) for n in range(9)}, 10)
    found = distances(out)
    assert (found.longest, found.connected) == (9, 0.5)
    assert found.mean == pytest.approx(sum(n * (10 - n) for n in range(1, 10)) / 45)


@pytest.mark.parametrize("nodes", [0, 1, 5])
def test_without_links_nothing_is_connected(nodes: int) -> None:
    found = distances(both_ways(set(), nodes)[1])
    assert (found.connected, found.mean, found.longest) == (0, 0, 0)
