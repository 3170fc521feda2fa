"""What did the picture desk write? IPTC-IIM records, and the Photoshop resources that hold them.

Records are a marker, two numbers, a size and text. Record 1:90 names the charset by an escape
sequence; without it the text is UTF-8 where it is, else Western or Mac.
"""

import struct
from collections.abc import Iterator

from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, iso_date
from shoal.converters.media.xmp import read_xmp

_MAX_RECORDS = 5_000
_NAMES = {
    5: names.TITLE, 7: "Edit status", 15: "Category", 20: "Category", 25: names.KEYWORDS,
    40: "Instructions", 80: names.CREATOR, 85: "Job title", 90: "City", 92: "Sublocation",
    95: "State", 101: "Country", 103: "Reference", 105: "Headline", 110: "Credit", 115: "Source",
    116: names.COPYRIGHT, 118: "Contact", 120: names.DESCRIPTION, 122: "Writer",
}  # fmt: skip
_UTF_8 = b"\x1b%G"
_IPTC_RESOURCE, _XMP_RESOURCE, _CAPTION_RESOURCE = 0x0404, 0x0424, 0x03F0


def read_iptc(data: bytes, tags: Tags) -> None:
    is_utf8, place = False, 0
    for _ in range(_MAX_RECORDS):
        place = data.find(b"\x1c", place)
        if place < 0 or place + 5 > len(data):
            return
        record, dataset, size = struct.unpack_from(">BBH", data, place + 1)
        place += 5
        if size & 0x8000:  # the size's size
            width = size & 0x7FFF
            if width > 4:
                return
            size = int.from_bytes(data[place : place + width], "big")
            place += width
        value = data[place : place + size]
        place += size
        if (record, dataset) == (1, 90):
            is_utf8 = value == _UTF_8
        elif record == 2 and dataset == 55:
            tags.add("Created", iso_date(value.decode("ascii", "replace")))
        elif record == 2 and dataset in _NAMES:
            tags.add(_NAMES[dataset], _decoded(value, is_utf8))


def _decoded(value: bytes, is_utf8: bool) -> str:
    value = value.strip(b"\x00")
    try:
        return value.decode("utf-8", "replace" if is_utf8 else "strict")
    except UnicodeDecodeError:
        # In Western texts letters stand above 0xBF, in Mac ones below 0xA0.
        mac = sum(0x80 <= byte < 0xA0 for byte in value) > sum(byte >= 0xC0 for byte in value)
        return value.decode("mac_roman" if mac else "cp1252", "replace")


def resources(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Photoshop's image resources: marker, number, name, size, content; padded to even."""
    place = 0
    while place + 12 <= len(data) and data[place : place + 4] in (b"8BIM", b"8B64", b"MeSa"):
        (number,) = struct.unpack_from(">H", data, place + 4)
        name = data[place + 6]
        start = place + 7 + name + (name + 1) % 2
        if start + 4 > len(data):
            return
        (size,) = struct.unpack_from(">I", data, start)
        yield number, data[start + 4 : start + 4 + size]
        place = start + 4 + size + size % 2


def read_resources(data: bytes, tags: Tags) -> None:
    for number, content in resources(data):
        if number == _IPTC_RESOURCE:
            read_iptc(content, tags)
        elif number == _XMP_RESOURCE:
            read_xmp(content, tags)
        elif number == _CAPTION_RESOURCE and content:
            tags.add(names.DESCRIPTION, _decoded(content[1 : 1 + content[0]], is_utf8=False))
