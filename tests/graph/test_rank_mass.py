"""The bound of RankMass: never above the truth, and the truth once all is fetched."""

from pathlib import Path
from random import Random

import pytest

from shoal.graph.generations import opened, summary_of
from shoal.graph.graph_building import make
from shoal.graph.link_graph import LinkGraph
from shoal.graph.rank_mass import rank_mass
from shoal.graph.votes import Votes

NODES = 60
DAMPING = 0.85


def silent(doing: str, done: int, total: int) -> None:
    pass


def row(number: int) -> bytes:
    return b"test,a)80:http/%d" % number


@pytest.fixture(scope="module")
def web() -> list[list[int]]:
    random = Random(4)
    links = [random.sample(range(NODES), 4) for _ in range(NODES)]
    return [[each for each in out if each != page] or [0] for page, out in enumerate(links)]


def made(web: list[list[int]], fetched: set[int], place: Path) -> LinkGraph:
    pages = [(row(n), Votes([row(each) for each in web[n]], 4)) for n in sorted(fetched)]
    make(sorted(pages), place, [], silent, seeds=[row(0)])
    graph = opened(place, lambda path, summary: LinkGraph(path, summary.seed))
    assert graph is not None
    return graph


def personal_rank(web: list[list[int]]) -> list[float]:
    """Of the whole web, by somebody who starts over at page 0."""
    rank = [float(page == 0) for page in range(NODES)]
    for _ in range(300):
        new = [(1 - DAMPING) * (page == 0) for page in range(NODES)]
        for page, out in enumerate(web):
            for each in out:
                new[each] += DAMPING * rank[page] / len(out)
        rank = new
    return rank


def test_it_is_never_above_the_weight_that_is_fetched(tmp_path: Path, web: list[list[int]]) -> None:
    truth = personal_rank(web)
    fetched, before = {0}, 0.0
    while True:
        graph = made(web, fetched, tmp_path)
        mass = rank_mass(graph, graph.nodes_of([row(0)]))
        assert before < mass <= sum(truth[page] for page in fetched) + 1e-9
        summary = summary_of(tmp_path)
        assert summary is not None
        assert summary.rank_mass == pytest.approx(mass)
        before = mass
        near = {each for page in fetched for each in web[page]} - fetched
        if not near:
            break
        fetched |= set(sorted(near)[:7])
    assert mass == pytest.approx(1.0)  # all that can be reached is there


def test_without_seeds_nothing_is_said(tmp_path: Path, web: list[list[int]]) -> None:
    assert rank_mass(made(web, {0}, tmp_path), []) == 0.0
    make([(row(1), Votes([row(2)], 1))], tmp_path, [], silent, seeds=[b"unknown"])
    summary = summary_of(tmp_path)
    assert summary is not None
    assert summary.rank_mass is None
