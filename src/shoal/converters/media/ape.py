"""What do APE tags and Lyrics3 say? Both stand at the end of sound files, before an ID3v1 tag.

APE tags (Monkey's Audio, WavPack, Musepack, some MP3s): named UTF-8 values. Lyrics3: the words.
"""

import re
import struct

from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, plain

_FOOTER = struct.Struct("<8sIIII8x")
_ITEM = struct.Struct("<II")
_NAMES = {
    "title": names.TITLE, "subtitle": "Subtitle", "artist": names.ARTIST, "album": "Album",
    "album artist": "Album artist", "albumartist": "Album artist", "composer": "Composer",
    "conductor": "Conductor", "publisher": "Publisher", "comment": names.COMMENT,
    "copyright": names.COPYRIGHT, "year": names.DATE, "date": names.DATE,
    "record date": names.DATE, "genre": "Genre",
    "track": "Track", "disc": "Disc", "language": "Language", "abstract": names.DESCRIPTION,
}  # fmt: skip
_STAMP = re.compile(r"\[\d+:\d+(?:\.\d+)?\]")


def read_ape(data: bytes, end: int, tags: Tags) -> int:
    """Reads the tag that ends at `end`, if there is one; where it begins."""
    if end < 32 or data[end - 32 : end - 24] != b"APETAGEX":
        return end
    _, version, size, count, flags = _FOOTER.unpack_from(data, end - 32)
    start: int = max(0, end - size)
    place = start
    for _ in range(min(count, 1_000)):
        if place + 8 >= end - 32:
            break
        length, item_flags = _ITEM.unpack_from(data, place)
        stop = data.find(b"\x00", place + 8, place + 8 + 256)
        if stop < 0:
            break
        key = data[place + 8 : stop].decode("ascii", "replace")
        value = data[stop + 1 : min(end, stop + 1 + length)]
        place = stop + 1 + length
        if not item_flags & 6:  # text; binary are pictures
            _tell(key, value, version, tags)
    return max(0, start - (32 if flags & 0x8000_0000 else 0))


def _tell(key: str, value: bytes, version: int, tags: Tags) -> None:
    values = [plain(each) for each in value.split(b"\x00")]
    if key.lower() in ("lyrics", "unsyncedlyrics"):
        tags.text("\n".join(values))
    elif (name := _NAMES.get(key.lower(), "")) and version <= 2000:
        for each in values:
            tags.add(name, each)


def read_lyrics3(data: bytes, end: int, tags: Tags) -> int:
    tail = data[max(0, end - 9) : end]
    if tail == b"LYRICS200":
        size = data[max(0, end - 15) : end - 9]
        start = max(0, end - 15 - int(size)) if size.isdigit() else end
        place = start + 11
        while place + 8 <= end - 15 and data[place + 3 : place + 8].isdigit():
            length = int(data[place + 3 : place + 8])
            field = data[place : place + 3]
            value = plain(data[place + 8 : place + 8 + length])
            if field == b"LYR":
                tags.text(_STAMP.sub("", value))
            elif field == b"INF":
                tags.add(names.COMMENT, value)
            elif name := {b"EAL": "Album", b"EAR": names.ARTIST, b"ETT": names.TITLE}.get(field):
                tags.add(name, value)
            place += 8 + length
        return start
    if tail == b"LYRICSEND":
        start = data.rfind(b"LYRICSBEGIN", max(0, end - 5200), end)
        if start >= 0:
            tags.text(_STAMP.sub("", plain(data[start + 11 : end - 9])))
            return start
    return end
