"""How early did the most important pages come, as a picture? A curve for each order, SVG or PNG."""

from shoal.analysis.order_report import BREADTH, PERFECT, POLITE, RANDOM, THIS, OrderReport
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
_TITLE = "Important pages found"


def svg(found: OrderReport) -> str:
    sheet = SvgSheet(_TITLE)
    _draw(found, sheet)
    return sheet.svg()


def png(found: OrderReport) -> bytes:
    sheet = PngSheet()
    _draw(found, sheet)
    return sheet.png()


def _draw(found: OrderReport, sheet: Sheet) -> None:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for step in range(_STEPS + 1):
        share = step / _STEPS
        x, y = LEFT + share * (right - LEFT), bottom - share * (bottom - TOP)
        sheet.box(LEFT, y, right, y + 1, GRID if step else GREY)
        sheet.label(LEFT - 8, y + 5, "end", GREY, f"{share:.0%}")
        sheet.box(x, bottom, x + 1, bottom + 6, GREY)
        sheet.label(x, bottom + 22, "middle" if step < _STEPS else "end", GREY, f"{share:.0%}")
    sheet.box(LEFT, TOP, LEFT + 1, bottom, GREY)
    shown = [each for name in _COLOURS for each in found.curves if each.name == name]
    legend = bottom - 24 - 22 * len(shown)
    sheet.label(_LEGEND_LEFT, legend, "start", INK, "order: after a tenth, area")
    for number, curve in enumerate(reversed(shown)):
        colour = _COLOURS[curve.name]
        sheet.curve(
            [(LEFT + x * (right - LEFT), bottom - y * (bottom - TOP)) for x, y in curve.points],
            colour,
        )
        y = bottom - 24 - 22 * number
        sheet.box(_LEGEND_LEFT, y - 10, _LEGEND_LEFT + 10, y, colour)
        label = f"{curve.name}: {curve.at_tenth:.0%}, {curve.area:.3f}"
        sheet.label(_LEGEND_LEFT + 20, y, "start", INK, label)
    title = f"{found.important:,} important of {found.pages:,} pages: share found"
    sheet.label(LEFT, 28, "start", INK, title)
    sheet.label(right, HEIGHT - 14, "end", INK, "pages fetched")
