"""What does a Windows program say of itself? The version resource: product, company, description.

By Microsoft's PE format: the resource directory is a tree of types, names and languages; the
version resource is a tree of blocks, each with a name and a value in UTF-16.
"""

import struct

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, tagged

_MAX_SECTIONS = 96
_MAX_ENTRIES = 200
_MAX_BLOCKS = 500
_VERSION = 16
_NAMES = {
    "FileDescription": names.TITLE, "ProductName": "Product", "CompanyName": names.CREATOR,
    "Comments": names.COMMENT, "LegalCopyright": names.COPYRIGHT, "ProductVersion": "Version",
    "LegalTrademarks": "Trademark", "OriginalFilename": "File name",
}  # fmt: skip


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _read(body: bytes, tags: Tags) -> None:
    (head,) = struct.unpack_from("<I", body, 0x3C)
    if body[head : head + 4] != b"PE\x00\x00":
        return  # of DOS, or of 16 bits
    sections, size = struct.unpack_from("<H12xH", body, head + 6)
    optional = head + 24
    (magic,) = struct.unpack_from("<H", body, optional)
    (resources,) = struct.unpack_from("<I", body, optional + (112 if magic == 0x20B else 96) + 16)
    place = _Places(body, optional + size, min(sections, _MAX_SECTIONS))
    root = place.of(resources)
    if not resources or root < 0:
        return
    for ident, entry in _entries(body, root, root):
        if ident != _VERSION:
            continue
        for _, by_name in _entries(body, root, entry):
            for _, by_language in _entries(body, root, by_name):
                address, length = struct.unpack_from("<II", body, by_language)
                start = place.of(address)
                if start >= 0:
                    _version(body[start : start + length], tags)
                return


class _Places:
    """Where in the file an address in memory is."""

    def __init__(self, body: bytes, table: int, count: int) -> None:
        self._sections = [
            struct.unpack_from("<IIII", body, table + 40 * number + 8)
            for number in range(count)
            if table + 40 * number + 40 <= len(body)
        ]

    def of(self, address: int) -> int:
        for size, start, raw_size, raw in self._sections:
            if start <= address < start + max(size, raw_size):
                return int(address - start + raw)
        return -1


def _entries(body: bytes, root: int, directory: int) -> list[tuple[int, int]]:
    named, numbered = struct.unpack_from("<HH", body, directory + 12)
    found = []
    for number in range(min(named + numbered, _MAX_ENTRIES)):
        ident, offset = struct.unpack_from("<II", body, directory + 16 + 8 * number)
        found.append((ident, root + (offset & 0x7FFF_FFFF)))
    return found


def _version(data: bytes, tags: Tags) -> None:
    """Blocks within blocks; strings are those without inner ones, and told by their names."""
    place = 0
    for _ in range(_MAX_BLOCKS):
        if place + 6 > len(data):
            return
        length, value_length, kind = struct.unpack_from("<HHH", data, place)
        if length < 6:
            place += 4
            continue
        end = place + 6
        while end + 2 <= min(len(data), place + 300) and data[end : end + 2] != b"\x00\x00":
            end += 2
        name = data[place + 6 : end].decode("utf-16-le", "replace")
        value = (end + 2 + 3) & ~3
        if name in _NAMES and kind == 1:
            raw = data[value : min(place + length, value + 2 * value_length)]
            tags.add(_NAMES[name], raw.decode("utf-16-le", "replace").partition("\x00")[0])
        if name in ("VS_VERSION_INFO", "StringFileInfo") or value_length == 0:
            place = (value + (value_length if kind == 0 else 0) + 3) & ~3
        else:
            place = (place + length + 3) & ~3
