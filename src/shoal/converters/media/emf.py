"""Which words does an enhanced metafile draw? The text records of EMF and EMF+, in drawing order.

By [MS-EMF] and [MS-EMFPLUS]. A record's bounds say where its text stands; where they are empty, the
reference point under the world transform does, with the width out of the letters' spacing. A file
with both kinds of records ("dual") says everything twice: one of them is read.
"""

import struct
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.media.pieces import Piece, paragraphs
from shoal.converters.media.tags import FAULTS
from shoal.converters.writer import Writer

_MAX_RECORDS = 500_000
_MAX_HANDLES = 65_536
_HEADER, _MOVE, _SAVE, _RESTORE, _SET_TRANSFORM, _CHANGE_TRANSFORM = 1, 27, 33, 34, 35, 36
_SELECT, _ALIGN, _FONT, _COMMENT, _SMALL_TEXT = 37, 22, 82, 70, 108
_TEXT_A, _TEXT_W, _POLY_A, _POLY_W = 83, 84, 96, 97
_GLYPHS, _NO_RECT, _SMALL_CHARS = 0x10, 0x100, 0x200
_PLUS_HEADER, _PLUS_STRING, _PLUS_DRIVER, _PLUS_SET, _PLUS_RESET = (
    0x4001,
    0x401C,
    0x4036,
    0x402A,
    0x402B,
)

Matrix = tuple[float, float, float, float, float, float]
_PLAIN: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def convert(body: bytes, context: Context) -> list[Converted]:
    drawing = _Drawing(body)
    problem = ""
    try:
        drawing.read()
    except FAULTS as fault:
        problem = f"damaged: {fault}"[:200]
    writer = Writer(context.limits)
    for text in paragraphs(drawing.pieces or drawing.plus):
        writer.paragraph(text)
    page = writer.page(drawing.title)
    return [Converted(page, problem=problem or writer.problem)]


