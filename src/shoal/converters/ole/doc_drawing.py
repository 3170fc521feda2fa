"""What do pictures and drawn letters in a Word document say? [MS-ODRAW] within [MS-DOC].

A picture in the text lies in the Data stream, behind a head of its own; shapes that float lie in
the drawings' table, all together. Of both only words are taken: what a picture shows, and word art.
"""

import struct
from collections.abc import Iterator

from shoal.converters.ole.ppt_records import Record, deep, records
from shoal.converters.ole.ppt_shapes import ALT_TEXT, OPTIONS, WORD_ART, strings_of
from shoal.model.page import Tag

_HEAD_BYTES = 0x44
_NAMED_PICTURE = 0x66
_GROUP, _DRAWING = 0xF000, 0xF002
_OPTIONS = frozenset({OPTIONS})
_MOST_TEXTS = 1000


def alt_text(data: bytes, place: int) -> str:
    """Of the picture that lies there; empty when nobody wrote one."""
    if place + _HEAD_BYTES > len(data):
        return ""
    size, head, kind = struct.unpack_from("<IHH", data, place)
    if head != _HEAD_BYTES or size < head:
        return ""
    start = place + head
    if kind == _NAMED_PICTURE and start < len(data):
        start += 1 + data[start]
    for record in records(data[start : min(place + size, start + 20_000)]):
        for options in deep(record, _OPTIONS):
            found = strings_of(options).get(ALT_TEXT, "")
            if found:
                return found
    return ""


def shape_texts(table: bytes) -> Iterator[tuple[Tag, str]]:
    """Of all floating shapes, each text once."""
    seen: set[str] = set()
    for drawing in _drawings(table):
        for options in deep(drawing, _OPTIONS):
            strings = strings_of(options)
            for number, kind in ((WORD_ART, Tag.ASIDE), (ALT_TEXT, Tag.CAPTION)):
                text = strings.get(number, "")
                if text and text not in seen and len(seen) < _MOST_TEXTS:
                    seen.add(text)
                    yield kind, text


def _drawings(table: bytes) -> Iterator[Record]:
    """A group of what all share, then a drawing for the text and one for the headers, each behind
    a byte that tells which."""
    at = 0
    for number in range(3):
        at += 1 if number else 0
        if at + 8 > len(table):
            return
        options, kind, size = struct.unpack_from("<HHI", table, at)
        if kind != (_DRAWING if number else _GROUP):
            return
        if number:
            yield Record(kind, options >> 4, options & 0xF, table[at + 8 : at + 8 + size])
        at += 8 + size
