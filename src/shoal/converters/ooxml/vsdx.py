"""What does a Visio drawing say? The texts of its shapes, page by page.

[MS-VSDX]: a package of pages, each a tree of shapes; a shape without a text of its own shows that
of the master it was made from. The same elements stand in the XML files of Visio 2003 (VDX).
Shapes are read from top to bottom and from left to right: their order in the file is that in which
they were drawn.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from shoal.converters.context import Context, Converted
from shoal.converters.ooxml.embedded import embedded
from shoal.converters.ooxml.ooxml import Parts, Relation, bounded, describe, first, iso_date
from shoal.converters.ooxml.symbols import readable
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named, parse
from shoal.model.page import Tag

_DEFAULT_NAME = re.compile(r"^\S+-\d+$")
"""What Visio calls a page that nobody named: `Page-1`."""
_SAME_ROW = 0.1
"""Inches apart, at most."""


@dataclass(slots=True)
class _Sheet:
    """A page or a master."""

    name: str
    root: Element
    is_back: bool = False


@dataclass(slots=True)
class _Masters:
    sheets: dict[str, _Sheet]
    _texts: dict[str, dict[str, Element]] = field(default_factory=dict)

    def text(self, master: str, shape: str) -> Element | None:
        """Of a shape of a master; of its first one when none is named."""
        if master not in self._texts:
            sheet = self.sheets.get(master)
            texts: dict[str, Element] = {}
            for each in named(sheet.root, "Shape") if sheet else ():
                held = first(each, "Text")
                if held is not None:
                    texts.setdefault(attribute(each, "ID"), held)
                    texts.setdefault("", held)
            self._texts[master] = texts
        return self._texts[master].get(shape)


def convert(body: bytes, context: Context) -> list[Converted]:
    parts = Parts.of_zip(body, context.limits)
    name = parts.main("visio/document.xml")
    relations = parts.relations(name) if name else {}
    pages = list(_sheets(parts, relations, "pages"))
    masters = dict(_sheets(parts, relations, "masters"))
    writer = Writer(context.limits)
    _write([sheet for _, sheet in pages], _Masters(masters), writer)
    comments = parts.root("visio/comments.xml")
    for each in named(comments, "CommentEntry") if comments is not None else ():
        writer.other(Tag.ASIDE, all_text(each))
    page = writer.page()
    describe(page, parts)
    problem = parts.problem or writer.problem or ("" if pages else "damaged: no pages in it")
    return [Converted(page, problem=problem), *embedded(parts, context)]


def convert_vdx(body: bytes, context: Context) -> list[Converted]:
    """Of Visio 2003: all in one XML file."""
    root = parse(bounded(body))
    writer = Writer(context.limits)
    if root is None:
        return [Converted(writer.page(), problem="damaged: no XML")]
    held = (("Masters", "Master"), ("Pages", "Page"))
    masters, pages = (
        {attribute(each, "ID"): _sheet(each, each) for each in named(root, one)}
        if (first(root, many) is not None)
        else {}
        for many, one in held
    )
    _write(list(pages.values()), _Masters(masters), writer)
    page = writer.page()
    properties = first(root, "DocumentProperties")
    values = (
        {local(each): all_text(each).strip() for each in properties}
        if (properties is not None)
        else {}
    )
    page.title, page.author = values.get("Title", "")[:1000], values.get("Creator", "")
    page.published = iso_date(values.get("TimeCreated", ""))
    page.modified = iso_date(values.get("TimeSaved", ""))
    page.description, page.keywords = values.get("Desc", "")[:2000], values.get("Keywords", "")
    return [Converted(page, problem=writer.problem)]


def _sheets(
    parts: Parts, relations: dict[str, Relation], kind: str
) -> Iterator[tuple[str, _Sheet]]:
    """Pages or masters, by their ids, in the order of their list."""
    name = next((each.target for each in relations.values() if each.kind == kind), "")
    name = name or f"visio/{kind}/{kind}.xml"
    root = parts.root(name)
    targets = parts.relations(name)
    found = False
    for entry in named(root, kind.capitalize()[:-1]) if root is not None else ():
        link = first(entry, "Rel")
        target = targets.get(attribute(link, "id")) if link is not None else None
        sheet = parts.root(target.target) if target else None
        if sheet is not None:
            found = True
            yield attribute(entry, "ID"), _sheet(entry, sheet)
    if not found and kind == "pages":
        lost = re.compile(r"/pages/page\d+\.xml$", re.IGNORECASE)
        for name in sorted(filter(lost.search, parts.names)):
            sheet = parts.root(name)
            if sheet is not None:
                yield name, _Sheet("", sheet)


def _sheet(entry: Element, root: Element) -> _Sheet:
    name = attribute(entry, "Name") or attribute(entry, "NameU")
    return _Sheet(name, root, attribute(entry, "Background") in ("1", "true"))


def _write(pages: list[_Sheet], masters: _Masters, writer: Writer) -> None:
    """What stands on a background is written once, after the pages that show it."""
    for number, page in enumerate(sorted(pages, key=lambda page: page.is_back), 1):
        if page.name and not page.is_back and not _DEFAULT_NAME.match(page.name):
            writer.heading(page.name, 1, source=number)
        shapes = first(page.root, "Shapes")
        tops = list(shapes) if shapes is not None else []
        for shape in sorted(tops, key=_place):
            for runs in _texts(shape, masters):
                if page.is_back:
                    writer.other(Tag.ASIDE, runs, source=number)
                else:
                    writer.paragraph(runs, source=number)
        if writer.full:
            break


def _texts(top: Element, masters: _Masters) -> Iterator[list[Run]]:
    """Of a shape and those grouped in it."""
    waiting = [(top, "")]
    while waiting:
        shape, master = waiting.pop()
        if local(shape) != "Shape":
            continue
        own = attribute(shape, "Master")
        text = first(shape, "Text")
        if text is None and (own or master):
            inner = "" if own else attribute(shape, "MasterShape")
            text = masters.text(own or master, inner) if own or inner else None
        if text is not None and _cell(shape, "HideText") not in ("1", "true"):
            words = readable(all_text(text), "Symbol")
            yield [Run(words, False, _href(shape))]
        grouped = first(shape, "Shapes")
        if grouped is not None:
            waiting += [(each, own or master) for each in sorted(grouped, key=_place, reverse=True)]


def _cell(shape: Element, name: str) -> str:
    """Of a shape: `<Cell N="PinX" V="2"/>`, in Visio 2003 `<XForm><PinX>2</PinX></XForm>`."""
    for each in shape:
        kind = local(each)
        if kind == "Cell" and attribute(each, "N") == name:
            return attribute(each, "V")
        if kind in ("XForm", "Misc"):
            held = first(each, name)
            if held is not None:
                return all_text(held)
    return ""


def _place(shape: Element) -> tuple[int, float]:
    return -round(_number(_cell(shape, "PinY")) / _SAME_ROW), _number(_cell(shape, "PinX"))


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) and abs(value) < 1e6 else 0.0


def _href(shape: Element) -> str:
    for section in shape:
        if local(section) == "Section" and attribute(section, "N") == "Hyperlink":
            for cell in named(section, "Cell"):
                if attribute(cell, "N") == "Address":
                    return attribute(cell, "V")
        elif local(section) == "Hyperlink":
            address = first(section, "Address")
            return all_text(address) if address is not None else ""
    return ""
