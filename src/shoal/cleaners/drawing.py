"""How is a curve drawn? In characters for a terminal, as SVG, and as PNG.

All three show the same: tags against tokens, and which tokens were taken. In a terminal each
character holds two by four dots (Braille); one that has no UTF-8 gets stars. Nothing of a page's
own words is drawn, so that nothing has to be escaped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shoal.plot import drawing
from shoal.plot.drawing import BOTTOM, GREY, GRID, HEIGHT, INK, LEFT, RIGHT, TOP, WIDTH
from shoal.plot.sheet import PngSheet, Sheet, SvgSheet

MOST_POINTS = 1200
_ROWS = 16
_LEAST_COLUMNS = 30
_MOST_COLUMNS = 200
_LINE = "#1f5fa8"


@dataclass(frozen=True)
class Plot:
    """What is to be drawn."""

    title: str
    points: Sequence[tuple[int, int]]
    """(tokens, tags), ascending; the last is where the axes end."""
    marked: Sequence[tuple[int, int]]
    """[from, to) on the axis of tokens."""

    @property
    def ends(self) -> tuple[int, int]:
        """Where the axes end; never 0, so that an empty page can be drawn."""
        tokens, tags = self.points[-1] if self.points else (0, 0)
        return max(tokens, 1), max(tags, 1)


def text(plot: Plot, columns: int, *, ascii_only: bool) -> str:
    """Lines that fit into so many columns."""
    tokens_end, tags_end = plot.ends
    left = max(len("tags"), len(f"{tags_end:,}")) + 2
    width = max(_LEAST_COLUMNS, min(columns, _MOST_COLUMNS) - 1) - left
    if ascii_only:
        rows = drawing.letters(((x, y, "*") for x, y in _dots(plot, width, _ROWS)), width, _ROWS)
    else:
        rows = drawing.braille(_dots(plot, width * 2, _ROWS * 4), width, _ROWS)
    labels = {0: f"{tags_end:,}", len(rows) // 2: "tags", len(rows) - 1: "0"}
    bar, line, bold = "|-=" if ascii_only else "│─━"
    axis = [line] * width
    for start, end in plot.marked:
        first = min(width - 1, start * width // tokens_end)
        last = max(first + 1, end * width // tokens_end)
        axis[first:last] = [bold] * (last - first)
    drawn = [f"{labels.get(n, ''):>{left - 2}} {bar}{row}".rstrip() for n, row in enumerate(rows)]
    drawn.append(" " * (left - 1) + ("+" if ascii_only else "└") + "".join(axis[:width]))
    drawn.append(" " * left + "0" + f"{tokens_end:,} tokens".rjust(width - 1))
    return "\n".join(drawn)


def _dots(plot: Plot, width: int, height: int) -> Iterator[tuple[int, int]]:
    """The curve on a grid whose line 0 is the topmost; each column has a dot at least."""
    tokens_end, tags_end = plot.ends
    before = 0
    at = 0
    for x in range(width):
        while at < len(plot.points) - 1 and plot.points[at][0] * (width - 1) < x * tokens_end:
            at += 1
        tags = plot.points[at][1] if plot.points else 0
        level = tags * (height - 1) // tags_end
        for y in range(min(before + 1, level), level + 1):
            yield x, height - 1 - y
        before = level


def svg(plot: Plot) -> str:
    sheet = SvgSheet(plot.title)
    _draw(plot, sheet)
    return sheet.svg()


def png(plot: Plot) -> bytes:
    sheet = PngSheet()
    _draw(plot, sheet)
    return sheet.png()


def _draw(plot: Plot, sheet: Sheet) -> None:
    tokens_end, tags_end = plot.ends
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for start, end in plot.marked:
        x = _x(start, tokens_end)
        sheet.content(x, max(x + 1, _x(end, tokens_end)))
    for tick in _ticks(tags_end):
        y = _y(tick, tags_end)
        sheet.box(LEFT, y, right, y + 1, GRID)
        sheet.label(LEFT - 8, y + 5, "end", GREY, f"{tick:,}")
    for tick in _ticks(tokens_end):
        x = _x(tick, tokens_end)
        sheet.box(x, bottom, x + 1, bottom + 6, GREY)
        sheet.label(x, bottom + 22, "middle", GREY, f"{tick:,}")
    sheet.box(LEFT, TOP, LEFT + 1, bottom, GREY)
    sheet.box(LEFT, bottom, right, bottom + 1, GREY)
    sheet.curve([(_x(n, tokens_end), _y(tags, tags_end)) for n, tags in plot.points], _LINE)
    sheet.label(LEFT, 28, "start", INK, plot.title)
    sheet.label(LEFT - 8, TOP - 14, "end", INK, "tags")
    sheet.label(right, HEIGHT - 14, "end", INK, "tokens")


def _x(tokens: int, tokens_end: int) -> float:
    return LEFT + tokens / tokens_end * (WIDTH - LEFT - RIGHT)


def _y(tags: int, tags_end: int) -> float:
    return HEIGHT - BOTTOM - tags / tags_end * (HEIGHT - TOP - BOTTOM)


def _ticks(end: int) -> range:
    """Round numbers from 0 up to the end, at most eight."""
    step = 1
    while end // step > 7:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2  # 1, 2, 5, 10 …
    return range(0, end + 1, step)
