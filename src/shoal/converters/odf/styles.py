"""What does a style of an OpenDocument mean? Bold, hidden, heading, quotation, numbered how.

Styles have parents; automatic ones (those of a place in the text) come before the named ones.
What a paragraph is, is told by the names of its style's ancestors, which stay English in the file
whatever language the program speaks. OpenOffice.org 1 used the same words with fewer kinds of
properties.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto

from shoal.converters.xml import Element, attribute, local, named

_MAX_PARENTS = 20
_BOLD = frozenset({"bold", "bolder", "600", "700", "800", "900"})
_PROPERTIES = frozenset({"text-properties", "properties", "drawing-page-properties"})
_CONTAINERS = ("styles", "automatic-styles")


class Role(Enum):
    """What the paragraphs of a style are."""

    TITLE = auto()
    CAPTION = auto()
    QUOTE = auto()
    PRE = auto()
    TERM = auto()
    DEFINITION = auto()
    COLUMN_HEAD = auto()


_ROLES = {
    "title": Role.TITLE,
    **dict.fromkeys(("caption", "image caption", "table caption", "figure caption"), Role.CAPTION),
    **dict.fromkeys(("figurecaption", "tablecaption"), Role.CAPTION),
    **dict.fromkeys(("quotations", "intense quote", "quote", "block text"), Role.QUOTE),
    **dict.fromkeys(("preformatted text", "html preformatted"), Role.PRE),
    **dict.fromkeys(("source text", "source code"), Role.PRE),
    **dict.fromkeys(("list heading", "definition term", "definition term tight"), Role.TERM),
    **dict.fromkeys(("list contents", "definition"), Role.DEFINITION),
    **dict.fromkeys(("definition definition", "definition definition tight"), Role.DEFINITION),
    "table heading": Role.COLUMN_HEAD,
}


@dataclass(slots=True)
class Style:
    name: str
    parent: str = ""
    bold: bool | None = None
    hidden: bool | None = None
    outline_level: int = 0
    list_style: str | None = None
    """Empty: explicitly none."""


@dataclass(slots=True, frozen=True)
class Level:
    """Of a list: how its items are numbered. Without a format they are not."""

    num_format: str = ""
    prefix: str = ""
    suffix: str = ""
    pattern: str = ""
    """LibreOffice's own `%1%.%2%)`; comes before prefix and suffix."""
    start: int = 1
    shown_levels: int = 1
    is_numbered: bool = False


@dataclass(slots=True)
class Styles:
    """Of the text (with the automatic styles of content.xml) or of headers (styles.xml)."""

    by_name: dict[tuple[str, str], Style] = field(default_factory=dict)
    lists: dict[str, dict[int, Level]] = field(default_factory=dict)
    outline: dict[int, Level] = field(default_factory=dict)

    def read(self, root: Element | None, containers: Iterable[str] = _CONTAINERS) -> None:
        if root is None:
            return
        for container in named(root, *containers):
            for element in container:
                self._take(element)

    def bold(self, family: str, name: str) -> bool | None:
        return next((s.bold for s in self._chain(family, name) if s.bold is not None), None)

    def hidden(self, family: str, name: str) -> bool:
        return next((s.hidden for s in self._chain(family, name) if s.hidden is not None), False)

    def outline_level(self, name: str) -> int:
        """Of a paragraph; 0 when it is no heading."""
        for style in self._chain("paragraph", name):
            if style.outline_level:
                return style.outline_level
            level = _level_in(style.name)
            if level:
                return level
        return 0

    def role(self, name: str) -> Role | None:
        for style in self._chain("paragraph", name):
            role = _ROLES.get(_plain(style.name))
            if role:
                return role
        return _ROLES.get(_plain(name))

    def list_style(self, name: str) -> str | None:
        """Of a paragraph: None when nothing is said, empty when it is to have none."""
        chain = self._chain("paragraph", name)
        return next((s.list_style for s in chain if s.list_style is not None), None)

    def level(self, list_style: str, level: int) -> Level:
        return self.lists.get(list_style, {}).get(level, Level())

    def _chain(self, family: str, name: str) -> Iterator[Style]:
        for _ in range(_MAX_PARENTS):
            style = self.by_name.get((family, name))
            if style is None:
                return
            yield style
            name = style.parent

    def _take(self, element: Element) -> None:
        kind = local(element)
        if kind == "style":
            style = _style(element)
            self.by_name[attribute(element, "family"), style.name] = style
        elif kind == "list-style":
            self.lists[attribute(element, "name")] = _levels(element)
        elif kind == "outline-style":
            self.outline = _levels(element)


def _style(element: Element) -> Style:
    style = Style(attribute(element, "name"), attribute(element, "parent-style-name"))
    outline = attribute(element, "default-outline-level")
    style.outline_level = _count(outline, 0)
    for key, value in element.attrib.items():
        if str(key).endswith("}list-style-name"):
            style.list_style = str(value)
    for properties in element:
        if local(properties) not in _PROPERTIES:
            continue
        for key, value in properties.attrib.items():
            name = str(key).rpartition("}")[2]
            if name == "font-weight":
                style.bold = value in _BOLD
            elif name == "display":
                style.hidden = value == "none"
            elif name == "visibility":
                style.hidden = value == "hidden"
    for properties in named(element, "table-properties", "properties"):
        if attribute(properties, "display") == "false":
            style.hidden = True
    return style


def _levels(element: Element) -> dict[int, Level]:
    levels: dict[int, Level] = {}
    for each in element:
        kind = local(each)
        number = _count(attribute(each, "level"), 0)
        if kind in ("list-level-style-number", "outline-level-style") and number:
            num_format = attribute(each, "num-format")
            levels[number] = Level(
                num_format,
                attribute(each, "num-prefix"),
                attribute(each, "num-suffix"),
                attribute(each, "num-list-format") if num_format else "",
                _count(attribute(each, "start-value"), 1),
                _count(attribute(each, "display-levels"), 1) or 1,
                bool(num_format),
            )
    return levels


def _plain(name: str) -> str:
    return name.replace("_20_", " ").replace("_", " ").lower().strip()


def _level_in(name: str) -> int:
    """`Heading 2` is a heading even if its style has lost its level."""
    words = _plain(name).split()
    is_heading = len(words) == 2 and words[0] == "heading"
    return int(words[1]) if is_heading and words[1] in "123456789" and len(words[1]) == 1 else 0


def _count(text: str, otherwise: int) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else otherwise
