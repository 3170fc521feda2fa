"""Links of all tablets give the ranks of one collection, and every tablet has them."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from shoal.app.collection import Collection
from shoal.app.link_graph import rank, stored_votes
from shoal.app.rank_all import all_votes, hand_out, rank_all, take_part
from shoal.app.ranks import Ranks, graph_of
from shoal.app.tablets import LocalTablets, owner_of
from shoal.app.whole import Whole
from shoal.errors import CollectionError, UsageError
from shoal.graph.generations import opened
from shoal.graph.link_graph import LinkGraph
from shoal.model.rowkey import row_key
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.app.many import Both, FarTablets, copied


@pytest.fixture
def mine(both: Both, tmp_path: Path) -> Both:
    """Copies, to rank and to change."""
    shutil.copytree(both.one, tmp_path / "one")
    return Both(tmp_path / "one", copied(both.many, tmp_path), both.sites)


def ranks_of(directory: Path) -> dict[bytes, float]:
    def read(path: Path, seed: int) -> dict[bytes, float]:
        graph = LinkGraph(path, seed)
        return {graph.row(node): float(graph.rank[node]) for node in range(graph.nodes)}

    found = opened(graph_of(directory), lambda path, summary: read(path, summary.seed))
    assert found is not None
    return found


def votes_of(pages: Iterator[tuple[bytes, Sequence[object]]]) -> dict[bytes, object]:
    return {row: (sorted(found[0]), found[1]) for row, found in pages}  # type: ignore[call-overload]


def test_the_votes_are_those_of_one_collection(both: Both) -> None:
    with Collection(both.one) as one, LocalTablets(both.many) as tablets:
        expected = votes_of(stored_votes(one))
        assert votes_of(all_votes(tablets)) == expected
        crossing = sum(
            owner_of(tablets, row) != owner_of(tablets, target)
            for row, found in stored_votes(one)
            for target in found.targets
        )
    assert crossing > 100
    slash, shared = row_key(f"{both.sites[1]}/slash/"), row_key(f"{both.sites[5]}/shared")
    assert slash in expected[shared][0]  # type: ignore[index]
    copies = [row_key(f"{both.sites[6]}/copy/{number}") for number in (1, 2)]
    assert [] in [expected[each][0] for each in copies]  # type: ignore[index]


def test_ranks_equal_those_of_one_machine(mine: Both, tmp_path: Path) -> None:
    one = rank(mine.one)
    with FarTablets(mine.many) as tablets:
        many = rank_all(tablets, tmp_path / "place")
        assert [each.url for each in many.pages] == [each.url for each in one.pages]
        assert (many.summary.links, many.summary.edges) == (one.summary.links, one.summary.edges)
        expected, found = ranks_of(mine.one), ranks_of(tmp_path / "place")
        assert found == pytest.approx(expected, abs=1e-9)
        whole = Whole(tablets)
        for each in one.pages:
            assert whole.rank(each.url) == pytest.approx(each.score, abs=1e-6)
    rows = list(expected)
    for layout in mine.many:
        scores = Ranks(layout.directory).rank_of(rows)
        assert scores == pytest.approx(Ranks(mine.one).rank_of(rows), abs=1e-6)
        assert Ranks(layout.directory).unfetched() == Ranks(mine.one).unfetched()


def test_ranked_again_with_personal_pages(mine: Both, tmp_path: Path) -> None:
    wished = f"{mine.sites[6]}/page/1"
    with FarTablets(mine.many) as tablets:
        rank_all(tablets, tmp_path / "place")
        again = rank_all(tablets, tmp_path / "place", wished, top=3, site=mine.sites[6])
        assert again.before is not None
        assert again.summary.personal == [wished]
        assert len(again.pages) == 3
        assert {each.url.startswith(mine.sites[6]) for each in again.pages} == {True}
        for layout in mine.many:
            summary = Ranks(layout.directory).summary()
            assert summary is not None
            assert summary.personal == [wished]
            assert len(list(layout.graph.iterdir())) == 3  # current, lock, and one graph
        with pytest.raises(UsageError, match="None of the personal pages"):
            rank_all(tablets, tmp_path / "place", "http://nobody.example/")
        with pytest.raises(UsageError, match="top"):
            rank_all(tablets, tmp_path / "place", top=-1)


def test_a_link_on_its_way_counts_as_it_is_written(mine: Both) -> None:
    """Its target's owner has not heard of it: no anchor is there, and maybe no URL."""
    source = row_key(f"{mine.sites[5]}/shared")
    with FarTablets(mine.many) as tablets:
        before = votes_of(all_votes(tablets))
        owner = owner_of(tablets, row_key(f"{mine.sites[1]}/slash/"))
    with RocksTable(mine.many[owner].table) as table:
        batch = table.batch()
        for key, _ in table.scan("anchor", b"\x01"):
            if key.endswith(source):
                batch.delete("anchor", key)
        table.write(batch)
    with FarTablets(mine.many) as tablets:
        assert votes_of(all_votes(tablets))[source] == before[source]
    with RocksTable(mine.many[owner].table) as table:
        store = PageStore(table, mine.many[owner].warc)
        row = store.find(f"{mine.sites[1]}/slash")
        batch = table.batch()
        for key, _ in table.scan("page", row + b"\x00", row + b"\x01"):
            batch.delete("page", key)
        table.write(batch)
    with FarTablets(mine.many) as tablets:
        targets = votes_of(all_votes(tablets))[source][0]  # type: ignore[index]
    assert row_key(f"{mine.sites[1]}/slash") in targets


def test_ranks_are_handed_out_whole_or_not_at_all(mine: Both, tmp_path: Path) -> None:
    with FarTablets(mine.many) as tablets:
        with pytest.raises(CollectionError, match="rank the pages first"):
            hand_out(tablets, tmp_path / "place")
        rank_all(tablets, tmp_path / "place")
        held = [Ranks(layout.directory).summary() for layout in mine.many]
        tablets.ask_all(take_part, "abcd", "hashes", 0, b"half of it")
        assert [Ranks(layout.directory).summary() for layout in mine.many] == held
        with pytest.raises(ValueError, match="no file of ranks"):
            tablets.ask(0, take_part, "abcd", "../../table/CURRENT", 0, b"")
        hand_out(tablets, tmp_path / "place")  # again: nothing changes
        assert [Ranks(layout.directory).summary() for layout in mine.many] == held
