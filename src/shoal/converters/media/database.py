"""What does an SQLite database hold? Its tables, row by row, as far as they are text.

SQLite itself reads a copy in memory, so nothing on disk is touched and no lock is taken. Hostile
files are met by its own limits, by a count of steps, and by reading tables only: no views, no
triggers, no functions of the file are run (`trusted_schema` is off, writing is refused).
"""

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import chain

from shoal.converters.context import Context, Converted
from shoal.converters.sniff.magic import magic_kind
from shoal.converters.writer import Writer

_MAX_TABLES = 200
_MAX_ROWS = 20_000
_MAX_CELL_CHARS = 10_000
_MAX_STEPS = 2_000
_STEP_INSTRUCTIONS = 10_000
_TABLES = (
    "SELECT name FROM sqlite_master"
    " WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' LIMIT ?"
)


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    files = _Files(context)
    problem = ""
    database = sqlite3.connect(":memory:")
    try:
        _restrain(database)
        # A write-ahead log is another file: the copy is read as if there were none.
        database.deserialize(body[:18] + b"\x01\x01" + body[20:])
        database.execute("PRAGMA query_only = ON")
        for (name,) in database.execute(_TABLES, (_MAX_TABLES,)).fetchall():
            _table(database, str(name), writer, files)
    except (sqlite3.Error, ValueError, OverflowError, MemoryError) as fault:
        problem = f"damaged: {fault}"[:200]
    finally:
        database.close()
    return [Converted(writer.page(), problem=problem or writer.problem), *files.found]


class _Files:
    """Whole files that are kept in cells."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.found: list[Converted] = []

    def add(self, value: bytes, name: str) -> None:
        if len(self.found) < self._context.limits.members and magic_kind(value):
            self.found += self._context.inside(value, name)


def _restrain(database: sqlite3.Connection) -> None:
    steps = iter(range(_MAX_STEPS))
    database.set_progress_handler(lambda: next(steps, None) is None, _STEP_INSTRUCTIONS)
    database.text_factory = lambda raw: raw.decode("utf-8", "replace")
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA cell_size_check = ON")
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 20_000_000)
    database.setlimit(sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 50)


def _table(database: sqlite3.Connection, name: str, writer: Writer, files: _Files) -> None:
    quoted = name.replace('"', '""')
    try:
        cursor = database.execute(f'SELECT * FROM "{quoted}" LIMIT {_MAX_ROWS}')  # noqa: S608  # quoted
        columns = [str(column[0]) for column in cursor.description]
        first = cursor.fetchone()
        if first is not None:
            writer.heading(name, 2)
            rows = _rows(name, columns, chain([first], cursor), files)
            writer.table(rows, header_rows=1)
    except (sqlite3.Error, ValueError, OverflowError):
        return  # a table of a module that is not here, or a damaged one: the others may be well


def _rows(
    table: str, columns: list[str], rows: Iterable[tuple[object, ...]], files: _Files
) -> Iterator[list[str]]:
    yield columns
    try:
        for number, row in enumerate(rows, 1):
            for column, value in zip(columns, row, strict=False):
                if isinstance(value, bytes):
                    files.add(value, f"{table}/{column}/{number}")
            yield [_cell(value) for value in row]
    except sqlite3.Error:
        return  # what was read before the damage is kept


def _cell(value: object) -> str:
    if value is None or isinstance(value, bytes):
        return ""
    return str(value)[:_MAX_CELL_CHARS]
