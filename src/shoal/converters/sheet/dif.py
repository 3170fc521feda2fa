"""What does a DIF file say? VisiCalc's Data Interchange Format: two lines for each value.

The first line has a kind and a number, the second a word or a text in quotes. `-1,0` with `BOT`
begins a row. (Rows are what most writers call tuples.)
"""

from collections.abc import Iterator

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted
from shoal.converters.sheet.format import general
from shoal.converters.sheet.sheet import Book, Sheet
from shoal.converters.writer import Writer

_PROGRAMS = {"", "EXCEL", "QUATTRO PRO", "LOTUS", "VC"}
"""What programs write as the title of a table."""


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    book = Book(context.limits)
    lines = iter(decode(body, context.charset).text.replace("\r\n", "\n").split("\n"))
    title = _header(lines)
    found = _read(lines, book, book.add(""))
    book.write(writer)
    problem = writer.problem or ("" if found else "damaged: no data")
    return [Converted(writer.page(title), problem=problem)]


def _header(lines: Iterator[str]) -> str:
    """Topics of three lines each, up to the data; the name of the table is its title."""
    title, topic = "", ""
    for line in lines:
        topic, numbers, text = line.strip().upper(), next(lines, ""), next(lines, "")
        if topic == "TABLE" and text.strip().strip('"').upper() not in _PROGRAMS:
            title = text.strip().strip('"')
        if topic == "DATA" or not numbers:
            break
    return title


def _read(lines: Iterator[str], book: Book, sheet: Sheet) -> bool:
    row, column = -1, 0
    for line in lines:
        kind, _, number = line.strip().partition(",")
        value = next(lines, "")
        if kind == "-1":
            if value.strip().upper() == "EOD" or book.full:
                break
            row, column = row + 1, 0
        elif kind in {"0", "1"} and row >= 0:
            book.put(sheet, row, column, _shown(kind, number, value))
            column += 1
    return row >= 0


def _shown(kind: str, number: str, value: str) -> str:
    if kind == "1":
        text = value.strip()
        return text[1:-1].replace('""', '"') if text[:1] == '"' == text[-1:] and text[1:] else text
    word = value.strip().upper()
    if word in {"TRUE", "FALSE", "NA", "ERROR"}:
        return {"NA": "#N/A", "ERROR": "#ERR"}.get(word, word)
    try:
        return general(float(number))
    except ValueError:
        return number.strip()
