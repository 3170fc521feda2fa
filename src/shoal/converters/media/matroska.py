"""What do Matroska and WebM films say? Title, tags, chapters, track names, and subtitles in text.

EBML (RFC 8794) with Matroska's elements (RFC 9559): an id and a size of variable width. Unknown
sizes (live streams) end with the parent. Subtitles stand in blocks between sound and picture; they
are gathered from tracks whose codec is text.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.tags import Tags, tagged

_MAX_ELEMENTS = 200_000
_MAX_LINES = 20_000
SEGMENT, INFO, TRACKS, TRACK, CLUSTER = 0x18538067, 0x1549A966, 0x1654AE6B, 0xAE, 0x1F43B675
TAGS, TAG, SIMPLE_TAG, CHAPTERS, EDITION, ATOM = (
    0x1254C367,
    0x7373,
    0x67C8,
    0x1043A770,
    0x45B9,
    0xB6,
)
ATTACHMENTS, BLOCK_GROUP, BLOCK, SIMPLE_BLOCK = 0x1941A469, 0xA0, 0xA1, 0xA3
_TITLE, _TAG_NAME, _TAG_STRING, _DISPLAY, _CHAPTER_TITLE = 0x7BA9, 0x45A3, 0x4487, 0x80, 0x85
_NUMBER, _NAME, _CODEC = 0xD7, 0x536E, 0x86
_NAMES = {
    "TITLE": names.TITLE, "ARTIST": names.ARTIST, "ALBUM": "Album", "LEAD_PERFORMER": "Performers",
    "COMPOSER": "Composer", "DIRECTOR": "Director", "PRODUCER": "Producer", "ACTOR": "Actors",
    "WRITTEN_BY": "Writer", "SCREENPLAY_BY": "Writer", "AUTHOR": "Author", "GENRE": "Genre",
    "SUBJECT": "Subject", "DESCRIPTION": names.DESCRIPTION, "SUMMARY": names.DESCRIPTION,
    "SYNOPSIS": names.DESCRIPTION, "KEYWORDS": names.KEYWORDS, "COMMENT": names.COMMENT,
    "DATE_RELEASED": names.DATE, "DATE_RECORDED": names.DATE, "DATE": names.DATE,
    "DATE_TAGGED": "Tagged", "COPYRIGHT": names.COPYRIGHT, "LICENSE": "Licence",
    "PUBLISHER": "Publisher", "PART_NUMBER": "Track", "SUBTITLE": "Subtitle",
    "ALBUM_ARTIST": "Album artist", "RECORDING_LOCATION": "Location", "YEAR": names.DATE,
    "CONTENT_TYPE": "Genre", "PRODUCTION_STUDIO": "Studio", "PURL": "Web page", "TRACK": "Track",
}  # fmt: skip
_DECORATION = re.compile(r"<[^<>]{1,60}>|\{[^{}]{0,200}\}")


class Element(NamedTuple):
    id: int
    start: int
    end: int


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_Film(body).read, body, context)


class _Film:
    def __init__(self, body: bytes) -> None:
        self._body = body
        self._left = _MAX_ELEMENTS
        self._codecs: dict[int, str] = {}
        self._lines: dict[int, list[str]] = {}

    def read(self, body: bytes, tags: Tags) -> None:
        for element in self._elements(0, len(body)):
            if element.id == SEGMENT:
                self._segment(element, tags)
        for lines in self._lines.values():
            tags.text("\n\n".join(lines))

    def _elements(self, place: int, end: int) -> Iterator[Element]:
        body = self._body
        while place < end and self._left > 0:
            self._left -= 1
            width = 9 - body[place].bit_length()
            ident = int.from_bytes(body[place : place + width], "big")
            place += width
            if width > 4 or place >= end:
                return
            width = 9 - body[place].bit_length()
            if width > 8:
                return
            size = int.from_bytes(body[place : place + width], "big") & ((1 << 7 * width) - 1)
            place += width
            is_open = size == (1 << 7 * width) - 1
            if is_open and ident == CLUSTER:
                continue  # its blocks are read as if they were the segment's
            stop = end if is_open else min(end, place + size)
            yield Element(ident, place, stop)
            place = stop

    def _text(self, element: Element) -> str:
        raw = self._body[element.start : element.end]
        return raw.partition(b"\x00")[0].decode("utf-8", "replace")

    def _number(self, element: Element) -> int:
        return int.from_bytes(self._body[element.start : element.end][:8], "big")

    def _segment(self, segment: Element, tags: Tags) -> None:
        for part in self._elements(segment.start, segment.end):
            if part.id == INFO:
                for each in self._elements(part.start, part.end):
                    if each.id == _TITLE:
                        tags.add(names.TITLE, self._text(each))
            elif part.id == TRACKS:
                for each in self._elements(part.start, part.end):
                    self._track(each, tags)
            elif part.id == CHAPTERS:
                self._chapters(part, tags, 0)
            elif part.id == TAGS:
                for each in self._elements(part.start, part.end):
                    self._tag(each, tags, 0)
            elif part.id == CLUSTER and self._codecs:
                self._cluster(part)
            elif part.id in (BLOCK_GROUP, SIMPLE_BLOCK) and self._codecs:
                self._block(part)

    def _track(self, track: Element, tags: Tags) -> None:
        number, codec = 0, ""
        for each in self._elements(track.start, track.end):
            if each.id == _NUMBER:
                number = self._number(each)
            elif each.id == _CODEC:
                codec = self._text(each)
            elif each.id == _NAME:
                tags.add("Track name", self._text(each))
        if codec.startswith("S_TEXT/"):
            self._codecs[number] = codec

    def _chapters(self, parent: Element, tags: Tags, depth: int) -> None:
        for each in self._elements(parent.start, parent.end):
            if each.id in (EDITION, ATOM, _DISPLAY) and depth < 8:
                self._chapters(each, tags, depth + 1)
            elif each.id == _CHAPTER_TITLE:
                tags.chapter(self._text(each))

    def _tag(self, parent: Element, tags: Tags, depth: int) -> None:
        name = ""
        for each in self._elements(parent.start, parent.end):
            if each.id == SIMPLE_TAG and depth < 8:
                self._tag(each, tags, depth + 1)
            elif each.id == _TAG_NAME:
                name = self._text(each).upper().replace(" ", "_")
            elif each.id == _TAG_STRING and name == "LYRICS":
                tags.text(self._text(each))
            elif each.id == _TAG_STRING and name in _NAMES:
                tags.add(_NAMES[name], self._text(each))

    def _cluster(self, cluster: Element) -> None:
        for each in self._elements(cluster.start, cluster.end):
            if each.id in (BLOCK_GROUP, SIMPLE_BLOCK):
                self._block(each)

    def _block(self, block: Element) -> None:
        if block.id == BLOCK_GROUP:
            for each in self._elements(block.start, block.end):
                if each.id == BLOCK:
                    self._block(each)
            return
        number = self._body[block.start] & 127 if self._body[block.start] & 128 else 0
        codec = self._codecs.get(number, "")
        lines = self._lines.setdefault(number, []) if codec else []
        if not codec or len(lines) >= _MAX_LINES:
            return
        text = self._body[block.start + 4 : block.end].decode("utf-8", "replace")
        if codec in ("S_TEXT/ASS", "S_TEXT/SSA"):
            text = text.split(",", 8)[-1].replace("\\N", "\n").replace("\\n", "\n")
        lines.append(_DECORATION.sub("", text).strip())
