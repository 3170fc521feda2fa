"""A source over real files and a real table, and somebody who takes in what it tells."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.clock import SystemClock
from shoal.model.outcome import Outcome
from shoal.model.source import SourceRow
from shoal.model.source_change import Gone, Moved, SourceChange, Taken
from shoal.model.visit import Fetched
from shoal.ports import DocumentSource, Table
from shoal.sources.disk.folder import FolderSource
from shoal.sources.disk.listing import DiskSettings
from shoal.store.table import RocksTable


def as_fetched(body: bytes, name: bytes, modified: float, now: float) -> Fetched:
    del name, modified
    return Fetched(Outcome.OK, 200, started=now, ended=now, body=body)


def folder_source(table: Table, path: Path, settings: DiskSettings | None = None) -> FolderSource:
    row = SourceRow(name=bytes(path.resolve()))
    return FolderSource(table, row, settings or DiskSettings(), SystemClock(), as_fetched)


@contextmanager
def a_table(path: Path) -> Iterator[RocksTable]:
    with RocksTable(path / "table") as table:
        yield table


def take_in(source: DocumentSource, table: Table, *, everything: bool = True) -> list[SourceChange]:
    """What it tells, taken in as the engine does; what is read is opened."""
    told = []
    for some in source.changes(everything):
        for change in some:
            told.append(change)
            match change:
                case Taken() if source.open(change) is None:
                    continue
                case Moved():
                    note(source, table, Gone(change.url))
                    note(source, table, Taken(change.to, change.stamp, change.readers))
                case _:
                    note(source, table, change)
    return told


def note(source: DocumentSource, table: Table, change: SourceChange) -> None:
    batch = table.batch()
    source.note(batch, change)
    table.write(batch)
