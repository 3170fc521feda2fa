"""What do WMA, WMV and ASF files say? The descriptions in the header object (ASF 1.2).

An object is a GUID, a size and its content; text is UTF-16.
"""

import struct
from collections.abc import Iterator
from uuid import UUID

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.id3 import read_v2
from shoal.converters.media.tags import Tags, tagged
from shoal.converters.media.xmp import read_xmp

_MAX_OBJECTS = 2_000


def _guid(text: str) -> bytes:
    return UUID(text).bytes_le


_HEADER = _guid("75B22630-668E-11CF-A6D9-00AA0062CE6C")
_CONTENT = _guid("75B22633-668E-11CF-A6D9-00AA0062CE6C")
_EXTENDED = _guid("D2D0A440-E307-11D2-97F0-00A0C95EA850")
_EXTENSION = _guid("5FBF03B5-A92E-11CF-8EE3-00C00C205365")
_METADATA = _guid("C5F8CBEA-5BAF-4877-8467-AA8C44FA4CCA")
_LIBRARY = _guid("44231C94-9498-49D1-A141-1D134E457054")
_MARKERS = _guid("F487CD01-A951-11CF-8EE6-00C00C205365")
_XMP = _guid("BE7ACFCB-97A9-42E8-9C71-999491E3AFAC")
_NAMES = {
    "albumtitle": "Album", "albumartist": "Album artist", "genre": "Genre",
    "year": names.DATE, "tracknumber": "Track", "track": "Track", "partofset": "Disc",
    "composer": "Composer", "conductor": "Conductor", "writer": "Writer",
    "director": "Director", "producer": "Producer", "publisher": "Publisher",
    "subtitle": "Subtitle", "subtitledescription": names.DESCRIPTION, "mood": "Mood",
    "category": "Category", "authorurl": "Web page", "contentgroupdescription": "Group",
    "title": names.TITLE, "author": names.ARTIST, "description": names.COMMENT,
    "copyright": names.COPYRIGHT, "originalartist": "Original artist",
    "text": names.COMMENT, "comments": names.COMMENT, "encodedby": "Encoded by",
    "radiostationname": "Station", "parentalratingreason": "Rating",
    "date": names.DATE, "comment": names.COMMENT, "artist": names.ARTIST,
    "lyricist": "Lyricist", "language": "Language",
}  # fmt: skip


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _read(body: bytes, tags: Tags) -> None:
    for guid, start, end in _objects(body, 0, len(body)):
        if guid == _HEADER:
            _header(body, start + 6, end, tags, 0)
        elif guid == _XMP:
            read_xmp(body[start:end], tags)


def _objects(body: bytes, place: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    for _ in range(_MAX_OBJECTS):
        if place + 24 > end:
            return
        (size,) = struct.unpack_from("<Q", body, place + 16)
        if size < 24:
            return
        yield body[place : place + 16], place + 24, min(end, place + size)
        place += size


def _header(body: bytes, start: int, end: int, tags: Tags, depth: int) -> None:
    for guid, begin, stop in _objects(body, start, end):
        data = body[begin:stop]
        if guid == _CONTENT:
            _content(data, tags)
        elif guid == _EXTENDED:
            _extended(data, tags)
        elif guid in (_METADATA, _LIBRARY):
            _library(data, tags)
        elif guid == _MARKERS:
            _markers(data, tags)
        elif guid == _EXTENSION and depth == 0:
            _header(body, begin + 22, stop, tags, 1)
        elif guid == _XMP:
            read_xmp(data, tags)


def _wide(data: bytes) -> str:
    return data.decode("utf-16-le", "replace").partition("\x00")[0]


def _content(data: bytes, tags: Tags) -> None:
    place = 10
    told = (names.TITLE, names.ARTIST, names.COPYRIGHT, names.COMMENT, "Rating")
    for name, size in zip(told, struct.unpack_from("<5H", data), strict=True):
        tags.add(name, _wide(data[place : place + size]))
        place += size


def _extended(data: bytes, tags: Tags) -> None:
    (count,) = struct.unpack_from("<H", data)
    place = 2
    for _ in range(count):
        (size,) = struct.unpack_from("<H", data, place)
        name = _wide(data[place + 2 : place + 2 + size])
        kind, length = struct.unpack_from("<HH", data, place + 2 + size)
        place += 6 + size
        _tell(name, kind, data[place : place + length], tags)
        place += length


def _library(data: bytes, tags: Tags) -> None:
    (count,) = struct.unpack_from("<H", data)
    place = 2
    for _ in range(count):
        _, _, size, kind, length = struct.unpack_from("<HHHHI", data, place)
        place += 12
        name = _wide(data[place : place + size])
        _tell(name, kind, data[place + size : place + size + length], tags)
        place += size + length


def _tell(name: str, kind: int, value: bytes, tags: Tags) -> None:
    name = name.lower().removeprefix("wm/")
    if name in ("lyrics", "lyrics_synchronised") and kind == 0:
        tags.text(_wide(value))
    elif name == "id3" and kind == 1:
        read_v2(value, 0, tags)
    elif name in _NAMES and kind == 0:
        tags.add(_NAMES[name], _wide(value))
    elif name in _NAMES and kind in (3, 5):
        tags.add(_NAMES[name], str(int.from_bytes(value[:4], "little")))


def _markers(data: bytes, tags: Tags) -> None:
    count, _, size = struct.unpack_from("<IHH", data, 16)
    place = 24 + size
    for _ in range(min(count, _MAX_OBJECTS)):
        (chars,) = struct.unpack_from("<I", data, place + 26)
        tags.chapter(_wide(data[place + 30 : place + 30 + 2 * chars]))
        place += 30 + 2 * chars
