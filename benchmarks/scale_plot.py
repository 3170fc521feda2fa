"""How are the figures of the simulation drawn? Lines over an axis that is logarithmic, as SVG.

The frame and the letters are those of all drawings of the project (shoal.plot.drawing).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from shoal.plot.drawing import BOTTOM, GREY, GRID, HEIGHT, INK, LEFT, RIGHT, TOP, WIDTH, nice_top
from shoal.plot.sheet import Point, SvgSheet

_COLOURS = ("#1f5fa8", "#a8481f", "#2f7d32", "#7a3fa0", "#666666", "#c08a1e")
_LEVELS = 5
_MARK = 4
_LEGEND_STEP = 20
_WHOLE = 10


@dataclass(frozen=True)
class Line:
    name: str
    points: list[Point]


@dataclass(frozen=True)
class Picture:
    title: str
    x_label: str
    y_label: str
    lines: list[Line]
    x_ticks: list[tuple[float, str]]
    """Values and their labels; the axis goes from the first to the last."""
    log_y: bool = False
    percent: bool = False
    legend_low: bool = False
    """At the lower edge, right, where the lines leave room."""
    legend_top: float = TOP + 24
    """Else where its first line is."""

    def x(self, value: float) -> float:
        low, high = log10(self.x_ticks[0][0]), log10(self.x_ticks[-1][0])
        return LEFT + (log10(value) - low) / (high - low) * (WIDTH - RIGHT - LEFT)

    def levels(self) -> list[float]:
        """The values at which the picture has a line across."""
        highest = max(y for line in self.lines for _, y in line.points)
        if not self.log_y:
            return [nice_top(highest) * number / _LEVELS for number in range(_LEVELS + 1)]
        lowest = min(y for line in self.lines for _, y in line.points)
        return [10.0**power for power in range(floor(log10(lowest)), ceil(log10(highest)) + 1)]

    def y(self, value: float) -> float:
        levels = self.levels()
        low, high = levels[0], levels[-1]
        share = (value - low) / (high - low)
        if self.log_y:
            share = log10(value / low) / log10(high / low)
        return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)


def svg(picture: Picture) -> str:
    sheet = SvgSheet(picture.title)
    _frame(picture, sheet)
    for line, colour in zip(picture.lines, _COLOURS, strict=False):
        places = [(picture.x(x), picture.y(y)) for x, y in line.points]
        sheet.curve(places, colour)
        for x, y in places if len(places) < 30 else []:
            sheet.box(x - _MARK, y - _MARK, x + _MARK, y + _MARK, colour)
    _legend(picture, sheet)
    return sheet.svg()


def _frame(picture: Picture, sheet: SvgSheet) -> None:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for number, value in enumerate(picture.levels()):
        y = picture.y(value)
        sheet.box(LEFT, y, right, y + 1, GRID if number else GREY)
        sheet.label(LEFT - 8, y + 5, "end", GREY, _shown(value, percent=picture.percent))
    for value, label in picture.x_ticks:
        x = picture.x(value)
        sheet.box(x, bottom, x + 1, bottom + 6, GREY)
        sheet.label(x, bottom + 22, "middle" if x < right - 1 else "end", GREY, label)
    sheet.box(LEFT, TOP, LEFT + 1, bottom, GREY)
    sheet.label(LEFT, 28, "start", INK, picture.title)
    sheet.label(LEFT, TOP - 10, "start", GREY, picture.y_label)
    sheet.label(right, HEIGHT - 14, "end", INK, picture.x_label)


def _legend(picture: Picture, sheet: SvgSheet) -> None:
    left, top = LEFT + 20, picture.legend_top
    if picture.legend_low:
        longest = max(len(line.name) for line in picture.lines)
        left = WIDTH - RIGHT - 40 - 8 * longest
        top = HEIGHT - BOTTOM - _LEGEND_STEP * len(picture.lines)
    for number, (line, colour) in enumerate(zip(picture.lines, _COLOURS, strict=False)):
        y = top + _LEGEND_STEP * number
        sheet.box(left, y - 10, left + 10, y, colour)
        sheet.label(left + 20, y, "start", INK, line.name)


def _shown(value: float, *, percent: bool) -> str:
    if percent:
        return f"{100 * value:g}%"
    return f"{value:,.0f}" if value >= _WHOLE else f"{value:g}"


def ticks(values: Sequence[float]) -> list[tuple[float, str]]:
    return [(value, f"{value:g}") for value in values]
