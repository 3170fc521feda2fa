"""What do all drawings of curves share? The frame, and how dots and labels are written.

In a terminal each character holds two by four dots (Braille), or one letter. SVG and PNG
(raster.py) have the same size and the same margins.
"""

from collections.abc import Iterable

WIDTH, HEIGHT = 960, 540
LEFT, RIGHT, TOP, BOTTOM = 90, 30, 60, 60
GREY, GRID, INK = "#666666", "#e4e4e4", "#222222"

_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bits of a Braille character, by line and column."""
_BRAILLE = 0x2800
_STEPS = (1.0, 2.0, 5.0, 10.0)


def braille(dots: Iterable[tuple[int, int]], columns: int, rows: int) -> list[str]:
    """Dots of a grid of twice as many columns and four times as many rows; row 0 is on top."""
    cells = [[0] * columns for _ in range(rows)]
    for x, y in dots:
        cells[y // 4][x // 2] |= _DOTS[y % 4][x % 2]
    return ["".join(chr(_BRAILLE + cell) if cell else " " for cell in row) for row in cells]


def letters(placed: Iterable[tuple[int, int, str]], columns: int, rows: int) -> list[str]:
    """One letter at each place; row 0 is on top, and a later letter hides an earlier one."""
    cells = [[" "] * columns for _ in range(rows)]
    for x, y, letter in placed:
        cells[y][x] = letter
    return ["".join(row) for row in cells]


def nice_top(highest: float, step: float = 1e-6) -> float:
    """The next of 1, 2, 5, 10 … times a power of ten that is not below it, from `step` on."""
    while step < highest:
        for factor in _STEPS:
            if highest <= factor * step:
                return factor * step
        step *= 10
    return step


def svg_head(title: str) -> list[str]:
    """A white sheet; the title is our own words, and needs no escaping."""
    return [
        '<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="15"',
        f'width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]


def svg_label(x: float, y: float, anchor: str, colour: str, text: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text {place} fill="{colour}">{text}</text>'
