"""Do the drawings show the curve: in characters, as SVG, as PNG?"""

import re
import struct
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterator

import pytest

from shoal.cleaners.curve import slope
from shoal.cleaners.drawing import Plot, png, svg, text
from shoal.plot.raster import Canvas, text_width

STEEP = "<li><a>x</a>" * 40
PAGE = f"<ul>{STEEP}</ul><p>{'word ' * 200}</p><ul>{STEEP}</ul>"
EMPTY = Plot("nothing", [(0, 0)], [])
SVG = "{http://www.w3.org/2000/svg}"


class Picture:
    """A PNG with a palette, read by the letter of RFC 2083."""

    def __init__(self, data: bytes) -> None:
        assert data.startswith(b"\x89PNG\r\n\x1a\n")
        chunks = dict(self._chunks(data[8:]))
        assert list(chunks) == [b"IHDR", b"PLTE", b"IDAT", b"IEND"]
        self.width, self.height, *kind = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
        assert kind == [8, 3, 0, 0, 0]
        self._colours = [f"#{colour.hex()}" for colour in self._split(chunks[b"PLTE"], 3)]
        rows = self._split(zlib.decompress(chunks[b"IDAT"]), self.width + 1)
        assert len(rows) == self.height
        assert all(row[0] == 0 for row in rows)
        self._rows = [row[1:] for row in rows]

    @staticmethod
    def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
        while data:
            (length,) = struct.unpack(">I", data[:4])
            name, body, check = data[4:8], data[8 : 8 + length], data[8 + length : 12 + length]
            assert struct.unpack(">I", check) == (zlib.crc32(name + body),)
            yield name, body
            data = data[12 + length :]

    @staticmethod
    def _split(data: bytes, size: int) -> list[bytes]:
        assert len(data) % size == 0
        return [data[start : start + size] for start in range(0, len(data), size)]

    def pixel(self, x: int, y: int) -> str:
        return self._colours[self._rows[y][x]]

    def column(self, x: int) -> set[str]:
        return {self.pixel(x, y) for y in range(self.height)}


@pytest.mark.parametrize("columns", [0, 40, 80, 133, 10_000])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_the_drawing_fits_its_columns(columns: int, ascii_only: bool) -> None:
    drawn = slope(PAGE).text(columns, ascii_only=ascii_only)
    assert max(map(len, drawn.splitlines())) < max(columns, 31)
    assert drawn.isascii() == ascii_only


def test_the_axis_marks_the_content() -> None:
    curve = slope(PAGE)
    axis = curve.text(100, ascii_only=True).splitlines()[-2].lstrip(" +")
    block = curve.blocks[0]
    assert abs(axis.index("=") / len(axis) - block.i / curve.tokens) < 0.03
    assert abs((axis.rindex("=") + 1) / len(axis) - (block.j + 1) / curve.tokens) < 0.03
    assert set(axis) == {"-", "="}


def test_the_stars_rise_and_every_column_has_one() -> None:
    lines = slope(PAGE).text(100, ascii_only=True).splitlines()[:-2]
    rows = [line.partition("|")[2] for line in lines]
    width = max(map(len, rows))
    heights = [
        next((len(rows) - n for n, row in enumerate(rows) if row[column : column + 1] == "*"), 0)
        for column in range(width)
    ]
    assert heights == sorted(heights)
    assert all(heights)
    assert heights[-1] == len(rows)


def test_braille_has_four_levels_in_a_line() -> None:
    drawn = slope(PAGE).text(100)
    assert len(set(re.findall("[\u2801-\u28ff]", drawn))) > 4
    assert "━" in drawn


def test_svg_is_well_formed_and_marks_the_content() -> None:
    curve = slope(PAGE)
    root = ET.fromstring(curve.svg)  # noqa: S314 - our own
    [shade] = [each for each in root.iter(f"{SVG}rect") if each.get("class") == "content"]
    [line] = root.iter(f"{SVG}polyline")
    points = [tuple(map(float, each.split(","))) for each in (line.get("points") or "").split()]
    assert points == sorted(points)
    assert [y for _, y in points] == sorted((y for _, y in points), reverse=True)
    left, right = points[0][0], points[-1][0]
    at = left + (right - left) * curve.blocks[0].i / curve.tokens
    assert abs(float(shade.get("x") or 0) - at) < 1


def test_png_can_be_read_and_shows_curve_and_content() -> None:
    curve = slope(PAGE)
    picture = Picture(curve.png)
    assert (picture.width, picture.height) == (960, 540)
    left, right = 90, 930
    for x in range(left + 2, right):
        assert "#1f5fa8" in picture.column(x)
    middle = (curve.blocks[0].i + curve.blocks[0].j) / 2 / curve.tokens
    assert "#ffe3a8" in picture.column(round(left + (right - left) * middle))
    assert "#ffe3a8" not in picture.column(left + 10)
    assert "#ffe3a8" not in picture.column(right - 10)


def test_an_empty_page_can_be_drawn() -> None:
    assert "tags" in text(EMPTY, 60, ascii_only=True)
    assert ET.fromstring(svg(EMPTY)).tag == f"{SVG}svg"  # noqa: S314 - our own
    assert Picture(png(EMPTY)).pixel(0, 0) == "#ffffff"


def test_what_is_outside_the_canvas_is_cut_off() -> None:
    canvas = Canvas(20, 10)
    canvas.rectangle(-5, -5, 9, 2, "#ff0000")
    canvas.text(15, 5, "08?", "#0000ff", 3)
    canvas.curve([(-10, -10), (30, 30)], "#00ff00")
    picture = Picture(canvas.png())
    assert [picture.pixel(x, 0) for x in (9, 19)] == ["#ffffff", "#ffffff"]
    assert picture.pixel(8, 0) == "#ff0000"
    assert picture.pixel(8, 8) == "#00ff00"


@pytest.mark.parametrize("letter", "0123456789,.:%-Fabcdefghiklmnoprstuwy")
def test_every_letter_is_there_and_differs(letter: str) -> None:
    def drawn(letter: str) -> bytes:
        canvas = Canvas(text_width("0", 1), 9)
        canvas.text(0, 0, letter, "#000000", 1)
        return canvas.png()

    assert drawn(letter) != drawn(" ")
    assert all(drawn(letter) != drawn(other) for other in "08bdopq" if other != letter)


def test_points_have_both_ends() -> None:
    curve = slope(PAGE)
    assert curve.points(10)[0] == (0, 0)
    assert curve.points(10)[-1] == (curve.tokens, curve.tags)
    assert len(curve.points(10)) == 10
    assert len(curve.points(10**9)) == curve.tokens + 1
