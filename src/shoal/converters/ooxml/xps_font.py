"""How wide and how bold is a font of an XPS document? Read from the OpenType tables it embeds.

Fonts are stored with their first 32 bytes mixed with the GUID that is their name (ECMA-388, 9.1.7).
Only what is needed to tell a gap between words: advance widths by glyph, glyphs by character.
"""

import re
import struct
from bisect import bisect_left
from itertools import islice

_GUID = re.compile(r"[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}", re.IGNORECASE)
_MAX_TABLES = 64
_MAX_CODES = 0x10000
_BOLD_WEIGHT = 600
_USUAL_WIDTH = 0.5
"""Of a character whose width is not known, in ems."""


class Font:
    def __init__(self, data: bytes, name: str) -> None:
        self._tables: dict[bytes, bytes] = {}
        self._widths: tuple[int, ...] = ()
        self._units = 1000
        self._chars: dict[int, str] | None = None
        self._map = _CharacterMap(b"")
        self.bold = "bold" in name.lower()
        try:
            self._read(_clear(data, name))
        except struct.error:
            self._widths = ()

    def width(self, glyph: int | None, char: str) -> float:
        """In ems."""
        if not self._widths:
            return _USUAL_WIDTH
        if glyph is None:
            glyph = self._map.glyph(ord(char[0])) if char else None
        if glyph is None:
            return _USUAL_WIDTH
        return self._widths[min(glyph, len(self._widths) - 1)] / self._units

    def _read(self, data: bytes) -> None:
        start = struct.unpack_from(">I", data, 12)[0] if data.startswith(b"ttcf") else 0
        (count,) = struct.unpack_from(">H", data, start + 4)
        for number in range(min(count, _MAX_TABLES)):
            place = start + 12 + 16 * number
            tag, _, offset, length = struct.unpack_from(">4sIII", data, place)
            self._tables[tag] = data[offset : offset + length]
        self._units = struct.unpack_from(">H", self._tables.get(b"head", b""), 18)[0] or 1000
        (style,) = struct.unpack_from(">H", self._tables[b"head"], 44)
        weight = 0
        if len(self._tables.get(b"OS/2", b"")) > 6:
            (weight,) = struct.unpack_from(">H", self._tables[b"OS/2"], 4)
        self.bold = self.bold or bool(style & 1) or weight >= _BOLD_WEIGHT
        self._map = _CharacterMap(self._tables.get(b"cmap", b""))
        (metrics,) = struct.unpack_from(">H", self._tables.get(b"hhea", b""), 34)
        table = self._tables.get(b"hmtx", b"")
        metrics = min(metrics, len(table) // 4)
        self._widths = struct.unpack_from(f">{metrics * 2}H", table)[::2]

    def char(self, glyph: int) -> str:
        """What a glyph shows, for pages that don't say it; empty when the font does not know."""
        if self._chars is None:
            self._chars = {}
            codes = (code for start, end in self._map.ranges for code in range(start, end + 1))
            for code in islice(codes, _MAX_CODES):
                number = self._map.glyph(code)
                if number:
                    self._chars.setdefault(number, chr(code))
        return self._chars.get(glyph, "")


class _CharacterMap:
    """The first table of characters in format 4, the one that every font has."""

    def __init__(self, table: bytes) -> None:
        self._table = table
        self._ends: tuple[int, ...] = ()
        self.ranges: list[tuple[int, int]] = []
        """From and up to which character, in ascending order."""
        try:
            (count,) = struct.unpack_from(">H", table, 2)
            for number in range(min(count, _MAX_TABLES)):
                (offset,) = struct.unpack_from(">I", table, 4 + 8 * number + 4)
                if struct.unpack_from(">H", table, offset)[0] == 4:
                    self._read(offset)
                    break
        except struct.error:
            self._ends, self.ranges = (), []

    def _read(self, offset: int) -> None:
        (twice,) = struct.unpack_from(">H", self._table, offset + 6)
        shape = f">{twice // 2}H"
        self._ends = struct.unpack_from(shape, self._table, offset + 14)
        self._starts = offset + 16 + twice
        starts = struct.unpack_from(shape, self._table, self._starts)
        self._deltas = struct.unpack_from(shape, self._table, self._starts + twice)
        self._further = self._starts + 2 * twice
        self.ranges = list(zip(starts, self._ends, strict=True))

    def glyph(self, code: int) -> int | None:
        place = bisect_left(self._ends, code)
        if place >= len(self._ends) or code < self.ranges[place][0]:
            return None
        at = self._further + 2 * place
        try:
            (further,) = struct.unpack_from(">H", self._table, at)
            if further == 0:
                return int(code + self._deltas[place]) & 0xFFFF
            start = self.ranges[place][0]
            (glyph,) = struct.unpack_from(">H", self._table, at + further + 2 * (code - start))
        except struct.error:
            return None
        return int(glyph + self._deltas[place]) & 0xFFFF if glyph else None


def _clear(data: bytes, name: str) -> bytes:
    found = _GUID.search(name)
    if found is None or data[:4] in (b"\0\1\0\0", b"OTTO", b"true", b"ttcf") or len(data) < 32:
        return data
    key = bytes.fromhex(found[0].replace("-", ""))[::-1]
    return bytes(a ^ b for a, b in zip(data[:32], key * 2, strict=True)) + data[32:]
