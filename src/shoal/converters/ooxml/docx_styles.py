"""What does a style of a Word document mean? A heading's level, bold, hidden, a list, a quotation.

Built-in styles keep their English name in every language of Word (`heading 1`, `Title`), their id
does not; others are known by what they are based on and by their outline level (ISO/IEC 29500-1,
17.7). Bold and hidden are toggles: what paragraph, character and table style say is added up, what
the text itself says counts alone.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from shoal.converters.ooxml.ooxml import children, first
from shoal.converters.xml import Element, attribute, local, named
from shoal.model.page import Tag

_MAX_CHAIN = 30
_HEADING = re.compile(r"heading\s*([1-9])$")
_HEADING_ID = re.compile(
    r"(?:heading|berschrift|titre|titolo|ttulo|kop|rubrik|otsikko|overskrift|nagwek|nadpis"
    r"|cmsor|titlu|antrat|virsraksts|pealkiri)\s*([1-6])$"
)
"""Of documents whose styles are lost: the ids that Word makes, which drop what is not ASCII."""
_KINDS = {
    **dict.fromkeys(("title", "subtitle", "toc heading"), Tag.HEADING),
    **dict.fromkeys(("author", "date"), Tag.PARAGRAPH),
    **dict.fromkeys(("caption", "image caption", "table caption"), Tag.CAPTION),
    **dict.fromkeys(("quote", "intense quote", "quotations", "block text"), Tag.QUOTE),
    **dict.fromkeys(("html preformatted", "preformatted text", "source code"), Tag.PRE),
    **dict.fromkeys(("definition term", "list heading"), Tag.TERM),
    **dict.fromkeys(("definition", "list contents"), Tag.DEFINITION),
}
_OFF = frozenset({"0", "false", "off", "none"})


@dataclass(slots=True)
class Style:
    """All that a style says, with what it is based on."""

    kind: Tag = Tag.PARAGRAPH
    level: int = 0
    """Of a heading; 0 is none."""
    is_title: bool = False
    bold: bool = False
    hidden: bool = False
    numbering: str = ""
    numbering_level: int | None = None
    first_row_bold: bool = False
    """Of a table's style."""
    outline: int | None = None
    """As said, from 1 on; 10 stands for text."""
    names: tuple[str, ...] = ()
    """Its own, and those of what it is based on."""


@dataclass(slots=True)
class Styles:
    root: Element | None
    _raw: dict[str, Element] = field(default_factory=dict)
    _known: dict[str, Style] = field(default_factory=dict)
    _default: str = ""
    _bold: bool = False

    def __post_init__(self) -> None:
        if self.root is None:
            return
        for style in named(self.root, "style"):
            identity = attribute(style, "styleId")
            self._raw.setdefault(identity, style)
            if attribute(style, "type") == "paragraph" and is_on(attribute(style, "default"), ""):
                self._default = self._default or identity
        defaults = first(self.root, "docDefaults", "rPrDefault", "rPr")
        self._bold = bool(toggle(children(defaults), "b"))

    def of_paragraph(self, identity: str) -> Style:
        return self.of(identity or self._default)

    def of(self, identity: str) -> Style:
        style = self._known.get(identity)
        return style if style is not None else self._resolve(identity)

    def bold(self, styles: list[Style]) -> bool:
        return self._bold or sum(style.bold for style in styles) % 2 == 1

    def _resolve(self, identity: str) -> Style:
        """With all that it is based on, as far as that is not known yet."""
        chain: list[str] = []
        following = identity
        while following in self._raw and following not in self._known:
            if following in chain or len(chain) >= _MAX_CHAIN:
                break
            chain.append(following)
            parent = first(self._raw[following], "basedOn")
            following = attribute(parent, "val") if parent is not None else ""
        if not chain:
            self._known[identity] = _by_id(identity)
        style = self._known.get(following, Style())
        for name in reversed(chain):
            style = self._known[name] = _over(style, self._raw[name])
        return self._known[identity]


def _by_id(identity: str) -> Style:
    """Of a style that is nowhere defined."""
    lower = identity.lower()
    found = _HEADING_ID.match(lower)
    level = int(found[1]) if found else int(lower == "title")
    kind = Tag.HEADING if level else Tag.PARAGRAPH
    return Style(kind, level, is_title=lower == "title")


def _over(parent: Style, element: Element) -> Style:
    """What the style says itself, over what it is based on."""
    held = children(element)
    run, paragraph = children(held.get("rPr")), children(held.get("pPr"))
    called = attribute(held["name"], "val") if "name" in held else ""
    called = called.lower().replace("_20_", " ")  # LibreOffice's way to write a space
    style = replace(parent, names=(called, *parent.names[: _MAX_CHAIN - 1]))
    bold, hidden, level = toggle(run, "b"), toggle(run, "vanish"), outline(paragraph)
    style.bold = parent.bold if bold is None else bold
    style.hidden = parent.hidden if hidden is None else hidden
    style.outline = parent.outline if level is None else level
    identity, depth = numbering(paragraph)
    style.numbering = identity or parent.numbering
    style.numbering_level = parent.numbering_level if depth is None else depth
    for part in element:
        if local(part) == "tblStylePr" and attribute(part, "type") == "firstRow":
            style.first_row_bold = bool(toggle(children(first(part, "rPr")), "b"))
    _name(style)
    return style


def _name(style: Style) -> None:
    """A level that is said counts; without one, and for other kinds, the name does."""
    level, names = style.outline or 0, style.names
    if level == 0:
        found = next(filter(None, map(_HEADING.match, names)), None)
        level = int(found[1]) if found else 0
    style.level = level if level <= 9 else 0
    style.is_title = names[0] == "title"
    style.kind = Tag.HEADING if style.level else Tag.PARAGRAPH
    if not style.level:
        known = next((name for name in names if name in _KINDS), "")
        style.kind = _KINDS.get(known, Tag.PARAGRAPH)
        if style.kind is Tag.HEADING:
            style.level = 2 if known == "subtitle" else 1
            style.is_title = known == "title"


Properties: TypeAlias = Mapping[str, Element]


def outline(properties: Properties) -> int | None:
    """The level of a heading from 1 on; 10 stands for text, None for no word about it."""
    found = properties.get("outlineLvl")
    value = attribute(found, "val") if found is not None else ""
    return int(value) + 1 if value.isdecimal() and len(value) < 3 else None


def numbering(properties: Properties) -> tuple[str, int | None]:
    """The id of the list, and its level where one is said."""
    held = properties.get("numPr")
    if held is None:
        held = properties.get("listPr")
    if held is None:
        return "", None
    identity, level = "", None
    for each in held:
        value = attribute(each, "val")
        if local(each) in ("numId", "ilfo"):
            identity = value
        elif local(each) == "ilvl" and value.isdecimal():
            level = min(int(value[:3]), 8)
    return identity, level


def toggle(properties: Properties, name: str) -> bool | None:
    found = properties.get(name)
    return None if found is None else is_on(attribute(found, "val"), "on")


def is_on(value: str, default: str) -> bool:
    value = value or default
    return bool(value) and value.lower() not in _OFF
