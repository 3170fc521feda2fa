"""Hubs and authorities: against the eigenvectors, and around a page."""

from pathlib import Path

import numpy as np

from shoal.graph.hits import MOST_LINKING, hits, hits_around, surroundings
from tests.graph.graphs import both_ways, drawn, row, written


def test_authorities_are_the_first_eigenvector() -> None:
    nodes = 40
    edges = drawn(nodes, 200, 2)
    links = np.zeros((nodes, nodes))
    for source, target in edges:
        links[source, target] = 1
    values, vectors = np.linalg.eigh(links.T @ links)
    authority = np.abs(vectors[:, np.argmax(values)])
    hub = links @ authority
    found_hubs, found_authorities, _ = hits(*both_ways(edges, nodes))
    assert np.abs(found_authorities - authority).max() < 1e-6
    assert np.abs(found_hubs - hub / np.linalg.norm(hub)).max() < 1e-6


def test_around_a_page_lists_and_what_they_name(tmp_path: Path) -> None:
    """Pages 0 to 2 are lists that name 11 to 13, of other sites; 20 hangs on one of them."""
    edges = {(hub, target) for hub in (0, 1, 2) for target in (11, 13, 14)} | {(0, 20), (30, 33)}
    graph = written(edges, 40, tmp_path)
    graph.rank = np.ones(40)
    root = graph.node(row(11))
    assert root is not None
    found = hits_around(graph, [root])
    names = [graph.row(node) for node in found.nodes.tolist()]
    assert set(names) == {row(11), row(0), row(1), row(2)}
    by_hub = dict(zip(names, found.hubs.tolist(), strict=True))
    assert by_hub[row(11)] == 0
    assert by_hub[row(0)] > 0.5
    assert found.authorities[names.index(row(11))] == 1


def test_links_within_a_site_count_only_where_there_are_no_others(tmp_path: Path) -> None:
    graph = written({(5, 0), (10, 0), (0, 15), (1, 0)}, 20, tmp_path)
    graph.rank = np.ones(20)
    root = graph.node(row(0))
    assert root is not None
    found = hits_around(graph, [root])
    names = [graph.row(node) for node in found.nodes.tolist()]
    hubs = dict(zip(names, found.hubs.tolist(), strict=True))
    assert hubs[row(1)] == 1  # of another site
    assert hubs[row(5)] == hubs[row(10)] == 0


def test_of_many_that_link_here_the_highest_are_taken(tmp_path: Path) -> None:
    nodes = MOST_LINKING + 30
    graph = written({(node, 0) for node in range(1, nodes)}, nodes, tmp_path)
    graph.rank = np.arange(nodes, dtype=np.float64)
    root = graph.node(row(0))
    assert root is not None
    around = surroundings(graph, [root]).tolist()
    linking = [node for node in range(nodes) if node != root]
    assert set(around) - {root} == set(linking[-MOST_LINKING:])


def test_without_links_there_are_no_hubs() -> None:
    hubs, authorities, _ = hits(*both_ways(set(), 3))
    assert authorities.tolist() == hubs.tolist() == [0, 0, 0]
