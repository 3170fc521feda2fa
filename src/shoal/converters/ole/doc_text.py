"""What does a stretch of a Word document say? Paragraphs of runs, without codes and hidden text.

Special characters ([MS-DOC] 2.4.1) end paragraphs and cells, stand for pictures and notes, and
frame fields: of a field its result is shown, its code is not, except that the code of a link says
where it leads.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from shoal.converters.characters.codepages import decode
from shoal.converters.ole.doc_fib import Fib
from shoal.converters.ole.doc_fonts import Font
from shoal.converters.ole.doc_formatting import Formatting
from shoal.converters.ole.doc_sprm import CharacterLook, ParagraphLook
from shoal.converters.ooxml.symbols import readable, symbol
from shoal.converters.writer import Run

_MARKS = re.compile("[\r\x07\x0c]")
_SPECIAL = re.compile("([\x00-\x08\x0b-\x1f\xad])")
_LINK = re.compile(r'\s*HYPERLINK\s+(?:\\[mnt]\s+)*(?:"([^"]*)"|([^\s\\"]+))?', re.IGNORECASE)
_ANCHOR = re.compile(r'\\l\s+"([^"]*)"')
_BUTTON = re.compile(r"\s*MACROBUTTON\s+\S+\s+(.*)", re.IGNORECASE | re.DOTALL)
_NO_FONT = Font("", "")
_DEEPEST_FIELD = 50
_LONGEST_CODE = 10_000


class Paragraph(NamedTuple):
    runs: list[Run]
    look: ParagraphLook
    mark: str
    """What ended it: a return, a cell's mark, a section's."""
    deleted: str = ""
    """What is struck out in it, as long as the change is not accepted."""
    pictures: tuple[int, ...] = ()
    """Where the pictures in it lie."""


@dataclass(slots=True)
class _Field:
    code: list[str] = field(default_factory=list)
    in_code: bool = True
    href: str = ""


class Text:
    def __init__(self, fib: Fib, formatting: Formatting, fonts: list[Font]) -> None:
        self._formatting = formatting
        self._fonts = fonts
        self._codec = fib.codec if fib.old else ""
        self._deleted: list[str] = []
        self._pictures: list[int] = []
        self.whole = _characters(fib)

    def paragraphs(self, start: int, end: int) -> Iterator[Paragraph]:
        fields: list[_Field] = []
        end = min(end, len(self.whole))
        began = start
        for match in _MARKS.finditer(self.whole, start, end):
            at = match.start()
            look, ends = self._formatting.paragraph(at)
            if match.group() == "\x0c" and not ends:
                continue  # a page break within a paragraph
            runs = self._runs(began, at, look, fields)
            yield self._paragraph(runs, look, match.group())
            began = at + 1
        if began < end:
            look, _ = self._formatting.paragraph(end - 1)
            runs = self._runs(began, end, look, fields)
            yield self._paragraph(runs, look, "\r")

    def _paragraph(self, runs: list[Run], look: ParagraphLook, mark: str) -> Paragraph:
        return Paragraph(runs, look, mark, "".join(self._deleted), tuple(self._pictures))

    def _runs(self, start: int, end: int, look: ParagraphLook, fields: list[_Field]) -> list[Run]:
        runs: list[Run] = []
        self._deleted.clear()
        self._pictures.clear()
        for begin, until, character in self._formatting.characters(start, end, look.style):
            self._add(self.whole[begin:until], character, fields, runs)
        return runs

    def _add(self, text: str, look: CharacterLook, fields: list[_Field], runs: list[Run]) -> None:
        for piece in _SPECIAL.split(text):
            if not piece:
                continue
            if piece == "\x13":
                if len(fields) < _DEEPEST_FIELD:
                    fields.append(_Field())
            elif piece == "\x14":
                if fields and fields[-1].in_code:
                    _end_code(fields[-1])
            elif piece == "\x15":
                if fields:
                    ended = fields.pop()
                    if ended.in_code:
                        self._put(_shown_code("".join(ended.code)), look, fields, runs)
            elif piece == "\x01":
                if look.picture >= 0:
                    self._pictures.append(look.picture)
            else:
                shown = _shown(piece) if len(piece) == 1 else piece
                self._put(self._decoded(shown, look), look, fields, runs)

    def _put(self, text: str, look: CharacterLook, fields: list[_Field], runs: list[Run]) -> None:
        if not text:
            return
        for each in reversed(fields):
            if each.in_code:
                if len(each.code) < _LONGEST_CODE:
                    each.code.append(text)
                return
        if look.hidden:
            return
        if look.deleted:
            self._deleted.append(text)
            return
        href = next((each.href for each in reversed(fields) if each.href), "")
        runs.append(Run(text, look.bold, href))

    def _decoded(self, text: str, look: CharacterLook) -> str:
        font = self._fonts[look.font] if 0 <= look.font < len(self._fonts) else _NO_FONT
        if look.symbol:
            return text.replace("(", symbol(f"{look.symbol:x}", font.name))
        if self._codec:
            if any(each > "\xff" for each in text):
                return text
            return decode(text.encode("latin-1"), font.codec or self._codec)
        text = readable(text, font.name)
        if any("\ud800" <= each <= "\udfff" for each in text):
            return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return text


def _shown(character: str) -> str:
    if character in "\x0b\x0c\x0e\t\n":
        return " "
    if character == "\x1e":
        return "-"
    return character if character >= " " and character != "\xad" else ""


def _end_code(each: _Field) -> None:
    each.in_code = False
    code = "".join(each.code)
    match = _LINK.match(code)
    if match:
        each.href = (match.group(1) or match.group(2) or "").replace("\\\\", "\\")
        anchor = _ANCHOR.search(code)
        if anchor:
            each.href += f"#{anchor.group(1)}"


def _shown_code(code: str) -> str:
    """Of a field without a result: a button shows its text."""
    match = _BUTTON.match(code)
    return match.group(1) if match else ""


def _characters(fib: Fib) -> str:
    """The whole text, one character for each of Word's, so that positions fit."""
    pieces: list[str] = []
    for piece in fib.pieces:
        count = piece.end - piece.start
        data = fib.stream[piece.place : piece.place + count * piece.width]
        if fib.extended:
            text = _extended(data, fib.codec)
        elif piece.width == 2:
            text = _wide(data)
        elif fib.old:
            text = data.decode("latin-1")  # decoded run by run: the code page hangs on the font
        else:
            text = decode(data, "cp1252")
        pieces.append(text[:count].ljust(count, "\0"))
    return "".join(pieces)


def _extended(data: bytes, codec: str) -> str:
    """A pair of bytes is a character of an East Asian code page; else the second one says nothing
    of the letter."""
    pairs = codec in {"cp932", "cp949", "gbk", "big5"}
    units = memoryview(data[: len(data) & ~1]).cast("H")
    return "".join(
        decode(bytes((unit >> 8, unit & 0xFF)), codec)[:1] or " "
        if pairs and unit > 0xFF
        else chr(unit & 0xFF)
        for unit in units
    )


def _wide(data: bytes) -> str:
    data = data[: len(data) & ~1]
    text = data.decode("utf-16-le", "surrogatepass") if _valid(data) else ""
    if len(text) * 2 == len(data):
        return text
    units = memoryview(data).cast("H")
    return "".join(map(chr, units))


def _valid(data: bytes) -> bool:
    try:
        data.decode("utf-16-le")
    except UnicodeDecodeError:
        return False
    return True
