"""Which styles has a Word document, and what do they say? [MS-DOC] 2.9.271 (the STSH).

A style is based on another one; how text of a style looks is worked out along that line once and
kept. Built-in styles are told by number, so that headings are known in every language.
"""

import struct
from dataclasses import dataclass

from shoal.converters.ole.doc_sprm import (
    CharacterLook,
    ParagraphLook,
    character_look,
    paragraph_look,
)

_PARAGRAPH_STYLE, _CHARACTER_STYLE = 1, 2
_MOST_STYLES = 5000
_DEEPEST = 12
TITLE, CAPTION = 62, 34


@dataclass(slots=True)
class Style:
    number: int
    """Of a built-in style: 1 to 9 are the headings."""
    kind: int
    base: int
    name: str
    paragraph: bytes = b""
    character: bytes = b""


class Styles:
    def __init__(self, table: bytes, old: bool) -> None:
        self._old = old
        self._styles = _read(table, old)
        self._paragraphs: dict[int, ParagraphLook] = {}
        self._characters: dict[int, CharacterLook] = {}

    def built_in(self, index: int) -> int:
        """The number of a built-in style that it is, or is based on; 0 for the normal style."""
        for each in self._line(index):
            if 1 <= each.number <= 9 or each.number in {TITLE, CAPTION}:
                return each.number
        return 0

    def paragraph(self, index: int) -> ParagraphLook:
        look = self._paragraphs.get(index)
        if look is None:
            look = ParagraphLook()
            for style in reversed(self._line(index)):
                look = paragraph_look(style.paragraph, self._old, look)
            look = self._paragraphs[index] = look._replace(style=index)
        return look

    def character(self, index: int) -> CharacterLook:
        look = self._characters.get(index)
        if look is None:
            look = CharacterLook()
            for style in reversed(self._line(index)):
                look = character_look(style.character, self._old, look)
            self._characters[index] = look
        return look

    def _line(self, index: int) -> list[Style]:
        """The style, what it is based on, and so on."""
        line: list[Style] = []
        while len(line) < _DEEPEST:
            style = self._styles.get(index)
            if style is None:
                break
            line.append(style)
            index = style.base
        return line


def _read(table: bytes, old: bool) -> dict[int, Style]:
    styles: dict[int, Style] = {}
    if len(table) < 6:
        return styles
    header, count, base_size = struct.unpack_from("<HHH", table)
    at = 2 + header
    for index in range(min(count, _MOST_STYLES)):
        if at + 2 > len(table):
            break
        (size,) = struct.unpack_from("<H", table, at)
        std = table[at + 2 : at + 2 + size]
        at += 2 + size
        if len(std) > base_size >= 8:
            styles[index] = _style(std, base_size, old)
    return styles


def _style(std: bytes, base_size: int, old: bool) -> Style:
    number, kind, rest = struct.unpack_from("<HHH", std)
    style = Style(number & 0xFFF, kind & 0xF, kind >> 4, "")
    parts = rest & 0xF
    at = base_size
    if old:
        length = std[at]
        style.name = std[at + 1 : at + 1 + length].decode("cp1252", "replace")
        at += 2 + length
    elif at + 2 <= len(std):
        (length,) = struct.unpack_from("<H", std, at)
        style.name = std[at + 2 : at + 2 + 2 * length].decode("utf-16-le", "replace")
        at += 4 + 2 * length
    found: list[bytes] = []
    for _ in range(min(parts, 3)):
        at += at & 1
        if at + 2 > len(std):
            break
        (size,) = struct.unpack_from("<H", std, at)
        found.append(std[at + 2 : at + 2 + size])
        at += 2 + size
    if style.kind == _PARAGRAPH_STYLE and found:
        style.paragraph = found[0][2:]
        style.character = found[1] if len(found) > 1 else b""
    elif style.kind == _CHARACTER_STYLE and found:
        style.character = found[0]
    return style
