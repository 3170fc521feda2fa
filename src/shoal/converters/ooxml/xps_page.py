"""Which lines and paragraphs stand on a page of glyphs? Told by their places.

A fixed page only has runs of glyphs, each with its origin, size and font, under nested transforms.
Runs on one base line make a line, lines at an even distance a paragraph. Producers write in reading
order, so it is kept, unless it jumps about: then lines go from top to bottom.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from shoal.converters.ooxml.blocks import merged
from shoal.converters.ooxml.ooxml import first
from shoal.converters.ooxml.symbols import readable
from shoal.converters.ooxml.xps_font import Font
from shoal.converters.writer import Run
from shoal.converters.xml import Element, local

_POINTS = 0.75
"""In a unit of XPS, 1/96 inch."""
_SAME_LINE = 0.4
_SPACE = 0.18
"""Gap between words, at least; all in ems."""
_BULLET = re.compile(r"^[•▪■●○◦‣⁃❖➢✓➔–*-]$|^[•▪■●○◦‣⁃❖➢✓➔]\s")
_IDENTITY = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)

Matrix = tuple[float, float, float, float, float, float]


class Glyphs(NamedTuple):
    left: float
    right: float
    base: float
    size: float
    text: str
    bold: bool
    href: str


@dataclass(slots=True)
class Lines:
    """One line, or several that make a paragraph."""

    glyphs: list[Glyphs] = field(default_factory=list)

    @property
    def size(self) -> float:
        longest = max(self.glyphs, key=lambda each: len(each.text.strip()))
        return longest.size

    @property
    def left(self) -> float:
        return min(each.left for each in self.glyphs)

    @property
    def right(self) -> float:
        return max(each.right for each in self.glyphs)

    @property
    def base(self) -> float:
        return self.glyphs[-1].base

    @property
    def text(self) -> str:
        return "".join(run.text for run in self.runs())

    def runs(self) -> list[Run]:
        runs: list[Run] = []
        last: Glyphs | None = None
        for each in self.glyphs:
            if last is not None and _apart(last, each):
                runs.append(Run(" ", each.bold and last.bold, each.href and last.href))
            runs.append(Run(each.text, each.bold, each.href))
            last = each
        return merged(runs)

    @property
    def is_item(self) -> bool:
        return bool(_BULLET.match(self.glyphs[0].text.strip()))


def glyphs_of(root: Element, font: Callable[[str], Font]) -> Iterator[Glyphs]:
    """In the order of the file, with the transforms of all that is around them."""
    waiting: list[tuple[Element, Matrix, str]] = [(root, _IDENTITY, "")]
    while waiting:
        element, around, href = waiting.pop()
        matrix = _times(_matrix(element), around)
        href = _said(element, "FixedPage.NavigateUri") or href
        if local(element) == "Glyphs":
            glyphs = _glyphs(element, matrix, href, font)
            if glyphs is not None:
                yield glyphs
        waiting += [(child, matrix, href) for child in reversed(element)]


def paragraphs(glyphs: Iterator[Glyphs]) -> list[Lines]:
    lines = _ordered(_lines(glyphs))
    if not lines:
        return []
    pitches = sorted(
        (after.base - before.base) / before.size
        for before, after in pairwise(lines)
        if 0.9 < (after.base - before.base) / before.size < 2.2
    )
    usual = min(2.0, 1.15 * pitches[len(pitches) // 4]) if pitches else 1.4
    right = max(line.right for line in lines)
    joined: list[Lines] = []
    above: Lines | None = None
    for line in lines:
        if above is not None and _goes_on(above, line, usual, right):
            joined[-1].glyphs += line.glyphs
        else:
            joined.append(Lines([*line.glyphs]))
        above = line
    return joined


def _goes_on(above: Lines, line: Lines, usual: float, right: float) -> bool:
    size, distance = above.size, line.base - above.base
    if abs(line.size - size) > 0.05 * size or not 0 < distance <= usual * size:
        return False
    if line.is_item:
        return False
    ended_short = above.right < right - 8 * size
    ends = above.glyphs[-1].text.rstrip()[-1:] in (".", ":", "!", "?", "。")
    return not (ended_short and (ends or line.text.lstrip()[:1].isupper()))


def _lines(glyphs: Iterator[Glyphs]) -> list[Lines]:
    lines: list[Lines] = []
    for each in glyphs:
        if lines:
            last = lines[-1].glyphs[-1]
            size = max(each.size, last.size)
            if abs(each.base - last.base) < _SAME_LINE * size:
                shadow = each.text == last.text and abs(each.left - last.left) < 0.3 * size
                if not shadow:
                    lines[-1].glyphs.append(each)
                continue
        lines.append(Lines([each]))
    return [line for line in lines if line.text.strip()]


def _ordered(lines: list[Lines]) -> list[Lines]:
    jumps = sum(
        after.base < before.base - before.size and after.left < before.right
        for before, after in pairwise(lines)
    )
    if jumps * 3 <= len(lines):
        return lines
    lines.sort(key=lambda line: (round(line.base / max(1.0, line.size / 2)), line.left))
    return _lines(each for line in lines for each in line.glyphs)


def _apart(last: Glyphs, each: Glyphs) -> bool:
    if last.text[-1:].isspace() or each.text[:1].isspace():
        return False
    size = max(last.size, each.size)
    if abs(each.base - last.base) > _SAME_LINE * size:
        return not last.text.endswith("\u00ad")
    return max(each.left - last.right, last.left - each.right) > _SPACE * size


def _glyphs(
    element: Element, matrix: Matrix, href: str, font: Callable[[str], Font]
) -> Glyphs | None:
    text = _said(element, "UnicodeString")
    text = text.removeprefix("{}")
    em = _number(_said(element, "FontRenderingEmSize"))
    indices = _said(element, "Indices")
    if not (text or indices) or em <= 0:
        return None
    face = font(_said(element, "FontUri"))
    text = text or "".join(map(face.char, _glyph_numbers(indices)))
    if not text:
        return None
    across = math.hypot(matrix[0], matrix[1])
    width = _width(indices, text, face) * em * across
    left, base = _number(_said(element, "OriginX")), _number(_said(element, "OriginY"))
    x = left * matrix[0] + base * matrix[2] + matrix[4]
    y = left * matrix[1] + base * matrix[3] + matrix[5]
    level = _said(element, "BidiLevel")
    if level.isdecimal() and int(level[-1]) % 2:
        x -= width
    bold = face.bold or "Bold" in _said(element, "StyleSimulations")
    size = em * math.hypot(matrix[2], matrix[3]) * _POINTS
    shown = readable(text, "Symbol")
    scale = _POINTS
    return Glyphs(x * scale, (x + width) * scale, y * scale, size or em, shown, bold, href)


def _width(indices: str, text: str, font: Font) -> float:
    """In ems: widths that are said count, the font knows the others."""
    total = 0.0
    said = indices.split(";") if indices else []
    for place, char in enumerate(text):
        entry = said[place].rpartition(")")[2].split(",") if place < len(said) else []
        if len(entry) > 1 and entry[1].strip():
            total += _number(entry[1]) / 100
        else:
            glyph = int(entry[0]) if entry and entry[0].isdecimal() and len(entry[0]) < 7 else None
            total += font.width(glyph, char)
    return total


def _glyph_numbers(indices: str) -> Iterator[int]:
    for entry in indices.split(";"):
        number = entry.rpartition(")")[2].partition(",")[0]
        if number.isdecimal() and len(number) < 7:
            yield int(number)


def _matrix(element: Element) -> Matrix:
    said = _said(element, "RenderTransform")
    if not said:
        held = first(element, f"{local(element)}.RenderTransform", "MatrixTransform")
        said = _said(held, "Matrix") if held is not None else ""
    numbers = [_number(each) for each in said.replace(",", " ").split()[:6]] if said else []
    if len(numbers) != 6:
        return _IDENTITY
    a, b, c, d, e, f = numbers
    return a, b, c, d, e, f


def _times(inner: Matrix, outer: Matrix) -> Matrix:
    a, b, c, d, e, f = inner
    g, h, i, j, k, m = outer
    return (
        *(a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j),
        *(e * g + f * i + k, e * h + f * j + m),
    )


def _said(element: Element, name: str) -> str:
    """An attribute; none of these has a namespace."""
    return str(element.get(name) or "")


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) and abs(value) < 1e9 else 0.0
