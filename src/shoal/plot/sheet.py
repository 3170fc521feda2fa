"""What is a drawing drawn on? A sheet of curves, boxes and labels that becomes SVG or PNG.

So that a drawing is written once and is the same in both.
"""

from collections.abc import Sequence
from typing import Protocol

from shoal.plot.drawing import BOTTOM, HEIGHT, TOP, WIDTH, svg_head, svg_label
from shoal.plot.raster import Canvas, text_width

Point = tuple[float, float]

_SHADE = "#ffe3a8"
_SCALE = 2
"""Of the letters in a PNG."""


class Sheet(Protocol):
    def curve(self, points: Sequence[Point], colour: str) -> None: ...
    def box(self, left: float, top: float, right: float, bottom: float, colour: str) -> None: ...
    def content(self, left: float, right: float) -> None: ...
    def label(self, x: float, y: float, anchor: str, colour: str, text: str) -> None: ...


class SvgSheet:
    """Labels are our own words, and need no escaping."""

    def __init__(self, title: str) -> None:
        self._parts = svg_head(title)

    def curve(self, points: Sequence[Point], colour: str) -> None:
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        style = f'fill="none" stroke="{colour}" stroke-width="2.5"'
        self._parts.append(f'<polyline points="{line}" {style}/>')

    def box(self, left: float, top: float, right: float, bottom: float, colour: str) -> None:
        size = f'width="{right - left:.1f}" height="{bottom - top:.1f}"'
        self._parts.append(f'<rect x="{left:.1f}" y="{top:.1f}" {size} fill="{colour}"/>')

    def content(self, left: float, right: float) -> None:
        size = f'width="{right - left:.1f}" height="{HEIGHT - BOTTOM - TOP}"'
        place = f'class="content" x="{left:.1f}" y="{TOP}"'
        self._parts.append(f'<rect {place} {size} fill="{_SHADE}"/>')

    def label(self, x: float, y: float, anchor: str, colour: str, text: str) -> None:
        self._parts.append(svg_label(x, y, anchor, colour, text))

    def svg(self) -> str:
        return "\n".join([*self._parts, "</svg>\n"])


class PngSheet:
    def __init__(self) -> None:
        self._canvas = Canvas(WIDTH, HEIGHT)

    def curve(self, points: Sequence[Point], colour: str) -> None:
        self._canvas.curve(points, colour)

    def box(self, left: float, top: float, right: float, bottom: float, colour: str) -> None:
        self._canvas.rectangle(round(left), round(top), round(right), round(bottom), colour)

    def content(self, left: float, right: float) -> None:
        self.box(left, TOP, right, HEIGHT - BOTTOM, _SHADE)

    def label(self, x: float, y: float, anchor: str, colour: str, text: str) -> None:
        width = text_width(text, _SCALE)
        left = x - {"start": 0, "middle": width // 2, "end": width}[anchor]
        self._canvas.text(round(left), round(y) - 12, text, colour, _SCALE)

    def png(self) -> bytes:
        return self._canvas.png()
