"""What does a presentation say? Slide by slide: title, text, tables, notes, comments.

PresentationML (ECMA-376 / ISO/IEC 29500), presentations, shows and templates. Slides come in the
order of the presentation, hidden ones too. What layouts and masters show on every slide is written
once, at the end; their placeholders are only patterns and are left out.
"""

import re
from collections.abc import Iterator

from shoal.converters.context import Context, Converted
from shoal.converters.ooxml.blocks import Outlet, Paragraph, Piece, plain
from shoal.converters.ooxml.embedded import embedded
from shoal.converters.ooxml.ooxml import Parts, describe
from shoal.converters.ooxml.pptx_slide import Sheet, notes_of, read_shapes
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import all_text, local, named
from shoal.model.page import Tag

_SLIDE = re.compile(r"(?:^|/)slides/slide(\d*)\.xml$", re.IGNORECASE)

_UNSET = "‹#›"
"""The pattern of a slide's number, where none was put in."""


def convert(body: bytes, context: Context) -> list[Converted]:
    return read(Parts.of_zip(body, context.limits), context)


def read(parts: Parts, context: Context) -> list[Converted]:
    """Of a package; also of one that was in an XML file."""
    writer = Writer(context.limits)
    slides = _slides(parts)
    deck = _Deck(parts, Outlet(writer))
    for number, name in enumerate(slides, 1):
        deck.write(number, name)
        if writer.full:
            break
    deck.end()
    page = writer.page()
    describe(page, parts)
    page.title = page.title or writer.first_heading[:1000]
    problem = parts.problem or writer.problem or ("" if slides else "damaged: no slides in it")
    return [Converted(page, problem=problem), *embedded(parts, context)]


def _slides(parts: Parts) -> list[str]:
    """In the order of the presentation; by their numbers when it is lost."""
    main = parts.main("ppt/presentation.xml")
    root = parts.root(main) if main else None
    names: list[str] = []
    if root is not None:
        relations = parts.relations(main)
        for each in named(root, "sldId"):
            # Its own `id` has no namespace, the relationship's has one.
            identity = next((str(value) for key, value in each.items() if "}" in str(key)), "")
            relation = relations.get(identity)
            if relation and relation.target in parts:
                names.append(relation.target)
    if not names:
        found = [(_SLIDE.search(name), name) for name in parts.names]
        numbered = [(int(match[1][:9] or "0"), name) for match, name in found if match]
        names = [name for _, name in sorted(numbered)]
    return list(dict.fromkeys(names))


class _Deck:
    def __init__(self, parts: Parts, outlet: Outlet) -> None:
        self._parts = parts
        self._outlet = outlet
        self._under: dict[str, Sheet | None] = {}
        """Layouts and masters."""
        self._shown: set[str] = set()
        self._edges: set[str] = set()
        """Footers and dates: each text once."""
        self._has_opening = False

    def write(self, number: int, name: str) -> None:
        sheet = self._sheet(name, "slideLayout")
        if sheet is None:
            return
        outlet = self._outlet
        outlet.source = number
        shapes = read_shapes(sheet, self._parts)
        self._has_opening = self._has_opening or shapes.is_opening
        level = 2 if self._has_opening and not shapes.is_opening else 1
        outlet.write([Paragraph(shapes.title, Tag.HEADING, level)])
        outlet.write(shapes.pieces)
        for piece in shapes.edges:
            text = plain([piece])
            if text not in self._edges and text != _UNSET:
                self._edges.add(text)
                outlet.aside([piece])
        notes = self._sheet(sheet.target("notesSlide"), "")
        if notes is not None:
            outlet.aside(notes_of(notes))
        outlet.aside(self._comments(sheet))
        if sheet.shows_below and sheet.under is not None:
            self._shown.add(sheet.under.name)
            if sheet.under.shows_below and sheet.under.under is not None:
                self._shown.add(sheet.under.under.name)

    def end(self) -> None:
        """What the layouts and masters in use show themselves, each text once."""
        self._outlet.source = -1
        texts: set[str] = set()
        for name, sheet in self._under.items():
            if sheet is None or name not in self._shown:
                continue
            for piece in read_shapes(sheet, self._parts, own_only=True).pieces:
                text = plain([piece])
                if text not in texts:
                    texts.add(text)
                    self._outlet.aside([piece])

    def _sheet(self, name: str, kind_under: str) -> Sheet | None:
        root = self._parts.root(name) if name else None
        if root is None:
            return None
        sheet = Sheet(name, root, self._parts.relations(name))
        below = sheet.target(kind_under) if kind_under else ""
        if below and below not in self._under:
            self._under[below] = None  # also stops a circle
            next_kind = "slideMaster" if kind_under == "slideLayout" else ""
            self._under[below] = self._sheet(below, next_kind)
        sheet.under = self._under.get(below)
        return sheet

    def _comments(self, sheet: Sheet) -> Iterator[Piece]:
        for relation in sheet.relations.values():
            if relation.kind != "comments":
                continue
            root = self._parts.root(relation.target)
            for each in named(root, "text", "txBody") if root is not None else ():
                lines = [each] if local(each) == "text" else named(each, "p")
                yield from (Paragraph([Run(all_text(line))]) for line in lines)
