"""What does an XLSX workbook say? Its sheets as they are shown: XLSX, XLSM, XLTX, XLAM.

Read from its XML (ECMA-376 part 1, SpreadsheetML): cells with the results that were computed when
the file was saved, numbers as their formats show them. Protection of sheets only keeps a program
from editing; it hides nothing. When the list of sheets is lost, the sheets are taken by name.
"""

import re
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.sheet.embedded import inside
from shoal.converters.sheet.sheet import Book, Sheet, link
from shoal.converters.sheet.styles import Styles
from shoal.converters.sheet.xlsx_drawing import add_comments, add_drawings
from shoal.converters.sheet.xlsx_package import Parts, describe, pieces
from shoal.converters.sheet.xlsx_styles import read_strings, read_styles, rich_text, unescape, whole
from shoal.converters.writer import Inline, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named

_SHEET_PART = re.compile(r"xl/(?:work|chart|dialog)sheets/\D*(\d*)\.xml$", re.IGNORECASE)
_HYPERLINK = re.compile(r'^HYPERLINK\(\s*"((?:[^"]|"")+)"', re.IGNORECASE)
_REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")
_MAX_VISITS = 6_000_000
"""Cells and rows, empty ones too; more take longer than anybody waits."""
_HEADERS = ("firstHeader", "oddHeader", "evenHeader")
_FOOTERS = ("firstFooter", "oddFooter", "evenFooter")


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    book = Book(context.limits)
    parts = Parts(body, context.limits)
    workbook = Workbook(parts, book, context.limits.text_chars)
    workbook.read()
    book.write(writer)
    page = writer.page()
    page.title = describe(parts, page)[: context.limits.title_chars]
    problem = parts.package.problem or writer.problem
    if not workbook.sheet_parts and not problem:
        problem = "damaged: no sheets"
    return [Converted(page, problem=problem), *embedded(parts, workbook.sheet_parts, context)]


def embedded(parts: Parts, sheet_parts: list[str], context: Context) -> Iterator[Converted]:
    """The documents that sheets hold; those that no sheet owns to (a damaged file) too."""
    found = [name for part in sheet_parts for name in parts.targets(part, "oleObject", "package")]
    found += [name for name in parts.names if "/embeddings/" in name.lower()]
    for name in dict.fromkeys(found):
        yield from inside(parts.read(name), name.rpartition("/")[2], context)


class Workbook:
    def __init__(self, parts: Parts, book: Book, room_chars: int) -> None:
        self._parts = parts
        self._book = book
        self._main = parts.main("xl/workbook.xml")
        self._room_chars = room_chars
        self._strings: list[Inline] = []
        self._known: set[str] = set()
        self._styles = Styles()
        self._visits = 0
        self._columns: dict[str, int] = {}
        self.sheet_parts: list[str] = []

    def read(self) -> None:
        parts = self._parts
        root = parts.tree(self._main)
        from_1904 = root is not None and any(
            attribute(each, "date1904") in {"1", "true"} for each in named(root, "workbookPr")
        )
        strings = parts.targets(self._main, "sharedStrings") or ["xl/sharedStrings.xml"]
        self._strings = read_strings(parts.read(strings[0]), self._room_chars * 2)
        self._known = {each for each in self._strings if isinstance(each, str)}
        styles = parts.targets(self._main, "styles") or ["xl/styles.xml"]
        self._styles = read_styles(parts.read(styles[0]), from_1904=from_1904)
        for name, part in self._listed(root) or self._unlisted():
            if self._book.full:
                break
            self.sheet_parts.append(part)
            self._read_sheet(part, self._book.add(name))

    def _listed(self, root: Element | None) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        if root is None:
            return found
        relations = self._parts.relations(self._main)
        for sheet in named(root, "sheet"):
            relation = relations.get(_relation_id(sheet))
            if relation is not None and relation.target in self._parts:
                found.append((attribute(sheet, "name"), relation.target))
        return found

    def _unlisted(self) -> list[tuple[str, str]]:
        names = [(match, name) for name in self._parts.names if (match := _SHEET_PART.match(name))]
        names.sort(key=lambda pair: whole(pair[0][1]))
        return [("", name) for _, name in names]

    def _read_sheet(self, part: str, sheet: Sheet) -> None:
        last: Element | None = None
        row = -1
        for tree in pieces(self._parts.read(part), "row"):
            last = tree
            for element in tree.iter("{*}row"):
                row = whole(attribute(element, "r"), row + 2) - 1
                self._read_row(element, row, sheet)
                self._visits += 1
                if self._book.full or self._visits > _MAX_VISITS:
                    break
        if last is not None:
            self._read_links(last, part, sheet)
            for kinds, codes in ((_HEADERS, sheet.headers), (_FOOTERS, sheet.footers)):
                codes.extend(dict.fromkeys(all_text(each) for each in named(last, *kinds)))
        add_drawings(self._parts, part, sheet, self._known)
        add_comments(self._parts, part, sheet)

    def _read_row(self, element: Element, row: int, sheet: Sheet) -> None:
        column = -1
        for cell in element:
            if local(cell) != "c":
                continue
            column += 1
            self._visits += 1
            letters = str(cell.get("r") or "").rstrip("0123456789")
            if letters:
                if letters not in self._columns:
                    place = place_of(letters + "1")
                    self._columns[letters] = place[1] if place else column
                column = self._columns[letters]
            inline = self._shown(cell)
            if inline:
                self._book.put(sheet, row, column, inline)

    def _shown(self, cell: Element) -> Inline:
        value, formula, inline = "", "", None
        for child in cell:
            name = local(child)
            if name == "v":
                value = str(child.text or "")
            elif name == "f":
                formula = str(child.text or "")
            elif name == "is":
                inline = rich_text(child)
        style = whole(str(cell.get("s") or "0"))
        shown = self._value(str(cell.get("t") or "n"), value, inline, style)
        address = _HYPERLINK.match(formula) if formula else None
        return link(shown, address[1].replace('""', '"')) if address and shown else shown

    def _value(self, kind: str, value: str, inline: Inline | None, style: int) -> Inline:
        if inline is not None:
            return self._styles.text(inline, style)
        if not value:
            return ""
        if kind == "s":
            number = whole(value, -1)
            found = self._strings[number] if 0 <= number < len(self._strings) else ""
            return self._styles.text(found, style)
        if kind == "b":
            return self._styles.text("TRUE" if value.strip() in {"1", "true"} else "FALSE", style)
        if kind == "d":
            return self._styles.moment(value, style)
        if kind in {"str", "e", "inlineStr"}:
            return self._styles.text(unescape(value), style)
        try:
            return self._styles.number(float(value), style)
        except ValueError:
            return value

    def _read_links(self, tree: Element, part: str, sheet: Sheet) -> None:
        relations = self._parts.relations(part)
        for each in named(tree, "hyperlink"):
            relation = relations.get(_relation_id(each))
            place = place_of(attribute(each, "ref"))
            if relation is None or not relation.outside or place is None:
                continue
            row = sheet.rows.get(place[0], {})
            if place[1] in row:
                row[place[1]] = link(row[place[1]], relation.target)


def place_of(reference: str) -> tuple[int, int] | None:
    """Row and column, from 0 on, of `AB12`."""
    match = _REFERENCE.match(reference)
    if match is None:
        return None
    column = 0
    for letter in match[1].upper():
        column = column * 26 + ord(letter) - 64
    return int(match[2]) - 1, column - 1


def _relation_id(element: Element) -> str:
    """`r:id`, which is another attribute than `id`."""
    for key, value in element.attrib.items():
        if str(key).endswith("}id"):
            return str(value)
    return ""
