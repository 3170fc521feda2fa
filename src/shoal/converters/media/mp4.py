"""What do MP4, M4A, QuickTime and 3GP files say? The tags in `moov`, iTunes's and the older ones.

Tags stand in `udta/meta/ilst` (iTunes, by four letters), `meta/keys + ilst` (QuickTime, by name),
`udta/©xxx` (QuickTime, by language), `udta/titl …` (3GPP) and XMP; chapters in `udta/chpl` or as a
track of text that the sound track points to. Tracks of timed text are subtitles: they are text.
"""

import struct

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.boxes import Box, boxes, find, inner
from shoal.converters.media.exif import place_of_iso6709
from shoal.converters.media.genres import genre
from shoal.converters.media.id3 import read_v2
from shoal.converters.media.mp4_text import read_text_tracks
from shoal.converters.media.tags import Tags, plain, tagged
from shoal.converters.media.xmp import read_xmp

_NAMES = {
    b"\xa9nam": names.TITLE, b"\xa9ART": names.ARTIST, b"\xa9alb": "Album", b"aART": "Album artist",
    b"\xa9day": names.DATE, b"\xa9gen": "Genre", b"\xa9wrt": "Composer", b"\xa9cmt": names.COMMENT,
    b"desc": names.DESCRIPTION, b"ldes": names.DESCRIPTION, b"cprt": names.COPYRIGHT,
    b"\xa9cpy": names.COPYRIGHT, b"\xa9grp": "Group", b"tvsh": "Show", b"tven": "Episode",
    b"tvnn": "Network", b"catg": "Category", b"keyw": names.KEYWORDS, b"\xa9aut": "Author",
    b"\xa9dir": "Director", b"\xa9prd": "Producer", b"\xa9inf": names.DESCRIPTION,
    b"\xa9des": names.DESCRIPTION, b"\xa9key": names.KEYWORDS, b"\xa9cmt ": names.COMMENT,
    b"\xa9PRD": "Producer", b"\xa9prf": "Performers", b"\xa9src": "Source", b"\xa9mak": "Camera",
    b"\xa9mod": "Camera model", b"\xa9nrt": "Narrator", b"\xa9pub": "Publisher",
    b"\xa9com": "Composer",
    b"\xa9con": "Conductor", b"\xa9st3": "Subtitle", b"titl": names.TITLE, b"auth": names.CREATOR,
    b"perf": names.ARTIST, b"gnre": "Genre", b"dscp": names.DESCRIPTION, b"albm": "Album",
    b"purl": "Web page", b"\xa9wrn": "Warning", b"\xa9hst": "Host computer", b"\xa9mvn": "Movement",
    b"\xa9wrk": "Work", b"ownr": "Owner",
}  # fmt: skip
_KEYS = {
    "title": names.TITLE, "displayname": names.TITLE, "artist": names.ARTIST, "album": "Album",
    "author": "Author", "comment": names.COMMENT, "description": names.DESCRIPTION,
    "copyright": names.COPYRIGHT, "creationdate": names.DATE, "director": "Director",
    "keywords": names.KEYWORDS, "information": names.DESCRIPTION, "producer": "Producer",
    "publisher": "Publisher", "genre": "Genre", "make": "Camera", "model": "Camera model",
    "year": names.DATE, "date": names.DATE,
}  # fmt: skip
_XMP_UUID = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
_MAX_KEYS = 1_000


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _read(body: bytes, tags: Tags) -> None:
    for box in boxes(body, 0, len(body)):
        if box.kind in (b"moov", b"moof"):
            _movie(body, box, tags)
        elif box.kind == b"meta":
            _meta(body, box, tags)
        elif box.kind == b"uuid" and body[box.start : box.start + 16] == _XMP_UUID:
            read_xmp(body[box.start + 16 : box.end], tags)
    for box in boxes(body, 0, len(body)):
        if box.kind == b"moov":
            read_text_tracks(body, box, tags)


def _movie(body: bytes, movie: Box, tags: Tags) -> None:
    for box in inner(body, movie):
        if box.kind == b"udta":
            _user_data(body, box, tags)
        elif box.kind == b"meta":
            _meta(body, box, tags)
        elif box.kind == b"trak" and (title := find(body, box, b"udta", b"name")):
            tags.add("Track name", plain(body[title.start : title.end]))


