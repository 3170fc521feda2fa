"""What does a flow of text in a Word document hold? Paragraphs and tables, in their order.

A flow is the body, a header, a note, a comment: all hold the same (ISO/IEC 29500-1, 17.2). Text
boxes and pictures stand behind the paragraph that they hang on. What was deleted under change
tracking is left out, what was inserted is kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from shoal.converters.ooxml.blocks import Paragraph, Piece, Table
from shoal.converters.ooxml.docx_line import Line, Story
from shoal.converters.ooxml.docx_numbering import Counters, Label, Numbering
from shoal.converters.ooxml.docx_styles import Properties, Style, Styles, numbering, outline, toggle
from shoal.converters.ooxml.math import math_text
from shoal.converters.ooxml.ooxml import Parts, Relation, children, first, unwrapped
from shoal.converters.writer import Run
from shoal.converters.xml import Element, attribute
from shoal.model.page import Tag

_MAX_COLUMNS = 64
_LIST_KINDS = (Tag.PARAGRAPH, Tag.DEFINITION)


@dataclass(slots=True)
class Document:
    """What all flows of a document share."""

    parts: Parts
    styles: Styles
    numbering: Numbering


class Flow:
    def __init__(self, document: Document, relations: dict[str, Relation]) -> None:
        self._document = document
        self._counters = Counters(document.numbering)
        self.story = Story(document.parts, document.styles, relations, self.pieces)
        self.title = ""
        """The first paragraph in the style of a title."""
        self.chunks: list[str] = []
        """Parts with documents of other formats that stand in the text."""
        self._joined: list[Run] = []
        """Of the next paragraph: the mark that ended it was deleted, or it is an initial."""

    def pieces(self, element: Element, table_style: Style | None = None) -> Iterator[Piece]:
        for name, each in unwrapped(element):
            if name == "p":
                yield from self._paragraph(each, table_style)
            elif name == "tbl":
                yield self._table(each)
            elif name == "oMathPara":
                yield Paragraph([Run(math_text(each))])
            elif name == "altChunk":
                chunk = self.story.relations.get(attribute(each, "id"))
                if chunk and not chunk.outside:
                    self.chunks.append(chunk.target)

    def _paragraph(self, element: Element, table_style: Style | None) -> Iterator[Piece]:
        properties = children(first(element, "pPr"))
        identity = attribute(properties["pStyle"], "val") if "pStyle" in properties else ""
        style = self._document.styles.of_paragraph(identity)
        line = Line(self.story, [style, table_style] if table_style else [style])
        line.read(element)
        self.story.fields.end_paragraph()
        frame = properties.get("framePr")
        initial = frame is not None and attribute(frame, "dropCap") in ("drop", "margin")
        if initial or first(properties.get("rPr"), "del") is not None:
            self._joined += line.runs
            yield from line.after
            return
        runs = [*self._joined, *line.runs]
        self._joined = []
        paragraph = self._told(runs, properties, style, identity)
        if style.is_title and not self.title:
            self.title = "".join(run.text for run in runs).strip()
        if runs or paragraph.marker or self.story.notes or self.story.asides:
            yield paragraph
        yield from line.after

    def _told(
        self, runs: list[Run], properties: Properties, style: Style, identity: str
    ) -> Paragraph:
        """What kind of paragraph it is."""
        level = outline(properties)
        kind, heading = style.kind, style.level
        if level is not None and not style.is_title:
            heading = level if level <= 9 else 0
            kind = Tag.HEADING if heading else (kind if kind is not Tag.HEADING else Tag.PARAGRAPH)
        depth, label = self._label(properties, style, identity)
        if kind is Tag.HEADING:
            return Paragraph(runs, kind, heading, label.marker if label else "")
        if label and kind in _LIST_KINDS:
            kind = Tag.NUMBERED if label.numbered else Tag.ITEM
            return Paragraph(runs, kind, depth + 1, label.marker)
        return Paragraph(runs, kind)

    def _label(
        self, properties: Properties, style: Style, style_id: str
    ) -> tuple[int, Label | None]:
        identity, depth = numbering(properties)
        shown = first(properties.get("listPr"), "t")  # WordprocessingML 2003 has the number
        if shown is not None:
            marker = attribute(shown, "val").strip()
            numbered = any(char.isalnum() for char in marker) and len(marker) > 1
            return depth or 0, Label(numbered, marker if numbered else "")
        if not identity:
            identity = style.numbering
            if not identity:
                return 0, None
            if depth is None:
                depth = style.numbering_level
            if depth is None:
                depth = self._document.numbering.depth_of_style(identity, style_id)
        depth = depth or 0
        return depth, self._counters.label(identity, depth)

    def _table(self, element: Element) -> Table:
        properties = children(first(element, "tblPr"))
        named_style, look = properties.get("tblStyle"), properties.get("tblLook")
        style = (
            self._document.styles.of(attribute(named_style, "val"))
            if (named_style is not None)
            else Style()
        )
        table = Table()
        headed = look is not None and style.first_row_bold and _first_row(look)
        bold_row = Style(bold=True)
        for name, row in unwrapped(element):
            about = children(first(row, "trPr")) if name == "tr" else {}
            if name != "tr" or "del" in about:
                continue
            is_head = bool(toggle(about, "tblHeader")) or (headed and not table.rows)
            if is_head and table.header_rows == len(table.rows):
                table.header_rows += 1
            in_bold = headed and not table.rows
            table.rows.append(self._row(row, about, bold_row if in_bold else style))
        if table.header_rows == len(table.rows):
            table.header_rows = 0  # all of it is no head
        return table

    def _row(self, row: Element, about: Properties, style: Style) -> list[list[Piece]]:
        skipped = about.get("gridBefore")
        cells: list[list[Piece]] = [[] for _ in range(_columns(skipped, 0))]
        for name, cell in unwrapped(row):
            if name != "tc":
                continue
            properties = children(first(cell, "tcPr"))
            goes_on = any(
                attribute(properties[each], "val") in ("", "continue")
                for each in ("vMerge", "vmerge", "hMerge")
                if each in properties
            )
            held = list(self.pieces(cell, style))
            cells.append([] if goes_on else held)
            cells += [[] for _ in range(_columns(properties.get("gridSpan"), 1) - 1)]
        return cells


def _columns(element: Element | None, default: int) -> int:
    value = attribute(element, "val") if element is not None else ""
    return min(int(value), _MAX_COLUMNS) if value.isdecimal() and len(value) < 6 else default


def _first_row(look: Element) -> bool:
    """Whether a table shows the style of its first row: by name, or as a bit of old files."""
    said = attribute(look, "firstRow")
    if said:
        return said not in ("0", "false", "off")
    try:
        return bool(int(attribute(look, "val") or "0", 16) & 0x20)
    except ValueError:
        return False
