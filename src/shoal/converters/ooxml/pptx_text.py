"""What does a shape's text say? Its paragraphs, with bullets, numbers and bold.

DrawingML (ISO/IEC 29500-1, 21.1.2): what a paragraph does not say itself stands in the list style
of its shape, of the placeholder of the same kind on the slide's layout, on the master, and in the
master's text styles, in this order. Numbers are counted: the file has none.
"""

from collections.abc import Iterator, Sequence

from shoal.converters.ooxml.blocks import Paragraph, Table
from shoal.converters.ooxml.docx_formats import formatted
from shoal.converters.ooxml.math import math_text
from shoal.converters.ooxml.ooxml import Relation, first, unwrapped
from shoal.converters.ooxml.symbols import readable
from shoal.converters.writer import Run
from shoal.converters.xml import Element, attribute, local
from shoal.model.page import Tag

_BULLETS = frozenset({"buNone", "buChar", "buAutoNum", "buBlip"})
_NUMBERS = (
    ("arabicDb", "decimalFullWidth"),
    ("arabic", "decimal"),
    ("romanLc", "lowerRoman"),
    ("romanUc", "upperRoman"),
    ("alphaLc", "lowerLetter"),
    ("alphaUc", "upperLetter"),
    ("circleNum", "decimalEnclosedCircle"),
    ("hebrew", "hebrew2"),
    ("thaiAlpha", "thaiLetters"),
    ("thaiNum", "thaiNumbers"),
    ("hindiNum", "hindiNumbers"),
    ("ea1", "chineseCounting"),
)
_MAX_COLUMNS = 64


class Body:
    """A text body, with the list styles that it inherits from, the nearest first."""

    def __init__(
        self, element: Element, styles: Sequence[Element], relations: dict[str, Relation]
    ) -> None:
        own = first(element, "lstStyle")
        self._element = element
        self._styles = [*([own] if own is not None else []), *styles]
        self._relations = relations
        self._counts: dict[int, tuple[str, int]] = {}

    def paragraphs(self) -> Iterator[Paragraph]:
        for element in self._element:
            if local(element) != "p":
                continue
            properties = first(element, "pPr")
            said = attribute(properties, "lvl") if properties is not None else ""
            depth = min(int(said), 8) if said.isdecimal() and len(said) < 3 else 0
            chain = list(self._chain(properties, depth))
            runs = list(self._runs(element, _inherited_bold(chain)))
            if not any(run.text.strip() for run in runs):
                continue
            kind, marker = self._bullet(chain, depth)
            level = depth + 1 if kind is not Tag.PARAGRAPH else 0
            yield Paragraph(runs, kind, level, marker)

    def _chain(self, properties: Element | None, depth: int) -> Iterator[Element]:
        if properties is not None:
            yield properties
        for style in self._styles:
            level = first(style, f"lvl{depth + 1}pPr")
            if level is not None:
                yield level

    def _bullet(self, chain: list[Element], depth: int) -> tuple[Tag, str]:
        for deeper in [each for each in self._counts if each > depth]:
            del self._counts[deeper]
        found = next((each for level in chain for each in level if local(each) in _BULLETS), None)
        name = local(found) if found is not None else "buNone"
        if found is None or name != "buAutoNum":
            self._counts.pop(depth, None)
            return Tag.PARAGRAPH if name == "buNone" else Tag.ITEM, ""
        scheme, start = attribute(found, "type"), attribute(found, "startAt")
        begin = int(start) if start.isdecimal() and len(start) < 6 else 1
        last, count = self._counts.get(depth, ("", begin - 1))
        count = count + 1 if last in ("", scheme) else begin
        self._counts[depth] = scheme, count
        return Tag.NUMBERED, _number(scheme, count)

    def _runs(self, paragraph: Element, bold: bool) -> Iterator[Run]:
        for name, each in unwrapped(paragraph):
            if name == "br":
                yield Run("\n")
            elif name in ("r", "fld"):
                properties = first(each, "rPr")
                text = first(each, "t")
                said = attribute(properties, "b") if properties is not None else ""
                font = first(properties, "sym")
                shown = readable(
                    (text.text or "") if text is not None else "",
                    attribute(font, "typeface") if font is not None else "Symbol",
                )
                is_bold = said in ("1", "true", "on") if said else bold
                yield Run(shown, is_bold, self._href(properties))
            elif name in ("m", "oMath", "oMathPara"):
                yield Run(math_text(each))

    def _href(self, properties: Element | None) -> str:
        link = first(properties, "hlinkClick")
        relation = self._relations.get(attribute(link, "id")) if link is not None else None
        return relation.target if relation and relation.outside else ""


def table(element: Element, relations: dict[str, Relation]) -> Table:
    properties = first(element, "tblPr")
    headed = properties is not None and attribute(properties, "firstRow") in ("1", "true", "on")
    found = Table()
    for row in element:
        if local(row) != "tr":
            continue
        cells: list[list[Paragraph | Table]] = []
        for cell in row:
            body = first(cell, "txBody")
            if local(cell) != "tc" or len(cells) >= _MAX_COLUMNS:
                continue
            merged = attribute(cell, "hMerge") or attribute(cell, "vMerge")
            is_shown = body is not None and merged not in ("1", "true", "on")
            cells.append(
                list(Body(body, (), relations).paragraphs())
                if is_shown and body is not None
                else []
            )
        found.rows.append(cells)
    found.header_rows = int(headed and len(found.rows) > 1)
    return found


def _inherited_bold(chain: list[Element]) -> bool:
    for level in chain:
        defaults = first(level, "defRPr")
        said = attribute(defaults, "b") if defaults is not None else ""
        if said:
            return said in ("1", "true", "on")
    return False


def _number(scheme: str, count: int) -> str:
    name = next((name for start, name in _NUMBERS if scheme.startswith(start)), "decimal")
    shown = formatted(count, name)
    if scheme.endswith("ParenBoth"):
        return f"({shown})"
    if scheme.endswith("ParenR"):
        return f"{shown})"
    return f"{shown}." if scheme.endswith("Period") else shown
