"""What do lines beside each other mean? A table, columns written across, or parts of one line.

A table is told only when it is safe: three rows (or two of three cells) whose cells stand under
each other without any overlap. Two broad columns of text that were written line by line across
both (scanned books) are taken apart. What is neither stays a line of text.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from shoal.converters.pdf.layout import paragraphs
from shoal.converters.pdf.piece import LEADERS, Line, Piece, piece_of
from shoal.converters.pdf.text import Word
from shoal.model.page import Tag

_LEADER = re.compile(LEADERS.pattern + r"|^[.\s]+$")
_BROAD_CHARS = 28
_STEP_EM, _ALIGNED_PT = 2.6, 0.7


def pieces_of(lines: list[Line], page: int) -> list[Piece]:
    """In the stream's order, tables among them."""
    pieces: list[Piece] = []
    plain: list[Line] = []
    for rows in _runs(lines):
        if len(rows[0]) == 1:
            plain += rows[0]
            continue
        found = _table(rows, page)
        if found is not None:
            pieces += paragraphs(plain, page)
            plain = []
            pieces.append(found)
        elif _is_across(rows):
            pieces += paragraphs(plain, page)
            plain = []
            for side in zip(*rows, strict=True):
                pieces += paragraphs(side, page)
        elif _joins(rows[0]):
            plain += (_joined(row) for row in rows)
        else:
            plain += (line for row in rows for line in row)
    return pieces + paragraphs(plain, page)


def _runs(lines: list[Line]) -> Iterator[list[list[Line]]]:
    """Rows one under the other with several lines each; any other row is a run of its own."""
    run: list[list[Line]] = []
    for found in _rows(lines):
        row = _split(found[0], run[-1]) if run and len(found) == 1 else found
        if len(row) > 1 and run and _below(run[-1], row):
            run.append(row)
            continue
        if run:
            yield run
            run = []
        if len(row) > 1:
            run = [row]
        else:
            yield [row]
    if run:
        yield run


def _split(line: Line, above: list[Line]) -> list[Line]:
    """A row whose cells all but touch, taken apart where those above it begin."""
    starts = [cell.x0 for cell in above[1:]]
    places = [
        number
        for number, word in enumerate(line.words)
        if number and not word.glued and any(abs(word.x0 - start) < _ALIGNED_PT for start in starts)
    ]
    if len(places) != len(starts) or not _below(above, [line]) or line.x0 >= starts[0]:
        return [line]
    bounds = [0, *places, len(line.words)]
    return [
        replace(line, words=words, x0=words[0].x0, x1=words[-1].x1)
        for words in (line.words[a:b] for a, b in pairwise(bounds))
    ]


def _rows(lines: list[Line]) -> Iterator[list[Line]]:
    row: list[Line] = []
    for line in lines:
        if row and line.row != row[-1].row:
            yield row
            row = []
        row.append(line)
    if row:
        yield row


def _below(above: list[Line], row: list[Line]) -> bool:
    size = max(line.size for line in above)
    return 0 < above[0].y - row[0].y < _STEP_EM * size


def _table(rows: list[list[Line]], page: int) -> Piece | None:
    if any(_LEADER.search(line.text) for row in rows for line in row):
        return None
    columns = _columns(line for row in rows for line in row)
    width = len(columns)
    if len(rows) < 2 or width < 2 or (len(rows) == 2 and width == 2):
        return None
    if width == 2 and _is_across(rows):
        return None
    table: list[list[list[Word]]] = []
    for row in rows:
        cells: list[list[Word]] = [[] for _ in columns]
        for line in row:
            place = next(n for n, (_, end) in enumerate(columns) if line.x0 <= end)
            if cells[place]:
                return None
            cells[place] = line.words
        table.append(cells)
    filled = sum(bool(cell) for cells in table for cell in cells)
    if filled < 0.6 * width * len(table):
        return None
    piece = piece_of([line for row in rows for line in row], page)
    piece.kind, piece.rows, piece.bold = Tag.TABLE, table, False
    piece.level = int(all(line.bold for line in rows[0]) and not all(line.bold for line in rows[1]))
    return piece


def _columns(lines: Iterable[Line]) -> list[tuple[float, float]]:
    """Where the lines stand from left to right, those that overlap as one."""
    columns: list[tuple[float, float]] = []
    for start, end in sorted((line.x0, line.x1) for line in lines):
        if columns and start <= columns[-1][1]:
            columns[-1] = columns[-1][0], max(end, columns[-1][1])
        else:
            columns.append((start, end))
    return columns


def _is_across(rows: list[list[Line]]) -> bool:
    """Two columns of running text, whose lines fill them."""
    if len(rows) < 3 or any(len(row) != 2 for row in rows):
        return False
    for side in zip(*rows, strict=True):
        if sum(len(line.text) for line in side) < _BROAD_CHARS * len(side):
            return False
        width = max(line.x1 for line in side) - min(line.x0 for line in side)
        full = sum(line.x1 - line.x0 > 0.8 * width for line in side)
        if full < 0.6 * len(side):
            return False
    return len(_columns(line for row in rows for line in row)) == 2


def _joins(row: list[Line]) -> bool:
    """Short lines far from being columns: `Contents …… 3`, a name and a date."""
    return sum(len(line.text) for line in row) < 4 * _BROAD_CHARS


def _joined(row: list[Line]) -> Line:
    line = row[0]
    for other in row[1:]:
        line.words += other.words
        line.x0, line.x1 = min(line.x0, other.x0), max(line.x1, other.x1)
        line.bold, line.mono = line.bold and other.bold, line.mono and other.mono
    return line
