"""What do WAV, AVI and WebP files say? RIFF chunks: `INFO` lists, ID3, broadcast data, EXIF, XMP.

Text has no charset in RIFF: it is UTF-8 where it is, else Western. Also RF64 and BW64, whose sizes
may be -1: a chunk then ends where the file ends.
"""

import struct
from collections.abc import Iterator

from shoal.converters import xml
from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.exif import read_exif
from shoal.converters.media.id3 import read_v1, read_v2
from shoal.converters.media.tags import Tags, iso_date, plain, tagged
from shoal.converters.media.xmp import read_xmp

_MAX_CHUNKS = 20_000
_MAX_DEPTH = 4
_TAIL_BYTES = 100_000
_INFO = {
    b"INAM": names.TITLE, b"TITL": names.TITLE, b"IART": names.ARTIST, b"IPRD": "Album",
    b"IALB": "Album", b"ICRD": names.DATE, b"YEAR": names.DATE, b"IGNR": "Genre",
    b"ICMT": names.COMMENT, b"COMM": names.COMMENT, b"ICOP": names.COPYRIGHT,
    b"IKEY": names.KEYWORDS, b"ISBJ": names.DESCRIPTION, b"ISRC": "Source", b"ITRK": "Track",
    b"IPRT": "Track", b"TRCK": "Track", b"IMUS": "Composer", b"IWRI": "Writer",
    b"IENG": "Engineer", b"ITCH": "Technician", b"IDIR": "Director", b"IPRO": "Producer",
    b"ISTR": "Performers", b"ICNM": "Camera operator", b"ILNG": "Language", b"IDST": "Publisher",
    b"ICMS": "Commissioned by", b"IARL": "Archive", b"IWEB": "Web page", b"IBSU": "Web page",
    b"IDIT": names.DATE, b"ICNT": "Country", b"ISGN": "Genre", b"strn": "Track name",
    b"DISP": names.TITLE, b"TAPE": "Tape", b"ILOC": "Location", b"CMNT": names.COMMENT,
}  # fmt: skip
_LISTS = (b"INFO", b"hdrl", b"strl", b"adtl", b"odml")


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _read(body: bytes, tags: Tags) -> None:
    _chunks(body, 12, len(body), tags, 0)
    read_v1(body, len(body), tags)


def _walk(body: bytes, place: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    for _ in range(_MAX_CHUNKS):
        if place + 8 > end:
            return
        kind, size = struct.unpack_from("<4sI", body, place)
        stop = min(end, place + 8 + size)
        yield kind, place + 8, stop
        # Where the sound's size is not known, tags stand behind it, near the end.
        is_open = kind == b"data" and size == 0xFFFF_FFFF
        later = body.rfind(b"LIST", max(place + 8, end - _TAIL_BYTES), end) if is_open else -1
        place = later if later > 0 else place + 8 + size + size % 2


def _chunks(body: bytes, place: int, end: int, tags: Tags, depth: int) -> None:
    for kind, start, stop in _walk(body, place, end):
        if kind == b"LIST" and depth < _MAX_DEPTH:
            if body[start : start + 4] in _LISTS:
                _chunks(body, start + 4, stop, tags, depth + 1)
        elif kind in (b"id3 ", b"ID3 "):
            read_v2(body[start:stop], 0, tags)
        elif kind == b"bext":
            _broadcast(body[start:stop], tags)
        elif kind == b"iXML":
            _production(body[start:stop], tags)
        elif kind in (b"_PMX", b"XMP "):
            read_xmp(body[start:stop], tags)
        elif kind == b"EXIF":
            read_exif(body[start:stop], tags)
        elif kind in (b"labl", b"note", b"ltxt"):
            tags.chapter(plain(body[start + (20 if kind == b"ltxt" else 4) : stop]))
        elif kind in (b"VP8X", b"VP8 ", b"VP8L"):
            _picture(kind, body[start:stop], tags)
        elif name := _INFO.get(kind):
            is_shown = kind == b"DISP" and body[start : start + 4] == b"\x01\x00\x00\x00"
            tags.add(name, plain(body[start + 4 * is_shown : stop]))


def _broadcast(data: bytes, tags: Tags) -> None:
    """The bext chunk of EBU Tech 3285."""
    tags.add(names.DESCRIPTION, plain(data[:256]))
    tags.add(names.CREATOR, plain(data[256:288]))
    tags.add("Reference", plain(data[288:320]))
    tags.add("Created", iso_date(plain(data[320:330])))


def _production(data: bytes, tags: Tags) -> None:
    root = xml.parse(data.rstrip(b"\x00"))
    if root is None:
        return
    told = {"PROJECT": "Project", "SCENE": "Scene", "TAPE": "Tape", "NOTE": names.COMMENT}
    for element in root:
        if name := told.get(xml.local(element)):
            tags.add(name, xml.all_text(element))


def _picture(kind: bytes, data: bytes, tags: Tags) -> None:
    if tags.first("Dimensions"):
        return
    if kind == b"VP8X" and len(data) >= 10:
        width = int.from_bytes(data[4:7], "little") + 1
        height = int.from_bytes(data[7:10], "little") + 1
    elif kind == b"VP8L" and len(data) >= 5:
        bits = int.from_bytes(data[1:5], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    elif len(data) >= 10:
        width, height = (each & 0x3FFF for each in struct.unpack_from("<HH", data, 6))
    else:
        return
    tags.add("Dimensions", f"{width} × {height}")
