"""From pages to files and back: every page and every link, each once, whatever fits into a run."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.graph import edges as merging
from shoal.graph.arrays import each_once
from shoal.graph.edges import build
from shoal.graph.link_graph import LinkGraph
from shoal.graph.sites import pages_of, site_graph
from shoal.graph.sorted_runs import RunWriter
from tests.graph.graphs import SEED, drawn, row, written

NODES = 90


@pytest.fixture(params=[(10, 1 << 22), (50, 40), (10_000, 7)])
def graph(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> LinkGraph:
    """In many runs or one, merged at once or in many ranges."""
    rows_per_run, at_once = request.param
    monkeypatch.setattr(merging, "KEYS_AT_ONCE", at_once)
    monkeypatch.setattr(merging, "ROWS_AT_ONCE", at_once)
    return written(drawn(NODES, 500, 3), NODES, tmp_path, rows_per_run)


def test_all_links_come_back_both_ways(graph: LinkGraph) -> None:
    wanted = {(row(source), row(target)) for source, target in drawn(NODES, 500, 3)}
    names = [graph.row(node) for node in range(graph.nodes)]
    assert names == list(graph.rows())
    assert set(names) == {row(node) for node in range(NODES)}
    out = {(names[n], names[m]) for n in range(graph.nodes) for m in graph.out.of(n).tolist()}
    into = {(names[m], names[n]) for n in range(graph.nodes) for m in graph.into.of(n).tolist()}
    assert out == into == wanted
    assert graph.edges == len(wanted)
    assert {(names[n], names[m]) for n, targets in graph.links() for m in targets} == wanted


def test_nodes_are_found_by_their_rows(graph: LinkGraph) -> None:
    for node in range(0, NODES, 7):
        found = graph.node(row(node))
        assert found is not None
        assert graph.row(found) == row(node)
    assert graph.node(b"org,nowhere)443:https/") is None
    assert len(graph.nodes_of([row(1), b"?", row(2)])) == 2


def test_sites_are_numbered(graph: LinkGraph) -> None:
    assert graph.site_count == 5
    for node in range(graph.nodes):
        assert graph.row(node).startswith(graph.site(int(graph.site_of[node])))


def test_site_links_are_counted_by_distinct_page_links(graph: LinkGraph, tmp_path: Path) -> None:
    found = site_graph(graph, tmp_path)
    wanted: dict[tuple[bytes, bytes], int] = {}
    for source, target in drawn(NODES, 500, 3):
        a, b = row(source).split(b"/")[0], row(target).split(b"/")[0]
        if a != b:
            wanted[a, b] = wanted.get((a, b), 0) + 1
    weights = found.into.weights
    assert weights is not None
    got = {
        (graph.site(int(found.into.neighbours[at])), graph.site(site)): weights[at]
        for site in range(graph.site_count)
        for at in range(found.into.offsets[site], found.into.offsets[site + 1])
    }
    assert got == wanted
    assert found.out_weight.sum() == sum(wanted.values())


def test_repeats_self_links_and_pages_without_links(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path, SEED)
    writer.add(b"a", [b"b", b"b", b"a"])
    writer.add(b"c", [])
    writer.add(b"a", [b"b"])  # the same page again: a crawl wrote while it was read
    writer.flush()
    build(writer.runs, tmp_path, lambda *_: None)
    graph = LinkGraph(tmp_path, SEED)
    assert (graph.nodes, graph.edges) == (3, 1)
    fetched = {graph.row(node): bool(graph.fetched[node]) for node in range(3)}
    assert fetched == {b"a": True, b"b": False, b"c": True}


def test_no_pages_at_all(tmp_path: Path) -> None:
    build([], tmp_path, lambda *_: None)
    graph = LinkGraph(tmp_path, SEED)
    assert (graph.nodes, graph.edges, graph.site_count) == (0, 0, 0)
    assert graph.node(b"a") is None
    assert list(graph.rows()) == []


def test_a_row_that_is_no_url_has_a_site_of_its_own(tmp_path: Path) -> None:
    odd = b"\xff no key"
    writer = RunWriter(tmp_path, SEED)
    writer.add(odd, [row(1)])
    writer.flush()
    build(writer.runs, tmp_path, lambda *_: None)
    graph = LinkGraph(tmp_path, SEED)
    node = graph.node(odd)
    assert node is not None
    assert graph.site(int(graph.site_of[node])) == odd


def test_pages_of_a_site_by_rank(tmp_path: Path) -> None:
    graph = written({(0, 5), (1, 5), (2, 5), (1, 10)}, 12, tmp_path)
    graph.rank = np.array([len(graph.into.of(n)) for n in range(12)], np.float64)
    node = graph.node(row(5))
    assert node is not None
    found = pages_of(graph, int(graph.site_of[node]), 2)
    assert [graph.row(each) for each in found] == [row(5), row(10)]


@given(st.lists(st.integers(0, 50)))
def test_each_once_is_sorted_and_without_repeats(numbers: list[int]) -> None:
    assert each_once(np.array(numbers, np.uint64)).tolist() == sorted(set(numbers))
