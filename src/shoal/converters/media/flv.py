"""What do Flash films say? The values of `onMetaData`, in AMF0, by Adobe's FLV specification."""

import struct

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, tagged

_MAX_TAGS = 2_000
_MAX_VALUES = 2_000
_NAMES = {
    "title": names.TITLE, "artist": names.ARTIST, "author": "Author", "creator": names.CREATOR,
    "description": names.DESCRIPTION, "comment": names.COMMENT, "comments": names.COMMENT,
    "copyright": names.COPYRIGHT, "creationdate": names.DATE, "date": names.DATE, "year":
    names.DATE, "keywords": names.KEYWORDS, "genre": "Genre", "album": "Album", "track": "Track",
    "source": "Source",
}  # fmt: skip


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_flv, body, context)


def _flv(body: bytes, tags: Tags) -> None:
    (place,) = struct.unpack_from(">I", body, 5)
    place += 4
    for _ in range(_MAX_TAGS):
        if place + 11 > len(body):
            return
        size = int.from_bytes(body[place + 1 : place + 4], "big")
        if body[place] & 31 == 18:
            _Script(body[place + 11 : place + 11 + size], tags).read()
        place += 15 + size


class _Script:
    """Values of AMF0."""

    def __init__(self, data: bytes, tags: Tags) -> None:
        self._data = data
        self._tags = tags
        self._place = 0
        self._left = _MAX_VALUES

    def read(self) -> None:
        name = self._value("", 0)
        while self._place < len(self._data) and self._left > 0:
            value = self._value("", 0)
            if name == "onTextData" and value:
                self._tags.text(value)

    def _value(self, name: str, depth: int) -> str:
        self._left -= 1
        if self._left < 0 or depth > 8:
            raise ValueError("too many values")
        kind = self._data[self._place]
        self._place += 1
        if kind in (0, 11):
            self._place += 8 if kind == 0 else 10
        elif kind == 1:
            self._place += 1
        elif kind in (2, 12):
            text = self._string(4 if kind == 12 else 2)
            if name.lower() in _NAMES:
                self._tags.add(_NAMES[name.lower()], text)
            return text
        elif kind in (3, 8):
            self._place += 4 if kind == 8 else 0
            self._object(depth)
        elif kind == 10:
            (count,) = struct.unpack_from(">I", self._data, self._place)
            self._place += 4
            for _ in range(count):
                self._value("", depth + 1)
        elif kind not in (5, 6, 9):
            raise ValueError("an unknown value")
        return ""

    def _string(self, width: int) -> str:
        size = int.from_bytes(self._data[self._place : self._place + width], "big")
        start = self._place + width
        self._place = start + size
        return self._data[start : self._place].decode("utf-8", "replace")

    def _object(self, depth: int) -> None:
        while self._place + 3 <= len(self._data):
            if self._data[self._place : self._place + 3] == b"\x00\x00\x09":
                self._place += 3
                return
            self._value(self._string(2), depth + 1)
