"""What do sound files say that are a stream with tags around it? MP3, AAC, APE, WavPack, AU, AIFF.

An MP3 may carry ID3v2 in front and, at its end, Lyrics3, APE and ID3v1 tags, one before the other.
"""

import struct

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.ape import read_ape, read_lyrics3
from shoal.converters.media.id3 import read_v1, read_v2
from shoal.converters.media.ogg import read_flac
from shoal.converters.media.tags import Tags, plain, tagged

_AIFF_CHUNKS = {
    b"NAME": names.TITLE,
    b"AUTH": names.CREATOR,
    b"(c) ": names.COPYRIGHT,
    b"ANNO": names.COMMENT,
}


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_around, body, context)


def _around(body: bytes, tags: Tags) -> None:
    start = 0
    for _ in range(10):  # a second tag may stand behind the first
        after = read_v2(body, start, tags)
        if after == start:
            break
        start = after
    if body[start : start + 4] == b"fLaC":
        read_flac(body, start, tags)
    end = len(body)
    id3 = read_v1(body, end, Tags())
    before = read_ape(body, read_lyrics3(body, read_ape(body, id3, tags), tags), tags)
    if body[before - 10 : before - 7] == b"3DI":
        place = body.rfind(b"ID3", max(0, before - 1_000_000), before - 10)
        if place >= start:
            read_v2(body, place, tags)
    read_v1(body, end, tags)  # last, as it knows least


def convert_aiff(body: bytes, context: Context) -> list[Converted]:
    return tagged(_aiff, body, context)


def _aiff(body: bytes, tags: Tags) -> None:
    place = 12
    while place + 8 <= len(body):
        ident, size = struct.unpack_from(">4sI", body, place)
        data = body[place + 8 : place + 8 + size] if ident != b"SSND" else b""
        place += 8 + size + size % 2
        if name := _AIFF_CHUNKS.get(ident):
            tags.add(name, plain(data))
        elif ident in (b"ID3 ", b"id3 "):
            read_v2(data, 0, tags)
        elif ident == b"COMT":
            _comments(data, tags)


def _comments(data: bytes, tags: Tags) -> None:
    (count,) = struct.unpack_from(">H", data)
    place = 2
    for _ in range(count):
        _, _, size = struct.unpack_from(">IHH", data, place)
        tags.add(names.COMMENT, plain(data[place + 8 : place + 8 + size]))
        place += 8 + size + size % 2


def convert_au(body: bytes, context: Context) -> list[Converted]:
    return tagged(_au, body, context)


def _au(body: bytes, tags: Tags) -> None:
    (offset,) = struct.unpack_from(">I", body, 4)
    for line in plain(body[24 : min(offset, 100_000)]).splitlines():
        name, _, value = line.partition("=")
        known = {"title": names.TITLE, "artist": names.ARTIST, "album": "Album", "genre": "Genre"}
        tags.add(known.get(name.lower(), names.COMMENT), value if name.lower() in known else line)
