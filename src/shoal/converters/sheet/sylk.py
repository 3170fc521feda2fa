"""What does a SYLK file say? Text lines, each a record of fields: how Multiplan hands sheets on.

A cell record keeps its row or column from the one before. Formats are a numbered list; they are set
for the sheet, rows, columns and cells. Accented letters are escapes of the accent and the letter.
"""

import re
import unicodedata

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted
from shoal.converters.sheet.format import NumberFormat
from shoal.converters.sheet.sheet import Book, Sheet
from shoal.converters.writer import Writer

_ACCENTS = {
    "A": "\u0300",
    "B": "\u0301",
    "C": "\u0302",
    "D": "\u0303",
    "H": "\u0308",
    "J": "\u030a",
    "K": "\u0327",
}
_ESCAPE = re.compile("\x1bN([A-DHJK])([A-Za-z])|\x1b([ -/])([0-?])")
_MAX_FORMATS = 5_000


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    book = Book(context.limits)
    reader = _Reader(book, book.add(""))
    # A file has the line ends of the computer it was made on; those of old Macs are single.
    for line in decode(body, context.charset).text.replace("\r", "\n").split("\n"):
        reader.read(line)
        if book.full:
            break
    book.write(writer)
    return [Converted(writer.page(), problem=writer.problem)]


class _Reader:
    def __init__(self, book: Book, sheet: Sheet) -> None:
        self._book = book
        self._sheet = sheet
        self._row = self._column = 0
        self._from_1904 = False
        self._codes: list[str] = []
        self._formats: dict[int, NumberFormat] = {}
        self._set: dict[tuple[str, int, int], int] = {}
        """The number of a format by what it holds for: cell, row, column or all."""

    def read(self, line: str) -> None:
        kind, *fields = (field.replace("\0", ";") for field in line.replace(";;", "\0").split(";"))
        if kind == "P" and fields[:1] and fields[0][:1] == "P":
            if len(self._codes) < _MAX_FORMATS:
                self._codes.append(fields[0][1:])
        elif kind == "F":
            self._format(fields)
        elif kind == "C":
            self._cell(fields)
        elif kind == "O":
            self._from_1904 = "V4" in fields

    def _move(self, field: str) -> None:
        number = _whole(field[1:])
        if number > 0 and field[0] == "Y":
            self._row = number - 1
        elif number > 0 and field[0] == "X":
            self._column = number - 1

    def _format(self, fields: list[str]) -> None:
        chosen, scope = -1, ""
        for field in fields:
            if field[:1] in {"X", "Y"}:
                self._move(field)
                scope = "cell"
            elif field[:1] == "P":
                chosen = _whole(field[1:])
            elif field[:1] in {"R", "C"} and _whole(field[1:]) > 0:
                scope = field[0] + str(_whole(field[1:]) - 1)
        if chosen < 0:
            return
        if scope == "cell":
            self._set["cell", self._row, self._column] = chosen
        elif scope:
            self._set[scope[0], int(scope[1:]), 0] = chosen
        else:
            self._set["all", 0, 0] = chosen

    def _cell(self, fields: list[str]) -> None:
        value = ""
        for field in fields:
            if field[:1] in {"X", "Y"}:
                self._move(field)
            elif field[:1] == "K":
                value = field[1:]
            elif field[:1] == "A":
                self._sheet.notes.append(_unescaped(field[1:]))
        if value:
            self._book.put(self._sheet, self._row, self._column, self._shown(value))

    def _shown(self, value: str) -> str:
        if value.startswith('"'):
            return _unescaped(value[1:].removesuffix('"').replace('""', '"'))
        try:
            number = float(value)
        except ValueError:
            return _unescaped(value)
        places = (
            ("cell", self._row, self._column),
            ("R", self._row, 0),
            ("C", self._column, 0),
            ("all", 0, 0),
        )
        chosen = next((self._set[place] for place in places if place in self._set), 0)
        if chosen not in self._formats:
            code = self._codes[chosen] if chosen < len(self._codes) else "General"
            self._formats[chosen] = NumberFormat(code)
        return self._formats[chosen].show(number, from_1904=self._from_1904)


def _whole(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else -1


def _unescaped(text: str) -> str:
    def put(match: re.Match[str]) -> str:
        if match[1]:
            return unicodedata.normalize("NFC", match[2] + _ACCENTS[match[1]])
        return chr((ord(match[3]) - 32) * 16 + ord(match[4]) - 48)

    return _ESCAPE.sub(put, text) if "\x1b" in text else text
