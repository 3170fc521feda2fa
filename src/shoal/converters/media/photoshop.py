"""What does a Photoshop file say? IPTC and XMP in its resources, names and texts of its layers.

By Adobe's file format specification. A text layer's words stand in its `TySh` block, as
the UTF-16 item `Txt ` of an object; the whole descriptor is not needed to find it.
"""

import struct
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.media.iptc import read_resources
from shoal.converters.media.tags import FAULTS, Tags, tagged

_MAX_LAYERS = 5_000
_TEXT_ITEM = b"Txt TEXT"
_BORING = ("Background", "</Layer", "Layer ", "Ebene ", "Calque ")
_LONG_BLOCKS = (
    b"LMsk", b"Lr16", b"Lr32", b"Layr", b"Mt16", b"Mt32", b"Mtrn", b"Alph", b"FMsk", b"lnk2",
    b"FEid", b"FXid", b"PxSD",
)  # fmt: skip


def convert(body: bytes, context: Context) -> list[Converted]:
    return tagged(_read, body, context)


def _read(body: bytes, tags: Tags) -> None:
    version, height, width = struct.unpack_from(">H8xII", body, 4)
    (colours,) = struct.unpack_from(">I", body, 26)
    place = 30 + colours
    (size,) = struct.unpack_from(">I", body, place)
    read_resources(body[place + 4 : place + 4 + size], tags)
    tags.add("Dimensions", f"{width} × {height}")
    try:
        for name, text in _layers(body, place + 4 + size, is_big=version == 2):
            if text:
                tags.text(text)
            elif not name.startswith(_BORING):
                tags.add("Layer", name)
    except FAULTS as fault:
        tags.problem = f"damaged: {fault}"[:200]


def _layers(body: bytes, place: int, *, is_big: bool) -> Iterator[tuple[str, str]]:
    width = 8 if is_big else 4
    place += 2 * width  # of the section, of the layers
    (count,) = struct.unpack_from(">h", body, place)
    place += 2
    for _ in range(min(abs(count), _MAX_LAYERS)):
        (channels,) = struct.unpack_from(">H", body, place + 16)
        place += 18 + channels * (2 + width) + 12
        (extra,) = struct.unpack_from(">I", body, place)
        yield _layer(body[place + 4 : place + 4 + extra], is_big)
        place += 4 + extra


def _layer(data: bytes, is_big: bool) -> tuple[str, str]:
    place = 0
    for _ in range(2):  # mask, blending
        place += 4 + struct.unpack_from(">I", data, place)[0]
    size = data[place]
    name, text = data[place + 1 : place + 1 + size].decode("mac_roman"), ""
    place += (size + 4) // 4 * 4
    while place + 12 <= len(data) and data[place : place + 4] in (b"8BIM", b"8B64"):
        key = data[place + 4 : place + 8]
        width = 8 if is_big and key in _LONG_BLOCKS else 4
        size = int.from_bytes(data[place + 8 : place + 8 + width], "big")
        start = place + 8 + width
        block = data[start : start + size]
        if key == b"luni":
            (chars,) = struct.unpack_from(">I", block)
            name = block[4 : 4 + 2 * chars].decode("utf-16-be", "replace").rstrip("\x00")
        elif key == b"TySh":
            text = _words(block)
        place = start + size + size % 2
    return name, text


def _words(block: bytes) -> str:
    at = block.find(_TEXT_ITEM)
    if at < 0:
        return ""
    (chars,) = struct.unpack_from(">I", block, at + 8)
    raw = block[at + 12 : at + 12 + 2 * chars]
    return raw.decode("utf-16-be", "replace").rstrip("\x00").replace("\x03", "\n")
