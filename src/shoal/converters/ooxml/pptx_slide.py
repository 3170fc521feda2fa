"""What stands on a slide? Its title, its shapes in their order, and what hangs on it.

The order of the shapes is the one in which a screen reader takes them; only the title goes first.
A placeholder takes its look from the one of the same kind on the slide's layout and master.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.converters.ooxml.blocks import Paragraph, Piece
from shoal.converters.ooxml.drawing import alt_text, caption, graphic
from shoal.converters.ooxml.ooxml import Parts, Relation, first, unwrapped
from shoal.converters.ooxml.pptx_text import Body, table
from shoal.converters.writer import Run
from shoal.converters.xml import Element, attribute, named

_TITLES = frozenset({"title", "ctrTitle"})
_EDGES = frozenset({"dt", "ftr", "sldNum", "hdr"})
_SHAPES = frozenset({"sp", "grpSp", "graphicFrame", "pic", "cxnSp"})
_OFF = ("0", "false", "off")


@dataclass(slots=True)
class Sheet:
    """A slide, a layout, a master or a page of notes: all are trees of shapes."""

    name: str
    root: Element
    relations: dict[str, Relation]
    under: "Sheet | None" = None
    """The layout of a slide, the master of a layout."""
    _styles: dict[tuple[str, str], list[Element]] = field(default_factory=dict)

    @property
    def shows_below(self) -> bool:
        return attribute(self.root, "showMasterSp") not in _OFF

    def target(self, kind: str) -> str:
        held = self.relations.values()
        return next((each.target for each in held if each.kind == kind and not each.outside), "")

    def styles(self, kind: str, index: str) -> list[Element]:
        """The list styles for a placeholder of a sheet that lies on this one."""
        key = kind, index
        if key not in self._styles:
            self._styles[key] = list(self._found(kind, index))
        return self._styles[key]

    def _found(self, kind: str, index: str) -> Iterator[Element]:
        shape = self._placeholder(kind, index)
        own = first(shape, "txBody", "lstStyle")
        if own is not None:
            yield own
        held = first(shape, "nvSpPr", "nvPr", "ph")
        above = attribute(held, "type") if held is not None else kind
        if self.under is not None:
            yield from self.under.styles(above or kind, "")
        texts = first(self.root, "txStyles")
        name = "titleStyle" if kind in _TITLES else "otherStyle" if kind in _EDGES else "bodyStyle"
        style = first(texts, name)
        if style is not None:
            yield style

    def _placeholder(self, kind: str, index: str) -> Element | None:
        same_kind = None
        for shape in named(self.root, "sp"):
            held = first(shape, "nvSpPr", "nvPr", "ph")
            if held is None:
                continue
            if index and attribute(held, "idx") == index:
                return shape
            theirs = attribute(held, "type") or "obj"
            if same_kind is None and (theirs == kind if index else _same(theirs, kind)):
                same_kind = shape
        return same_kind


def _same(theirs: str, kind: str) -> bool:
    """A master has one placeholder for all kinds of content."""
    if kind in _TITLES:
        return theirs in _TITLES
    return theirs == kind or (theirs == "body" and kind not in _EDGES)


@dataclass(slots=True)
class Shapes:
    """What the shapes of a sheet hold, by where it belongs."""

    title: list[Run] = field(default_factory=list)
    is_opening: bool = False
    """The title is that of a title slide."""
    pieces: list[Piece] = field(default_factory=list)
    edges: list[Piece] = field(default_factory=list)
    """Date, footer, number of the slide."""


def read_shapes(sheet: Sheet, parts: Parts, *, own_only: bool = False) -> Shapes:
    """`own_only` leaves out placeholders, whose text on layouts and masters is not shown."""
    found = Shapes()
    tree = first(sheet.root, "cSld", "spTree")
    waiting = [unwrapped(tree)] if tree is not None else []
    while waiting:
        name, shape = next(waiting[-1], ("", sheet.root))
        if not name:
            waiting.pop()
            continue
        if name not in _SHAPES:
            continue
        about = next(named(shape, "cNvPr"), None)
        if about is not None and attribute(about, "hidden") in ("1", "true", "on"):
            continue
        if name == "grpSp":
            waiting.append(unwrapped(shape))
        elif name == "graphicFrame":
            found.pieces += _frame(shape, sheet, parts)
        elif not _text(shape, sheet, found, own_only) and about is not None and not own_only:
            found.pieces += caption(alt_text(about))
    return found


def _text(shape: Element, sheet: Sheet, found: Shapes, own_only: bool) -> bool:
    """Whether the shape has a text."""
    held = first(shape, "nvSpPr", "nvPr", "ph")
    body = first(shape, "txBody")
    if held is not None and own_only:
        return True
    kind, styles = "", []
    if held is not None:
        kind = attribute(held, "type") or "obj"
        if sheet.under is not None:
            styles = sheet.under.styles(kind, attribute(held, "idx"))
    paragraphs = list(Body(body, styles, sheet.relations).paragraphs()) if body is not None else []
    if kind in _TITLES and not found.title:
        for paragraph in paragraphs:
            found.title += [*paragraph.runs, Run(" ")]
        found.is_opening = found.is_opening or (bool(paragraphs) and kind == "ctrTitle")
    elif kind in _EDGES:
        found.edges += paragraphs
    else:
        found.pieces += paragraphs
        found.is_opening = found.is_opening or (bool(paragraphs) and kind == "subTitle")
    return bool(paragraphs)


def _frame(shape: Element, sheet: Sheet, parts: Parts) -> Iterator[Piece]:
    for each in named(shape, "tbl"):
        yield table(each, sheet.relations)
    yield from graphic(shape, parts, sheet.relations)
    about = next(named(shape, "cNvPr"), None)
    if about is not None:
        yield from caption(alt_text(about))


def notes_of(sheet: Sheet) -> Iterator[Paragraph]:
    """The speaker's notes, without the frame of the printed page."""
    for shape in named(sheet.root, "sp"):
        held = first(shape, "nvSpPr", "nvPr", "ph")
        kind = attribute(held, "type") if held is not None else ""
        body = first(shape, "txBody")
        if body is not None and kind not in _EDGES | {"sldImg"}:
            yield from Body(body, (), sheet.relations).paragraphs()
