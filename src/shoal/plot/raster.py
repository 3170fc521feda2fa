"""How does a drawing become a PNG without a library? Coloured pixels, lines, a few letters.

PNG (RFC 2083) with a palette: one byte a pixel, rows unfiltered, deflated by zlib. The letters are
five by seven dots and only those that drawings of curves need; any other one is left blank.
"""

import struct
import zlib
from collections.abc import Sequence
from itertools import pairwise

_LETTERS = {
    "0": "01110 10001 10011 10101 11001 10001 01110",
    "1": "00100 01100 00100 00100 00100 00100 01110",
    "2": "01110 10001 00001 00110 01000 10000 11111",
    "3": "01110 10001 00001 00110 00001 10001 01110",
    "4": "00010 00110 01010 10010 11111 00010 00010",
    "5": "11111 10000 11110 00001 00001 10001 01110",
    "6": "00110 01000 10000 11110 10001 10001 01110",
    "7": "11111 00001 00010 00100 00100 01000 01000",
    "8": "01110 10001 10001 01110 10001 10001 01110",
    "9": "01110 10001 10001 01111 00001 00010 01100",
    "(": "00010 00100 01000 01000 01000 00100 00010",
    ")": "01000 00100 00010 00010 00010 00100 01000",
    "'": "00100 00100 01000",
    ",": "00000 00000 00000 00000 00000 00100 00100 01000",
    ":": "00000 00000 00100 00000 00000 00100 00000",
    "-": "00000 00000 00000 11111 00000 00000 00000",
    ".": "00000 00000 00000 00000 00000 01100 01100",
    "%": "11001 11001 00010 00100 01000 10011 10011",
    "Z": "11111 00001 00010 00100 01000 10000 11111",
    "A": "01110 10001 10001 11111 10001 10001 10001",
    "F": "11111 10000 10000 11110 10000 10000 10000",
    "a": "00000 00000 01110 00001 01111 10001 01111",
    "b": "10000 10000 11110 10001 10001 10001 11110",
    "c": "00000 00000 01111 10000 10000 10000 01111",
    "d": "00001 00001 01111 10001 10001 10001 01111",
    "e": "00000 00000 01110 10001 11111 10000 01110",
    "f": "00110 01000 11110 01000 01000 01000 01000",
    "g": "00000 00000 01111 10001 10001 10001 01111 00001 01110",
    "h": "10000 10000 11110 10001 10001 10001 10001",
    "i": "00100 00000 01100 00100 00100 00100 01110",
    "k": "10000 10000 10010 10100 11000 10100 10010",
    "l": "01100 00100 00100 00100 00100 00100 01110",
    "m": "00000 00000 11010 10101 10101 10101 10101",
    "n": "00000 00000 11110 10001 10001 10001 10001",
    "o": "00000 00000 01110 10001 10001 10001 01110",
    "p": "00000 00000 11110 10001 10001 10001 11110 10000 10000",
    "r": "00000 00000 10110 11000 10000 10000 10000",
    "s": "00000 00000 01111 10000 01110 00001 11110",
    "t": "01000 01000 11110 01000 01000 01000 00110",
    "u": "00000 00000 10001 10001 10001 10011 01101",
    "v": "00000 00000 10001 10001 10001 01010 00100",
    "w": "00000 00000 10001 10001 10101 10101 01010",
    "x": "00000 00000 10001 01010 00100 01010 10001",
    "y": "00000 00000 10001 10001 10001 10001 01111 00001 01110",
}
_ADVANCE = 6
_PEN = 3


def text_width(text: str, scale: int) -> int:
    return (len(text) * _ADVANCE - 1) * scale


class Canvas:
    """A white picture; colours are written as in CSS, `#1f5fa8`. What is outside is cut off."""

    def __init__(self, width: int, height: int) -> None:
        self._width = width
        self._height = height
        self._rows = [bytearray(width) for _ in range(height)]
        self._palette = ["#ffffff"]

    def rectangle(self, left: int, top: int, right: int, bottom: int, colour: str) -> None:
        """[left, right) and [top, bottom)."""
        left, right = max(0, left), min(self._width, right)
        if left < right:
            fill = bytes([self._index(colour)]) * (right - left)
            for y in range(max(0, top), min(self._height, bottom)):
                self._rows[y][left:right] = fill

    def curve(self, points: Sequence[tuple[float, float]], colour: str) -> None:
        """A line through all points, as thick as the pen."""
        for (x, y), (to_x, to_y) in pairwise(points):
            steps = max(1, round(max(abs(to_x - x), abs(to_y - y))))
            for step in range(steps + 1):
                self._dot(x + (to_x - x) * step / steps, y + (to_y - y) * step / steps, colour)

    def text(self, left: int, top: int, text: str, colour: str, scale: int) -> None:
        for number, letter in enumerate(text):
            for row, dots in enumerate(_LETTERS.get(letter, "").split()):
                y = top + row * scale
                for column, dot in enumerate(dots):
                    if dot == "1":
                        x = left + (number * _ADVANCE + column) * scale
                        self.rectangle(x, y, x + scale, y + scale, colour)

    def png(self) -> bytes:
        header = struct.pack(">IIBBBBB", self._width, self._height, 8, 3, 0, 0, 0)
        palette = b"".join(bytes.fromhex(colour[1:]) for colour in self._palette)
        pixels = zlib.compress(b"".join(b"\0" + row for row in self._rows), 9)
        chunks = ((b"IHDR", header), (b"PLTE", palette), (b"IDAT", pixels), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
            for name, data in chunks
        )

    def _dot(self, x: float, y: float, colour: str) -> None:
        left, top = round(x) - _PEN // 2, round(y) - _PEN // 2
        self.rectangle(left, top, left + _PEN, top + _PEN, colour)

    def _index(self, colour: str) -> int:
        if colour not in self._palette:
            self._palette.append(colour)
        return self._palette.index(colour)