def _user_data(body: bytes, user_data: Box, tags: Tags) -> None:
    for box in inner(body, user_data):
        content = body[box.start : box.end]
        if box.kind == b"meta":
            _meta(body, box, tags)
        elif box.kind == b"XMP_":
            read_xmp(content, tags)
        elif box.kind == b"chpl":
            _nero_chapters(content, tags)
        elif box.kind == b"\xa9xyz":
            tags.add("Location", place_of_iso6709(plain(content[4:])))
        elif box.kind == b"yrrc" and len(content) >= 6:
            tags.add(names.DATE, str(struct.unpack_from(">H", content, 4)[0]))
        elif box.kind[:1] == b"\xa9":
            _by_language(content, _NAMES.get(box.kind, ""), tags)
        elif name := _NAMES.get(box.kind, ""):
            _by_3gpp(content, name, box.kind, tags)


def _by_language(content: bytes, name: str, tags: Tags) -> None:
    """QuickTime: for each language a size, the language and the text."""
    place = 0
    while name and place + 4 < len(content):
        size, language = struct.unpack_from(">HH", content, place)
        raw = content[place + 4 : place + 4 + size]
        tags.add(
            name, raw.decode("mac_roman") if language in (0, 2) and _is_mac(raw) else plain(raw)
        )
        place += 4 + max(1, size)


def _is_mac(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return True
    return False


def _by_3gpp(content: bytes, name: str, kind: bytes, tags: Tags) -> None:
    raw = content[6:]
    if kind == b"gnre" and len(content) < 8:
        return
    if raw[:2] in (b"\xfe\xff", b"\xff\xfe"):
        tags.add(name, raw.decode("utf-16", "replace").partition("\x00")[0])
    else:
        tags.add(name, plain(raw))


def _nero_chapters(content: bytes, tags: Tags) -> None:
    place = 9 if content[:1] == b"\x01" else 5
    while place + 9 <= len(content):
        size = content[place + 8]
        tags.chapter(plain(content[place + 9 : place + 9 + size]))
        place += 9 + size


def _meta(body: bytes, meta: Box, tags: Tags) -> None:
    keys = list[str]()
    for box in inner(body, meta):
        content = body[box.start : box.end]
        if box.kind == b"keys":
            keys = [
                plain(content[each.start : each.end]).rpartition(".")[2].lower()
                for each in boxes(content, 8, len(content))
            ][:_MAX_KEYS]
        elif box.kind == b"ilst":
            for item in inner(body, box):
                _item(body, item, keys, tags)
        elif box.kind == b"ID32":
            read_v2(content, 6, tags)
        elif box.kind in (b"xml ", b"XML "):
            read_xmp(content[4:], tags)


def _item(body: bytes, item: Box, keys: list[str], tags: Tags) -> None:
    values = [body[each.start : each.end] for each in inner(body, item) if each.kind == b"data"]
    number = int.from_bytes(item.kind, "big")
    for value in values:
        kind = int.from_bytes(value[1:4], "big")
        raw = value[8:]
        text = raw.decode("utf-16-be", "replace") if kind == 2 else plain(raw)
        if keys and 0 < number <= len(keys):
            key = keys[number - 1]
            if key == "iso6709":
                tags.add("Location", place_of_iso6709(text))
            elif kind in (1, 2) and key in _KEYS:
                tags.add(_KEYS[key], text)
        elif item.kind == b"gnre" and len(raw) >= 2:
            tags.add("Genre", genre(int.from_bytes(raw[:2], "big") - 1))
        elif item.kind in (b"trkn", b"disk"):
            tags.add("Track" if item.kind == b"trkn" else "Disc", _part(raw))
        elif item.kind == b"\xa9lyr":
            tags.text(text)
        elif item.kind in _NAMES and kind in (0, 1, 2):
            tags.add(_NAMES[item.kind], text)


def _part(raw: bytes) -> str:
    number, total = struct.unpack_from(">HH", raw, 2) if len(raw) >= 6 else (0, 0)
    if not number:
        return ""
    return f"{number}/{total}" if total else str(number)
