"""Cells with versions: what stood there at that time?"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.store.cells import Cell, Cells
from shoal.store.table import RocksTable

ROW = b"org,reef)443:https/"


class Desk:
    """Cells whose writes are committed one by one."""

    def __init__(self, table: RocksTable) -> None:
        self._table = table
        self.cells = Cells(table)

    def put(self, value: bytes, when: float, keep: int = 3, row: bytes = ROW) -> None:
        batch = self._table.batch()
        self.cells.put(batch, row, "page:fetch", value, when, keep)
        self._table.write(batch)

    def delete(self, row: bytes = ROW) -> None:
        batch = self._table.batch()
        self.cells.delete(batch, row, "page:fetch")
        self._table.write(batch)

    def at(self, when: float | None, row: bytes = ROW) -> bytes | None:
        cell = self.cells.get(row, "page:fetch", when)
        return None if cell is None else cell.value

    def versions(self, row: bytes = ROW) -> list[tuple[float, bytes]]:
        return [(cell.when, cell.value) for cell in self.cells.versions(row, "page:fetch")]


@pytest.fixture
def source_schedule(tmp_path: Path) -> Iterator[Desk]:
    with RocksTable(tmp_path / "table") as table:
        yield Desk(table)


def test_a_cell_that_never_was(source_schedule: Desk) -> None:
    assert source_schedule.at(None) is None
    assert source_schedule.at(100) is None
    assert source_schedule.versions() == []


def test_the_version_of_a_time(source_schedule: Desk) -> None:
    for when in (10, 20, 30):
        source_schedule.put(b"%d" % when, when)
    assert source_schedule.at(None) == b"30"
    assert [source_schedule.at(t) for t in (9.9, 10, 19.999, 20, 29.9, 30, 1e9)] == [
        None, b"10", b"10", b"20", b"20", b"30", b"30",
    ]  # fmt: skip
    assert source_schedule.cells.get(ROW, "page:fetch", 25) == Cell(ROW, b"fetch", 20.0, b"20")


def test_a_version_out_of_the_past_takes_its_place_there(source_schedule: Desk) -> None:
    for when in (30, 10, 20):
        source_schedule.put(b"%d" % when, when)
    assert source_schedule.at(None) == b"30"
    assert source_schedule.versions() == [(30, b"30"), (20, b"20"), (10, b"10")]
    assert source_schedule.at(15) == b"10"


def test_equal_times_are_one_version(source_schedule: Desk) -> None:
    source_schedule.put(b"old", 10)
    source_schedule.put(b"first", 20)
    source_schedule.put(b"second", 20)
    source_schedule.put(b"older", 10.0004)  # the same millisecond
    assert source_schedule.versions() == [(20, b"second"), (10, b"older")]


@pytest.mark.parametrize("order", [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 5, 1, 4, 2]])
def test_only_so_many_are_kept(source_schedule: Desk, order: list[int]) -> None:
    for when in order:
        source_schedule.put(b"%d" % when, when, keep=2)
    assert source_schedule.versions() == [(5, b"5"), (4, b"4")]
    assert source_schedule.at(3) is None


def test_keeping_one_leaves_no_older(source_schedule: Desk) -> None:
    for when in (2, 1, 3):
        source_schedule.put(b"%d" % when, when, keep=1)
    assert source_schedule.versions() == [(3, b"3")]


def test_a_policy_that_shrank_holds_from_the_next_write(source_schedule: Desk) -> None:
    for when in (1, 2, 3, 4):
        source_schedule.put(b"%d" % when, when, keep=9)
    source_schedule.put(b"5", 5, keep=2)
    assert source_schedule.versions() == [(5, b"5"), (4, b"4")]


def test_deleting_forgets_every_version(source_schedule: Desk) -> None:
    other = ROW + b"other"
    for when in (1, 2, 3):
        source_schedule.put(b"%d" % when, when)
        source_schedule.put(b"%d" % when, when, row=other)
    source_schedule.delete()
    assert source_schedule.versions() == []
    assert source_schedule.at(2) is None
    assert len(source_schedule.versions(other)) == 3
    source_schedule.put(b"4", 4)
    assert source_schedule.versions() == [(4, b"4")]


def test_a_scan_gives_the_newest_of_each_row(source_schedule: Desk) -> None:
    """Inverted times hold NULs and any other byte; none of them may pass for a cell."""
    rows = [ROW, ROW + b"a", ROW + b"a/b", ROW + b"b"]
    for row in rows:
        for when in (0, 0.001, 255.0, 65536.0, 1_700_000_000.0):
            source_schedule.put(b"%r" % when, when, keep=9, row=row)
    found = list(source_schedule.cells.scan("page", ROW, ROW + b"b"))
    assert [(cell.row, cell.qualifier, cell.when) for cell in found] == [
        (row, b"fetch", 1_700_000_000.0) for row in rows[:3]
    ]
    assert len(list(source_schedule.cells.scan("page", b""))) == 4


def test_a_row_is_not_mixed_with_those_it_begins(tmp_path: Path) -> None:
    with RocksTable(tmp_path / "table") as table:
        cells, batch = Cells(table), table.batch()
        for source in (b"com,b)80:http/", b"com,a)80:http/"):
            cells.set(batch, ROW, "anchor", source, b"to the root", 5)
        cells.set(batch, ROW + b"fish", "anchor", b"com,c)80:http/", b"to fish", 5)
        cells.set(batch, ROW[:-1], "anchor", b"com,d)80:http/", b"to less", 5)
        table.write(batch)
        assert [cell.qualifier for cell in cells.row("anchor", ROW)] == [
            b"com,a)80:http/",
            b"com,b)80:http/",
        ]
        batch = table.batch()
        cells.set(batch, ROW, "anchor", b"com,a)80:http/", b"anew", 6)
        table.write(batch)
        assert [(cell.value, cell.when) for cell in cells.row("anchor", ROW)] == [
            (b"anew", 6),
            (b"to the root", 5),
        ]


def test_columns_of_a_row_do_not_touch_each_other(tmp_path: Path) -> None:
    with RocksTable(tmp_path / "table") as table:
        cells = Cells(table)
        for when in (1.0, 2.0):
            batch = table.batch()
            for column in ("page:f", "page:fetch", "text:fetch"):
                cells.put(batch, ROW, column, f"{column} {when}".encode(), when, 5)
            table.write(batch)
        for column in ("page:f", "page:fetch", "text:fetch"):
            found = [cell.value.decode() for cell in cells.versions(ROW, column)]
            assert found == [f"{column} 2.0", f"{column} 1.0"]


@dataclass
class Model:
    """The same in plain Python: per row a list of (milliseconds, value)."""

    rows: dict[bytes, list[tuple[int, bytes]]] = field(default_factory=dict)

    def put(self, row: bytes, value: bytes, when_ms: int, keep: int) -> None:
        others = [each for each in self.rows.get(row, []) if each[0] != when_ms]
        had_newest = max((time for time, _ in self.rows.get(row, [])), default=None)
        found = sorted([*others, (when_ms, value)], reverse=True)
        # An overwritten newest version is no reason to look at the older ones.
        self.rows[row] = found if had_newest == when_ms else found[: max(1, keep)]

    def at(self, row: bytes, when_ms: int) -> bytes | None:
        return next((value for time, value in self.rows.get(row, []) if time <= when_ms), None)


ROWS = st.sampled_from([b"a", b"a/", b"ab", b"b"])
TIMES_MS = st.integers(0, 12) | st.sampled_from([255, 256, 1_700_000_000_000])
PUTS = st.tuples(ROWS, st.binary(max_size=2), TIMES_MS, st.integers(1, 4))
STEPS = st.lists(PUTS | ROWS, max_size=25)


@settings(max_examples=40)
@given(steps=STEPS, asked=st.lists(st.tuples(ROWS, TIMES_MS), max_size=10))
def test_it_behaves_as_the_plain_model(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[bytes, bytes, int, int] | bytes],
    asked: list[tuple[bytes, int]],
) -> None:
    model = Model()
    with RocksTable(tmp_path_factory.mktemp("cells") / "table") as table:
        source_schedule = Desk(table)
        for step in steps:
            if isinstance(step, bytes):
                source_schedule.delete(step)
                model.rows.pop(step, None)
            else:
                row, value, when_ms, keep = step
                source_schedule.put(value, when_ms / 1000, keep, row)
                model.put(row, value, when_ms, keep)
        for row in (b"a", b"a/", b"ab", b"b"):
            held = [(time / 1000, value) for time, value in model.rows.get(row, [])]
            assert source_schedule.versions(row) == held
            assert source_schedule.at(None, row) == (held[0][1] if held else None)
        for row, when_ms in asked:
            assert source_schedule.at(when_ms / 1000, row) == model.at(row, when_ms)
        newest = sorted((row, held[0][1]) for row, held in model.rows.items())
        assert [
            (cell.row, cell.value) for cell in source_schedule.cells.scan("page", b"")
        ] == newest
