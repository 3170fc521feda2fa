"""Which words does a Flash program show? Static and editable texts, and its XMP packet.

By Adobe's SWF specification, version 19. Static text is drawn by numbers of glyphs, which the code
tables of the fonts turn into letters; fields hold their text as it is, or as a little HTML.
"""

import html
import lzma
import re
import struct
import zlib
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.media.tags import FAULTS, Tags, plain, tagged
from shoal.converters.media.xmp import read_xmp

_MAX_BYTES = 50_000_000
_MAX_TAGS = 100_000
_MAX_GLYPHS = 500_000
_MAX_BITS = 32
_TEXT, _TEXT_2, _FONT_INFO, _FONT_INFO_2, _FIELD, _FONT_2, _FONT_3, _METADATA = (
    11, 33, 13, 62, 37, 48, 75, 77,
)  # fmt: skip
_MARKUP = re.compile(r"<(/p|br)\b[^>]*>|<[^>]*>", re.IGNORECASE)

_Fonts = dict[int, str]
"""By a font's number: the letter of each glyph."""


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _unpacked(body: bytes) -> bytes:
    if body.startswith(b"CWS"):
        return zlib.decompressobj().decompress(body[8:], _MAX_BYTES)
    if body.startswith(b"ZWS"):
        size = struct.pack("<q", -1)
        try:
            stream = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=100_000_000)
            return stream.decompress(body[12:17] + size + body[17:], _MAX_BYTES)
        except lzma.LZMAError as fault:
            raise ValueError(str(fault)) from fault
    return body[8:]


def _read(body: bytes, tags: Tags) -> None:
    data = _unpacked(body)
    place = (5 + 4 * (data[0] >> 3) + 7) // 8 + 4  # the frame's rectangle, rate and count
    fonts: _Fonts = {}
    for _ in range(_MAX_TAGS):
        if place + 2 > len(data):
            return
        (head,) = struct.unpack_from("<H", data, place)
        kind, size = head >> 6, head & 63
        place += 2
        if size == 63:
            (size,) = struct.unpack_from("<I", data, place)
            place += 4
        try:
            _tag(kind, data[place : place + size], fonts, tags)
        except FAULTS as fault:
            tags.problem = f"damaged: {fault}"[:200]
        place += size


def _tag(kind: int, data: bytes, fonts: _Fonts, tags: Tags) -> None:
    if kind in (_FONT_2, _FONT_3):
        _font(data, fonts)
    elif kind in (_FONT_INFO, _FONT_INFO_2):
        (ident,) = struct.unpack_from("<H", data)
        place = 3 + data[2]
        is_wide = data[place] & 1
        place += 1 + (kind == _FONT_INFO_2)
        fonts[ident] = data[place:].decode("utf-16-le" if is_wide else "cp1252", "replace")
    elif kind in (_TEXT, _TEXT_2):
        tags.text("\n\n".join(_lines(data, fonts, has_alpha=kind == _TEXT_2)))
    elif kind == _FIELD:
        _field(data, tags)
    elif kind == _METADATA:
        read_xmp(data.rstrip(b"\x00"), tags)


def _font(data: bytes, fonts: _Fonts) -> None:
    ident, flags, _, size = struct.unpack_from("<HBBB", data)
    place = 5 + size
    (count,) = struct.unpack_from("<H", data, place)
    place += 2
    if not count:
        return
    is_wide_offset = flags & 8
    at = place + count * (4 if is_wide_offset else 2)
    (codes,) = struct.unpack_from("<I" if is_wide_offset else "<H", data, at)
    start = place + codes
    wide = flags & 4
    raw = data[start : start + count * (2 if wide else 1)]
    fonts[ident] = raw.decode("utf-16-le" if wide else "cp1252", "replace")


class _Bits:
    def __init__(self, data: bytes, place: int) -> None:
        self._data = data
        self._at = place * 8

    def take(self, count: int) -> int:
        first, end = self._at >> 3, self._at + count
        if end > 8 * len(self._data):
            raise ValueError("bits beyond the end")
        held = int.from_bytes(self._data[first : (end + 7) >> 3], "big")
        self._at = end
        return held >> (-end & 7) & ((1 << count) - 1)

    @property
    def place(self) -> int:
        return (self._at + 7) // 8


def _after_rectangle(data: bytes, place: int) -> int:
    return place + (5 + 4 * (data[place] >> 3) + 7) // 8


def _after_matrix(data: bytes, place: int) -> int:
    bits = _Bits(data, place)
    for _ in range(2):  # scale, rotation
        if bits.take(1):
            bits.take(2 * bits.take(5))
    bits.take(2 * bits.take(5))
    return bits.place


def _lines(data: bytes, fonts: _Fonts, *, has_alpha: bool) -> Iterator[str]:
    """A record changes font or place, and draws glyphs; a new height is a new line."""
    place = _after_matrix(data, _after_rectangle(data, 2))
    glyph_bits, advance_bits = data[place], data[place + 1]
    if max(glyph_bits, advance_bits) > _MAX_BITS:
        raise ValueError("numbers that are too wide")
    place += 2
    letters, line, glyphs = "", "", 0
    while place < len(data) and data[place] and glyphs < _MAX_GLYPHS:
        flags = data[place]
        place += 1
        if flags & 8:
            letters = fonts.get(struct.unpack_from("<H", data, place)[0], "")
            place += 2
        place += (4 if has_alpha else 3) if flags & 4 else 0
        place += 2 if flags & 1 else 0
        if flags & 2:
            place += 2
            yield line
            line = ""
        place += 2 if flags & 8 else 0
        count = data[place]
        glyphs += 1 + count
        bits = _Bits(data, place + 1)
        for _ in range(count):
            glyph = bits.take(glyph_bits)
            bits.take(advance_bits)
            line += letters[glyph] if glyph < len(letters) else ""
        place = bits.place
    yield line


def _field(data: bytes, tags: Tags) -> None:
    place = _after_rectangle(data, 2)
    flags, more = data[place], data[place + 1]
    place += 2
    place += 2 if flags & 1 else 0  # font
    if more & 0x80:  # the font's class
        place = data.index(b"\x00", place) + 1
    place += 2 if flags & 1 or more & 0x80 else 0  # height
    place += 4 if flags & 4 else 0  # colour
    place += 2 if flags & 2 else 0  # length
    place += 9 if more & 0x20 else 0  # layout
    place = data.index(b"\x00", place) + 1  # the variable's name
    if flags & 0x80:
        text = plain(data[place:])
        if more & 2:
            text = html.unescape(_MARKUP.sub(lambda match: "\n" if match[1] else "", text))
        tags.text(text)
