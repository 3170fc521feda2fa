"""What can be read of a file whose end or table is gone? A new table, made by looking at the bytes.

PDFium rebuilds a table of plain objects but needs a trailer and a catalog. Since 1.5 those stand
mostly in compressed object streams and in a stream at the file's end: one cut download, and nothing
is left. Here each object is found by its bytes, also within object streams (ISO 32000-1, 7.5.7),
and a table, a catalog and a list of all pages are written behind what is there.
"""

import re
import zlib
from typing import NamedTuple

_OBJECT = re.compile(rb"(?<!\d)(\d{1,8})[ \t\r\n]+(\d{1,5})[ \t\r\n]+obj\b")
_STREAM = re.compile(rb"stream\r?\n")
_PAGE = re.compile(rb"/Type\s*/Page\b(?!s)")
_FIRST, _COUNT = re.compile(rb"/First\s+(\d{1,9})"), re.compile(rb"/N\s+(\d{1,7})")
_OBJECTS, _HEAD_BYTES, _STREAM_BYTES, _ALL_BYTES = 500_000, 4_000, 20_000_000, 100_000_000


class _Found(NamedTuple):
    plain: dict[int, int]
    """The number of an object -> where it is."""
    packed: dict[int, tuple[int, int]]
    """The number of an object -> in which object stream it is, and at which place."""
    pages: list[int]


def mended(body: bytes) -> bytes:
    """The file with a table behind it; empty when no page was found."""
    if b"/Encrypt" in body:
        return b""
    found = _look(body)
    if not found.pages:
        return b""
    top = max([*found.plain, *found.packed]) + 1
    out = bytearray(body + b"\nendstream\nendobj\n")
    root, tree, table = top, top + 1, top + 2
    found.plain[root] = len(out)
    out += b"%d 0 obj\n<</Type/Catalog/Pages %d 0 R>>\nendobj\n" % (root, tree)
    found.plain[tree] = len(out)
    kids = b" ".join(b"%d 0 R" % page for page in found.pages)
    out += b"%d 0 obj\n<</Type/Pages/Count %d/MediaBox[0 0 612 792]/Kids[%s]>>\nendobj\n" % (
        tree,
        len(found.pages),
        kids,
    )
    start = found.plain[table] = len(out)
    entries = _entries(found)
    index = b" ".join(b"%d 1" % number for number, _ in entries)
    data = b"".join(entry for _, entry in entries)
    out += (
        b"%d 0 obj\n<</Type/XRef/Size %d/W[1 5 4]/Index[%s]/Root %d 0 R/Length %d>>\nstream\n"
        % (
            table,
            table + 1,
            index,
            root,
            len(data),
        )
    )
    return bytes(out + data + b"\nendstream\nendobj\nstartxref\n%d\n%%%%EOF\n" % start)


def _entries(found: _Found) -> list[tuple[int, bytes]]:
    entries = {
        number: b"\x02" + stream.to_bytes(5, "big") + place.to_bytes(4, "big")
        for number, (stream, place) in found.packed.items()
    }
    for number, offset in found.plain.items():
        entries[number] = b"\x01" + offset.to_bytes(5, "big") + bytes(4)
    return sorted(entries.items())


def _look(body: bytes) -> _Found:
    found = _Found({}, {}, [])
    left = _ALL_BYTES
    matches = list(_OBJECT.finditer(body))[:_OBJECTS]
    for match in matches:
        number = int(match[1])
        found.plain[number] = match.start()
        head = body[match.end() : match.end() + _HEAD_BYTES]
        end = head.find(b"endobj")
        head = head[:end] if end >= 0 else head
        opening = _STREAM.search(head)
        dictionary = head[: opening.start()] if opening else head
        if _PAGE.search(dictionary) and not opening:
            _add(found.pages, number)
        elif opening and b"/ObjStm" in dictionary and left > 0:
            start = match.end() + opening.end()
            left -= _unpack(body, start, number, dictionary, found)
    return found


def _add(pages: list[int], number: int) -> None:
    if not pages or pages[-1] != number:
        pages.append(number)


def _unpack(body: bytes, start: int, stream: int, dictionary: bytes, found: _Found) -> int:
    first, count = _FIRST.search(dictionary), _COUNT.search(dictionary)
    if first is None or count is None:
        return 0
    data = body[start : start + _STREAM_BYTES]
    if b"/FlateDecode" in dictionary:
        try:
            data = zlib.decompressobj().decompress(data, _STREAM_BYTES)
        except zlib.error:
            return 0
    head = data[: int(first[1])].split()[: 2 * int(count[1])]
    if len(head) % 2 or not all(number.isdigit() for number in head):
        return len(data)
    places = [int(number) + int(first[1]) for number in head[1::2]]
    for place, (name, at) in enumerate(zip(head[::2], places, strict=True)):
        number = int(name)
        found.packed[number] = stream, place
        found.plain.pop(number, None)
        end = places[place + 1] if place + 1 < len(places) else len(data)
        if _PAGE.search(data[at : min(end, at + _HEAD_BYTES)]):
            _add(found.pages, number)
    return len(data)
