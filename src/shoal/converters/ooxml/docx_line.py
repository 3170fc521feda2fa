"""What does a paragraph of a Word document say? Its runs of text, and what hangs on it.

Links come from hyperlink elements and from fields; hidden and deleted text is left out; symbols,
formulas and ruby are written as text. Text boxes, pictures, charts and diagrams are kept for after
the paragraph.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from shoal.converters.ooxml.blocks import Piece
from shoal.converters.ooxml.docx_fields import Fields, href_of
from shoal.converters.ooxml.docx_styles import Properties, Style, Styles, toggle
from shoal.converters.ooxml.drawing import alt_text, caption, graphic
from shoal.converters.ooxml.math import math_text
from shoal.converters.ooxml.ooxml import Parts, Relation, children, first, unwrapped
from shoal.converters.ooxml.symbols import readable, symbol
from shoal.converters.writer import Run
from shoal.converters.xml import Element, all_text, attribute, local

_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_NOTES = {
    "footnoteReference": "footnote",
    "endnoteReference": "endnote",
    "commentReference": "comment",
}
_INLINE_NOTES = frozenset({"footnote", "endnote", "annotation"})
_DRAWINGS = frozenset({"drawing", "pict", "object"})
_SHAPES = frozenset({"shape", "rect", "roundrect", "oval"})


@dataclass(slots=True)
class Story:
    """What a line needs of the flow that it stands in, and leaves there."""

    parts: Parts
    styles: Styles
    relations: dict[str, Relation]
    pieces: Callable[[Element], Iterable[Piece]]
    """Of what stands in a text box or a note."""
    fields: Fields = field(default_factory=Fields)
    notes: list[tuple[str, str]] = field(default_factory=list)
    """(kind, id) of the notes and comments that the text refers to, in their order."""
    asides: list[list[Piece]] = field(default_factory=list)
    """Notes and comments that stand within the text (WordprocessingML 2003)."""

    def address(self, link: Element) -> str:
        relation = self.relations.get(attribute(link, "id"))
        address = relation.target if relation and relation.outside else attribute(link, "dest")
        place = attribute(link, "anchor") or attribute(link, "bookmark")
        return f"{address}#{place}" if place else address


class Line:
    def __init__(self, story: Story, styles: list[Style]) -> None:
        self.runs: list[Run] = []
        self.after: list[Piece] = []
        self._story = story
        self._styles = styles
        """Of the paragraph, and of the table around it."""
        hidden = sum(style.hidden for style in styles) % 2 == 1
        self._usual = story.styles.bold(styles), hidden

    def read(self, element: Element, href: str = "") -> None:
        for name, each in unwrapped(element):
            if name == "r":
                self._run(each, href)
            elif name in ("hyperlink", "hlink"):
                self.read(each, self._story.address(each) or href)
            elif name == "fldSimple":
                self.read(each, href_of(attribute(each, "instr")) or href)
            elif name in ("oMath", "oMathPara"):
                self._put(math_text(each), False, href)
            elif name in _INLINE_NOTES:
                self._note(each)
            elif name in _DRAWINGS:
                self._drawing(each)

    def _run(self, run: Element, href: str) -> None:
        properties = children(first(run, "rPr"))
        bold, hidden = self._look(properties)
        fields = self._story.fields
        for name, each in unwrapped(run):
            if name == "fldChar":
                self._put(fields.mark(each), bold, href)
            elif name == "instrText":
                fields.code(each.text or "")
            elif hidden or fields.hides:
                continue
            elif name == "t":
                text = each.text or ""
                if not text.isascii():
                    text = readable(text, _font(properties))
                self._put(text, bold, href or fields.href)
            elif name in _SIGNS:
                self._put(_SIGNS[name], bold, href or fields.href)
            elif name == "sym":
                shown = symbol(attribute(each, "char"), attribute(each, "font"))
                self._put(shown, bold, href or fields.href)
            elif name in _DRAWINGS:
                self._drawing(each)
            else:
                self._rare(each, name, href)

    def _rare(self, element: Element, name: str, href: str) -> None:
        if name in _NOTES:
            self._story.notes.append((_NOTES[name], attribute(element, "id")))
        elif name in _INLINE_NOTES:
            self._note(element)
        elif name == "ruby":
            for part in element:
                if local(part) == "rubyBase":
                    self.read(part, href)
            reading = first(element, "rt")
            text = all_text(reading).strip() if reading is not None else ""
            self._put(f"({text})" if text else "", False, href)
        elif name in ("r", "hyperlink", "hlink"):  # some producers nest them
            self._run(element, href)

    def _look(self, properties: Properties) -> tuple[bool, bool]:
        """Bold, and hidden."""
        if not properties:
            return self._usual
        is_complex = "rtl" in properties or "cs" in properties
        bold = toggle(properties, "bCs" if is_complex else "b")
        hidden = toggle(properties, "vanish")
        by_style = self._usual
        if "rStyle" in properties:
            style = self._story.styles.of(attribute(properties["rStyle"], "val"))
            styles = [*self._styles, style]
            by_style = self._story.styles.bold(styles), by_style[1] != style.hidden
        return by_style[0] if bold is None else bold, by_style[1] if hidden is None else hidden

    def _put(self, text: str, bold: bool, href: str) -> None:
        if text:
            self.runs.append(Run(text, bold, href))

    def _note(self, element: Element) -> None:
        held = list(self._story.pieces(element))
        if held:
            self._story.asides.append(held)

    def _drawing(self, element: Element) -> None:
        """Its text boxes, and what pictures, charts and diagrams say."""
        story = self._story
        charts = False
        waiting = [unwrapped(element)]
        while waiting:
            name, each = next(waiting[-1], ("", element))
            if not name:
                waiting.pop()
                continue
            if name == "txbxContent":
                self.after.extend(story.pieces(each))
                continue
            if name == "docPr" or name in _SHAPES:
                self.after += caption(alt_text(each))
            elif name == "textpath":
                self.after += caption(attribute(each, "string"))
            elif name == "t" and each.text:  # a drawing's own text, of no text box
                self.after += caption(each.text)
            charts = charts or name in ("chart", "relIds")
            waiting.append(unwrapped(each))
        if charts:
            self.after.extend(graphic(element, story.parts, story.relations))


def _font(properties: Properties) -> str:
    fonts = properties.get("rFonts")
    return attribute(fonts, "ascii") if fonts is not None else ""
