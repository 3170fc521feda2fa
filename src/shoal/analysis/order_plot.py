"""How early did the wanted pages come, as a picture? A curve for each order, SVG or PNG."""

from collections.abc import Sequence
from typing import NamedTuple

from shoal.analysis.order_report import BREADTH, PERFECT, POLITE, RANDOM, THIS, OrderReport
from shoal.analysis.topic_report import TopicReport
from shoal.plot.drawing import BOTTOM, GREY, GRID, HEIGHT, INK, LEFT, RIGHT, TOP, WIDTH
from shoal.plot.sheet import PngSheet, Sheet, SvgSheet

_COLOURS = {
    PERFECT: "#2f7d32",
    POLITE: "#9ccc9e",
    THIS: "#1f5fa8",
    BREADTH: "#a8481f",
    RANDOM: "#999999",
}
_STEPS = 5
_LEGEND_LEFT = 560


class Drawn(NamedTuple):
    """A curve, and how it is called."""

    label: str
    colour: str
    points: Sequence[tuple[float, float]]
    """Of the pages that were fetched, and of what is shown: from 0 to 1."""


class Words(NamedTuple):
    title: str
    heading: str
    legend: str


def picture_of_order(found: OrderReport, *, is_svg: bool) -> bytes:
    curves = [
        Drawn(f"{each.name}: {each.at_tenth:.0%}, {each.area:.3f}", colour, each.points)
        for name, colour in _COLOURS.items()
        for each in found.curves
        if each.name == name
    ]
    heading = f"{found.important:,} important of {found.pages:,} pages: share found"
    words = Words("Important pages found", heading, "order: after a tenth, area")
    return _picture(curves, words, is_svg=is_svg)


def picture_of_topic(found: TopicReport, *, is_svg: bool) -> bytes:
    curves = []
    for each in found.curves:
        points = [(count / max(1, each.points[-1][0]), share) for count, share in each.points]
        label = f"{each.name}: {each.at_tenth:.0%}, {each.at_half:.0%}"
        curves.append(Drawn(label, _COLOURS[each.name], points))
    heading = f"{found.on_topic:,} of {found.pages:,} pages are on {found.topic}: share so far"
    words = Words("Harvest", heading, "order: first tenth, first half")
    return _picture(curves, words, is_svg=is_svg)


def _picture(curves: Sequence[Drawn], words: Words, *, is_svg: bool) -> bytes:
    if is_svg:
        sheet = SvgSheet(words.title)
        _draw(curves, words, sheet)
        return sheet.svg().encode()
    pixels = PngSheet()
    _draw(curves, words, pixels)
    return pixels.png()


def _draw(curves: Sequence[Drawn], words: Words, sheet: Sheet) -> None:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for step in range(_STEPS + 1):
        share = step / _STEPS
        x, y = LEFT + share * (right - LEFT), bottom - share * (bottom - TOP)
        sheet.box(LEFT, y, right, y + 1, GRID if step else GREY)
        sheet.label(LEFT - 8, y + 5, "end", GREY, f"{share:.0%}")
        sheet.box(x, bottom, x + 1, bottom + 6, GREY)
        sheet.label(x, bottom + 22, "middle" if step < _STEPS else "end", GREY, f"{share:.0%}")
    sheet.box(LEFT, TOP, LEFT + 1, bottom, GREY)
    legend = bottom - 24 - 22 * len(curves)
    sheet.label(_LEGEND_LEFT, legend, "start", INK, words.legend)
    for number, curve in enumerate(reversed(curves)):
        sheet.curve(
            [(LEFT + x * (right - LEFT), bottom - y * (bottom - TOP)) for x, y in curve.points],
            curve.colour,
        )
        y = bottom - 24 - 22 * number
        sheet.box(_LEGEND_LEFT, y - 10, _LEGEND_LEFT + 10, y, curve.colour)
        sheet.label(_LEGEND_LEFT + 20, y, "start", INK, curve.label)
    sheet.label(LEFT, 28, "start", INK, words.heading)
    sheet.label(right, HEIGHT - 14, "end", INK, "pages fetched")
