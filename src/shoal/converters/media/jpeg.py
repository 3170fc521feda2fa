"""What does a JPEG file say? EXIF, XMP, IPTC and comments, each in a segment before the picture."""

import struct

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.exif import read_exif
from shoal.converters.media.iptc import read_resources
from shoal.converters.media.tags import FAULTS, Tags, plain, tagged
from shoal.converters.media.xmp import read_xmp

_MAX_SEGMENTS = 2_000
_XMP = b"http://ns.adobe.com/xap/1.0/\x00"
_MORE_XMP = b"http://ns.adobe.com/xmp/extension/\x00"
_PHOTOSHOP = b"Photoshop 3.0\x00"
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_MACHINE_COMMENTS = (b"CREATOR: gd-jpeg", b"Lavc", b"File written by", b"LEAD Tech", b"AppleMark")


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _read(body: bytes, tags: Tags) -> None:
    place, size, resources, more_xmp = 2, "", list[bytes](), list[bytes]()
    for _ in range(_MAX_SEGMENTS):
        place = body.find(b"\xff", place)
        if place < 0 or place + 4 > len(body):
            break
        kind = body[place + 1]
        if kind in (0xFF, 0x00, 0x01) or 0xD0 <= kind <= 0xD8:
            place += 1 if kind == 0xFF else 2
            continue
        if kind in (0xD9, 0xDA):  # the picture itself
            break
        (length,) = struct.unpack_from(">H", body, place + 2)
        data = body[place + 4 : place + 2 + length]
        place += 2 + length
        if kind in _FRAMES and len(data) >= 5:
            height, width = struct.unpack_from(">HH", data, 1)
            size = f"{width} × {height}"
        elif kind == 0xED and data.startswith(_PHOTOSHOP):
            resources.append(data[len(_PHOTOSHOP) :])  # they may go on in the next segment
        elif kind == 0xE1 and data.startswith(_MORE_XMP):
            more_xmp.append(data[len(_MORE_XMP) + 40 :])
        else:
            _segment(kind, data, tags)
    if more_xmp:
        read_xmp(b"".join(more_xmp), tags)
    read_resources(b"".join(resources), tags)
    tags.add("Dimensions", size)


def _segment(kind: int, data: bytes, tags: Tags) -> None:
    try:
        if kind == 0xE1 and data.startswith(b"Exif\x00"):
            read_exif(data, tags)
        elif kind == 0xE1 and data.startswith(_XMP):
            read_xmp(data[len(_XMP) :], tags)
        elif kind == 0xFE and not data.startswith(_MACHINE_COMMENTS):
            tags.add(names.COMMENT, plain(data))
    except FAULTS as fault:  # one damaged segment does not hide the others
        tags.problem = f"damaged: {fault}"[:200]
