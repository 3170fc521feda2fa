"""How did freshness and age go? Two curves above each other, over the same time, as SVG and PNG."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from shoal.app.freshness import Moment
from shoal.model.drawing import BOTTOM, GREY, GRID, HEIGHT, INK, LEFT, RIGHT, TOP, WIDTH
from shoal.model.sheet import PngSheet, Sheet, SvgSheet

TITLE = "Freshness and age"
_GAP = 56
_LEGEND = 300
_TICKS = 5
_STEPS = (1.0, 2.0, 5.0, 10.0)
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


def nice_top(highest: float) -> float:
    """The next of 1, 2, 5, 10 … times a power of ten that is not below it."""
    step = 1e-6
    while step < highest:
        for factor in _STEPS:
            if highest <= factor * step:
                return factor * step
        step *= 10
    return step


def _draw(moments: Sequence[Moment], sheet: Sheet) -> None:
    middle = (TOP + HEIGHT - BOTTOM) / 2
    days = [each.age_days for each in moments] + [each.days_since_fetch for each in moments]
    fresh = _Line("freshness", _FRESH, lambda each: each.freshness)
    aged = _Line("age", _AGE, lambda each: each.age_days)
    fetched = _Line("since the last fetch", _FETCHED, lambda each: each.days_since_fetch)
    sheet.label(LEFT, 28, "start", INK, TITLE)
    _draw_panel(sheet, moments, _Panel(TOP, middle - _GAP / 2, 1.0, "share", (fresh,)))
    top = nice_top(max(days, default=0.0))
    _draw_panel(
        sheet, moments, _Panel(middle + _GAP / 2, HEIGHT - BOTTOM, top, "days", (fetched, aged))
    )
    right = WIDTH - RIGHT
    for number in range(_TICKS if len(moments) > 1 else 0):
        place = round(number * (len(moments) - 1) / (_TICKS - 1))
        anchor = "start" if number == 0 else "end" if number == _TICKS - 1 else "middle"
        x = LEFT + (right - LEFT) * place / (len(moments) - 1)
        sheet.label(x, HEIGHT - BOTTOM + 22, anchor, GREY, _when(moments, place))


def _draw_panel(sheet: Sheet, moments: Sequence[Moment], panel: _Panel) -> None:
    right = WIDTH - RIGHT
    for share in (0.0, 0.5, 1.0):
        value = share * panel.highest
        y = panel.y(value)
        sheet.box(LEFT, y, right, y + 1, GRID if share else GREY)
        sheet.label(LEFT - 8, y + 5, "end", GREY, f"{value:g}")
    sheet.box(LEFT, panel.top, LEFT + 1, panel.bottom, GREY)
    sheet.label(LEFT - 8, panel.top - 14, "end", INK, panel.label)
    width = (right - LEFT) / max(len(moments) - 1, 1)
    for number, line in enumerate(panel.lines):
        places = [(LEFT + n * width, panel.y(line.value(each))) for n, each in enumerate(moments)]
        if len(places) > 1:
            sheet.curve(places, line.colour)
        x = right - _LEGEND * (len(panel.lines) - number)
        sheet.box(x, panel.top - 22, x + 10, panel.top - 12, line.colour)
        sheet.label(x + 18, panel.top - 12, "start", INK, line.name)


def _when(moments: Sequence[Moment], place: int) -> str:
    """A date; with the time of day when it is all within two days."""
    at, first, last = (
        datetime.fromisoformat(moments[number].at) for number in (place, 0, len(moments) - 1)
    )
    return at.strftime("%Y-%m-%d" if (last - first).days > 1 else "%m-%d %H:%M")
