"""How did freshness and age go? Two curves above each other, over the same time, as SVG and PNG.

Marks of time stand at round times, and ages have the unit that their size asks for: what is drawn
may be a year, or the minute after the first crawl.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from shoal.collection.report.freshness import Moment
from shoal.collection.report.freshness_units import Unit, unit_of
from shoal.plot.drawing import BOTTOM, GREY, GRID, HEIGHT, INK, LEFT, RIGHT, TOP, WIDTH, nice_top
from shoal.plot.sheet import PngSheet, Sheet, SvgSheet

TITLE = "Freshness and age"
_GAP = 56
_LEGEND = 300
_MOST_GAPS = 4
"""Between marks of time: more of them, and their labels touch."""
_DAY_SECONDS = 86_400
_GAPS_SECONDS = (
    *(1, 2, 5, 10, 20, 30),
    *(60 * minutes for minutes in (1, 2, 5, 10, 20, 30)),
    *(3_600 * hours for hours in (1, 2, 4, 6, 12)),
)
_LABEL_HALF = 68
"""So far from the edge the label at a mark stands, so that all of it is seen."""
_FRESH, _AGE, _FETCHED = "#2f7d32", "#a8481f", "#8fb8e0"


class _Line(NamedTuple):
    name: str
    colour: str
    value: Callable[[Moment], float]


class _Panel(NamedTuple):
    top: float
    bottom: float
    highest: float
    label: str
    lines: tuple[_Line, ...]
    unit: float = 1.0
    """What the values of its lines are divided by, to be read."""

    def y(self, value: float) -> float:
        return self.bottom - (self.bottom - self.top) * min(value / self.highest, 1.0)


def svg(moments: Sequence[Moment]) -> str:
    sheet = SvgSheet(TITLE)
    _draw(moments, sheet)
    return sheet.svg()


def png(moments: Sequence[Moment]) -> bytes:
    sheet = PngSheet()
    _draw(moments, sheet)
    return sheet.png()


def age_axis(highest_days: float) -> tuple[Unit, float]:
    """In which unit, and up to which number of them."""
    unit = unit_of(highest_days)
    return unit, nice_top(max(highest_days / unit.days, 1.0))


def _draw(moments: Sequence[Moment], sheet: Sheet) -> None:
    middle = (TOP + HEIGHT - BOTTOM) / 2
    days = [each.age_days for each in moments] + [each.days_since_fetch for each in moments]
    fresh = _Line("freshness", _FRESH, lambda each: each.freshness)
    aged = _Line("age", _AGE, lambda each: each.age_days)
    fetched = _Line("since the last fetch", _FETCHED, lambda each: each.days_since_fetch)
    sheet.label(LEFT, 28, "start", INK, TITLE)
    _draw_panel(sheet, moments, _Panel(TOP, middle - _GAP / 2, 1.0, "share", (fresh,)))
    unit, top = age_axis(max(days, default=0.0))
    lines, bottom = (fetched, aged), HEIGHT - BOTTOM
    highest = top * unit.days
    lower = _Panel(middle + _GAP / 2, bottom, highest, unit.name, lines, unit.days)
    _draw_panel(sheet, moments, lower)
    for place, label in _ticks(moments):
        x = LEFT + (WIDTH - RIGHT - LEFT) * place
        sheet.box(x, bottom, x + 1, bottom + 6, GREY)
        sheet.label(min(x, WIDTH - _LABEL_HALF), bottom + 22, "middle", GREY, label)


def _draw_panel(sheet: Sheet, moments: Sequence[Moment], panel: _Panel) -> None:
    right = WIDTH - RIGHT
    for share in (0.0, 0.5, 1.0):
        value = share * panel.highest
        y = panel.y(value)
        sheet.box(LEFT, y, right, y + 1, GRID if share else GREY)
        sheet.label(LEFT - 8, y + 5, "end", GREY, f"{value / panel.unit:g}")
    sheet.box(LEFT, panel.top, LEFT + 1, panel.bottom, GREY)
    sheet.label(LEFT - 4, panel.top - 20, "end", INK, panel.label)
    width = (right - LEFT) / max(len(moments) - 1, 1)
    for number, line in enumerate(panel.lines):
        places = [(LEFT + n * width, panel.y(line.value(each))) for n, each in enumerate(moments)]
        if len(places) > 1:
            sheet.curve(places, line.colour)
        x = right - _LEGEND * (len(panel.lines) - number)
        sheet.box(x, panel.top - 22, x + 10, panel.top - 12, line.colour)
        sheet.label(x + 18, panel.top - 12, "start", INK, line.name)


def _ticks(moments: Sequence[Moment]) -> Iterator[tuple[float, str]]:
    """Round times: the place of each from 0 to 1, and its label."""
    if len(moments) < 2:
        return
    first, last = (datetime.fromisoformat(moments[number].at) for number in (0, -1))
    seconds = (last - first).total_seconds()
    days = nice_top(max(seconds / _MOST_GAPS / _DAY_SECONDS, 1.0))
    fitting = (gap for gap in _GAPS_SECONDS if seconds <= _MOST_GAPS * gap)
    gap = next(fitting, round(days) * _DAY_SECONDS)
    form = "%Y-%m-%d" if gap >= _DAY_SECONDS else "%m-%d %H:%M" if gap >= 60 else "%H:%M:%S"
    at = first.replace(hour=0, minute=0, second=0, microsecond=0)
    to_first = min(gap, _DAY_SECONDS)
    at += timedelta(seconds=-((at - first).total_seconds() // to_first) * to_first)
    while at <= last:
        yield (at - first).total_seconds() / (seconds or 1.0), at.strftime(form)
        at += timedelta(seconds=gap)
