"""How do policies compare? Curves by budget, or over time for one budget, as SVG and PNG.

By budget: how far the age of each is above the optimum. What is further above than twice is beyond
the picture: the interesting part would be a line at the bottom. Lines end where they leave it, and
an arrow at the upper edge says that they go on.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log10
from typing import NamedTuple

from shoal.analysis.simulation import Outcome, Simulation
from shoal.plot.drawing import BOTTOM, GREY, GRID, HEIGHT, INK, LEFT, RIGHT, TOP, WIDTH, nice_top
from shoal.plot.sheet import PngSheet, Point, Sheet, SvgSheet

_COLOURS = {
    ("uniform", "any"): "#666666",
    ("proportional", "known"): "#7a3fa0",
    ("proportional", "learned"): "#c9a8dd",
    ("freshness", "known"): "#2f7d32",
    ("freshness", "learned"): "#9ccc9e",
    ("age", "known"): "#1f5fa8",
    ("age", "learned"): "#a8481f",
}
_MOST_OVER = 1.0
_LEVELS = 5
_MARK = 4
_ARROW = 7
_BEYOND = " (beyond: arrows)"


class _Line(NamedTuple):
    name: str
    colour: str
    points: list[Point]


class _Picture(NamedTuple):
    title: str
    x_label: str
    y_label: str
    top: float
    x_ticks: list[tuple[float, str]]
    """(place from 0 to 1, label)."""
    lines: list[_Line]
    """Points are (place from 0 to 1, value)."""
    legend_top: float
    percent: bool


def svg(found: Simulation) -> str:
    picture = _picture(found)
    sheet = SvgSheet(picture.title)
    _draw(picture, sheet)
    return sheet.svg()


def png(found: Simulation) -> bytes:
    sheet = PngSheet()
    _draw(_picture(found), sheet)
    return sheet.png()


def _picture(found: Simulation) -> _Picture:
    budgets = sorted({each.budget for each in found.outcomes})
    ran = [each for each in found.outcomes if each.over_time]
    return _by_budget(ran, budgets) if len(budgets) > 1 else _over_time(found, ran)


def _by_budget(ran: Sequence[Outcome], budgets: Sequence[float]) -> _Picture:
    low, high = log10(budgets[0]), log10(budgets[-1])
    places = {budget: (log10(budget) - low) / (high - low) for budget in budgets}
    lines = []
    for key, colour in _COLOURS.items():
        points = [
            (places[each.budget], each.over_optimum)
            for each in ran
            if (each.policy, each.rates) == key and each.over_optimum is not None
        ]
        if points:
            shown = sorted((x, max(over, 0.0)) for x, over in points)
            lines.append(_Line(_name(key), colour, shown))
    within = [over for line in lines for _, over in line.points if over <= _MOST_OVER]
    ticks = [(place, f"{budget:g}") for budget, place in places.items()]
    title, top = "Age above the optimum by budget", nice_top(max(within, default=0.1))
    return _Picture(title, "visits per page and week", "above", top, ticks, lines, TOP + 32, True)


def _over_time(found: Simulation, ran: Sequence[Outcome]) -> _Picture:
    end = max((each.over_time[-1].day for each in ran), default=1.0)
    lines = []
    best = [each for each in found.outcomes if (each.policy, each.rates) == ("age", "exact")]
    if best and best[0].age_days is not None:
        lines.append(
            _Line("optimum", "#2f7d32", [(0.0, best[0].age_days), (1.0, best[0].age_days)])
        )
    for key, colour in _COLOURS.items():
        for each in ran:
            if (each.policy, each.rates) == key:
                points = [(moment.day / end, moment.age_days) for moment in each.over_time]
                lines.append(_Line(_name(key), colour, points))
    top = nice_top(_usual_top(lines))
    ticks = [(number / 4, f"{end * number / 4:.0f}") for number in range(5)]
    title = f"Age over time, budget {ran[0].budget:g} per page and week"
    legend_top = HEIGHT - BOTTOM - 20 * len(lines)
    return _Picture(title, "days", "days", top, ticks, lines, legend_top, False)


def _usual_top(lines: Sequence[_Line]) -> float:
    """What is more than twice as high as the lines for age and uniform is beyond the picture."""
    usual = [line for line in lines if line.name.partition(",")[0] in ("age", "uniform", "optimum")]
    heights = [y for line in usual or lines for _, y in line.points]
    return max(heights, default=1.0)


def _name(key: tuple[str, str]) -> str:
    policy, rates = key
    return policy if policy == "uniform" else f"{policy}, rates {rates}"


def _draw(picture: _Picture, sheet: Sheet) -> None:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for number in range(_LEVELS + 1):
        value = picture.top * number / _LEVELS
        y = bottom - (bottom - TOP) * number / _LEVELS
        sheet.box(LEFT, y, right, y + 1, GRID if number else GREY)
        label = f"{100 * value:g}%" if picture.percent else f"{value:g}"
        sheet.label(LEFT - 8, y + 5, "end", GREY, label)
    for place, label in picture.x_ticks:
        x = LEFT + place * (right - LEFT)
        sheet.box(x, bottom, x + 1, bottom + 6, GREY)
        sheet.label(x, bottom + 22, "middle" if place < 1 else "end", GREY, label)
    sheet.box(LEFT, TOP, LEFT + 1, bottom, GREY)
    for number, line in enumerate(picture.lines):
        is_beyond = _draw_line(picture, sheet, line, number)
        legend_y = picture.legend_top + 20 * number
        sheet.box(LEFT + 20, legend_y - 10, LEFT + 30, legend_y, line.colour)
        name = line.name + (_BEYOND if is_beyond else "")
        sheet.label(LEFT + 40, legend_y, "start", INK, name)
    sheet.label(LEFT, 28, "start", INK, picture.title)
    sheet.label(LEFT - 8, TOP - 20, "end", INK, picture.y_label)
    sheet.label(right, HEIGHT - 14, "end", INK, picture.x_label)


def _draw_line(picture: _Picture, sheet: Sheet, line: _Line, number: int) -> bool:
    """Whether some of it is beyond."""
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    places = [
        (LEFT + x * (right - LEFT), bottom - (bottom - TOP) * y / picture.top)
        for x, y in line.points
    ]
    for piece in _within(places):
        sheet.curve(piece, line.colour)
    if picture.percent:
        for x, y in places:
            if y >= TOP:
                sheet.box(x - _MARK, y - _MARK, x + _MARK, y + _MARK, line.colour)
    beyond = [x for x, y in places if y < TOP]
    for x in beyond if picture.percent else beyond[-1:]:
        # those of other lines stand beside it, not upon it
        aside = 2 * _ARROW * number * (1 if x < (LEFT + right) / 2 else -1)
        tip, foot = x + aside, TOP + 1.5 * _ARROW
        sheet.curve([(tip, foot), (tip, TOP)], line.colour)
        sheet.curve([(tip - _ARROW / 2, TOP + _ARROW), (tip, TOP)], line.colour)
        sheet.curve([(tip + _ARROW / 2, TOP + _ARROW), (tip, TOP)], line.colour)
    return bool(beyond)


def _within(places: Sequence[Point]) -> Iterator[list[Point]]:
    """The pieces of a line that are below the upper edge."""
    piece: list[Point] = []
    for before, after in pairwise(places):
        is_in, stays_in = before[1] >= TOP, after[1] >= TOP
        if is_in:
            piece = piece or [before]
        if is_in != stays_in:
            share = (TOP - before[1]) / (after[1] - before[1])
            piece.append((before[0] + share * (after[0] - before[0]), float(TOP)))
        if stays_in:
            piece.append(after)
        elif piece:
            yield piece
            piece = []
    if piece:
        yield piece
