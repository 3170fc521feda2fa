"""How does accuracy grow with the size of a fingerprint? A plot: text, SVG and PNG.

F1 against bytes on a logarithmic axis, a line for each method at its best and at its default cut.
The picture is drawn once, on a sheet that is either SVG or PNG.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log2
from typing import NamedTuple

from shoal.duplicates.methods.accuracy import Row
from shoal.plot import drawing
from shoal.plot.drawing import BOTTOM, GREY, GRID, HEIGHT, INK, LEFT, RIGHT, TOP, WIDTH
from shoal.plot.sheet import PngSheet, Sheet, SvgSheet

TITLE = "F1 by bytes of fingerprint"
_ROWS = 16
_LEAST_COLUMNS, _MOST_COLUMNS = 40, 200
_MOST_TICKS = 9
_LEVELS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_MARK = 4
_LABEL = len("1.0 ")

Point = tuple[float, float]


class Line(NamedTuple):
    name: str
    letter: str
    colour: str
    points: list[Point]
    """(bytes, F1), ascending."""


_LINES = {
    ("simhash", "best"): ("simhash, best cut", "S", "#1f5fa8"),
    ("simhash", "default"): ("simhash, default cut", "s", "#8fb8e0"),
    ("n-grams", "best"): ("n-grams, best cut", "N", "#a8481f"),
    ("n-grams", "default"): ("n-grams, default cut", "n", "#e0ab8f"),
    ("sketch", "best"): ("sketch, best cut", "K", "#2f7d32"),
    ("sketch", "default"): ("sketch, default cut", "k", "#9ccc9e"),
}


def lines_of(rows: Sequence[Row]) -> list[Line]:
    found = []
    for (method, cut), (name, letter, colour) in _LINES.items():
        points = [
            (row.size_bytes, row.f1)
            for row in rows
            if (row.method, row.cut) == (method, cut) and row.size_bytes > 0
        ]
        found.append(Line(name, letter, colour, sorted(points)))
    return found


class _Axis:
    """Bytes on a logarithmic axis from 0 to 1: whole powers of two at both ends."""

    def __init__(self, lines: Sequence[Line]) -> None:
        sizes = [size for line in lines for size, _ in line.points] or [1.0]
        self._low = int(log2(min(sizes)) // 1)
        self._high = max(self._low + 1, -int(-log2(max(sizes)) // 1))

    def at(self, size_bytes: float) -> float:
        return (log2(size_bytes) - self._low) / (self._high - self._low)

    def ticks(self, most: int) -> Iterator[tuple[float, str]]:
        step = -(-(self._high - self._low + 1) // most)
        for power in range(self._low, self._high + 1, step):
            yield self.at(2.0**power), f"{2**power:,}" if power >= 0 else f"{2.0**power:.2f}"


# --- in characters --------------------------------------------------------------------------


def text(lines: Sequence[Line], columns: int, *, ascii_only: bool) -> str:
    """Lines that fit into so many columns; each point is a letter of its method."""
    axis = _Axis(lines)
    width = max(_LEAST_COLUMNS, min(columns, _MOST_COLUMNS) - 1) - _LABEL - 1
    rows = _rows(lines, axis, width, ascii_only=ascii_only)
    bar, dash, corner = "|-+" if ascii_only else "│─└"
    labels = {0: "1.0", len(rows) // 2: "F1", len(rows) - 1: "0.0"}
    drawn = [TITLE]
    drawn += [f"{labels.get(n, ''):>3} {bar}{row}".rstrip() for n, row in enumerate(rows)]
    drawn.append(" " * _LABEL + corner + dash * width)
    drawn.append((" " * (_LABEL + 1) + _tick_line(axis, width)).rstrip())
    for line in lines:
        drawn.append(f"{'':{_LABEL}} {line.letter} {line.name}")
    return "\n".join(drawn)


def _rows(lines: Sequence[Line], axis: _Axis, width: int, *, ascii_only: bool) -> list[str]:
    placed = [
        (*_place(point, axis, width, _ROWS), line.letter)
        for line in reversed(lines)  # what is best stands before what is usual
        for point in line.points
    ]
    if ascii_only:
        dots = [(x, y, ".") for line in lines for x, y in _dots(line, axis, width, _ROWS)]
        return drawing.letters([*dots, *placed], width, _ROWS)
    fine = (dot for line in lines for dot in _dots(line, axis, width * 2, _ROWS * 4))
    rows = [list(row) for row in drawing.braille(fine, width, _ROWS)]
    for x, y, letter in placed:
        rows[y][x] = letter
    return ["".join(row) for row in rows]


def _place(point: Point, axis: _Axis, width: int, height: int) -> tuple[int, int]:
    return round(axis.at(point[0]) * (width - 1)), round((1 - point[1]) * (height - 1))


def _dots(line: Line, axis: _Axis, width: int, height: int) -> Iterator[tuple[int, int]]:
    places = [_place(point, axis, width, height) for point in line.points]
    for (x, y), (to_x, to_y) in pairwise(places):
        steps = max(1, abs(to_x - x), abs(to_y - y))
        for step in range(steps + 1):
            yield x + (to_x - x) * step // steps, y + (to_y - y) * step // steps


def _tick_line(axis: _Axis, width: int) -> str:
    drawn = [" "] * width
    for at, label in axis.ticks(min(_MOST_TICKS, width // 10)):
        start = min(round(at * (width - 1)), width - len(label))
        drawn[start : start + len(label)] = label
    return "".join(drawn)


# --- as a picture ---------------------------------------------------------------------------


def svg(lines: Sequence[Line]) -> str:
    sheet = SvgSheet(TITLE)
    _draw(lines, sheet)
    return sheet.svg()


def png(lines: Sequence[Line]) -> bytes:
    sheet = PngSheet()
    _draw(lines, sheet)
    return sheet.png()


def _draw(lines: Sequence[Line], sheet: Sheet) -> None:
    axis, right, bottom = _Axis(lines), WIDTH - RIGHT, HEIGHT - BOTTOM
    for level in _LEVELS:
        y = _y(level)
        sheet.box(LEFT, y, right, y + 1, GRID)
        sheet.label(LEFT - 8, y + 5, "end", GREY, f"{level:.1f}")
    for at, label in axis.ticks(_MOST_TICKS):
        x = LEFT + at * (right - LEFT)
        sheet.box(x, bottom, x + 1, bottom + 6, GREY)
        sheet.label(x, bottom + 22, "middle", GREY, label)
    sheet.box(LEFT, TOP, LEFT + 1, bottom, GREY)
    sheet.box(LEFT, bottom, right, bottom + 1, GREY)
    for line in reversed(lines):
        places = [(LEFT + axis.at(size) * (right - LEFT), _y(f1)) for size, f1 in line.points]
        if len(places) > 1:
            sheet.curve(places, line.colour)
        for x, y in places:
            sheet.box(x - _MARK, y - _MARK, x + _MARK, y + _MARK, line.colour)
    for number, line in enumerate(lines):
        y = bottom - 20 * (len(lines) - number)
        sheet.box(right - 300, y - 10, right - 290, y, line.colour)
        sheet.label(right - 280, y, "start", INK, line.name)
    sheet.label(LEFT, 28, "start", INK, TITLE)
    sheet.label(LEFT - 8, TOP - 14, "end", INK, "F1")
    sheet.label(right, HEIGHT - 14, "end", INK, "bytes")


def _y(f1: float) -> float:
    return HEIGHT - BOTTOM - f1 * (HEIGHT - TOP - BOTTOM)
