"""What do HEIC, AVIF, JPEG 2000 and JPEG XL pictures say? EXIF and XMP, in items or boxes.

HEIF (ISO/IEC 23008-12): the `meta` box names items (`iinf`) and where each lies (`iloc`). JPEG 2000
and XL have boxes for them.
"""

import struct

from shoal.converters.context import Context, Converted
from shoal.converters.encoding import undo
from shoal.converters.media.boxes import Box, boxes, find, inner
from shoal.converters.media.exif import read_exif
from shoal.converters.media.iptc import read_iptc
from shoal.converters.media.tags import Tags, tagged
from shoal.converters.media.xmp import read_xmp

_MAX_ITEMS = 5_000
_MAX_ITEM_BYTES = 10_000_000
_XMP_UUID = bytes.fromhex("be7acfcb97a942e89c71999491e3afac")
_EXIF_UUID = b"JpgTiffExif->JP2"
_IPTC_UUID = bytes.fromhex("33c7a4d2b81d4723a0baf1a3e097ad38")


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_heif, body, context)


def convert_jp2(body: bytes, context: Context) -> list[Converted]:
    return tagged(_boxed, body, context)


def _heif(body: bytes, tags: Tags) -> None:
    whole = Box(b"file", 0, len(body))
    meta = find(body, whole, b"meta")
    if meta is None:
        return
    kinds = _kinds(body, meta)
    for ident, data in _items(body, meta, set(kinds), tags):
        if kinds[ident] == b"Exif":
            skip = int.from_bytes(data[:4], "big")
            read_exif(data[4 + skip :], tags)
        else:
            read_xmp(data, tags)
    properties = find(body, meta, b"iprp", b"ipco")
    sizes = [
        struct.unpack_from(">II", body, each.start + 4)
        for each in (inner(body, properties) if properties else ())
        if each.kind == b"ispe"
    ]
    crop = find(body, meta, b"iprp", b"ipco", b"clap")
    if crop is not None:  # the picture fills its last tiles in part
        wide, by_wide, high, by_high = struct.unpack_from(">4I", body, crop.start)
        sizes = [(wide // max(1, by_wide), high // max(1, by_high))]
    if sizes:  # of tiles, thumbnails and the whole
        width, height = max(sizes)
        tags.add("Dimensions", f"{width} × {height}")


def _kinds(body: bytes, meta: Box) -> dict[int, bytes]:
    """The items that hold EXIF or XMP."""
    found: dict[int, bytes] = {}
    info = find(body, meta, b"iinf")
    if info is None:
        return found
    start = info.start + (6 if body[info.start] == 0 else 8)
    for entry in boxes(body, start, info.end):
        version = body[entry.start]
        if entry.kind != b"infe" or version < 2:
            continue
        ident, at = (
            (
                struct.unpack_from(">H", body, entry.start + 4)[0],
                entry.start + 8,
            )
            if version == 2
            else (struct.unpack_from(">I", body, entry.start + 4)[0], entry.start + 10)
        )
        kind = body[at : at + 4]
        rest = body[at + 4 : entry.end].split(b"\x00")
        if kind == b"Exif" or (kind == b"mime" and b"application/rdf+xml" in rest):
            found[ident] = kind
    return found


def _items(body: bytes, meta: Box, wanted: set[int], tags: Tags) -> list[tuple[int, bytes]]:
    located = find(body, meta, b"iloc")
    if located is None or not wanted:
        return []
    place = located.start
    version, sizes, bases = body[place], body[place + 4], body[place + 5]
    offset_size, length_size, base_size = sizes >> 4, sizes & 15, bases >> 4
    index_size = bases & 15 if version in (1, 2) else 0
    number_size = 4 if version == 2 else 2
    idat = find(body, meta, b"idat")
    place += 6
    found = list[tuple[int, bytes]]()

    def number(size: int) -> int:
        nonlocal place
        value = int.from_bytes(body[place : place + size], "big")
        place += size
        return value

    for _ in range(min(number(number_size), _MAX_ITEMS)):
        ident = number(number_size)
        method = number(2) & 15 if version in (1, 2) else 0
        number(2)
        base = number(base_size) + (idat.start if method == 1 and idat is not None else 0)
        pieces = list[bytes]()
        for _ in range(number(2)):
            number(index_size)
            start = base + number(offset_size)
            length = number(length_size)
            if ident in wanted and method < 2:
                pieces.append(body[start : start + min(length or len(body), _MAX_ITEM_BYTES)])
                tags.spend(len(pieces[-1]))
            if place > located.end or not sizes:
                break
        if ident in wanted:
            found.append((ident, b"".join(pieces)))
        if place > located.end:
            break
    return found


def _boxed(body: bytes, tags: Tags) -> None:
    for box in boxes(body, 0, len(body)):
        data = body[box.start : box.end] if box.kind != b"jp2c" else b""
        kind = box.kind
        if kind == b"brob":  # packed by Brotli, behind the kind of what is packed
            kind, data = data[:4], undo(data[4:], "br", _MAX_ITEM_BYTES, 200).data
        if kind == b"xml ":
            read_xmp(data, tags)
        elif kind == b"Exif":
            read_exif(data[4 + int.from_bytes(data[:4], "big") :], tags)
        elif kind == b"uuid" and data[:16] == _XMP_UUID:
            read_xmp(data[16:], tags)
        elif kind == b"uuid" and data[:16] == _EXIF_UUID:
            read_exif(data[16:], tags)
        elif kind == b"uuid" and data[:16] == _IPTC_UUID:
            read_iptc(data[16:], tags)
        elif kind == b"jp2h" and data[4:8] == b"ihdr":
            height, width = struct.unpack_from(">II", data, 8)
            tags.add("Dimensions", f"{width} × {height}")
