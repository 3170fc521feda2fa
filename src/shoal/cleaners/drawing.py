"""How is a curve drawn? In characters for a terminal, as SVG, and as PNG.

All three show the same: tags against tokens, and which tokens were taken. In a terminal each
character holds two by four dots (Braille); one that has no UTF-8 gets stars. Nothing of a page's
own words is drawn, so that nothing has to be escaped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shoal.plot.drawing import (
    BOTTOM,
    GREY,
    GRID,
    HEIGHT,
    INK,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    braille,
    letters,
    svg_head,
    svg_label,
)
from shoal.plot.raster import Canvas, text_width

MOST_POINTS = 1200
_ROWS = 16
_LEAST_COLUMNS = 30
_MOST_COLUMNS = 200
_LINE, _SHADE = "#1f5fa8", "#ffe3a8"


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
        rows = letters(((x, y, "*") for x, y in _dots(plot, width, _ROWS)), width, _ROWS)
    else:
        rows = braille(_dots(plot, width * 2, _ROWS * 4), width, _ROWS)
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
    tokens_end, tags_end = plot.ends
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    shades = (
        (_x(start, tokens_end), _x(end, tokens_end) - _x(start, tokens_end))
        for start, end in plot.marked
    )
    parts = svg_head(plot.title)
    parts += [
        f'<rect class="content" x="{x:.1f}" y="{TOP}" width="{max(1.0, width):.1f}" '
        f'height="{bottom - TOP}" fill="{_SHADE}"/>'
        for x, width in shades
    ]
    for tick in _ticks(tags_end):
        y = _y(tick, tags_end)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="{GRID}"/>')
        parts.append(svg_label(LEFT - 8, y + 5, "end", GREY, f"{tick:,}"))
    for tick in _ticks(tokens_end):
        x = _x(tick, tokens_end)
        parts.append(f'<path d="M{x:.1f} {bottom}v6" stroke="{GREY}"/>')
        parts.append(svg_label(x, bottom + 22, "middle", GREY, f"{tick:,}"))
    line = " ".join(
        f"{_x(tokens, tokens_end):.1f},{_y(tags, tags_end):.1f}" for tokens, tags in plot.points
    )
    parts += [
        f'<path d="M{LEFT} {TOP}V{bottom}H{right}" stroke="{GREY}" fill="none"/>',
        f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="2.5"/>',
        svg_label(LEFT, 28, "start", INK, plot.title),
        svg_label(LEFT - 8, TOP - 14, "end", INK, "tags"),
        svg_label(right, HEIGHT - 14, "end", INK, "tokens"),
        "</svg>\n",
    ]
    return "\n".join(parts)


def png(plot: Plot) -> bytes:
    tokens_end, tags_end = plot.ends
    bottom = HEIGHT - BOTTOM
    canvas = Canvas(WIDTH, HEIGHT)
    for start, end in plot.marked:
        x = round(_x(start, tokens_end))
        right = max(x + 1, round(_x(end, tokens_end)))
        canvas.rectangle(x, TOP, right, bottom, _SHADE)
    for tick in _ticks(tags_end):
        y = round(_y(tick, tags_end))
        canvas.rectangle(LEFT, y, WIDTH - RIGHT, y + 1, GRID)
        label = f"{tick:,}"
        canvas.text(LEFT - 8 - text_width(label, 2), y - 7, label, GREY, 2)
    for tick in _ticks(tokens_end):
        x = round(_x(tick, tokens_end))
        canvas.rectangle(x, bottom, x + 1, bottom + 6, GREY)
        label = f"{tick:,}"
        canvas.text(x - text_width(label, 2) // 2, bottom + 10, label, GREY, 2)
    canvas.rectangle(LEFT, TOP, LEFT + 1, bottom, GREY)
    canvas.rectangle(LEFT, bottom, WIDTH - RIGHT, bottom + 1, GREY)
    canvas.curve([(_x(n, tokens_end), _y(tags, tags_end)) for n, tags in plot.points], _LINE)
    canvas.text(LEFT, 14, plot.title, INK, 2)
    canvas.text(LEFT - 8 - text_width("tags", 2), TOP - 24, "tags", INK, 2)
    canvas.text(WIDTH - RIGHT - text_width("tokens", 2), HEIGHT - 26, "tokens", INK, 2)
    return canvas.png()


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
