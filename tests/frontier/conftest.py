"""A real table and a clock that the test turns."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.store.table import RocksTable
from tests.fake_clock import FakeClock
from tests.frontier.play import Play, PlaySettings


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RocksTable]:
    with RocksTable(tmp_path / "table") as table:
        yield table


@pytest.fixture
def play(table: RocksTable, clock: FakeClock) -> Play:
    """A crawl with the default settings, one level of politeness and no robots.txt anywhere."""
    return Play(table, clock, PlaySettings())
