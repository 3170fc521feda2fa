"""Which words does a Windows metafile draw? Its text records ([MS-WMF]), in drawing order.

Letters are bytes in the charset of the font that is selected: fonts, pens and brushes share one
table of objects, whose free places are filled from the front.
"""

import struct
from heapq import heappop, heappush

from shoal.converters.context import Context, Converted
from shoal.converters.media.pieces import Piece, paragraphs
from shoal.converters.media.tags import FAULTS
from shoal.converters.writer import Writer

_MAX_RECORDS = 500_000
_MAX_OBJECTS = 65_536
_TEXT, _EXT_TEXT, _FONT, _SELECT, _DELETE = 0x0521, 0x0A32, 0x02FB, 0x012D, 0x01F0
_CREATES = frozenset({0x00F7, 0x02FA, 0x02FB, 0x02FC, 0x0142, 0x01F9, 0x06FF})
_CODECS = {
    128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254",
    163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874",
    238: "cp1250", 77: "mac_roman",
}  # fmt: skip
_Font = tuple[float, str]


def convert(body: bytes, context: Context) -> list[Converted]:
    drawing = _Drawing(body)
    problem = ""
    try:
        drawing.read()
    except FAULTS as fault:
        problem = f"damaged: {fault}"[:200]
    writer = Writer(context.limits)
    for text in paragraphs(drawing.pieces):
        writer.paragraph(text)
    return [Converted(writer.page(), problem=problem or writer.problem)]


class _Drawing:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self.pieces: list[Piece] = []
        self._objects: list[_Font | None] = []
        self._free: list[int] = []
        self._font: _Font = (12.0, "cp1252")

    def read(self) -> None:
        body = self._body
        place = 22 if body.startswith(b"\xd7\xcd\xc6\x9a") else 0
        (words,) = struct.unpack_from("<H", body, place + 2)
        place += 2 * words
        for _ in range(_MAX_RECORDS):
            if place + 6 > len(body):
                return
            size, kind = struct.unpack_from("<IH", body, place)
            if size < 3 or kind == 0:
                return
            self._record(kind, body[place + 6 : place + 2 * size])
            place += 2 * size

    def _record(self, kind: int, data: bytes) -> None:
        if kind == _TEXT:
            (size,) = struct.unpack_from("<H", data)
            y, x = struct.unpack_from("<hh", data, 2 + size + size % 2)
            self._put(data[2 : 2 + size], x, y, b"")
        elif kind == _EXT_TEXT:
            y, x, size, options = struct.unpack_from("<hhHH", data)
            start = 16 if options & 6 else 8
            if not options & 0x10:
                spacing = data[start + size + size % 2 :]
                self._put(data[start : start + size], x, y, spacing[: 2 * size])
        elif kind in _CREATES:
            self._create(kind, data)
        elif kind == _SELECT:
            (number,) = struct.unpack_from("<H", data)
            font = self._objects[number] if number < len(self._objects) else None
            self._font = font or self._font
        elif kind == _DELETE:
            (number,) = struct.unpack_from("<H", data)
            if number < len(self._objects) and len(self._free) < _MAX_OBJECTS:
                self._objects[number] = None
                heappush(self._free, number)

    def _create(self, kind: int, data: bytes) -> None:
        made: _Font | None = None
        if kind == _FONT and len(data) >= 14:
            (height,) = struct.unpack_from("<h", data)
            made = (float(abs(height) or 12), _CODECS.get(data[13], "cp1252"))
        if self._free:
            self._objects[heappop(self._free)] = made
        elif len(self._objects) < _MAX_OBJECTS:
            self._objects.append(made)

    def _put(self, raw: bytes, x: int, y: int, spacing: bytes) -> None:
        height, codec = self._font
        text = raw.decode(codec, "replace")
        spacing = spacing[: len(spacing) - len(spacing) % 2]
        width = float(sum(each for (each,) in struct.iter_unpack("<h", spacing)))
        width = width or 0.5 * height * len(text)
        self.pieces.append(Piece(text, x, x + width, y, height))
