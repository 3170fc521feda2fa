"""How does each stretch of a Word document look? Pages of formatting, looked up by place.

[MS-DOC] 2.4.6: formatting is kept in pages of 512 bytes, each for some stretch of the stream (not
of the text: pieces come between). Here they become lists sorted by place, and each distinct
formatting is worked out once.
"""

import struct
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from shoal.converters.ole.doc_fib import CHARACTERS, PARAGRAPHS, STYLES, Fib, Piece
from shoal.converters.ole.doc_sprm import (
    CharacterLook,
    ParagraphLook,
    character_look,
    character_style,
    paragraph_look,
    sprms,
)
from shoal.converters.ole.doc_styles import Styles

_PAGE = 512
_HUGE = {0x6645, 0x6646}  # too long for a page: it stands in the Data stream


class Stretch(NamedTuple):
    start: int
    end: int
    grpprl: bytes


class Formatting:
    def __init__(self, fib: Fib, data: bytes) -> None:
        self._fib, self._data = fib, data
        self.styles = Styles(fib.part(STYLES), fib.old)
        self._characters = sorted(_stretches(fib, CHARACTERS), key=lambda each: each.start)
        self._character_starts = [each.start for each in self._characters]
        self._paragraphs = sorted(_stretches(fib, PARAGRAPHS), key=lambda each: each.start)
        self._paragraph_starts = [each.start for each in self._paragraphs]
        self._piece_starts = [piece.start for piece in fib.pieces]
        self._looks: dict[tuple[int, bytes, bytes, bool], CharacterLook] = {}
        self._paragraph_looks: dict[tuple[bytes, bytes, bool], ParagraphLook] = {}

    def piece_at(self, position: int) -> Piece | None:
        index = bisect_right(self._piece_starts, position) - 1
        if index < 0 or position >= self._fib.pieces[index].end:
            return None
        return self._fib.pieces[index]

    def paragraph(self, position: int) -> tuple[ParagraphLook, bool]:
        """Of the paragraph whose mark stands there, and whether one ends there indeed."""
        piece = self.piece_at(position)
        if piece is None:
            return ParagraphLook(), True
        place = piece.place + (position - piece.start) * piece.width
        index = bisect_right(self._paragraph_starts, place) - 1
        if index < 0 or place >= self._paragraphs[index].end:
            return ParagraphLook(), True
        stretch = self._paragraphs[index]
        key = (stretch.grpprl, piece.changes, piece.changes_old)
        look = self._paragraph_looks.get(key)
        if look is None:
            look = self._paragraph_looks[key] = self._paragraph(*key)
        return look, stretch.end == place + piece.width

    def _paragraph(self, papx: bytes, changes: bytes, changes_old: bool) -> ParagraphLook:
        old = self._fib.old
        if len(papx) >= 2:
            style, grpprl = struct.unpack_from("<H", papx)[0], papx[2:]
        else:
            style, grpprl = 0, b""
        if not old:
            grpprl = self._huge(grpprl)
        for code, operand in sprms(changes, changes_old):
            if code == 0x4600 and len(operand) == 2:
                (style,) = struct.unpack("<H", operand)
        look = paragraph_look(grpprl, old, self.styles.paragraph(style))
        return paragraph_look(changes, changes_old, look) if changes else look

    def _huge(self, grpprl: bytes) -> bytes:
        if len(grpprl) == 6:
            code, place = struct.unpack("<HI", grpprl)
            if code in _HUGE and place + 2 <= len(self._data):
                (size,) = struct.unpack_from("<H", self._data, place)
                return self._data[place + 2 : place + 2 + size]
        return grpprl

    def characters(
        self, start: int, end: int, style: int
    ) -> Iterator[tuple[int, int, CharacterLook]]:
        """Stretches of the text that look the same, in a paragraph of that style."""
        position = start
        while position < end:
            piece = self.piece_at(position)
            if piece is None:
                return
            place = piece.place + (position - piece.start) * piece.width
            until = min(end, piece.end)
            grpprl = b""
            index = bisect_right(self._character_starts, place) - 1
            stretch = self._characters[index] if index >= 0 else None
            if stretch and place < stretch.end:
                until = min(until, position + -(-(stretch.end - place) // piece.width))
                grpprl = stretch.grpprl
            elif index + 1 < len(self._characters):
                gap = self._characters[index + 1].start - place
                until = min(until, position + max(1, gap // piece.width))
            yield position, until, self._look(style, grpprl, piece)
            position = until

    def _look(self, style: int, grpprl: bytes, piece: Piece) -> CharacterLook:
        key = (style, grpprl, piece.changes, piece.changes_old)
        look = self._looks.get(key)
        if look is None:
            old = self._fib.old
            look = self.styles.character(style)
            named = character_style(grpprl, old)
            if named > 0:
                other = self.styles.character(named)
                look = look._replace(
                    bold=look.bold != other.bold, hidden=look.hidden or other.hidden
                )
            look = character_look(grpprl, old, look)
            if piece.changes:
                look = character_look(piece.changes, piece.changes_old, look)
            self._looks[key] = look
        return look


def _stretches(fib: Fib, kind: int) -> Iterator[Stretch]:
    plc = fib.part(kind)
    each = 2 if fib.old else 4
    count = max(0, (len(plc) - 4) // (4 + each))
    numbers = struct.unpack_from(
        f"<{count}{'H' if fib.old else 'I'}", plc, 4 * (count + 1) if count else 0
    )
    for number in dict.fromkeys(numbers):  # a page named twice says nothing new
        start = (number & 0x3FFFFF) * _PAGE
        page = fib.stream[start : start + _PAGE]
        if len(page) == _PAGE:
            yield from _page(page, kind, fib.old)


def _page(page: bytes, kind: int, old: bool) -> Iterator[Stretch]:
    count = page[-1]
    step = 1 if kind == CHARACTERS else (7 if old else 13)
    if not count or 4 * (count + 1) + step * count > _PAGE - 1:
        return
    places = struct.unpack_from(f"<{count + 1}I", page)
    for number in range(count):
        at = 2 * page[4 * (count + 1) + step * number]
        if places[number] >= places[number + 1]:
            continue
        yield Stretch(places[number], places[number + 1], _grpprl(page, at, kind, old))


def _grpprl(page: bytes, at: int, kind: int, old: bool) -> bytes:
    if not at or at >= _PAGE - 1:
        return b""
    size = page[at]
    if kind == CHARACTERS:
        return page[at + 1 : at + 1 + size]
    if old:
        return page[at + 1 : at + 1 + 2 * size]
    if size:
        return page[at + 1 : at + 2 * size]
    return page[at + 2 : at + 2 + 2 * page[at + 1]]
