"""What does a list of Word's formatting codes ("sprms") say? How text and paragraphs look.

[MS-DOC] 2.6 for the two-byte codes, which tell their own length; the one-byte codes of Word 6 and
95 do not, so their lengths stand here and reading stops at an unknown one.
"""

import struct
from collections.abc import Iterator
from typing import NamedTuple

_SIZES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
_VARIABLE = -1
_OLD_SIZES = {
    **dict.fromkeys((4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 24, 25, 29, 36, 44, 45), 1),
    **dict.fromkeys((2, 16, 17, 18, 19, 21, 22, 26, 27, 28), 2),
    **dict.fromkeys((*range(30, 36), *range(37, 44)), 2),
    20: 4,
    **dict.fromkeys((3, 12, 15, 23), _VARIABLE),
    **dict.fromkeys((65, 66, 67, 71, 75, *range(85, 93), 94, 98, 100), 1),
    **dict.fromkeys((69, 72, 80, 93, 96, 97, 99), 2),
    70: 4,
    73: 3,
    95: 3,
    83: 0,
    **dict.fromkeys((68, 74, 81, 82), _VARIABLE),
}
# One-byte codes that mean the same as a two-byte one.
_OLD_CODES = {
    24: 0x2416,
    25: 0x2417,
    2: 0x4600,
    65: 0x0800,
    74: 0x6A09,
    80: 0x4A30,
    85: 0x0835,
    92: 0x083C,
    93: 0x4A4F,
}
_MOST_SPRMS = 2000


class CharacterLook(NamedTuple):
    bold: bool = False
    hidden: bool = False
    deleted: bool = False
    symbol: int = 0
    """A character of a symbol font, which stands in the text as `(`; 0 for none."""
    font: int = -1
    picture: int = -1
    """Where in the Data stream the picture lies that stands here."""


class ParagraphLook(NamedTuple):
    style: int = 0
    list_number: int = 0
    level: int = 0
    outline: int = 9
    in_table: bool = False
    row_end: bool = False
    depth: int = 0
    """Of tables within tables."""
    inner_end: bool = False
    """A cell or row of an inner table ends here."""
    header_row: bool = False


def sprms(grpprl: bytes, old: bool) -> Iterator[tuple[int, bytes]]:
    """(code, operand); codes are the two-byte ones, also of old files."""
    at = 0
    for _ in range(_MOST_SPRMS):
        if old:
            if at >= len(grpprl):
                return
            code = grpprl[at]
            size = _OLD_SIZES.get(code, -2)
            if size == -2:
                return
            at += 1
            if size == _VARIABLE:
                size = grpprl[at] if at < len(grpprl) else 0
                at += 1
            code = _OLD_CODES.get(code, 0)
        else:
            if at + 2 > len(grpprl):
                return
            (code,) = struct.unpack_from("<H", grpprl, at)
            at += 2
            size, start = _length(grpprl, at, code)
            at = start
        yield code, grpprl[at : at + size]
        at += size


def _length(grpprl: bytes, at: int, code: int) -> tuple[int, int]:
    """How long the operand is, and where it starts."""
    kind = code >> 13
    if kind != 6:
        return _SIZES[kind], at
    if code in {0xD606, 0xD608} and at + 2 <= len(grpprl):  # tables: a two-byte length
        return max(0, struct.unpack_from("<H", grpprl, at)[0] - 1), at + 2
    if at >= len(grpprl):
        return 0, at
    size = grpprl[at]
    if code == 0xC615 and size == 255:  # tabs: deleted ones, then added ones
        deleted = grpprl[at + 1] if at + 1 < len(grpprl) else 0
        added_at = at + 2 + 4 * deleted
        added = grpprl[added_at] if added_at < len(grpprl) else 0
        return 4 * deleted + 3 * added + 2, at + 1
    return size, at + 1


def character_look(grpprl: bytes, old: bool, start: CharacterLook) -> CharacterLook:
    """The look after these changes to that of the style."""
    bold, hidden, deleted, symbol, font, picture = start
    for code, operand in sprms(grpprl, old):
        if code == 0x0835:
            bold = _toggle(operand, start.bold)
        elif code == 0x083C:
            hidden = _toggle(operand, start.hidden)
        elif code == 0x0800:
            deleted = _toggle(operand, False)
        elif code == 0x4A4F and len(operand) == 2:
            (font,) = struct.unpack("<H", operand)
        elif code == 0x6A03 and len(operand) == 4:
            (picture,) = struct.unpack("<I", operand)
        elif code == 0x6A09 and len(operand) >= 3:
            font = int.from_bytes(operand[:2], "little")
            symbol = int.from_bytes(operand[2:4], "little")
    return CharacterLook(bold, hidden, deleted, symbol, font, picture)


def character_style(grpprl: bytes, old: bool) -> int:
    style = -1
    for code, operand in sprms(grpprl, old):
        if code == 0x4A30 and len(operand) == 2:
            (style,) = struct.unpack("<H", operand)
    return style


def _toggle(operand: bytes, of_style: bool) -> bool:
    value = operand[0] if operand else 0
    return {0: False, 1: True, 0x80: of_style, 0x81: not of_style}.get(value, of_style)


def paragraph_look(grpprl: bytes, old: bool, start: ParagraphLook) -> ParagraphLook:
    values: dict[str, int] = {}
    for code, operand in sprms(grpprl, old):
        name = _PARAGRAPH.get(code)
        if name and operand:
            values[name] = int.from_bytes(operand[:4], "little", signed=name == "depth")
    flags = {"in_table", "row_end", "inner_end", "header_row"}
    changed = {
        name: bool(value) if name in flags else value
        for name, value in values.items()
        if name != "inner_row_end"
    }
    if values.get("inner_row_end"):
        changed["inner_end"] = True
    return start._replace(**changed)  # type: ignore[arg-type]  # names are those of the fields


_PARAGRAPH = {
    0x260A: "level",
    0x460B: "list_number",
    0x2640: "outline",
    0x2416: "in_table",
    0x2417: "row_end",
    0x6649: "depth",
    0x244B: "inner_end",
    0x244C: "inner_row_end",
    0x3404: "header_row",
}
