"""What does a Gnumeric workbook say? XML in gzip: sheets, regions of style, cells.

Results of formulas are not kept in the file: such a cell is left out, since what it shows would
have to be computed.
"""

import re
import zlib
from typing import NamedTuple

from shoal.converters.context import Context, Converted
from shoal.converters.sheet.format import NumberFormat
from shoal.converters.sheet.sheet import Book, Sheet, embolden, link
from shoal.converters.writer import Inline, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named, parse
from shoal.model.page import Page

_MAX_REGIONS = 2_000
_MAX_LOOKS = 20_000_000
_TRUTH, _WHOLE, _NUMBER = "20", "30", "40"


_FIELD = re.compile(r"&\[([A-Za-z]*)[^\]]*\]?")
"""What stands for page numbers and the like in headers: `&[PAGE]`."""


class _Region(NamedTuple):
    rows: range
    columns: range
    format: NumberFormat
    bold: bool
    href: str


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    book = Book(context.limits)
    data, problem = _unpacked(body, context.limits.member_bytes)
    root = parse(data)
    if root is None:
        return [Converted(Page(), problem="damaged: no XML")]
    for element in named(root, "Sheet"):
        name = next((all_text(each) for each in element.iterchildren("{*}Name")), "")
        _read_sheet(element, book, book.add(name))
        if book.full:
            break
    book.write(writer)
    page = writer.page(_first(root, "title"))
    page.author = _first(root, "initial-creator") or _first(root, "creator")
    page.published, page.modified = _first(root, "creation-date"), _first(root, "date")
    page.description = _first(root, "description") or _first(root, "subject")
    page.keywords = ", ".join(all_text(each) for each in named(root, "keyword"))[:1000]
    return [Converted(page, problem=problem or writer.problem)]


def _unpacked(body: bytes, most: int) -> tuple[bytes, str]:
    if body[:2] != b"\x1f\x8b":
        return body, ""
    stream = zlib.decompressobj(31)
    pieces: list[bytes] = []
    for start in range(0, len(body), 4096):
        try:
            pieces.append(stream.decompress(body[start : start + 4096], most))
        except zlib.error:
            return b"".join(pieces), "damaged: cut off"
        most -= len(pieces[-1])
        if stream.eof:
            return b"".join(pieces), ""
        if most <= 0:
            return b"".join(pieces), "cut: unpacks to too much"
    return b"".join(pieces), "damaged: cut off"


def _first(root: Element, name: str) -> str:
    for meta in named(root, "meta"):
        for each in named(meta, name):
            return " ".join(all_text(each).split())[:1000]
    return ""


def _read_sheet(element: Element, book: Book, sheet: Sheet) -> None:
    regions = _regions(element)
    formats: dict[str, NumberFormat] = {}
    looks = _MAX_LOOKS
    for cell in named(element, "Cell"):
        row, column = _number(cell, "Row", -1), _number(cell, "Col", -1)
        if row < 0 or column < 0 or attribute(cell, "ExprID"):
            continue
        looks -= len(regions)
        if looks < 0:
            regions = []
        region = next((r for r in regions if row in r.rows and column in r.columns), None)
        inline = _shown(cell, region, formats)
        if region is not None and region.bold:
            inline = embolden(inline)
        if region is not None and region.href and inline:
            inline = link(inline, region.href)
        book.put(sheet, row, column, inline)
        if book.full:
            return
    for comment in named(element, "CellComment"):
        sheet.notes.append(attribute(comment, "Text"))
    for shape in named(element, "SheetObjectText", "SheetObjectFilled", "SheetWidgetButton"):
        sheet.boxes.append(attribute(shape, "Label"))
    for part, codes in (("Header", sheet.headers), ("Footer", sheet.footers)):
        for each in named(element, part):
            sides = (attribute(each, side) for side in ("Left", "Middle", "Right"))
            codes.append("&L".join(_FIELD.sub(_code, side) for side in sides))


def _code(field: re.Match[str]) -> str:
    """As Excel writes it, which `Book` knows."""
    return {"TAB": "&A", "CELL": ""}.get(field[1].upper(), "&P")


def _regions(element: Element) -> list[_Region]:
    found: list[_Region] = []
    made: dict[str, NumberFormat] = {}
    for region in named(element, "StyleRegion"):
        if len(found) >= _MAX_REGIONS:
            break
        style = next((each for each in region if local(each) == "Style"), None)
        if style is None:
            continue
        code = attribute(style, "Format") or "General"
        bold = any(attribute(font, "Bold") == "1" for font in style.iterchildren("{*}Font"))
        links = style.iterchildren("{*}HyperLink")
        href = next((attribute(each, "target") for each in links), "")
        if code == "General" and not bold and not href:
            continue
        rows = range(_number(region, "startRow", 0), _number(region, "endRow", -1) + 1)
        columns = range(_number(region, "startCol", 0), _number(region, "endCol", -1) + 1)
        format_ = made.setdefault(code, NumberFormat(code))
        found.append(_Region(rows, columns, format_, bold, href))
    return found


def _shown(cell: Element, region: _Region | None, formats: dict[str, NumberFormat]) -> Inline:
    text, kind = all_text(cell), attribute(cell, "ValueType")
    if not kind or (kind != "60" and text.startswith("=")):
        return "" if text.startswith("=") else text
    if kind not in {_WHOLE, _NUMBER}:
        return text
    code = attribute(cell, "ValueFormat")
    try:
        value = float(text)
    except ValueError:
        return text
    if code:
        if code not in formats:
            formats[code] = NumberFormat(code)
        return formats[code].show(value)
    format_ = region.format if region is not None else NumberFormat("General")
    return format_.show(value)


def _number(element: Element, name: str, fallback: int) -> int:
    text = attribute(element, name)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else fallback
