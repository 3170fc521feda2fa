"""Neighbours by permuted tables, against a look at all of them: on disk, through widenings that
are stopped in the middle."""

from collections.abc import Iterator
from math import comb
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.duplicates.family import FAMILY
from shoal.duplicates.methods import permuted as module
from shoal.duplicates.methods.permuted import (
    MOST_TABLES,
    Neighbour,
    PermutedTables,
    Scheme,
    blocks_for,
)
from shoal.duplicates.methods.simhash import NEAR, distance
from shoal.errors import CollectionError
from shoal.store.table import RocksTable

ALL_SIZES = pytest.mark.parametrize("bits", sorted(NEAR))
NAME = b"near"


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RocksTable]:
    with RocksTable(tmp_path / "table") as opened:
        yield opened


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seventeen fingerprints are many, of any size: as if all of them began alike."""

    def sooner(bits: int, most_differing: int, count: int) -> int:
        prefix_bits = Scheme(bits, most_differing, most_differing + 1).prefix_bits
        return blocks_for(bits, most_differing, count << prefix_bits)

    monkeypatch.setattr(module, "blocks_for", sooner)


def flipped(random: Random, fingerprint: bytes, count: int) -> bytes:
    value = int.from_bytes(fingerprint)
    for place in random.sample(range(len(fingerprint) * 8), count):
        value ^= 1 << place
    return value.to_bytes(len(fingerprint))


def crowd(random: Random, bits: int, centres: int, around: int) -> dict[bytes, bytes]:
    """Fingerprints around some centres (`1/0`, `2/0`), within and just beyond what is near."""
    found = {}
    for centre in range(centres):
        middle = random.randbytes(bits // 8)
        for other in range(around):
            moved = other % (NEAR[bits] + 3)
            found[b"%d/%d" % (centre, other)] = flipped(random, middle, moved)
    return found


def near(prints: dict[bytes, bytes], wanted: bytes, most_differing: int) -> list[Neighbour]:
    found = [Neighbour(key, distance(wanted, each)) for key, each in prints.items()]
    return sorted(
        (each for each in found if each.distance <= most_differing),
        key=lambda each: (each.distance, each.key),
    )


def put(table: RocksTable, tables: PermutedTables, prints: dict[bytes, bytes]) -> None:
    batch = table.batch()
    for key, fingerprint in prints.items():
        tables.add(batch, key, fingerprint)
    table.write(batch)


def check(tables: PermutedTables, prints: dict[bytes, bytes], bits: int) -> None:
    for number, (key, wanted) in enumerate(prints.items()):
        if number % 7 == 0 or key.endswith(b"/0"):
            assert tables.find(wanted) == near(prints, wanted, NEAR[bits])


def rows(table: RocksTable) -> list[bytes]:
    return [key for key, _ in table.scan(FAMILY, NAME + b"\0\1")]


class TestSchemes:
    @settings(max_examples=60)
    @given(st.data())
    def test_two_within_k_bits_begin_alike_in_some_table(self, data: st.DataObject) -> None:
        bits = data.draw(st.integers(1, 12).map(lambda size: size * 8))
        most_differing = data.draw(st.integers(0, min(5, bits - 1)))
        blocks = data.draw(st.integers(most_differing + 1, min(most_differing + 3, bits)))
        one = data.draw(st.integers(0, (1 << bits) - 1))
        places = data.draw(st.sets(st.integers(0, bits - 1), max_size=most_differing))
        other = one ^ sum(1 << place for place in places)
        tables = Scheme(bits, most_differing, blocks).tables
        assert len(tables) == comb(blocks, most_differing)
        assert any(
            each.permuted(one) >> each.free_bits == each.permuted(other) >> each.free_bits
            for each in tables
        )

    @ALL_SIZES
    def test_a_permutation_loses_no_bit(self, bits: int) -> None:
        scheme = Scheme(bits, NEAR[bits], blocks_for(bits, NEAR[bits], 10**12))
        for table in scheme.tables:
            moved = {table.permuted(1 << place) for place in range(bits)}
            assert moved == {1 << place for place in range(bits)}
        assert scheme.tables[0].permuted(0b1011) == 0b1011

    def test_of_64_bits(self) -> None:
        schemes = [Scheme(64, 3, blocks) for blocks in (4, 5, 6)]
        assert [len(each.tables) for each in schemes] == [4, 10, 20]
        assert [each.prefix_bits for each in schemes] == [16, 25, 31]

    @ALL_SIZES
    def test_more_fingerprints_need_more_tables_up_to_a_bound(self, bits: int) -> None:
        blocks = [blocks_for(bits, NEAR[bits], 10**power) for power in range(40)]
        assert blocks == sorted(blocks)
        assert blocks[0] == NEAR[bits] + 1
        assert comb(blocks[-1], NEAR[bits]) <= MOST_TABLES
        for count, each in ((10**power, blocks[power]) for power in range(10)):
            assert count / 2 ** Scheme(bits, NEAR[bits], each).prefix_bits <= 16

    def test_no_block_is_without_bits(self) -> None:
        assert blocks_for(8, 1, 10**9) == 8
        assert blocks_for(8, 7, 10**9) == 8
        assert blocks_for(64, 0, 10**9) == 1


class TestFind:
    @settings(deadline=None, max_examples=8)
    @given(st.sampled_from(sorted(NEAR)), st.integers(0, 10**6))
    def test_is_a_look_at_all(
        self, tmp_path_factory: pytest.TempPathFactory, bits: int, seed: int
    ) -> None:
        random = Random(seed)
        prints = crowd(random, bits, 8, 12)
        with RocksTable(tmp_path_factory.mktemp("find") / "table") as table:
            tables = PermutedTables(table, NAME, bits, NEAR[bits])
            put(table, tables, prints)
            check(tables, prints, bits)
            for wanted in (random.randbytes(bits // 8), bytes(bits // 8), b"\xff" * (bits // 8)):
                assert tables.find(wanted) == near(prints, wanted, NEAR[bits])

    def test_at_both_ends_of_a_table(self, table: RocksTable) -> None:
        prints = {b"low": bytes(8), b"high": b"\xff" * 8, b"near": b"\xff" * 7 + b"\xfe"}
        tables = PermutedTables(table, NAME, 64, 3)
        put(table, tables, prints)
        assert tables.find(b"\xff" * 8) == [(b"high", 0), (b"near", 1)]
        assert tables.find(b"\xff" * 7 + b"\xf8") == [(b"near", 2), (b"high", 3)]
        assert tables.find(bytes(8)) == [(b"low", 0)]

    def test_is_in_one_order_however_they_came(self, tmp_path: Path) -> None:
        prints = crowd(Random(5), 64, 1, 60)
        wanted = next(iter(prints.values()))
        answers = []
        for seed in range(3):
            keys = list(prints)
            Random(seed).shuffle(keys)
            with RocksTable(tmp_path / str(seed)) as table:
                tables = PermutedTables(table, NAME, 64, 3)
                put(table, tables, {key: prints[key] for key in keys})
                answers.append(tables.find(wanted))
        assert len(answers[0]) > 5
        assert answers[0] == answers[1] == answers[2]

    def test_by_others_names_nothing(self, table: RocksTable) -> None:
        one, other = (PermutedTables(table, name, 64, 3) for name in (b"a", b"b"))
        put(table, one, {b"key": bytes(8)})
        assert other.find(bytes(8)) == []
        assert other.count == 0

    def test_sees_only_what_is_written(self, table: RocksTable) -> None:
        tables, batch = PermutedTables(table, NAME, 64, 3), table.batch()
        tables.add(batch, b"key", bytes(8))
        assert tables.find(bytes(8)) == []
        table.write(batch)
        assert tables.find(bytes(8)) == [(b"key", 0)]

    def test_a_key_with_two_fingerprints_is_told_once(self, table: RocksTable) -> None:
        tables = PermutedTables(table, NAME, 64, 3)
        for fingerprint in (b"\0\0\0\0\0\0\0\3", b"\0\0\0\0\0\0\0\1"):
            put(table, tables, {b"key": fingerprint})
        assert tables.find(bytes(8)) == [(b"key", 1)]

    def test_any_bytes_are_a_key(self, table: RocksTable) -> None:
        keys = [b"", b"\0", b"\xff" * 300, b"a\0b"]
        tables = PermutedTables(table, NAME, 64, 3)
        put(table, tables, dict.fromkeys(keys, b"\xff" * 8))
        assert tables.find(b"\xff" * 8) == [(key, 0) for key in sorted(keys)]

    def test_reads_no_more_of_a_table_than_it_may(self, table: RocksTable) -> None:
        tables = PermutedTables(table, NAME, 64, 3)
        put(table, tables, {b"%03d" % number: bytes(8) for number in range(50)})
        assert len(tables.find(bytes(8))) == 50
        assert [found.key for found in tables.find(bytes(8), 3)] == [b"000", b"001", b"002"]


class TestRemove:
    def test_leaves_the_others(self, table: RocksTable) -> None:
        prints = crowd(Random(1), 128, 5, 20)
        tables = PermutedTables(table, NAME, 128, NEAR[128])
        put(table, tables, prints)
        batch = table.batch()
        for key in list(prints)[::3]:
            tables.remove(batch, key, prints.pop(key))
        table.write(batch)
        check(tables, prints, 128)
        assert tables.count == len(prints)

    def test_of_all_leaves_nothing(self, table: RocksTable) -> None:
        tables = PermutedTables(table, NAME, 64, 3)
        put(table, tables, {b"key": bytes(8)})
        batch = table.batch()
        tables.remove(batch, b"key", bytes(8))
        tables.remove(batch, b"never", bytes(8))
        table.write(batch)
        assert rows(table) == []
        assert PermutedTables(table, NAME, 64, 3).count == 0


class TestCount:
    def test_the_same_again_is_one(self, table: RocksTable) -> None:
        tables = PermutedTables(table, NAME, 64, 3)
        for _ in range(3):
            put(table, tables, {b"key": bytes(8)})
        assert tables.count == 1

    def test_is_known_after_a_reopening(self, tmp_path: Path) -> None:
        prints = crowd(Random(2), 64, 3, 9)
        with RocksTable(tmp_path / "table") as table:
            put(table, PermutedTables(table, NAME, 64, 3), prints)
        with RocksTable(tmp_path / "table") as table:
            assert PermutedTables(table, NAME, 64, 3).count == len(prints)


@pytest.mark.usefixtures("early")
class TestWiden:
    @pytest.mark.parametrize("bits", [64, 128, 256])
    def test_answers_are_right_all_the_time(self, table: RocksTable, bits: int) -> None:
        prints = crowd(Random(bits), bits, 6, 15)
        tables = PermutedTables(table, NAME, bits, NEAR[bits])
        put(table, tables, prints)
        before, slices = tables.tables, 0
        while tables.widen(40):
            slices += 1
            assert slices < 100
            check(tables, prints, bits)
        assert tables.tables > before
        assert slices == 1 + 90 // 40 + 1 + before * 90 // 40 + 1
        assert len(rows(table)) == tables.tables * len(prints)

    def test_through_kills_with_writes_in_between(self, tmp_path: Path) -> None:
        """Whatever slice it was stopped after: the next opening goes on from there."""
        random, prints, left = Random(4), crowd(Random(4), 64, 7, 15), 200
        widened = True
        while widened:
            left -= 1
            assert left > 0
            with RocksTable(tmp_path / "table") as table:
                tables = PermutedTables(table, NAME, 64, 3)
                if left == 199:
                    put(table, tables, prints)
                if left > 190:
                    key, gone = b"new%d" % left, random.choice(list(prints))
                    prints[key] = flipped(random, random.choice(list(prints.values())), 2)
                    batch = table.batch()
                    tables.add(batch, key, prints[key])
                    tables.remove(batch, gone, prints.pop(gone))
                    table.write(batch)
                check(tables, prints, 64)
                widened = tables.widen(40)
                check(tables, prints, 64)
        assert left < 190
        with RocksTable(tmp_path / "table") as table:
            tables = PermutedTables(table, NAME, 64, 3)
            assert tables.tables == 10
            assert tables.count == len(prints)
            assert len(rows(table)) == 10 * len(prints)

    def test_a_slice_writes_no_more_than_it_may(self, table: RocksTable) -> None:
        tables = PermutedTables(table, NAME, 64, 3)
        put(table, tables, crowd(Random(9), 64, 10, 10))
        assert tables.widen(7)
        at_first = len(rows(table))
        assert tables.widen(7)
        assert len(rows(table)) == at_first + 7 * 10
        with pytest.raises(ValueError, match="at least one"):
            tables.widen(0)

    def test_a_slice_may_end_between_keys_that_are_next_to_each_other(
        self, table: RocksTable
    ) -> None:
        tables = PermutedTables(table, NAME, 64, 3)
        put(table, tables, {b"\0" * length: bytes(8) for length in range(20)})
        for _ in range(1 + 21 + 4 * 20 + 1):
            assert tables.widen(1)
            assert len(tables.find(bytes(8))) == 20
        assert not tables.widen(1)
        assert tables.tables == 10

    def test_a_reader_follows_the_writer(self, tmp_path: Path) -> None:
        prints = crowd(Random(6), 64, 10, 10)
        with RocksTable(tmp_path / "table") as table:
            writing = PermutedTables(table, NAME, 64, 3)
            put(table, writing, prints)
            with RocksTable(tmp_path / "table", reader=True) as other:
                reading = PermutedTables(other, NAME, 64, 3)
                check(reading, prints, 64)
                for _ in range(3):
                    assert writing.widen()
                    other.catch_up()
                    check(reading, prints, 64)
                assert reading.tables == writing.tables == 10


class TestGrowth:
    def test_few_are_not_widened(self, table: RocksTable) -> None:
        tables = PermutedTables(table, NAME, 64, 3)
        assert not tables.widen()
        put(table, tables, {b"key": bytes(8)})
        assert not tables.widen()
        assert tables.tables == 4

    def test_many_are_widened_again_and_again(self, table: RocksTable) -> None:
        """Short fingerprints, of which a thousand are many."""
        random, prints, seen = Random(8), dict[bytes, bytes](), set[int]()
        tables = PermutedTables(table, NAME, 16, 3)
        for number in range(1200):
            prints[b"%d" % number] = random.randbytes(2)
            put(table, tables, {b"%d" % number: prints[b"%d" % number]})
            tables.widen(50)
            seen.add(tables.tables)
            if number % 100 == 0:
                assert tables.find(b"\0\0") == near(prints, b"\0\0", 3)
        assert seen == {4, 10, 20}


class TestBadInput:
    @pytest.mark.parametrize("wrong", [b"", bytes(7), bytes(9), bytes(16)])
    def test_a_fingerprint_of_another_length(self, table: RocksTable, wrong: bytes) -> None:
        tables, batch = PermutedTables(table, NAME, 64, 3), table.batch()
        with pytest.raises(ValueError, match="8 bytes"):
            tables.find(wrong)
        with pytest.raises(ValueError, match="8 bytes"):
            tables.add(batch, b"key", wrong)
        with pytest.raises(ValueError, match="8 bytes"):
            tables.remove(batch, b"key", wrong)
        assert len(batch) == 0

    @pytest.mark.parametrize(
        ("bits", "most_differing"), [(0, 0), (-8, 3), (12, 3), (8, 8), (64, -1), (384, MOST_TABLES)]
    )
    def test_sizes_that_can_not_be(self, table: RocksTable, bits: int, most_differing: int) -> None:
        with pytest.raises(ValueError, match="no tables"):
            PermutedTables(table, NAME, bits, most_differing)

    @pytest.mark.parametrize("name", [b"", b"a\0b"])
    def test_names_that_can_not_be(self, table: RocksTable, name: bytes) -> None:
        with pytest.raises(ValueError, match="name"):
            PermutedTables(table, name, 64, 3)

    @pytest.mark.parametrize(("bits", "most_differing"), [(128, 3), (64, 2)])
    def test_tables_made_for_others(
        self, table: RocksTable, bits: int, most_differing: int
    ) -> None:
        put(table, PermutedTables(table, NAME, 64, 3), {b"key": bytes(8)})
        with pytest.raises(CollectionError, match="64 bits of which 3"):
            PermutedTables(table, NAME, bits, most_differing)
