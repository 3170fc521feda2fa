"""How does a law look beside what was found? Both axes logarithmic, as SVG and PNG.

On such axes a power law is a straight line. What was found is dots, the law that is nearest to it a
line, from where it holds.
"""

from collections.abc import Sequence
from math import ceil, floor, log10

from shoal.graph.report import Curve
from shoal.plot.drawing import BOTTOM, GREY, GRID, HEIGHT, INK, LEFT, RIGHT, TOP, WIDTH
from shoal.plot.sheet import PngSheet, Point, Sheet, SvgSheet

_DOT = 3
_FOUND, _LAW = "#1f5fa8", "#a8481f"
_MOST_TICKS = 9
_LEAST = 1e-12


def svg(curve: Curve) -> str:
    sheet = SvgSheet(curve.name)
    _draw(curve, sheet)
    return sheet.svg()


def png(curve: Curve) -> bytes:
    sheet = PngSheet()
    _draw(curve, sheet)
    return sheet.png()


class _Axis:
    """Whole powers of ten at both ends; numbers between `start` and `end` on the sheet."""

    def __init__(self, numbers: Sequence[float], start: float, end: float) -> None:
        logs = [log10(max(number, _LEAST)) for number in numbers] or [0.0]
        self._low = floor(min(logs))
        self._high = max(self._low + 1, ceil(max(logs)))
        self._start, self._end = start, end

    def at(self, number: float) -> float:
        share = (log10(max(number, _LEAST)) - self._low) / (self._high - self._low)
        return self._start + share * (self._end - self._start)

    def ticks(self) -> list[tuple[float, str]]:
        step = -(-(self._high - self._low + 1) // _MOST_TICKS)
        powers = range(self._low, self._high + 1, step)
        return [(self.at(10.0**power), _written(power)) for power in powers]


def _written(power: int) -> str:
    if power >= 0:
        return f"{10**power:,}"
    return f"{10.0**power:.{-power}f}" if power >= -3 else f"1e{power}"


def _draw(curve: Curve, sheet: Sheet) -> None:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    every = [*curve.found, *curve.law]
    across = _Axis([x for x, _ in every], LEFT, right)
    # The law may go on below what was found; the picture does not.
    upwards = _Axis([y for _, y in curve.found], bottom, TOP)
    for y, label in upwards.ticks():
        sheet.box(LEFT, y, right, y + 1, GRID)
        sheet.label(LEFT - 8, y + 5, "end", GREY, label)
    for x, label in across.ticks():
        sheet.box(x, bottom, x + 1, bottom + 6, GREY)
        sheet.label(x, bottom + 22, "middle" if x < right else "end", GREY, label)
    sheet.box(LEFT, TOP, LEFT + 1, bottom, GREY)
    sheet.box(LEFT, bottom, right, bottom + 1, GREY)
    line: list[Point] = [(across.at(x), upwards.at(y)) for x, y in curve.law]
    inside = [(x, y) for x, y in line if TOP <= y <= bottom]
    if len(inside) > 1:
        sheet.curve(inside, _LAW)
    for x, y in curve.found:
        left, top = across.at(x), upwards.at(y)
        sheet.box(left - _DOT, top - _DOT, left + _DOT, top + _DOT, _FOUND)
    sheet.label(LEFT, 28, "start", INK, f"{curve.name}: {curve.says}")
    sheet.label(LEFT - 8, TOP - 14, "end", INK, curve.y_label)
    sheet.label(right, HEIGHT - 14, "end", INK, curve.x_label)
