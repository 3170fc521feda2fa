"""What do FLAC, Ogg Vorbis, Opus, Speex and Theora files say? Vorbis comments: named UTF-8 values.

FLAC has them in a metadata block, Ogg in the second packet of each stream (RFC 3533, 7845, 9639);
chapters are comments too (`CHAPTER001NAME`). An Ogg packet is put together of its pages' segments.
"""

import re
import struct
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.id3 import read_v1
from shoal.converters.media.tags import Tags, tagged

_MAX_COMMENTS = 5_000
_MAX_PAGES = 2_000
_MAX_PACKET_BYTES = 20_000_000
_NAMES = {
    "TITLE": names.TITLE, "ARTIST": names.ARTIST, "PERFORMER": "Performers", "ALBUM": "Album",
    "ALBUMARTIST": "Album artist", "ALBUM ARTIST": "Album artist", "COMPOSER": "Composer",
    "LYRICIST": "Lyricist", "CONDUCTOR": "Conductor", "ARRANGER": "Arranger", "AUTHOR": "Author",
    "DATE": names.DATE, "YEAR": names.DATE, "GENRE": "Genre", "TRACKNUMBER": "Track",
    "DISCNUMBER": "Disc", "COMMENT": names.COMMENT, "COMMENTS": names.COMMENT,
    "DESCRIPTION": names.DESCRIPTION, "SYNOPSIS": names.DESCRIPTION, "COPYRIGHT": names.COPYRIGHT,
    "LICENSE": "Licence", "ORGANIZATION": "Publisher", "PUBLISHER": "Publisher", "LABEL": "Label",
    "LOCATION": "Location", "CONTACT": "Contact", "VERSION": "Version", "ISRC": "ISRC",
    "LANGUAGE": "Language", "MOOD": "Mood", "SHOW": "Show", "SUBTITLE": "Subtitle",
    "KEYWORDS": names.KEYWORDS, "WEBSITE": "Web page", "DIRECTOR": "Director", "SERIES": "Series",
}  # fmt: skip
_CHAPTER = re.compile(r"CHAPTER\d{1,3}NAME")
_COMMENT_HEADS = (b"\x03vorbis", b"OpusTags", b"\x81theora")


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_ogg, body, context)


def convert_flac(body: bytes, context: Context) -> list[Converted]:
    return tagged(_flac, body, context)


def _flac(body: bytes, tags: Tags) -> None:
    read_flac(body, 0, tags)
    read_v1(body, len(body), tags)


def read_flac(body: bytes, place: int, tags: Tags) -> None:
    """Reads the metadata blocks of a FLAC stream that begins at `place`."""
    place += 4
    for _ in range(200):
        if place + 4 > len(body):
            return
        head = body[place]
        size = int.from_bytes(body[place + 1 : place + 4], "big")
        if head & 127 == 4:
            read_comments(body[place + 4 : place + 4 + size], tags)
        place += 4 + size
        if head & 128:
            return


def read_comments(data: bytes, tags: Tags) -> None:
    (size,) = struct.unpack_from("<I", data)
    place = 4 + size
    (count,) = struct.unpack_from("<I", data, place)
    place += 4
    for _ in range(min(count, _MAX_COMMENTS)):
        (size,) = struct.unpack_from("<I", data, place)
        raw = data[place + 4 : place + 4 + size]
        place += 4 + size
        name, _, value = raw.decode("utf-8", "replace").partition("=")
        name = name.strip().upper()
        if _CHAPTER.fullmatch(name):
            tags.chapter(value)
        elif name in ("LYRICS", "UNSYNCEDLYRICS", "SYNCEDLYRICS"):
            tags.text(re.sub(r"\[\d+:\d+(?:\.\d+)?\]", "", value))
        elif name in _NAMES:
            tags.add(_NAMES[name], value)


def _ogg(body: bytes, tags: Tags) -> None:
    is_speex = False
    for number, packet in _first_packets(body):
        if number == 0:
            is_speex = packet.startswith(b"Speex   ")
            if packet.startswith(b"fishead"):
                _skeleton(packet, tags)
            continue
        head = next((each for each in _COMMENT_HEADS if packet.startswith(each)), b"")
        if head:
            read_comments(packet[len(head) :], tags)
        elif packet[:1] in (b"\x04", b"\x84") and not is_speex:  # FLAC in Ogg
            read_comments(packet[4:], tags)
        elif is_speex:
            read_comments(packet, tags)


def _skeleton(packet: bytes, tags: Tags) -> None:
    utc = packet[44:64].strip(b"\x00").decode("ascii", "replace")
    tags.add(names.DATE, utc)


def _first_packets(body: bytes) -> Iterator[tuple[int, bytes]]:
    """The first and the second packet of each stream, as soon as they are whole."""
    open_packets: dict[int, bytearray] = {}
    counts: dict[int, int] = {}
    place = 0
    for _ in range(_MAX_PAGES):
        place = body.find(b"OggS", place)
        if place < 0 or place + 27 > len(body):
            return
        serial, segments = struct.unpack_from("<I8xB", body, place + 14)
        table = body[place + 27 : place + 27 + segments]
        start = place + 27 + segments
        place = start + sum(table)
        if counts.get(serial, 0) >= 2:
            if all(count >= 2 for count in counts.values()) and place > 200_000:
                return
            continue
        packet = open_packets.setdefault(serial, bytearray())
        for size in table:
            packet += body[start : start + size]
            start += size
            if size < 255 or len(packet) > _MAX_PACKET_BYTES:
                yield counts.get(serial, 0), bytes(packet)
                counts[serial] = counts.get(serial, 0) + 1
                packet.clear()
                if counts[serial] >= 2:
                    break
        counts.setdefault(serial, 0)
