"""The parts of a bow tie: on a planted graph that has all of them, and against the definition."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.graph import components
from shoal.graph.bow_tie import BowTie, BowTiePart, bow_tie
from shoal.graph.components import largest_core, weak_labels
from tests.graph.graphs import Edges, both_ways, drawn

PLANTED = {
    BowTiePart.CORE: range(6),
    BowTiePart.IN: range(6, 10),
    BowTiePart.OUT: range(10, 13),
    BowTiePart.TUBE: range(13, 15),
    BowTiePart.TENDRIL: range(15, 20),
    BowTiePart.ISLAND: range(20, 26),
}


def planted() -> Edges:
    core = {(node, (node + 1) % 6) for node in range(6)} | {(2, 0)}
    inwards = {(6, 0), (7, 6), (8, 3), (9, 8)}
    outwards = {(1, 10), (10, 11), (4, 12)}
    tube = {(7, 13), (13, 14), (14, 11)}
    # 15, 16 hang on IN; 17 leads to OUT; 18 only to 17; 19 is only named by 15's neighbour.
    tendrils = {(9, 15), (15, 16), (17, 12), (18, 17), (18, 19)}
    islands = {(20, 21), (22, 23), (23, 24), (24, 22)}  # and 25, which is alone
    return core | inwards | outwards | tube | tendrils | islands


def test_every_part_of_a_planted_graph_is_found() -> None:
    found = bow_tie(*both_ways(planted(), 26))
    for part, nodes in PLANTED.items():
        assert np.flatnonzero(found.parts == part).tolist() == list(nodes), part.name
        assert found.count(part) == len(nodes)
    assert (found.weak_components, found.largest_weak) == (4, 20)


def test_without_a_cycle_there_is_no_core() -> None:
    found = bow_tie(*both_ways({(0, 1), (1, 2), (3, 4)}, 6))
    assert found.parts.tolist() == [BowTiePart.TENDRIL] * 3 + [BowTiePart.ISLAND] * 3


@pytest.mark.parametrize("nodes", [0, 1, 3])
def test_pages_without_links_are_islands(nodes: int) -> None:
    found = bow_tie(*both_ways(set(), nodes))
    assert found.parts.tolist() == [BowTiePart.ISLAND] * nodes
    assert found.weak_components == nodes


edge_sets = st.integers(1, 14).flatmap(
    lambda nodes: st.tuples(
        st.just(nodes),
        st.sets(
            st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1)).filter(
                lambda edge: edge[0] != edge[1]
            ),
            max_size=3 * nodes,
        ),
    )
)


@given(edge_sets)
def test_parts_are_as_defined(drawn_graph: tuple[int, Edges]) -> None:
    nodes, edges = drawn_graph
    found = bow_tie(*both_ways(edges, nodes))
    reach = closure(edges, nodes)
    cores = strong_components(reach, nodes)
    core = set(np.flatnonzero(found.parts == BowTiePart.CORE).tolist())
    most = max(map(len, cores))
    assert (core in cores and len(core) == most) if most > 1 else not core
    assert found.parts.tolist() == naive(found, core, reach, edges, nodes)


@given(edge_sets)
def test_tarjan_and_searches_agree(drawn_graph: tuple[int, Edges]) -> None:
    nodes, edges = drawn_graph
    into, out = both_ways(edges, nodes)
    by_tarjan = components._largest_by_tarjan(out, np.ones(nodes, np.bool_))
    found = largest_core(into, out)
    assert len(found) == (len(by_tarjan) if len(by_tarjan) > 1 else 0)
    if len(by_tarjan):
        assert set(by_tarjan.tolist()) in strong_components(closure(edges, nodes), nodes)


def test_the_largest_core_is_found_where_the_most_linked_page_is_not() -> None:
    """Twenty small cycles, of which one page is linked most, and a ring of fifty."""
    small = {(a, b) for n in range(0, 40, 2) for a, b in ((n, n + 1), (n + 1, n))}
    popular = {(node, 0) for node in range(2, 40)} | {(1, node) for node in range(100, 140)}
    ring = {(node, 40 + (node - 39) % 50) for node in range(40, 90)}
    assert largest_core(*both_ways(small | popular | ring, 140)).tolist() == list(range(40, 90))


@pytest.mark.parametrize("seed", range(4))
def test_weak_components_are_those_of_union_find(seed: int) -> None:
    nodes = 400
    edges = drawn(nodes, 260, seed)
    parent = list(range(nodes))

    def root(node: int) -> int:
        while parent[node] != node:
            node = parent[node]
        return node

    for source, target in edges:
        parent[max(root(source), root(target))] = min(root(source), root(target))
    assert weak_labels(*both_ways(edges, nodes)).tolist() == [root(node) for node in range(nodes)]


def test_a_long_chain_is_one_component() -> None:
    nodes = 3000
    order = np.random.default_rng(1).permutation(nodes).tolist()
    edges = set(pairwise(order))
    assert not weak_labels(*both_ways(edges, nodes)).any()


def closure(edges: Edges, nodes: int) -> list[set[int]]:
    """Whom each node reaches, with itself."""
    reach = [{node} for node in range(nodes)]
    changed = True
    while changed:
        changed = False
        for source, target in edges:
            if not reach[target] <= reach[source]:
                reach[source] |= reach[target]
                changed = True
    return reach


def strong_components(reach: list[set[int]], nodes: int) -> list[set[int]]:
    return [{other for other in reach[node] if node in reach[other]} for node in range(nodes)]


def naive(
    found: BowTie, core: set[int], reach: list[set[int]], edges: Edges, nodes: int
) -> list[BowTiePart]:
    both = closure(edges | {(b, a) for a, b in edges}, nodes)
    parts = []
    inside = {n for n in range(nodes) if reach[n] & core} - core
    outside = {n for n in range(nodes) if any(n in reach[c] for c in core)} - core
    sizes = [len(each) for each in both]
    main = both[min(core)] if core else main_component(found, both, sizes)
    for node in range(nodes):
        if node in core:
            parts.append(BowTiePart.CORE)
        elif node in inside:
            parts.append(BowTiePart.IN)
        elif node in outside:
            parts.append(BowTiePart.OUT)
        elif node not in main:
            parts.append(BowTiePart.ISLAND)
        elif any(node in reach[n] for n in inside) and reach[node] & outside:
            parts.append(BowTiePart.TUBE)
        else:
            parts.append(BowTiePart.TENDRIL)
    return parts


def main_component(found: BowTie, both: list[set[int]], sizes: list[int]) -> set[int]:
    """Without a core: one of the largest, if it has more than one page."""
    chosen = np.flatnonzero(found.parts == BowTiePart.TENDRIL).tolist()
    if not chosen:
        assert max(sizes) == 1
        return set()
    assert len(both[chosen[0]]) == max(sizes)
    return both[chosen[0]]