class _Drawing:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self.title = ""
        self.pieces: list[Piece] = []
        self.plus: list[Piece] = []
        self._matrix = _PLAIN
        self._plus_matrix = _PLAIN
        self._saved: list[tuple[Matrix, float]] = []
        self._heights: dict[int, float] = {}
        self._height = 12.0
        self._align = 0
        self._at = (0.0, 0.0)
        self._room = len(body)

    def read(self) -> None:
        for kind, start, end in _records(self._body):
            if kind in (_TEXT_A, _TEXT_W):
                self._ext_text(start, end, 36, is_wide=kind == _TEXT_W)
            elif kind in (_POLY_A, _POLY_W):
                (count,) = struct.unpack_from("<I", self._body, start + 36)
                for each in range(min(count, (end - start) // 40)):
                    self._ext_text(start, end, 40 + 40 * each, is_wide=kind == _POLY_W)
            elif kind == _SMALL_TEXT:
                self._small_text(start, end)
            elif kind == _COMMENT:
                self._comment(start, end)
            elif kind == _HEADER:
                self._header(start)
            else:
                self._state(kind, start)

    def _header(self, start: int) -> None:
        chars, offset = struct.unpack_from("<II", self._body, start + 60)
        text = self._body[start + offset : start + offset + 2 * chars].decode(
            "utf-16-le", "replace"
        )
        names = text.split("\x00")
        self.title = names[1] if len(names) > 1 else ""

    def _state(self, kind: int, start: int) -> None:
        """What decides where text stands."""
        body = self._body
        if kind == _SET_TRANSFORM:
            self._matrix = struct.unpack_from("<6f", body, start + 8)
        elif kind == _CHANGE_TRANSFORM:
            *matrix, mode = struct.unpack_from("<6fI", body, start + 8)
            self._matrix = _changed(self._matrix, tuple(matrix), mode)
        elif kind == _SAVE and len(self._saved) < 1_000:
            self._saved.append((self._matrix, self._height))
        elif kind == _RESTORE and self._saved:
            self._matrix, self._height = self._saved.pop()
        elif kind == _FONT and len(self._heights) < _MAX_HANDLES:
            handle, height = struct.unpack_from("<Ii", body, start + 8)
            self._heights[handle] = abs(height) or 12.0
        elif kind == _SELECT:
            (handle,) = struct.unpack_from("<I", body, start + 8)
            self._height = self._heights.get(handle, self._height)
        elif kind == _ALIGN:
            (self._align,) = struct.unpack_from("<I", body, start + 8)
        elif kind == _MOVE:
            x, y = struct.unpack_from("<ii", body, start + 8)
            self._at = (float(x), float(y))

    def _ext_text(self, start: int, end: int, at: int, *, is_wide: bool) -> None:
        bounds = struct.unpack_from("<4i", self._body, start + 8)
        form = "<iiIII16xI"
        x, y, chars, offset, options, spacing = struct.unpack_from(form, self._body, start + at)
        if options & _GLYPHS:
            return
        raw = self._body[start + offset : min(end, start + offset + chars * (1 + is_wide))]
        self._room -= len(raw)  # records can name the same letters again and again
        if self._room < 0:
            raise ValueError("more text than file")
        text = raw.decode("utf-16-le" if is_wide else "cp1252", "replace")
        count = min(len(text), (len(self._body) - start - spacing) // 4 if spacing else 0)
        width = 0.0
        if count > 0:
            width = float(sum(struct.unpack_from(f"<{count}i", self._body, start + spacing)))
        self._put(text, (x, y), width or 0.5 * self._height * len(text), bounds)

    def _small_text(self, start: int, end: int) -> None:
        x, y, chars, options = struct.unpack_from("<iiII", self._body, start + 8)
        at, bounds = start + 36, (0, 0, -1, -1)
        if not options & _NO_RECT:
            bounds = struct.unpack_from("<4i", self._body, at)
            at += 16
        is_wide = not options & _SMALL_CHARS
        raw = self._body[at : min(end, at + chars * (1 + is_wide))]
        if not options & _GLYPHS:
            text = raw.decode("utf-16-le" if is_wide else "cp1252", "replace")
            self._put(text, (x, y), 0.5 * self._height * len(text), bounds)

    def _put(
        self, text: str, at: tuple[float, float], width: float, bounds: tuple[int, ...]
    ) -> None:
        left, top, right, bottom = bounds
        if self._align & 1:  # text goes on where the last one ended
            at = self._at
            self._at = (at[0] + width, at[1])
        if right > left and bottom > top:
            self.pieces.append(Piece(text, left, right, top, bottom - top))
            return
        self.pieces.append(_placed(self._matrix, text, at, (width, self._height)))

    def _comment(self, start: int, end: int) -> None:
        if self._body[start + 12 : start + 16] != b"EMF+":
            return
        place = start + 16
        while place + 12 <= end:
            kind, flags, size, length = struct.unpack_from("<HHII", self._body, place)
            if size < 12:
                return
            self._plus_record(kind, flags, self._body[place + 12 : min(end, place + 12 + length)])
            place += size

    def _plus_record(self, kind: int, flags: int, data: bytes) -> None:
        if kind == _PLUS_STRING:
            _, _, chars, x, y, width, height = struct.unpack_from("<III4f", data)
            text = data[28 : 28 + 2 * chars].decode("utf-16-le", "replace")
            size = (width or 6.0 * len(text), height or 12.0)
            self.plus.append(_placed(self._plus_matrix, text, (x, y), size))
        elif kind == _PLUS_DRIVER:
            _, options, _, count = struct.unpack_from("<IIII", data)
            count = min(count, (len(data) - 16) // 10)
            if options & 1 and count > 0:  # letters, not glyphs
                text = data[16 : 16 + 2 * count].decode("utf-16-le", "replace")
                at = 16 + 2 * count + (2 if count % 2 else 0)
                x, y = struct.unpack_from("<2f", data, at)
                last, _ = struct.unpack_from("<2f", data, at + 8 * (count - 1))
                self.plus.append(_placed(self._plus_matrix, text, (x, y), (last - x + 6.0, 12.0)))
        elif kind == _PLUS_SET:
            self._plus_matrix = struct.unpack_from("<6f", data)
        elif kind == _PLUS_RESET:
            self._plus_matrix = _PLAIN


def _records(body: bytes) -> Iterator[tuple[int, int, int]]:
    place = 0
    for _ in range(_MAX_RECORDS):
        if place + 8 > len(body):
            return
        kind, size = struct.unpack_from("<II", body, place)
        if size < 8:
            raise ValueError("a record without a size")
        yield kind, place, min(len(body), place + size)
        place += size


def _changed(old: Matrix, new: tuple[float, ...], mode: int) -> Matrix:
    if mode == 1:
        return _PLAIN
    a, b, c, d, e, f = new
    if mode == 4:
        return (a, b, c, d, e, f)
    first, second = ((a, b, c, d, e, f), old) if mode == 2 else (old, (a, b, c, d, e, f))
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return (
        a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j,
        e * g + f * i + k, e * h + f * j + m,
    )  # fmt: skip


def _placed(matrix: Matrix, text: str, at: tuple[float, float], size: tuple[float, float]) -> Piece:
    a, b, c, d, e, f = matrix
    (x, y), (width, height) = at, size
    left, top = a * x + c * y + e, b * x + d * y + f
    return Piece(text, left, left + abs(a) * width, top, abs(d) * height or height)
