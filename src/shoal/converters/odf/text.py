"""What does the flow of an OpenDocument say? Its paragraphs, headings, lists, tables, frames.

One walk for text documents, text boxes of slides, notes and headers. A table is one block when its
cells hold no more than text (`table_blocks`, the same rule as for HTML).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from shoal.converters.html.table_blocks import Cell, Table
from shoal.converters.odf.inline import SHAPES, Inline, InlineReader
from shoal.converters.odf.lists import Counter, Lists
from shoal.converters.odf.objects import Objects
from shoal.converters.odf.styles import Role, Styles
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, attribute, local, named
from shoal.model.page import Tag

_MAX_DEPTH = 60
"""Of elements in each other; what is deeper is left out."""
_MAX_CELLS_REPEATED = 64
_LISTS = frozenset({"list", "ordered-list", "unordered-list"})
_NOT_SHOWN_WORDS = (
    "tracked-changes forms sequence-decls variable-decls user-field-decls dde-connection-decls"
    " alphabetical-index-auto-mark-file table-of-content-source illustration-index-source"
    " table-index-source object-index-source user-index-source alphabetical-index-source"
    " bibliography-source event-listeners script shapes title desc table-source dde-source"
)
_NOT_SHOWN = frozenset(_NOT_SHOWN_WORDS.split())
_KINDS = {
    Role.CAPTION: Tag.CAPTION,
    Role.QUOTE: Tag.QUOTE,
    Role.TERM: Tag.TERM,
    Role.DEFINITION: Tag.DEFINITION,
}


@dataclass(slots=True)
class _Item:
    """The item of a list in which we are."""

    counter: Counter
    style: str
    depth: int
    start: int | None = None
    is_counted: bool = False
    """Its number stands before its first paragraph only."""
    is_numbered: bool = True
    is_ordered: bool = False
    """By its element's name, as in OpenOffice.org 1."""


