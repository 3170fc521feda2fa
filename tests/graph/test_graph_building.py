"""A graph is made whole or not at all, and takes the place of the one before in one step."""

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from shoal.errors import Busy
from shoal.graph.generations import newest, opened, replacing, stamp, summary_of
from shoal.graph.graph_building import LEAST_SPREAD, NoneKnown, make, scaled
from shoal.graph.link_graph import LinkGraph
from shoal.graph.pagerank import PageRank
from shoal.graph.scores import NewestRanks, RankFile, Scores
from shoal.graph.votes import Votes
from shoal.model.digest import seeded_number
from tests.graph.graphs import Edges, drawn, row

NODES = 60


def pages(edges: Edges) -> Iterator[tuple[bytes, Votes]]:
    for source in sorted({source for source, _ in edges}):
        targets = [row(target) for each, target in sorted(edges) if each == source]
        yield row(source), Votes(targets, len(targets))


def silent(doing: str, done: int, total: int) -> None:
    del doing, done, total


@pytest.fixture
def ranked(tmp_path: Path) -> Path:
    make(pages(drawn(NODES, 300, 5)), tmp_path, [], silent)
    return tmp_path


def test_scores_are_those_of_the_ranks(ranked: Path) -> None:
    graph = opened(ranked, lambda path, summary: LinkGraph(path, summary.seed))
    ranks = opened(ranked, RankFile)
    assert graph is not None
    assert ranks is not None
    by_rank = sorted(range(graph.nodes), key=lambda node: -graph.rank[node])
    scores = ranks.pages([graph.row(node) for node in by_rank])
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] == pytest.approx(0, abs=1e-5)
    assert 0 < scores[0] <= 1
    assert ranks.pages([b"unknown"]) == [0.0]
    assert graph.highest(3) == by_rank[:3]
    assert graph.highest(NODES * 2) == by_rank
    assert ranks.site(graph.site(graph.highest_sites(1)[0])) > 0
    assert ranks.site(b"unknown") == 0


def test_unfetched_pages_are_listed_by_rank(ranked: Path) -> None:
    graph = opened(ranked, lambda path, summary: LinkGraph(path, summary.seed))
    ranks = opened(ranked, RankFile)
    assert graph is not None
    assert ranks is not None
    found = ranks.unfetched()
    assert set(found) == {graph.row(n) for n in range(graph.nodes) if not graph.fetched[n]}
    assert ranks.pages(found) == sorted(ranks.pages(found), reverse=True)


def test_what_failed_leaves_what_was_there(ranked: Path) -> None:
    before, mark = newest(ranked), stamp(ranked)

    def breaks() -> Iterator[tuple[bytes, Votes]]:
        yield row(1), Votes([row(2)], 1)
        raise OSError("the table is gone")

    with pytest.raises(OSError, match="gone"):
        make(breaks(), ranked, [], silent)
    assert (newest(ranked), stamp(ranked)) == (before, mark)
    assert [each for each in ranked.iterdir() if each.is_dir()] == [before]


def test_personal_pages_that_are_unknown_are_refused(ranked: Path) -> None:
    with pytest.raises(NoneKnown):
        make(pages({(1, 2)}), ranked, [b"unknown"], silent)


def test_the_seed_stays_so_that_graphs_can_be_compared(ranked: Path) -> None:
    first = summary_of(ranked)
    second = make(pages({(1, 2)}), ranked, [row(1)], silent)
    assert first is not None
    assert first.seed == second.seed
    assert second.personal == ["https://reef1.org/page/1"]
    assert (second.nodes, second.edges, second.fetched, second.links) == (2, 1, 1, 1)


def test_readers_see_the_new_ones_and_keep_the_old_ones_meanwhile(ranked: Path) -> None:
    watching = NewestRanks(ranked)
    assert watching.page(row(2)) == 0
    assert watching.refresh()
    old = watching.file
    assert old is not None
    score = watching.page(row(3))
    make(pages({(1, 2)}), ranked, [], silent)
    assert old.page(row(3)) == score  # its files are deleted, and still mapped
    assert watching.refresh()
    assert not watching.refresh()
    assert watching.page(row(3)) == 0
    assert watching.page(row(2)) > 0


