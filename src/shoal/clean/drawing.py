"""How is a curve drawn? In characters for a terminal, as SVG, and as PNG.

All three show the same: tags against tokens, and which tokens were taken. In a terminal each
character holds two by four dots (Braille); one that has no UTF-8 gets stars. Nothing of a page's
own words is drawn, so that nothing has to be escaped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shoal.clean.raster import Canvas, text_width

MOST_POINTS = 1200
_ROWS = 16
_LEAST_COLUMNS = 30
_MOST_COLUMNS = 200
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a Braille character, by line and column."""

_WIDTH, _HEIGHT = 960, 540
_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 30, 60, 60
_GREY, _GRID, _INK, _LINE, _SHADE = "#666666", "#e4e4e4", "#222222", "#1f5fa8", "#ffe3a8"


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
    rows = _stars(plot, width) if ascii_only else _braille(plot, width)
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


def _braille(plot: Plot, width: int) -> list[str]:
    cells = [[0] * width for _ in range(_ROWS)]
    for x, y in _dots(plot, width * 2, _ROWS * 4):
        cells[y // 4][x // 2] |= _DOTS[y % 4][x % 2]
    return ["".join(chr(0x2800 + cell) if cell else " " for cell in row) for row in cells]


def _stars(plot: Plot, width: int) -> list[str]:
    cells = [[" "] * width for _ in range(_ROWS)]
    for x, y in _dots(plot, width, _ROWS):
        cells[y][x] = "*"
    return ["".join(row) for row in cells]


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
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    shades = (
        (_x(start, tokens_end), _x(end, tokens_end) - _x(start, tokens_end))
        for start, end in plot.marked
    )
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="15"',
        f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
        f"<title>{plot.title}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
    ]
    parts += [
        f'<rect class="content" x="{x:.1f}" y="{_TOP}" width="{max(1.0, width):.1f}" '
        f'height="{bottom - _TOP}" fill="{_SHADE}"/>'
        for x, width in shades
    ]
    for tick in _ticks(tags_end):
        y = _y(tick, tags_end)
        parts.append(f'<path d="M{_LEFT} {y:.1f}H{right}" stroke="{_GRID}"/>')
        parts.append(_label(_LEFT - 8, y + 5, "end", _GREY, f"{tick:,}"))
    for tick in _ticks(tokens_end):
        x = _x(tick, tokens_end)
        parts.append(f'<path d="M{x:.1f} {bottom}v6" stroke="{_GREY}"/>')
        parts.append(_label(x, bottom + 22, "middle", _GREY, f"{tick:,}"))
    line = " ".join(
        f"{_x(tokens, tokens_end):.1f},{_y(tags, tags_end):.1f}" for tokens, tags in plot.points
    )
    parts += [
        f'<path d="M{_LEFT} {_TOP}V{bottom}H{right}" stroke="{_GREY}" fill="none"/>',
        f'<polyline points="{line}" fill="none" stroke="{_LINE}" stroke-width="2.5"/>',
        _label(_LEFT, 28, "start", _INK, plot.title),
        _label(_LEFT - 8, _TOP - 14, "end", _INK, "tags"),
        _label(right, _HEIGHT - 14, "end", _INK, "tokens"),
        "</svg>\n",
    ]
    return "\n".join(parts)


def _label(x: float, y: float, anchor: str, colour: str, text: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}">{text}</text>'


def png(plot: Plot) -> bytes:
    tokens_end, tags_end = plot.ends
    bottom = _HEIGHT - _BOTTOM
    canvas = Canvas(_WIDTH, _HEIGHT)
    for start, end in plot.marked:
        x = round(_x(start, tokens_end))
        right = max(x + 1, round(_x(end, tokens_end)))
        canvas.rectangle(x, _TOP, right, bottom, _SHADE)
    for tick in _ticks(tags_end):
        y = round(_y(tick, tags_end))
        canvas.rectangle(_LEFT, y, _WIDTH - _RIGHT, y + 1, _GRID)
        label = f"{tick:,}"
        canvas.text(_LEFT - 8 - text_width(label, 2), y - 7, label, _GREY, 2)
    for tick in _ticks(tokens_end):
        x = round(_x(tick, tokens_end))
        canvas.rectangle(x, bottom, x + 1, bottom + 6, _GREY)
        label = f"{tick:,}"
        canvas.text(x - text_width(label, 2) // 2, bottom + 10, label, _GREY, 2)
    canvas.rectangle(_LEFT, _TOP, _LEFT + 1, bottom, _GREY)
    canvas.rectangle(_LEFT, bottom, _WIDTH - _RIGHT, bottom + 1, _GREY)
    canvas.curve([(_x(n, tokens_end), _y(tags, tags_end)) for n, tags in plot.points], _LINE)
    canvas.text(_LEFT, 14, plot.title, _INK, 2)
    canvas.text(_LEFT - 8 - text_width("tags", 2), _TOP - 24, "tags", _INK, 2)
    canvas.text(_WIDTH - _RIGHT - text_width("tokens", 2), _HEIGHT - 26, "tokens", _INK, 2)
    return canvas.png()


def _x(tokens: int, tokens_end: int) -> float:
    return _LEFT + tokens / tokens_end * (_WIDTH - _LEFT - _RIGHT)


def _y(tags: int, tags_end: int) -> float:
    return _HEIGHT - _BOTTOM - tags / tags_end * (_HEIGHT - _TOP - _BOTTOM)


def _ticks(end: int) -> range:
    """Round numbers from 0 up to the end, at most eight."""
    step = 1
    while end // step > 7:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2  # 1, 2, 5, 10 …
    return range(0, end + 1, step)
