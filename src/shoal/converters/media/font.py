"""What does a font say of itself? The `name` table: family, designer, licence, description, sample.

TrueType, OpenType, collections, WOFF (packed table by table) and WOFF2 (packed as a whole, by
Brotli). English names are taken where there are some, else the first that is there.
"""

import struct
import zlib
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.encoding import undo
from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, tagged

_MAX_FONTS = 100
_MAX_RECORDS = 2_000
_MAX_TABLE_BYTES = 5_000_000
_MAX_FONT_BYTES = 50_000_000
_NAMES = {
    4: names.TITLE, 1: "Family", 16: "Family", 2: "Style", 17: "Style", 9: "Designer",
    8: "Manufacturer", 10: names.DESCRIPTION, 0: names.COPYRIGHT, 7: "Trademark", 13: "Licence",
    14: "Licence page", 11: "Web page", 12: "Web page of the designer", 5: "Version",
    19: "Sample text",
}  # fmt: skip
_ENGLISH = {(3, 0x409), (1, 0), (0, 0)}
_WOFF2_NAME = 5
_WOFF2_TRANSFORMED = (10, 11)  # glyf, loca


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _read(body: bytes, tags: Tags) -> None:
    if body.startswith(b"wOFF"):
        _woff(body, tags)
    elif body.startswith(b"wOF2"):
        _woff2(body, tags)
    elif body.startswith(b"ttcf"):
        (count,) = struct.unpack_from(">I", body, 8)
        for number in range(min(count, _MAX_FONTS)):
            (place,) = struct.unpack_from(">I", body, 12 + 4 * number)
            _font(body, place, tags)
    else:
        _font(body, 0, tags)


def _font(body: bytes, place: int, tags: Tags) -> None:
    (count,) = struct.unpack_from(">H", body, place + 4)
    for number in range(count):
        tag, _, start, size = struct.unpack_from(">4sIII", body, place + 12 + 16 * number)
        if tag == b"name":
            _tell(body[start : start + size], tags)
            return


def _woff(body: bytes, tags: Tags) -> None:
    (count,) = struct.unpack_from(">H", body, 12)
    for number in range(count):
        tag, start, packed, size = struct.unpack_from(">4sIII", body, 44 + 20 * number)
        if tag == b"name":
            data = body[start : start + packed]
            if packed < size:
                data = zlib.decompressobj().decompress(data, _MAX_TABLE_BYTES)
            _tell(data, tags)


def _woff2(body: bytes, tags: Tags) -> None:
    (count,) = struct.unpack_from(">H", body, 12)
    (packed,) = struct.unpack_from(">I", body, 20)
    place, before, found = 48, 0, (0, 0)
    for _ in range(count):
        flags = body[place]
        place += 1
        tag = flags & 63
        if tag == 63:
            tag = _WOFF2_NAME if body[place : place + 4] == b"name" else tag
            place += 4
        size, place = _base128(body, place)
        version = flags >> 6
        is_transformed = version == 0 if tag in _WOFF2_TRANSFORMED else version != 0
        if is_transformed:
            size, place = _base128(body, place)
        if tag == _WOFF2_NAME:
            found = (before, size)
        before += size
    if body[4:8] == b"ttcf":
        place = _skip_collection(body, place)
    data = undo(body[place : place + packed], "br", _MAX_FONT_BYTES, 200).data
    _tell(data[found[0] : found[0] + found[1]], tags)


def _base128(body: bytes, place: int) -> tuple[int, int]:
    value = 0
    for _ in range(5):
        byte = body[place]
        place += 1
        value = value << 7 | byte & 127
        if not byte & 128:
            return value, place
    raise ValueError("a number without an end")


def _skip_collection(body: bytes, place: int) -> int:
    fonts, place = _short255(body, place + 4)
    for _ in range(min(fonts, _MAX_FONTS)):
        tables, place = _short255(body, place)
        place += 4
        for _ in range(tables):
            _, place = _short255(body, place)
    return place


def _short255(body: bytes, place: int) -> tuple[int, int]:
    code = body[place]
    if code == 253:
        return int.from_bytes(body[place + 1 : place + 3], "big"), place + 3
    if code in (254, 255):
        return body[place + 1] + (506 if code == 254 else 253), place + 2
    return code, place + 1


def _records(table: bytes, tags: Tags) -> Iterator[tuple[int, tuple[int, int], str]]:
    _, count, strings = struct.unpack_from(">HHH", table)
    for number in range(min(count, _MAX_RECORDS)):
        if 18 + 12 * number > len(table):
            return
        platform, encoding, language, ident, size, start = struct.unpack_from(
            ">6H", table, 6 + 12 * number
        )
        raw = table[strings + start : strings + start + size]
        tags.spend(len(raw))
        if platform == 1:
            yield ident, (1, language), raw.decode("mac_roman") if encoding == 0 else ""
        else:
            yield ident, (platform, language), raw.decode("utf-16-be", "replace")


def _tell(table: bytes, tags: Tags) -> None:
    english: dict[int, str] = {}
    others: dict[int, str] = {}
    for ident, language, text in _records(table, tags):
        (english if language in _ENGLISH else others).setdefault(ident, text)
    for ident, name in _NAMES.items():
        tags.add(name, english.get(ident) or others.get(ident, ""))