def test_one_process_at_a_time(ranked: Path) -> None:
    with replacing(ranked), pytest.raises(Busy), replacing(ranked):
        raise AssertionError("two at once")


def test_leftovers_of_a_kill_are_cleared(ranked: Path) -> None:
    (ranked / "leftover" / "scratch").mkdir(parents=True)
    make(pages({(1, 2)}), ranked, [], silent)
    assert len([each for each in ranked.iterdir() if each.is_dir()]) == 1


def test_readers_never_see_half_of_one(tmp_path: Path) -> None:
    """Graphs of two kinds take each other's place while somebody reads."""
    kinds = (drawn(NODES, 300, 5), {(1, 2)})
    sizes = [len({row(node) for edge in kind for node in edge}) for kind in kinds]
    make(pages(kinds[0]), tmp_path, [], silent)
    done = threading.Event()

    def replace() -> None:
        for number in range(12):
            make(pages(kinds[number % 2]), tmp_path, [], silent)
        done.set()

    writer = threading.Thread(target=replace)
    writer.start()
    seen = 0
    while not done.is_set() or not seen:
        graph = opened(tmp_path, lambda path, summary: LinkGraph(path, summary.seed))
        if graph is not None:
            assert graph.nodes in sizes
            assert len(graph.rank) == len(list(graph.rows())) == graph.nodes
            seen += 1
    writer.join()
    assert seen


@pytest.mark.parametrize("text", ["", "../elsewhere", "nothing\n", "\udcff"])
def test_without_a_graph_there_is_none(tmp_path: Path, text: str) -> None:
    assert summary_of(tmp_path) is None
    (tmp_path / "current").write_bytes(text.encode(errors="surrogateescape"))
    assert summary_of(tmp_path) is None
    assert not NewestRanks(tmp_path).page(row(1))


def test_an_empty_collection_can_be_ranked(tmp_path: Path) -> None:
    summary = make(iter(()), tmp_path, [], silent)
    assert (summary.nodes, summary.edges) == (0, 0)
    ranks = opened(tmp_path, RankFile)
    assert ranks is not None
    assert ranks.pages([row(1)]) == [0.0]


def test_in_an_even_graph_nothing_stands_out() -> None:
    even = scaled(PageRank(np.array([0.2, 0.4]), 1, 0.0, 0.2))
    assert even.tolist() == pytest.approx([0, np.log(2) / np.log(LEAST_SPREAD)])
    wide = scaled(PageRank(np.array([1e-6, 1e-4, 1e-2]), 1, 0.0, 1e-6))
    assert wide.tolist() == pytest.approx([0, 0.5, 1])
    personal = scaled(PageRank(np.array([0.0, 1e-4, 0.1]), 1, 0.0, 0.0))
    assert personal.tolist() == pytest.approx([0, 0.5, 1])


def test_scores_are_found_however_hashes_are_spread(tmp_path: Path) -> None:
    """As somebody would have them who has forged rows: all hashes at one end but one."""
    rows = [b"row %d" % number for number in range(3000)]
    rows.sort(key=lambda each: seeded_number(each, 1))
    kept = [*rows[:800], rows[-1]]
    numbers = np.array([seeded_number(each, 1) for each in kept], "<u8")
    (tmp_path / "hashes").write_bytes(numbers.tobytes())
    (tmp_path / "scores").write_bytes(np.arange(1, len(kept) + 1, dtype="<f4").tobytes())
    scores = Scores(tmp_path / "hashes", tmp_path / "scores", 1)
    assert [scores.of(each) for each in kept] == list(range(1, len(kept) + 1))
    assert all(scores.of(each) == 0 for each in rows[800:-1])
