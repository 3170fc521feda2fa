"""What does a text of a OneNote page say, and how? Runs of it, with boldness and links.

A text is UTF-16 or, when it can be, bytes of the Western code page; a list of places cuts it into
runs, each with an object that tells its looks. A link is a hidden run with the address, before the
run that is shown.
"""

import re
import struct
from itertools import pairwise

from shoal.converters.characters.codepages import decode
from shoal.converters.ole.onenote_properties import PropertySet
from shoal.converters.ole.onenote_store import Space, Stored
from shoal.converters.writer import Run

UNICODE, ASCII = 0x1C001C22, 0x1C003498
_RUN_STARTS, _RUN_LOOKS, _STYLE, _BOLD, _HIDDEN = (
    *(0x1C001E12, 0x24001E13, 0x2000342C, 0x08001C04, 0x08001E16),
)
_STYLE_NAME = 0x1C00345A
_LINK = re.compile('\ufddfHYPERLINK "([^"]*)"')


def text_of(properties: PropertySet) -> str:
    if UNICODE in properties.values:
        return properties.text(UNICODE)
    return decode(properties.values.get(ASCII, b""), "cp1252").rstrip("\0")


def plain(text: str) -> str:
    return _LINK.sub("", text)


def style_name(node: Stored, space: Space) -> str:
    for reference in node.references(_STYLE):
        style = space.objects.get(reference)
        if style:
            return style.properties.text(_STYLE_NAME)
    return ""


def runs_of(node: Stored, space: Space) -> list[Run]:
    text = text_of(node.properties)
    raw = node.properties.values.get(_RUN_STARTS, b"")
    starts = [0, *struct.unpack(f"<{len(raw) // 4}I", raw[: len(raw) & ~3]), len(text)]
    looks = [space.objects.get(each) for each in node.references(_RUN_LOOKS)]
    runs: list[Run] = []
    href = ""
    for number, (start, end) in enumerate(pairwise(starts)):
        look = looks[number] if number < len(looks) else None
        piece = text[start:end]
        link = _LINK.match(piece)
        if link:
            href, piece = link.group(1), piece[link.end() :]
            if not piece:
                continue
        flags = look.properties.flags if look else {}
        if flags.get(_HIDDEN):
            continue
        runs.append(Run(piece, flags.get(_BOLD, False), href))
        href = ""
    return runs
