"""What do PNG, GIF, BMP and icon files say? Their text chunks and comments; and how large they are.

PNG (W3C, third edition): tEXt in Latin-1, zTXt packed, iTXt in UTF-8, eXIf. GIF89a: comment and
application extensions, of which one is XMP.
"""

import struct
import zlib

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.exif import read_exif
from shoal.converters.media.iptc import read_iptc, read_resources
from shoal.converters.media.tags import Tags, iso_date, plain, tagged
from shoal.converters.media.xmp import read_xmp

_MAX_CHUNKS = 100_000
_MAX_INFLATED = 5_000_000
_NAMES = {
    "title": names.TITLE, "author": names.CREATOR, "artist": names.CREATOR,
    "description": names.DESCRIPTION, "copyright": names.COPYRIGHT, "comment": names.COMMENT,
    "creation time": "Created", "source": "Source", "disclaimer": "Disclaimer",
    "warning": "Warning", "keywords": names.KEYWORDS, "document": "Document", "software":
    "Software", "model": "Camera model", "make": "Camera", "headline": "Headline",
}  # fmt: skip


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_png, body, context)


def _png(body: bytes, tags: Tags) -> None:
    place, size = 8, ""
    for _ in range(_MAX_CHUNKS):
        if place + 8 > len(body):
            break
        length, kind = struct.unpack_from(">I4s", body, place)
        data = body[place + 8 : place + 8 + length] if kind != b"IDAT" else b""
        place += 12 + length
        if kind == b"IHDR":
            width, height = struct.unpack_from(">II", data)
            size = f"{width} × {height}"
        elif kind == b"tEXt":
            key, _, raw = data.partition(b"\x00")
            _tell(key, raw, plain(raw), tags)
        elif kind == b"zTXt":
            key, _, raw = data.partition(b"\x00")
            raw = _inflated(raw[1:], tags)
            _tell(key, raw, plain(raw), tags)
        elif kind == b"iTXt":
            _international(data, tags)
        elif kind == b"eXIf":
            read_exif(data, tags)
        elif kind == b"IEND":
            break
    tags.add("Dimensions", size)


def _inflated(data: bytes, tags: Tags) -> bytes:
    try:
        text = zlib.decompressobj().decompress(data, _MAX_INFLATED)
    except zlib.error:
        return b""
    tags.spend(len(text))
    return text


def _international(data: bytes, tags: Tags) -> None:
    key, _, rest = data.partition(b"\x00")
    is_packed = rest[:1] == b"\x01"
    _language, _, rest = rest[2:].partition(b"\x00")
    _translated, _, raw = rest.partition(b"\x00")
    if is_packed:
        raw = _inflated(raw, tags)
    _tell(key, raw, raw.decode("utf-8", "replace"), tags)


def _tell(key: bytes, raw: bytes, text: str, tags: Tags) -> None:
    name = key.decode("latin-1").strip().lower()
    if name == "xml:com.adobe.xmp":
        read_xmp(raw, tags)
    elif name.startswith("raw profile type "):
        _raw_profile(name[17:], raw, tags)
    elif name == "creation time":
        tags.add("Created", iso_date(text) or text)
    elif name in _NAMES:
        tags.add(_NAMES[name], text)


def _raw_profile(kind: str, raw: bytes, tags: Tags) -> None:
    """ImageMagick's way: a name, a size and hexadecimal digits, one per line."""
    words = raw.split()
    digits = b"".join(words[2:])
    data = bytes.fromhex(digits[: len(digits) - len(digits) % 2].decode("ascii"))
    if kind in ("exif", "app1"):
        read_exif(data, tags)
    elif kind == "xmp":
        read_xmp(data, tags)
    elif kind in ("iptc", "8bim"):
        read_resources(data, tags) if data[:4] == b"8BIM" else read_iptc(data, tags)


def convert_gif(body: bytes, context: Context) -> list[Converted]:
    return tagged(_gif, body, context)


def _gif(body: bytes, tags: Tags) -> None:
    width, height, flags = struct.unpack_from("<HHB", body, 6)
    tags.add("Dimensions", f"{width} × {height}")
    place = 13 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
    for _ in range(_MAX_CHUNKS):
        mark = body[place : place + 1]
        if mark == b",":
            flags = body[place + 9]
            place += 11 + (3 << (flags & 7) + 1 if flags & 0x80 else 0)
            _, place = _blocks(body, place, wanted=False)
        elif mark == b"!" and place + 2 < len(body):
            label = body[place + 1]
            if label == 0xFF and body[place + 3 : place + 14] == b"XMP DataXMP":
                end = body.find(b"\x00\x00", place)  # of the trailer; the packet has no blocks
                end = len(body) if end < 0 else end + 2
                read_xmp(body[place + 14 : end][:-258], tags)
                place = end
                continue
            data, place = _blocks(body, place + 2, wanted=label == 0xFE)
            tags.add(names.COMMENT, plain(data))
        else:
            return


def _blocks(body: bytes, place: int, *, wanted: bool) -> tuple[bytes, int]:
    pieces = list[bytes]()
    while place < len(body) and body[place]:
        if wanted:
            pieces.append(body[place + 1 : place + 1 + body[place]])
        place += 1 + body[place]
    return b"".join(pieces), place + 1


def convert_bmp(body: bytes, context: Context) -> list[Converted]:
    return tagged(_bmp, body, context)


def _bmp(body: bytes, tags: Tags) -> None:
    if struct.unpack_from("<I", body, 14)[0] == 12:
        width, height = struct.unpack_from("<HH", body, 18)
    else:
        width, height = struct.unpack_from("<ii", body, 18)
    tags.add("Dimensions", f"{width} × {abs(height)}")


def convert_icon(body: bytes, context: Context) -> list[Converted]:
    return tagged(_icon, body, context)


def _icon(body: bytes, tags: Tags) -> None:
    (count,) = struct.unpack_from("<H", body, 4)
    for number in range(min(count, 100)):
        width, height = struct.unpack_from("BB", body, 6 + 16 * number)
        tags.add("Dimensions", f"{width or 256} × {height or 256}")
