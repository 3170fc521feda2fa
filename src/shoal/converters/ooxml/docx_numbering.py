"""Which number stands before a paragraph? Counted as Word counts: it stores none.

ISO/IEC 29500-1, 17.9: a paragraph names an instance (`num`) and a level; an instance names its
definition (`abstractNum`) and may override levels or their start. Instances of one definition go
on counting together, unless one says where it starts. A level begins again after a higher one.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from shoal.converters.ooxml.docx_formats import OLD_CODES, formatted
from shoal.converters.ooxml.ooxml import first
from shoal.converters.ooxml.symbols import readable
from shoal.converters.xml import Element, attribute, local

_LEVELS = 9


@dataclass(slots=True)
class Level:
    start: int = 1
    format: str = "decimal"
    text: str = ""
    restart: int | None = None
    """Begins again after this level (from 1); 0 is never, None after any higher one."""
    legal: bool = False
    style: str = ""


@dataclass(slots=True)
class _Definition:
    levels: dict[int, Level]
    link: str = ""
    """The style whose list this is, when it is defined there."""


@dataclass(slots=True)
class _Instance:
    definition: str
    starts: dict[int, int] = field(default_factory=dict)
    levels: dict[int, Level] = field(default_factory=dict)


class Label(NamedTuple):
    numbered: bool
    marker: str
    """Empty for a bullet."""


class Numbering:
    """The definitions, the same for all parts of a document."""

    def __init__(self, root: Element | None) -> None:
        self.definitions: dict[str, _Definition] = {}
        self.instances: dict[str, _Instance] = {}
        self._linked: dict[str, str] = {}
        for element in root if root is not None else ():
            name = local(element)
            if name in ("abstractNum", "listDef"):
                identity = attribute(element, "abstractNumId") or attribute(element, "listDefId")
                self.definitions[identity] = _definition(element)
                style = first(element, "styleLink")
                if style is not None:
                    self._linked[attribute(style, "val")] = identity
            elif name in ("num", "list"):
                identity = attribute(element, "numId") or attribute(element, "ilfo")
                self.instances[identity] = _instance(element)

    def definition_of(self, identity: str) -> str:
        """The definition that an instance comes to, by way of a style when it says so."""
        instance = self.instances.get(identity)
        name = instance.definition if instance else ""
        definition = self.definitions.get(name)
        if definition and definition.link and not definition.levels:
            return self._linked.get(definition.link, name)
        return name

    def level(self, identity: str, depth: int) -> Level | None:
        instance = self.instances.get(identity)
        if instance is None:
            return None
        if depth in instance.levels:
            return instance.levels[depth]
        definition = self.definitions.get(self.definition_of(identity))
        return definition.levels.get(depth) if definition else None

    def depth_of_style(self, identity: str, style: str) -> int:
        """A style that stands in a list without saying where is named by one of its levels."""
        definition = self.definitions.get(self.definition_of(identity))
        levels = definition.levels if definition else {}
        return next((depth for depth, level in levels.items() if level.style == style), 0)


class Counters:
    """How far each list has come, in one flow of text."""

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[tuple[str, int]] = set()

    def label(self, identity: str, depth: int) -> Label | None:
        """Of the next paragraph in this list; None when nothing stands before it."""
        level = self._numbering.level(identity, depth)
        if level is None:
            return None
        self._count(identity, depth, level)
        if level.format == "bullet":
            return Label(False, "") if readable(level.text, "Symbol").strip() else None
        marker = self._marker(identity, level)
        return Label(True, marker) if marker else None

    def _count(self, identity: str, depth: int, level: Level) -> None:
        counts = self._counts.setdefault(self._numbering.definition_of(identity), {})
        start = self._numbering.instances[identity].starts.get(depth)
        if start is not None and (identity, depth) not in self._begun:
            self._begun.add((identity, depth))
            counts[depth] = start
        elif depth in counts:
            counts[depth] += 1
        else:
            counts[depth] = level.start if start is None else start
        for higher in range(depth):  # a level that was left out counts as used
            if higher not in counts:
                above = self._numbering.level(identity, higher)
                counts[higher] = above.start if above else 1
        for deeper in [each for each in counts if each > depth]:
            below = self._numbering.level(identity, deeper)
            restart = below.restart if below else None
            if restart is None or (restart != 0 and depth < restart):
                del counts[deeper]

    def _marker(self, identity: str, level: Level) -> str:
        counts = self._counts[self._numbering.definition_of(identity)]
        text = level.text
        if "%" not in text:
            return text.strip()
        for depth in range(_LEVELS):
            place = f"%{depth + 1}"
            if place in text:
                shown = self._numbering.level(identity, depth) or level
                number = counts.setdefault(depth, shown.start)
                legal = level.legal and shown.format != "none"
                text = text.replace(place, formatted(number, "decimal" if legal else shown.format))
        return text.strip()


def _definition(element: Element) -> _Definition:
    link = first(element, "numStyleLink")
    levels = {}
    for each in element:
        depth = attribute(each, "ilvl")
        if local(each) == "lvl" and depth.isdecimal() and int(depth[:3]) < _LEVELS:
            levels[int(depth)] = _level(each)
    return _Definition(levels, attribute(link, "val") if link is not None else "")


def _level(element: Element) -> Level:
    level = Level()
    for each in element:
        name, value = local(each), attribute(each, "val")
        if name == "start":
            level.start = _number(value, 1)
        elif name in ("numFmt", "nfc"):
            level.format = OLD_CODES.get(value, value) or "decimal"
        elif name == "lvlText":
            level.text = value
        elif name == "lvlRestart":
            level.restart = _number(value, 0)
        elif name == "isLgl":
            level.legal = value not in ("0", "false", "off")
        elif name == "pStyle":
            level.style = value
        elif name == "AlternateContent":  # of formats that old readers don't know
            held = first(each, "Choice", "numFmt")
            level.format = attribute(held, "val") if held is not None else level.format
    return level


def _instance(element: Element) -> _Instance:
    instance = _Instance("")
    for each in element:
        name = local(each)
        if name in ("abstractNumId", "ilst"):
            instance.definition = attribute(each, "val")
        elif name == "lvlOverride":
            depth = _number(attribute(each, "ilvl"), 0)
            start, level = first(each, "startOverride"), first(each, "lvl")
            if start is not None:
                instance.starts[depth] = _number(attribute(start, "val"), 1)
            if level is not None:
                instance.levels[depth] = _level(level)
    return instance


def _number(value: str, default: int) -> int:
    return int(value) if value.isdecimal() and len(value) < 10 else default
