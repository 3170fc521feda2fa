"""What do the ID3 tags say? Versions 2.2 to 2.4 at the front of a file, version 1 at its end.

By id3.org's documents. Known faults of writers are read as they meant it: sizes of 2.4 that are not
"synchsafe", UTF-16 without a mark, UTF-8 in what is called Latin-1.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from typing import NamedTuple

from shoal.converters.media import tags as names
from shoal.converters.media.genres import genre
from shoal.converters.media.tags import Tags, plain

_MAX_FRAMES = 2_000
_MAX_INFLATED = 500_000
_HEADER = struct.Struct(">3sBBB4s")
_WIDE = {1: "utf-16", 2: "utf-16-be"}

_TEXTS = {
    "TIT2": names.TITLE, "TIT1": "Group", "TIT3": "Subtitle", "TPE1": names.ARTIST,
    "TPE2": "Album artist", "TPE3": "Conductor", "TPE4": "Remixer", "TALB": "Album",
    "TCOM": "Composer", "TEXT": "Lyricist", "TOLY": "Original lyricist", "TOPE": "Original artist",
    "TOAL": "Original album", "TPUB": "Publisher", "TCOP": names.COPYRIGHT, "TENC": "Encoded by",
    "TRCK": "Track", "TPOS": "Disc", "TDRC": names.DATE, "TYER": names.DATE, "TDRL": "Released",
    "TDOR": "Original date", "TORY": "Original date", "TSRC": "ISRC", "TRSN": "Station",
    "TMOO": "Mood", "TDES": names.DESCRIPTION, "TKWD": names.KEYWORDS, "TCAT": "Category",
    "TSST": "Part", "TOWN": "Owner", "MVNM": "Movement", "GRP1": "Group",
}  # fmt: skip
_SHORT = {
    "TT2": "TIT2", "TT1": "TIT1", "TT3": "TIT3", "TP1": "TPE1", "TP2": "TPE2", "TP3": "TPE3",
    "TP4": "TPE4", "TAL": "TALB", "TCM": "TCOM", "TXT": "TEXT", "TOL": "TOLY", "TOA": "TOPE",
    "TOT": "TOAL", "TPB": "TPUB", "TCR": "TCOP", "TEN": "TENC", "TRK": "TRCK", "TPA": "TPOS",
    "TYE": "TYER", "TOR": "TORY", "TRC": "TSRC", "TCO": "TCON", "TXX": "TXXX", "COM": "COMM",
    "ULT": "USLT", "SLT": "SYLT", "WXX": "WXXX", "WAR": "WOAR", "WCM": "WCOM", "WCP": "WCOP",
    "WAF": "WOAF", "WAS": "WOAS", "WPB": "WPUB", "TLA": "TLAN",
}  # fmt: skip
_LINKS = frozenset({"WXXX", "WOAR", "WOAF", "WOAS", "WPUB", "WCOM", "WCOP", "WPAY", "WFED"})
_GENRE = re.compile(r"\((\d{1,3})\)")
_TECHNICAL = re.compile(
    r"iTun|replaygain|accurip|musicbrainz|discid|cddb|acoustid|encod|rating|catalog|barcode"
    r"|^(?:id3v1|compatible_brands|major_brand|minor_version|gapless|purl)",
    re.IGNORECASE,
)
_NUMBERS = re.compile(r"[\s0-9A-Fa-f]{20,}")


class _Frame(NamedTuple):
    id: str
    data: bytes


def read_v2(data: bytes, start: int, tags: Tags) -> int:
    """Reads the tag that stands at `start`, if there is one; where it ends."""
    if data[start : start + 3] != b"ID3" or len(data) < start + 10:
        return start
    _, version, _, flags, size = _HEADER.unpack_from(data, start)
    end = start + 10 + _synchsafe(size)
    content = data[start + 10 : end]
    if flags & 0x80 and version < 4:
        content = content.replace(b"\xff\x00", b"\xff")
    if flags & 0x40 and version >= 3 and len(content) >= 4:
        extended = _synchsafe(content[:4]) if version == 4 else 4 + _number(content[:4])
        content = content[extended:]
    frames = list(_frames(content, version, bool(flags & 0x80), tags))
    tags.guess_charset(frame.data[1:] for frame in frames if frame.data[0] == 0)
    for frame in frames:
        _tell(frame, tags)
    return min(len(data), end + (10 if flags & 0x10 else 0))


def _synchsafe(raw: bytes) -> int:
    a, b, c, d = raw
    return (a & 127) << 21 | (b & 127) << 14 | (c & 127) << 7 | d & 127


def _number(raw: bytes) -> int:
    return int.from_bytes(raw, "big")


def _frames(content: bytes, version: int, unsynchronised: bool, tags: Tags) -> Iterator[_Frame]:
    place, head, width = 0, *((6, 3) if version == 2 else (10, 4))
    for _ in range(_MAX_FRAMES):
        raw = content[place : place + width]
        if len(raw) < width or not re.fullmatch(rb"[A-Z][A-Z0-9]{2,3} ?", raw):
            return
        ident = raw.decode("ascii").strip()
        size = _number(content[place + width : place + 2 * width])
        flags = 0 if version == 2 else _number(content[place + 8 : place + 10])
        if version == 4:
            size = _size_of_2_4(content, place, size)
        data = content[place + head : place + head + size]
        place += head + size
        ident = _SHORT.get(ident, ident)
        tags.spend(len(data))
        if ident[0] in "TWCUS" and (opened := _opened(data, version, flags, unsynchronised)):
            yield _Frame(ident, opened)


def _size_of_2_4(content: bytes, place: int, size: int) -> int:
    """Some programs write plain numbers: the one behind which a frame or nothing begins is it."""
    safe = _synchsafe(content[place + 4 : place + 8].rjust(4, b"\x00"))
    if safe == size:
        return size
    follows = content[place + 10 + size : place + 14 + size]
    means_plain = len(follows) == 4 and re.fullmatch(rb"[A-Z][A-Z0-9]{3}|\x00{4}", follows)
    after_safe = content[place + 10 + safe : place + 14 + safe]
    means_safe = not after_safe or re.fullmatch(rb"[A-Z][A-Z0-9]{3}|\x00{1,4}", after_safe)
    return size if means_plain and not means_safe else safe


def _opened(data: bytes, version: int, flags: int, unsynchronised: bool) -> bytes:
    if version == 3:
        if flags & 0x40:
            return b""  # encrypted
        if flags & 0x80:
            return _inflated(data[4:])
        return data[1:] if flags & 0x20 else data
    if version == 4:
        if flags & 0x04:
            return b""
        if flags & 0x40:
            data = data[1:]
        if flags & 0x01:
            data = data[4:]
        if flags & 0x02 or unsynchronised:
            data = data.replace(b"\xff\x00", b"\xff")
        if flags & 0x08:
            return _inflated(data)
    return data


def _inflated(data: bytes) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, _MAX_INFLATED)
    except zlib.error:
        return b""


def _tell(frame: _Frame, tags: Tags) -> None:
    if frame.id in ("COMM", "USLT"):
        _comment(frame, tags)
    elif frame.id == "SYLT":
        _timed_lyrics(frame.data, tags)
    elif frame.id == "CHAP":
        _chapter(frame.data, tags)
    elif frame.id == "TXXX":
        name, value = _two(tags, frame.data[0], frame.data[1:])
        if name.lower() in ("lyrics", "uslt", "unsyncedlyrics"):
            tags.text(value)
        elif not _TECHNICAL.search(name):
            tags.add(_labelled(name) or names.COMMENT, value.replace("\x00", ", "))
    elif frame.id in _LINKS:
        at = frame.data.rfind(b"\x00") + 1 if frame.id == "WXXX" else 0
        tags.add("Web page", plain(frame.data[at:]))
    elif frame.id == "TCON":
        for value in _decoded(tags, frame.data[0], frame.data[1:]).split("\x00"):
            tags.add("Genre", _genres(value))
    elif name := _TEXTS.get(frame.id, ""):
        for value in _decoded(tags, frame.data[0], frame.data[1:]).split("\x00"):
            tags.add(name, value)


def _labelled(name: str) -> str:
    """`REEF_NAME` of a free tag, for people."""
    return name.strip().replace("_", " ").capitalize()[:60]


def _genres(value: str) -> str:
    if value.isdecimal() and len(value) < 4:
        return genre(int(value)) or value
    named = _GENRE.sub("", value).strip()
    if named:
        return named
    return ", ".join(filter(None, (genre(int(number)) for number in _GENRE.findall(value))))


def _decoded(tags: Tags, encoding: int, data: bytes) -> str:
    if encoding in _WIDE:
        odd = data[: len(data) - len(data) % 2]
        codec = _WIDE[encoding]
        if codec == "utf-16" and odd[:2] not in (b"\xff\xfe", b"\xfe\xff"):
            codec = "utf-16-be" if odd[:1] == b"\x00" else "utf-16-le"
        text = odd.decode(codec, "replace")
        return text.replace("\ufeff", "").replace("\ufffe", "").strip("\x00")
    if encoding > 3:  # no encoding was given: all of it is text
        data = bytes([encoding]) + data
    return "\x00".join(tags.plain(each) for each in data.split(b"\x00")).strip("\x00")


def _two(tags: Tags, encoding: int, data: bytes) -> tuple[str, str]:
    """A short text that describes, and the text itself."""
    if encoding in _WIDE:
        end = _end(data, 0, b"\x00\x00")
        return _decoded(tags, encoding, data[:end]), _decoded(tags, encoding, data[end + 2 :])
    name, _, value = data.partition(b"\x00")
    return _decoded(tags, encoding, name), _decoded(tags, encoding, value)


def _end(data: bytes, start: int, mark: bytes) -> int:
    """Where a text ends: a mark of two bytes stands only between letters, not across two."""
    end = data.find(mark, start)
    while end >= 0 and (end - start) % len(mark):
        end = data.find(mark, end + 1)
    return len(data) if end < 0 else end


def _comment(frame: _Frame, tags: Tags) -> None:
    encoding, data = frame.data[0], frame.data[4:]
    name, value = _two(tags, encoding, data)
    if _TECHNICAL.search(name) or (frame.id == "COMM" and _NUMBERS.fullmatch(value)):
        return
    if frame.id == "USLT":
        tags.text(value or name)
    else:
        tags.add(names.COMMENT, value or name)


def _timed_lyrics(data: bytes, tags: Tags) -> None:
    """Each syllable or line with its time; only the words are wanted."""
    if len(data) < 7 or data[5] not in (0, 1, 2):  # lyrics, transcription; not chords and events
        return
    encoding = data[0]
    mark = b"\x00\x00" if encoding in _WIDE else b"\x00"
    step = len(mark)
    place, pieces = 6, list[str]()
    while place < len(data) and len(pieces) < 20_000:
        end = _end(data, place, mark)
        pieces.append(_decoded(tags, encoding, data[place:end]))
        place = end + step + (4 if len(pieces) > 1 else 0)  # what comes first is no text
    words = pieces[1:]
    tags.text(("" if any(word.startswith(("\n", " ")) for word in words) else "\n").join(words))


def _chapter(data: bytes, tags: Tags) -> None:
    inner = data[data.find(b"\x00") + 17 :]
    version = 3 if inner[4:7] == b"\x00\x00\x00" else 4
    for frame in _frames(inner, version, unsynchronised=False, tags=tags):
        if frame.id == "TIT2":
            tags.chapter(_decoded(tags, frame.data[0], frame.data[1:]))


def read_v1(data: bytes, end: int, tags: Tags) -> int:
    """Reads the tag that ends at `end`, if there is one; where it begins."""
    tag = data[max(0, end - 128) : end]
    if len(tag) < 128 or tag[:3] != b"TAG":
        return end
    if not tags.charset:
        tags.guess_charset(re.split(rb"[\x00 ]{2,}", tag[3:127].rstrip(b"\x00 ")))
    tags.add(names.TITLE, tags.plain(tag[3:33]))
    tags.add(names.ARTIST, tags.plain(tag[33:63]))
    tags.add("Album", tags.plain(tag[63:93]))
    if not tags.first(names.DATE):
        tags.add(names.DATE, tags.plain(tag[93:97]))
    tags.add(names.COMMENT, tags.plain(tag[97:127]))
    if tag[125] == 0 and tag[126] and not tags.first("Track"):
        tags.add("Track", str(tag[126]))
    if not tags.first("Genre"):
        tags.add("Genre", genre(tag[127]))
    return end - 128
