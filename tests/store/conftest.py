"""A store on real files, for every test of this room."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from shoal.store.pages import PageStore
from shoal.store.table import RocksTable
from tests.store.parts import Desk


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RocksTable]:
    with RocksTable(tmp_path / "table") as opened:
        yield opened


@pytest.fixture
def source_schedule(table: RocksTable, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(PageStore(table, tmp_path / "warc"), tmp_path / "warc")
    with made.archive:
        yield made
