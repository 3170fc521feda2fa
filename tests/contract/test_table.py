"""The Table port and its Batch: what every table must do, whatever it is made of."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.ports import Batch, Table
from shoal.store.table import RocksTable, TableBatch
from tests.cluster.memory import MemoryBatch, MemoryTable

BATCHES = {RocksTable: TableBatch, MemoryTable: MemoryBatch}


@contextmanager
def opened(kind: type[RocksTable | MemoryTable], directory: Path) -> Iterator[Table]:
    if kind is MemoryTable:
        yield MemoryTable()
    else:
        with RocksTable(directory / "table") as table:
            yield table


@pytest.fixture(params=BATCHES)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Table]:
    with opened(request.param, tmp_path) as made:
        yield made


def test_its_batches_are_its_own(table: Table) -> None:
    batch: Batch = table.batch()
    assert type(batch) is BATCHES[type(table)]


def put(table: Table, family: str, *pairs: tuple[bytes, bytes]) -> None:
    batch = table.batch()
    for key, value in pairs:
        batch.put(family, key, value)
    table.write(batch)


def test_get_what_was_put(table: Table) -> None:
    assert table.get("page", b"a") is None
    put(table, "page", (b"a", b"1"), (b"b", b""), (b"", b"empty key"))
    assert table.get("page", b"a") == b"1"
    assert table.get("page", b"b") == b""
    assert table.get("page", b"") == b"empty key"
    assert table.get("site", b"a") is None


def test_any_bytes_are_keys_and_values(table: Table) -> None:
    every_byte = bytes(range(256))
    put(table, "page", (every_byte, every_byte), (b"\x00", b"\x00"), (b"\xff" * 9, b"x" * 300_000))
    assert table.get("page", every_byte) == every_byte
    assert [key for key, _ in table.scan("page", b"")] == [b"\x00", every_byte, b"\xff" * 9]
    assert len(table.get("page", b"\xff" * 9) or b"") == 300_000


def test_get_many_answers_in_the_order_asked(table: Table) -> None:
    put(table, "page", (b"a", b"1"), (b"b", b"2"), (b"c", b"3"))
    asked = [b"c", b"none", b"a", b"c", b"b"]
    assert table.get_many("page", asked) == [b"3", None, b"1", b"3", b"2"]
    assert table.get_many("page", (b"a",)) == [b"1"]
    assert table.get_many("page", []) == []


def test_scan_includes_its_start_and_excludes_its_end(table: Table) -> None:
    pairs = [(bytes([letter]), b"%d" % letter) for letter in b"abcdef"]
    put(table, "page", *reversed(pairs))
    put(table, "site", (b"c", b"another family"))
    assert list(table.scan("page", b"b", b"e")) == pairs[1:4]
    assert list(table.scan("page", b"bb", b"dd")) == pairs[2:4]
    assert list(table.scan("page", b"c")) == pairs[2:]
    assert list(table.scan("page", b"")) == pairs
    assert list(table.scan("page", b"c", b"c")) == []
    assert list(table.scan("page", b"g")) == []


def test_a_batch_is_invisible_until_written_and_then_whole(table: Table) -> None:
    put(table, "page", (b"old", b"1"))
    batch = table.batch()
    batch.put("page", b"new", b"2")
    batch.put("anchor", b"new", b"3")
    batch.delete("page", b"old")
    assert table.get("page", b"new") is None
    assert list(table.scan("page", b"")) == [(b"old", b"1")]
    table.write(batch)
    assert table.get_many("page", [b"new", b"old"]) == [b"2", None]
    assert table.get("anchor", b"new") == b"3"


def test_the_last_order_in_a_batch_wins(table: Table) -> None:
    batch = table.batch()
    batch.put("page", b"a", b"1")
    batch.put("page", b"a", b"2")
    batch.put("page", b"b", b"1")
    batch.delete("page", b"b")
    batch.delete("page", b"c")
    batch.put("page", b"c", b"1")
    table.write(batch)
    assert list(table.scan("page", b"")) == [(b"a", b"2"), (b"c", b"1")]


def test_many_pairs_are_put_like_one(table: Table) -> None:
    put(table, "page", (b"b", b"old"))
    batch = table.batch()
    batch.put_many("page", ((bytes([letter]), b"new") for letter in b"cab"))
    batch.put_many("page", [])
    batch.delete("page", b"c")
    assert list(table.scan("page", b"")) == [(b"b", b"old")]
    table.write(batch)
    assert list(table.scan("page", b"")) == [(b"a", b"new"), (b"b", b"new")]


def test_an_empty_batch_and_an_absent_key_are_nothing_special(table: Table) -> None:
    table.write(table.batch())
    batch = table.batch()
    batch.delete("page", b"never there")
    table.write(batch)
    table.sync()
    assert list(table.scan("page", b"")) == []


def test_a_scan_sees_the_table_as_it_was_when_it_was_asked_for(table: Table) -> None:
    put(table, "page", (b"a", b"1"), (b"b", b"1"), (b"c", b"1"))
    not_begun = table.scan("page", b"")
    begun = table.scan("page", b"")
    assert next(begun) == (b"a", b"1")
    batch = table.batch()
    batch.put("page", b"aa", b"2")
    batch.put("page", b"b", b"2")
    batch.delete("page", b"c")
    table.write(batch)
    assert list(begun) == [(b"b", b"1"), (b"c", b"1")]
    assert list(not_begun) == [(b"a", b"1"), (b"b", b"1"), (b"c", b"1")]
    assert list(table.scan("page", b"")) == [(b"a", b"1"), (b"aa", b"2"), (b"b", b"2")]


def test_a_foreign_batch_is_refused(table: Table) -> None:
    class Foreign:
        def put(self, family: str, key: bytes, value: bytes) -> None:
            raise AssertionError

        def put_many(self, family: str, pairs: Iterable[tuple[bytes, bytes]]) -> None:
            raise AssertionError

        def delete(self, family: str, key: bytes) -> None:
            raise AssertionError

    with pytest.raises(TypeError, match="batches that it made"):
        table.write(Foreign())


KEYS = st.binary(max_size=3)
ORDERS = st.lists(st.tuples(st.sampled_from(["page", "queue"]), KEYS, st.none() | st.binary()))


@settings(max_examples=40)
@pytest.mark.parametrize("kind", BATCHES)
@given(batches=st.lists(ORDERS, max_size=5), start=KEYS, end=st.none() | KEYS)
def test_it_is_an_ordered_map(
    tmp_path_factory: pytest.TempPathFactory,
    kind: type[RocksTable | MemoryTable],
    batches: list[list[tuple[str, bytes, bytes | None]]],
    start: bytes,
    end: bytes | None,
) -> None:
    model: dict[str, dict[bytes, bytes]] = {"page": {}, "queue": {}}
    with opened(kind, tmp_path_factory.mktemp("model")) as table:
        for orders in batches:
            batch = table.batch()
            for family, key, value in orders:
                if value is None:
                    batch.delete(family, key)
                    model[family].pop(key, None)
                else:
                    batch.put(family, key, value)
                    model[family][key] = value
            table.write(batch)
        for family, held in model.items():
            within = sorted(
                (key, value)
                for key, value in held.items()
                if key >= start and (end is None or key < end)
            )
            assert list(table.scan(family, start, end)) == within