class TextWalk:
    def __init__(self, writer: Writer, styles: Styles, objects: Objects) -> None:
        self._writer = writer
        self._styles = styles
        self._objects = objects
        self._inline = InlineReader(styles, objects.formula)
        self._lists = Lists(styles)
        self._tables: list[Table] = []
        self._after_table: list[list[Run]] = []
        self._lines: list[str] = []
        """Of preformatted text, until something else comes."""
        self._depth = 0
        self.source = -1
        self.title = ""

    def blocks(self, parent: Element, item: _Item | None = None) -> None:
        for child in parent:
            if self._writer.full:
                break
            self._block(child, item)
        if not self._depth:
            self._end_lines()

    def shape(self, element: Element) -> None:
        """A frame, a picture, a drawn shape: what it shows in words, then the text in it."""
        said: list[str] = []
        for child in element:
            text = " ".join("".join(map(str, child.itertext())).split())
            if local(child) in ("title", "desc") and text and text not in said:
                said.append(text)
                self._other(Tag.CAPTION, [Run(text)])
        label = self._objects.control(element)
        if label:
            self._other(Tag.PARAGRAPH, [Run(label)])
        if local(element) not in ("object", "object-ole"):
            self.blocks(element)
            return
        self.parts(self._objects.shown(element))

    def parts(self, elements: Iterable[Element]) -> None:
        """Of a chart: its table, or the paragraphs of a title."""
        for element in elements:
            if local(element) == "table":
                self._block(element, None)
            else:
                self.blocks(element)

    def flat_paragraph(self, element: Element, *, bold: bool) -> Inline:
        return self._inline.read(element, bold=bold)

    def flat(self, element: Element) -> list[Run]:
        """All paragraphs within, as one line: for notes, headers, cells of sheets."""
        runs: list[Run] = []
        for paragraph in named(element, "p", "h"):
            bold = self._styles.bold("paragraph", attribute(paragraph, "style-name"))
            found = self._inline.read(paragraph, bold=bool(bold)).runs
            runs += [Run(" "), *found] if runs else found
        return runs

    def aside(self, runs: list[Run]) -> None:
        if self._tables:
            self._after_table.append(runs)
        else:
            self._other(Tag.ASIDE, runs)

    def _block(self, element: Element, item: _Item | None) -> None:
        if self._depth < _MAX_DEPTH:
            self._depth += 1
            self._told(element, item)
            self._depth -= 1

    def _told(self, element: Element, item: _Item | None) -> None:
        name = local(element)
        if name in ("p", "h"):
            self._paragraph(element, item)
        elif name in _LISTS:
            self._list(element, item)
        elif name in ("table", "sub-table"):
            self._table(element)
        elif name in SHAPES:
            self.shape(element)
        elif name in ("note", "footnote", "endnote", "annotation"):
            self._apart(element)
        elif name == "numbered-paragraph":
            self._numbered(element)
        elif name == "section" and _is_hidden_section(element):
            return
        elif name and name not in _NOT_SHOWN:
            self.blocks(element, item)

    def _apart(self, element: Element) -> None:
        name = local(element)
        if name in SHAPES:
            self.shape(element)
        elif name == "table":
            self._table(element)
        else:
            bodies = list(named(element, "note-body", "footnote-body", "endnote-body"))
            for body in bodies or [element]:
                self.aside(self.flat(body))

    def _paragraph(self, element: Element, item: _Item | None) -> None:
        style = attribute(element, "style-name") or attribute(element, "class-names")
        if self._styles.hidden("paragraph", style) or _is_hidden_paragraph(element):
            return
        level = self._heading_level(element, style)
        role = self._styles.role(style)
        plain = level or role in (Role.COLUMN_HEAD, Role.TITLE, Role.TERM)
        bold = False if plain else bool(self._styles.bold("paragraph", style))
        found = self._inline.read(element, bold=bold)
        if found.text.strip():
            if level or role is Role.TITLE:
                self._heading(element, found, level or 1, item)
            elif item is not None and not item.is_counted:
                self._item(found, item)
            elif role is Role.PRE and not self._tables:
                self._lines.append(found.text)
            else:
                self._other(_KINDS.get(role, Tag.PARAGRAPH) if role else Tag.PARAGRAPH, found.runs)
            if role is Role.TITLE and not self.title:
                self.title = found.text
        elif role is Role.PRE and self._lines:
            self._lines.append("")
        for each in found.apart:
            self._apart(each)

    def _heading_level(self, element: Element, style: str) -> int:
        said = attribute(element, "outline-level") or attribute(element, "level")
        if local(element) == "h":
            return int(said) if said.isdecimal() and len(said) < 3 and int(said) else 1
        return self._styles.outline_level(style)

    def _heading(self, element: Element, found: Inline, level: int, item: _Item | None) -> None:
        marker = ""
        style = attribute(element, "style-name")
        if item is not None:
            marker = self._count(item)
        elif local(element) == "h" and attribute(element, "is-list-header") != "true":
            restart = attribute(element, "restart-numbering") == "true"
            start = _whole(attribute(element, "start-value")) or (1 if restart else None)
            if self._styles.list_style(style) != "":
                marker = self._lists.heading(level, start)

        def write(writer: Writer) -> None:
            writer.heading(found.runs, level, marker=marker, source=self.source)

        self._put(found.runs, write, is_text=False)

    def _count(self, item: _Item) -> str:
        if item.is_counted or not item.is_numbered:
            return ""
        levels = self._lists.levels(item.style)
        item.counter.count(item.depth, levels, item.start)
        item.is_counted = True
        return item.counter.marker(item.depth, levels)

    def _item(self, found: Inline, item: _Item) -> None:
        marker = self._count(item)
        level = self._styles.level(item.style, item.depth)
        numbered = level.is_numbered or (item.is_ordered and not self._lists.levels(item.style))
        depth, is_header = item.depth, not item.is_numbered

        def write(writer: Writer) -> None:
            if is_header:
                writer.paragraph(found.runs, source=self.source)
            else:
                writer.item(found.runs, depth, numbered=numbered, marker=marker, source=self.source)

        self._put(found.runs, write, is_text=False)

    def _list(self, element: Element, outer: _Item | None) -> None:
        style = attribute(element, "style-name") or (outer.style if outer else "")
        if not style:
            first = next(named(element, "p", "h"), None)
            if first is not None:
                style = self._styles.list_style(attribute(first, "style-name")) or ""
        if outer is None:
            goes_on = attribute(element, "continue-numbering") == "true"
            continues = attribute(element, "continue-list")
            counter = self._lists.begin(style, attribute(element, "id"), continues, goes_on)
        else:
            counter = outer.counter
        depth = outer.depth + 1 if outer else 1
        for child in element:
            name = local(child)
            if name in ("list-item", "list-header"):
                start = _whole(attribute(child, "start-value"))
                item = _Item(counter, style, depth, start, is_numbered=name == "list-item")
                item.is_ordered = local(element) == "ordered-list"
                self.blocks(child, item)
            elif name:
                self._block(child, outer)  # what has no business here is still text

    def _numbered(self, element: Element) -> None:
        style = attribute(element, "style-name")
        identity = attribute(element, "list-id")
        counter = self._lists.begin(style, identity, identity, False)
        depth = _whole(attribute(element, "level")) or 1
        start = _whole(attribute(element, "start-value"))
        self.blocks(element, _Item(counter, style, depth, start))

    def _table(self, element: Element) -> None:
        self._end_lines()
        table = Table()
        self._tables.append(table)
        self._rows(element, table, 0)
        if attribute(element, "use-first-row-styles") == "true":
            table.header_rows = table.header_rows or 1
        self._tables.pop()
        if self._tables:
            self._tables[-1].put(Cell([], table.write, False))
            return
        table.write(self._writer)
        notes, self._after_table = self._after_table, []
        for runs in notes:
            self._other(Tag.ASIDE, runs)

    def _rows(self, parent: Element, table: Table, depth: int) -> None:
        for child in parent:
            name = local(child)
            if name == "table-row":
                table.open("tr")
                for cell in child:
                    self._cell(cell, table)
            elif name in ("table-header-rows", "table-rows", "table-row-group") and depth < 20:
                kind = "thead" if name == "table-header-rows" else "tbody"
                table.open(kind)
                self._rows(child, table, depth + 1)
                table.close(kind)

    def _cell(self, cell: Element, table: Table) -> None:
        if local(cell) not in ("table-cell", "covered-table-cell"):
            return
        repeated = _whole(attribute(cell, "number-columns-repeated")) or 1
        for _ in range(min(repeated, _MAX_CELLS_REPEATED)):
            table.open("td")
            if local(cell) == "table-cell" and not self._writer.full:
                self.blocks(cell)
            table.close("td")

    def _other(self, kind: Tag, runs: list[Run]) -> None:
        def write(writer: Writer) -> None:
            if kind is Tag.PARAGRAPH:
                writer.paragraph(runs, source=self.source)
            else:
                writer.other(kind, runs, source=self.source)

        self._put(runs, write, is_text=kind in (Tag.PARAGRAPH, Tag.CAPTION))

    def _put(self, runs: list[Run], write: Callable[[Writer], None], *, is_text: bool) -> None:
        self._end_lines()
        if self._tables:
            self._tables[-1].put(Cell(runs, write, is_text))
        else:
            write(self._writer)

    def _end_lines(self) -> None:
        if self._lines:
            self._writer.preformatted("\n".join(self._lines), source=self.source)
            self._lines = []


def _is_hidden_section(element: Element) -> bool:
    display = attribute(element, "display")
    return display == "none" or (
        display == "condition" and attribute(element, "is-hidden") == "true"
    )


def _is_hidden_paragraph(element: Element) -> bool:
    hidden = next(named(element, "hidden-paragraph"), None)
    return hidden is not None and attribute(hidden, "is-hidden") == "true"


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else None
