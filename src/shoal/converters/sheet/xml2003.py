"""What does a workbook in the XML of Excel 2003 say? One file: styles, sheets, rows, cells.

The schema ("SpreadsheetML 2003") keeps plain values beside their formats, some of which have names
in place of codes. Cells and rows without a number follow the one before.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from shoal.converters.context import Context, Converted
from shoal.converters.sheet.date import serial_of
from shoal.converters.sheet.format import NumberFormat
from shoal.converters.sheet.sheet import Book, Sheet, embolden, link
from shoal.converters.writer import Inline, Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named, parse
from shoal.model.page import Page

_NAMED_FORMATS = {
    "General Date": "m/d/yyyy h:mm",
    "Long Date": "dddd, mmmm d, yyyy",
    "Medium Date": "d-mmm-yy",
    "Short Date": "m/d/yyyy",
    "Long Time": "h:mm:ss AM/PM",
    "Medium Time": "h:mm AM/PM",
    "Short Time": "h:mm",
    "Currency": '"$"#,##0.00',
    "Euro Currency": "[$€-2] #,##0.00",
    "Fixed": "0.00",
    "Standard": "#,##0.00",
    "Percent": "0.00%",
    "Scientific": "0.00E+00",
    "Yes/No": '"Yes";"Yes";"No"',
    "True/False": '"True";"True";"False"',
    "On/Off": '"On";"On";"Off"',
}
_MAX_STYLES = 10_000


@dataclass(frozen=True, slots=True)
class _Style:
    format: NumberFormat
    bold: bool


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    book = Book(context.limits)
    root = parse(body)
    if root is None:
        return [Converted(Page(), problem="damaged: no XML")]
    styles = _read_styles(root)
    for worksheet in named(root, "Worksheet"):
        sheet = book.add(attribute(worksheet, "Name"))
        for table in worksheet.iterchildren("{*}Table"):
            _read_table(table, book, sheet, styles)
        for header in named(worksheet, "Header"):
            sheet.headers.append(attribute(header, "Data"))
        for footer in named(worksheet, "Footer"):
            sheet.footers.append(attribute(footer, "Data"))
        if book.full:
            break
    book.write(writer)
    page = writer.page(_property(root, "Title"))
    page.author = _property(root, "Author")
    page.published, page.modified = _property(root, "Created"), _property(root, "LastSaved")
    page.description = _property(root, "Description") or _property(root, "Subject")
    page.keywords = _property(root, "Keywords")
    return [Converted(page, problem=writer.problem)]


def _property(root: Element, name: str) -> str:
    for properties in named(root, "DocumentProperties"):
        for each in properties.iterchildren(f"{{*}}{name}"):
            return " ".join(all_text(each).split())[:1000]
    return ""


def _read_styles(root: Element) -> dict[str, _Style]:
    styles = {"": _Style(NumberFormat("General"), False)}
    for element in named(root, "Style"):
        if len(styles) > _MAX_STYLES:
            break
        style = styles.get(attribute(element, "Parent")) or styles[""]
        format_, bold = style.format, style.bold
        for child in element:
            if local(child) == "NumberFormat" and attribute(child, "Format"):
                code = attribute(child, "Format")
                format_ = NumberFormat(_NAMED_FORMATS.get(code, code))
            elif local(child) == "Font" and attribute(child, "Bold"):
                bold = attribute(child, "Bold") == "1"
        styles[attribute(element, "ID")] = _Style(format_, bold)
    return styles


def _read_table(table: Element, book: Book, sheet: Sheet, styles: dict[str, _Style]) -> None:
    row = -1
    columns = _column_styles(table)
    of_table = attribute(table, "StyleID") or "Default"
    for element in table.iterchildren("{*}Row"):
        row = _index(element, row + 1)
        column = -1
        of_row = attribute(element, "StyleID")
        for cell in element.iterchildren("{*}Cell"):
            column = _index(cell, column + 1)
            name = attribute(cell, "StyleID") or of_row or columns.get(column, of_table)
            _read_cell(cell, book, sheet, (row, column), styles.get(name) or styles[""])
            across = attribute(cell, "MergeAcross")
            column += int(across) if across.isdecimal() and len(across) < 6 else 0
        if book.full:
            break


def _column_styles(table: Element) -> dict[int, str]:
    found: dict[int, str] = {}
    column = -1
    for element in table.iterchildren("{*}Column"):
        column = _index(element, column + 1)
        span = attribute(element, "Span")
        more = int(span) if span.isdecimal() and len(span) < 4 else 0
        for each in range(column, column + more + 1):
            if attribute(element, "StyleID"):
                found[each] = attribute(element, "StyleID")
        column += more
    return found


def _index(element: Element, following: int) -> int:
    index = attribute(element, "Index")
    return int(index) - 1 if index.isdecimal() and len(index) < 8 else following


def _read_cell(
    cell: Element, book: Book, sheet: Sheet, place: tuple[int, int], style: _Style
) -> None:
    for child in cell:
        name = local(child)
        if name == "Data":
            inline = _shown(child, style)
            href = attribute(cell, "HRef")
            if href and not href.startswith("#"):
                inline = link(inline, href)
            book.put(sheet, *place, embolden(inline) if style.bold else inline)
        elif name == "Comment":
            sheet.notes.append(all_text(child))


def _shown(data: Element, style: _Style) -> Inline:
    kind, text = attribute(data, "Type"), all_text(data)
    if kind == "Boolean":
        return "TRUE" if text.strip() == "1" else "FALSE"
    value: float | None = None
    if kind == "DateTime":
        value = serial_of(text)
    elif kind == "Number":
        try:
            value = float(text)
        except ValueError:
            value = None
    if value is not None and kind == "DateTime" and style.format.is_general:
        return text.strip().replace("T00:00:00.000", "").replace("T", " ").removesuffix(".000")
    if value is not None:
        return style.format.show(value)
    if len(data) == 0:
        return style.format.show_text(text)
    return tuple(_runs(data, bold=False))


def _runs(element: Element, *, bold: bool) -> Iterator[Run]:
    """The parser has cut the nesting."""
    if element.text:
        yield Run(str(element.text), bold)
    for child in element:
        yield from _runs(child, bold=bold or local(child) == "B")
        if child.tail:
            yield Run(str(child.tail), bold)
