"""What is written in drawings of CAD programs? Properties of DWG files, texts of CADKEY parts.

DWG (R2004 on) keeps title, author and keywords in a plain section of its own; its drawing is packed
in ways that no open document describes, so its texts are left. CADKEY's texts stand in the clear,
each behind the numbers of its height, aspect and font.
"""

import re
import struct

from shoal.converters.context import Context, Converted
from shoal.converters.media import tags as names
from shoal.converters.media.tags import FAULTS, Tags, plain, tagged
from shoal.converters.writer import Writer

_SUMMARY = (
    names.TITLE, "Subject", names.CREATOR, names.KEYWORDS, names.COMMENT, "Last saved by",
    "Revision", "Web page",
)  # fmt: skip
_MAX_PROPERTIES = 500
_WIDE_FROM = b"AC1021"
_CADKEY_TEXT = re.compile(rb"[\x3f\x40\xbf\xc0][\x00-\x1f]{10}\x1f(?=(..)(.))", re.DOTALL)
_MAX_TEXTS = 50_000


def convert_dwg(body: bytes, context: Context) -> list[Converted]:
    return tagged(_dwg, body, context)


def _dwg(body: bytes, tags: Tags) -> None:
    if body[:6] < b"AC1018":
        return
    (place,) = struct.unpack_from("<I", body, 0x20)
    is_wide = body[:6] >= _WIDE_FROM
    if not 0 < place < len(body):
        return
    for name in _SUMMARY:
        text, place = _string(body, place, is_wide)
        for value in re.split(r"[;,]\s*", text) if name == names.KEYWORDS else [text]:
            tags.add(name, value)
    tags.add("Created", _day(body, place + 8))
    tags.add(names.MODIFIED, _day(body, place + 16))
    place += 24
    (count,) = struct.unpack_from("<H", body, place)
    place += 2
    for _ in range(min(count, _MAX_PROPERTIES)):
        name, place = _string(body, place, is_wide)
        value, place = _string(body, place, is_wide)
        tags.add(name.strip()[:100] or names.COMMENT, value)


def _string(body: bytes, place: int, is_wide: bool) -> tuple[str, int]:
    (size,) = struct.unpack_from("<H", body, place)
    place += 2
    raw = body[place : place + size * (1 + is_wide)]
    text = raw.decode("utf-16-le", "replace").partition("\x00")[0] if is_wide else plain(raw)
    return text, place + size * (1 + is_wide)


def _day(body: bytes, place: int) -> str:
    """A Julian day number; the milliseconds behind it are no use to anybody."""
    (day,) = struct.unpack_from("<I", body, place)
    if not 2_400_000 < day < 2_500_000:
        return ""
    # Fliegel and Van Flandern's way from day numbers to the calendar.
    rest = day + 68_569
    century = 4 * rest // 146_097
    rest -= (146_097 * century + 3) // 4
    year = 4_000 * (rest + 1) // 1_461_001
    rest = rest - 1_461 * year // 4 + 31
    month = 80 * rest // 2_447
    day_of_month = rest - 2_447 * month // 80
    rest = month // 11
    return f"{100 * (century - 49) + year + rest:04}-{month + 2 - 12 * rest:02}-{day_of_month:02}"


def convert_cadkey(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    problem = ""
    try:
        for number, match in enumerate(_CADKEY_TEXT.finditer(body)):
            if number >= _MAX_TEXTS or writer.full:
                break
            size = int.from_bytes(match[1], "little")
            start = match.end() + 2
            raw = body[start : start + size]
            if raw[-1:] == b"\x00" and b"\x00" not in raw[:-1]:
                for line in re.split(r"[\r\n]+", raw[:-1].decode("cp437")):
                    writer.paragraph(line)
    except FAULTS as fault:
        problem = f"damaged: {fault}"[:200]
    page = writer.page(plain(body[42:542]).strip())
    stamp = body[30:42]
    if stamp.isdigit():
        when = stamp.decode("ascii")
        page.modified = f"{when[:4]}-{when[4:6]}-{when[6:8]}T{when[8:10]}:{when[10:12]}:00"
    return [Converted(page, problem=problem or writer.problem)]
