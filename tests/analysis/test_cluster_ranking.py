"""Links of all tablets give the ranks of one collection, and every tablet has them."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from shoal.access.opening import open_collection
from shoal.access.rank_copies import hand_out, take_part
from shoal.analysis.ranking import Ranking, rank, rank_pages, stored_votes
from shoal.collection.collection import Collection
from shoal.collection.tablets import LocalTablets, owner_of
from shoal.errors import CollectionError, UsageError
from shoal.fleet.local_executor import LocalExecutor
from shoal.fleet.work import TabletSource, Work, work_here
from shoal.graph.generations import newest, opened
from shoal.graph.link_graph import LinkGraph
from shoal.layout.ranks import Ranks, graph_of
from shoal.model.urls.rowkey import row_key
from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.collection.many import Both, FarTablets, copied


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


def votes_of(directory: Path) -> dict[bytes, list[bytes]]:
    """Of the graph that was made in a directory: whom every fetched page votes for."""

    def read(path: Path, seed: int) -> dict[bytes, list[bytes]]:
        graph = LinkGraph(path, seed)
        return {
            graph.row(node): sorted(map(graph.row, targets))
            for node, targets in graph.links()
            if graph.fetched[node]
        }

    found = opened(graph_of(directory), lambda path, summary: read(path, summary.seed))
    assert found is not None
    return found


def votes_over(tablets: LocalTablets, place: Path) -> dict[bytes, list[bytes]]:
    rank_all(tablets, place)
    return votes_of(place)


def rank_all(
    tablets: LocalTablets,
    place: Path,
    personal: str | Sequence[str] = (),
    *,
    top: int = 20,
    site: str = "",
    work: Work | None = None,
) -> Ranking:
    collection = Collection(tablets, graph_place=place)
    with nullcontext(work) if work is not None else work_here(tablets) as workers:
        return rank_pages(collection, workers, personal, top=top, site=site)


@contextmanager
def divided(tablets: LocalTablets, room_bytes: int, at_once: int) -> Iterator[Work]:
    """Every value goes to a file and back."""
    with LocalExecutor(room_bytes, at_once, small_bytes=0) as executor:
        yield Work(executor, [TabletSource(tablets, number) for number in range(tablets.count)])


def test_the_votes_are_those_of_one_collection(mine: Both, tmp_path: Path) -> None:
    both = mine
    with open_collection(both.one) as one, LocalTablets(both.many) as tablets:
        expected = {
            row: sorted(set(found.targets) - {row}) for row, found in stored_votes(one.tablets)
        }
        assert votes_over(tablets, tmp_path / "place") == expected
        crossing = sum(
            owner_of(tablets, row) != owner_of(tablets, target)
            for row, found in stored_votes(one.tablets)
            for target in found.targets
        )
    assert crossing > 100
    slash, shared = row_key(f"{both.sites[1]}/slash/"), row_key(f"{both.sites[5]}/shared")
    assert slash in expected[shared]
    copies = [row_key(f"{both.sites[6]}/copy/{number}") for number in (1, 2)]
    assert [] in [expected[each] for each in copies]


def test_ranks_equal_those_of_one_machine(mine: Both, tmp_path: Path) -> None:
    one = rank(mine.one)
    with FarTablets(mine.many) as tablets:
        many = rank_all(tablets, tmp_path / "place")
        assert [each.url for each in many.pages] == [each.url for each in one.pages]
        assert (many.summary.links, many.summary.edges) == (one.summary.links, one.summary.edges)
        expected, found = ranks_of(mine.one), ranks_of(tmp_path / "place")
        assert found == pytest.approx(expected, abs=1e-9)
        whole = Collection(tablets)
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


@pytest.mark.parametrize(("room_bytes", "at_once"), [(1 << 28, 1), (1 << 28, 3), (1 << 15, 1)])
def test_a_graph_in_parts_is_the_graph(
    mine: Both, tmp_path: Path, room_bytes: int, at_once: int
) -> None:
    """File for file, but for ranks, which are added up in another order. With little room there are
    many parts, made of many slices."""
    wished = [f"{mine.sites[6]}/page/1", f"{mine.sites[2]}/page/3"]
    rank(mine.one)
    place = tmp_path / "place"
    shutil.copytree(graph_of(mine.one), graph_of(place))  # with the seed of its hashes
    for personal in ([], wished):
        one = rank(mine.one, personal)
        with FarTablets(mine.many) as tablets, divided(tablets, room_bytes, at_once) as work:
            many = rank_all(tablets, place, personal, work=work)
        assert [each.url for each in many.pages] == [each.url for each in one.pages]
        assert many.summary.iterations == one.summary.iterations
        assert ranks_of(place) == pytest.approx(ranks_of(mine.one), abs=1e-12)
        a, b = newest(graph_of(mine.one)), newest(graph_of(place))
        assert a is not None
        assert b is not None
        assert {each.name for each in a.iterdir()} == {each.name for each in b.iterdir()}
        for name in ("hashes", "names", "in", "in.offsets", "out", "out.offsets", "fetched"):
            assert (a / name).read_bytes() == (b / name).read_bytes(), name


def test_a_link_on_its_way_counts_as_it_is_written(mine: Both, tmp_path: Path) -> None:
    """Its target's owner has not heard of it: no anchor is there, and maybe no URL."""
    source = row_key(f"{mine.sites[5]}/shared")
    with FarTablets(mine.many) as tablets:
        before = votes_over(tablets, tmp_path / "place")
        owner = owner_of(tablets, row_key(f"{mine.sites[1]}/slash/"))
    with RocksTable(mine.many[owner].table) as table:
        batch = table.batch()
        for key, _ in table.scan("anchor", b"\x01"):
            if key.endswith(source):
                batch.delete("anchor", key)
        table.write(batch)
    with FarTablets(mine.many) as tablets:
        assert votes_over(tablets, tmp_path / "place")[source] == before[source]
    with RocksTable(mine.many[owner].table) as table:
        store = PageStore(table, mine.many[owner].warc)
        row = store.find(f"{mine.sites[1]}/slash")
        batch = table.batch()
        for key, _ in table.scan("page", row + b"\x00", row + b"\x01"):
            batch.delete("page", key)
        table.write(batch)
    with FarTablets(mine.many) as tablets:
        targets = votes_over(tablets, tmp_path / "place")[source]
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
