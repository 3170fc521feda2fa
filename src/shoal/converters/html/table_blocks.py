"""Is it a table, or does it lay out a page? Decided when it has ended, by what its cells hold.

Until then what stands in it waits, cell by cell: as text for a table, and as the blocks that it
would be on its own.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from shoal.converters.html.shading import ALL, Shade, is_mixed, mean_shade
from shoal.converters.writer import Run, Writer

_MAX_CELL_CHARS = 1_500
"""A cell with more text than this is a column of a page."""


class Cell(NamedTuple):
    """A block within a cell."""

    runs: list[Run]
    write: Callable[[Writer], None]
    is_text: bool
    """No more than a paragraph: it may stand in one line with its neighbours."""
    shade: Shade = ALL


@dataclass(slots=True)
class Table:
    rows: list[list[list[Cell]]] = field(default_factory=list)
    header_rows: int = 0
    _before: list[Cell] = field(default_factory=list)
    """What stands outside of any cell: a caption, or what a browser would put before it."""
    _is_open: bool = False
    _in_head: bool = False
    _row_is_head: bool = False
    """Whether all cells of the row that is open are header cells."""

    def open(self, name: str) -> None:
        if name in ("td", "th"):
            if not self.rows:
                self.rows.append([])
            is_first = not self.rows[-1]
            self.rows[-1].append([])
            self._row_is_head = (is_first or self._row_is_head) and (self._in_head or name == "th")
            self._is_open = True
        elif name == "tr":
            self._end_row()
            self.rows.append([])
        elif name in ("thead", "tbody", "tfoot"):
            self._end_row()
            self._in_head = name == "thead"

    def close(self, name: str) -> None:
        if name in ("td", "th"):
            self._is_open = False
        elif name == "tr":
            self._end_row()
        elif name == "thead":
            self._end_row()
            self._in_head = False

    def put(self, cell: Cell) -> None:
        (self.rows[-1][-1] if self._is_open else self._before).append(cell)

    def write(self, writer: Writer) -> None:
        self._end_row()
        _write_each(self._before, writer)
        within = [cell for row in self.rows for cells in row for cell in cells]
        if not self._is_table() or is_mixed([cell.shade for cell in within]):
            _write_each(within, writer)
            return
        rows = [[_one_line(cells) for cells in row] for row in self.rows]
        lengths = [sum(len(run.text) for run in cell.runs) for cell in within]
        writer.shade = mean_shade([cell.shade for cell in within], lengths)
        writer.table(rows, header_rows=self.header_rows)

    def _end_row(self) -> None:
        if self._row_is_head and self.header_rows == len(self.rows) - 1:
            self.header_rows += 1
        self._is_open = self._row_is_head = False

    def _is_table(self) -> bool:
        filled = [cells for row in self.rows for cells in row if cells]
        return (
            max(map(len, self.rows), default=0) > 1
            and all(cell.is_text for cells in filled for cell in cells)
            and all(
                sum(len(run.text) for cell in cells for run in cell.runs) <= _MAX_CELL_CHARS
                for cells in filled
            )
        )


def _write_each(cells: list[Cell], writer: Writer) -> None:
    for cell in cells:
        writer.shade = cell.shade
        cell.write(writer)


def _one_line(cells: list[Cell]) -> list[Run]:
    runs: list[Run] = []
    for cell in cells:
        if runs:
            runs.append(Run(" "))
        runs.extend(cell.runs)
    return runs
