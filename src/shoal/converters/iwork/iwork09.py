"""What does a document of iWork '08 or '09 say? One XML file of Apple's own vocabulary.

Pages: the body, then what floats on the pages, comments, headers. Keynote: slide by slide, with the
speaker's notes, then what the masters in use add. Numbers: sheet by sheet.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.converters.iwork.iwork09_table import write_table
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, attribute, local, named
from shoal.model.page import Page, Tag

_MAX_DEPTH = 80
_MAX_PARENTS = 20
_MAX_VALUE_CHARS = 2_000
_TITLE_LEVEL = 1
_SHEET_LEVEL = 2
_SKIPPED_NAMES = (
    "stylesheet section-prototypes prototypes tabular-prototypes thumbnails metadata geometry style"
    " calc-engine ghost-text stylesheet-ref path build-chunks events ui-state version-history"
    " window-configs sidebar-cache slprint-info publication-info style-browser-model"
    " chart-legendInfo"
)
_SKIPPED = frozenset(_SKIPPED_NAMES.split())
_ASIDES = frozenset(
    {"sticky-note", "annotation", "notes", "header", "footer", "footnote", "endnote"}
    | {"header-storage", "footer-storage", "comment"}
)
_HEADING = re.compile(r"Heading ?([1-9])?$", re.IGNORECASE)


@dataclass(slots=True)
class _Style:
    name: str
    parent: str
    bold: bool | None
    level: int


class Document:
    def __init__(self, root: Element, writer: Writer) -> None:
        self._root = root
        self._writer = writer
        self._styles = _styles(root)
        self._said: set[str] = set()
        self._source = -1
        self._depth = 0

    def write(self) -> None:
        kind = local(self._root)
        if kind == "presentation":
            self._presentation()
        elif next(named(self._root, "workspace"), None) is not None:
            for number, sheet in enumerate(named(self._root, "workspace"), 1):
                self._source = number
                name = attribute(sheet, "workspace-name")
                self._writer.heading(name, _SHEET_LEVEL, source=number)
                self._blocks(sheet)
        else:
            parts = sorted(self._root, key=lambda part: local(part) != "text-storage")
            for part in parts:
                self._block(part)

    def _presentation(self) -> None:
        masters = {attribute(m, "ID"): m for m in named(self._root, "master-slide")}
        used: list[str] = []
        slides = [s for part in named(self._root, "slide-list") for s in named(part, "slide")]
        for number, slide in enumerate(slides, 1):
            self._source = number
            self._slide(slide)
            for reference in named(slide, "master-ref"):
                used.append(attribute(reference, "IDREF"))
        self._source = -1
        for identity in dict.fromkeys(used):
            master = masters.get(identity)
            if master is not None:
                for page in master:
                    if local(page) == "page":
                        self._blocks(page)

    def _slide(self, slide: Element) -> None:
        for part in slide:
            if local(part) == "title-placeholder":
                self._writer.heading(self._flat(part), _TITLE_LEVEL, source=self._source)
        for part in slide:
            if local(part) not in ("title-placeholder", "notes"):
                self._block(part)
        for part in slide:
            if local(part) == "notes":
                self._block(part)

    def _blocks(self, parent: Element) -> None:
        self._depth += 1
        for child in parent if self._depth <= _MAX_DEPTH and not self._writer.full else ():
            self._block(child)
        self._depth -= 1

    def _block(self, element: Element) -> None:
        name = local(element)
        if name in _SKIPPED:
            return
        if name == "p":
            self._paragraph(element)
        elif name == "tabular-model":
            write_table(element, self._writer, self._source)
        elif name == "chart-name":
            self._writer.other(Tag.CAPTION, attribute(element, "string"), source=self._source)
        elif name in _ASIDES:
            self._aside(element)
        else:
            self._blocks(element)

    def _aside(self, element: Element) -> None:
        runs = self._flat(element)
        text = "".join(run.text for run in runs)
        if text not in self._said or local(element) not in ("header", "footer"):
            self._said.add(text)
            self._writer.other(Tag.ASIDE, runs, source=self._source)

    def _flat(self, element: Element) -> list[Run]:
        runs: list[Run] = []
        for paragraph in named(element, "p"):
            runs += [*self._runs(paragraph, False, "", 0), Run(" ")]
        return runs

    def _paragraph(self, element: Element) -> None:
        style = attribute(element, "style")
        level = self._level(style)
        bold = not level and self._bold(style)
        runs = self._runs(element, bold, "", 0)
        depth = attribute(element, "list-level")
        if level:
            self._writer.heading(runs, level, source=self._source)
        elif depth.isdecimal() and len(depth) < 3 and int(depth):
            self._writer.item(runs, int(depth), source=self._source)
        else:
            self._writer.paragraph(runs, source=self._source)
        for part in _apart(element):
            self._block(part)

    def _runs(self, element: Element, bold: bool, href: str, depth: int) -> list[Run]:
        runs = [Run(str(element.text), bold, href)] if element.text else []
        for child in element if depth < _MAX_DEPTH else ():
            name = local(child)
            if name in ("br", "lnbr", "crbr", "intratopicbr", "tab", "pgbr", "colbr"):
                runs.append(Run(" "))
            elif name == "span":
                runs += self._runs(
                    child, bold or self._bold(attribute(child, "style")), href, depth + 1
                )
            elif name == "link":
                runs += self._runs(child, bold, attribute(child, "href"), depth + 1)
            elif name and name not in _SKIPPED and name not in _ATTACHED and name not in _ASIDES:
                runs += self._runs(child, bold, href, depth + 1)
            if child.tail:
                runs.append(Run(str(child.tail), bold, href))
        return runs

    def _chain(self, style: str) -> Iterator[_Style]:
        for _ in range(_MAX_PARENTS):
            found = self._styles.get(style)
            if found is None:
                return
            yield found
            style = found.parent

    def _bold(self, style: str) -> bool:
        return next((each.bold for each in self._chain(style) if each.bold is not None), False)

    def _level(self, style: str) -> int:
        return next((each.level for each in self._chain(style) if each.level), 0)


_ATTACHED = frozenset({"attachment", "attachments", "attachment-ref", "drawable-shape", "group"})


def _apart(paragraph: Element) -> Iterator[Element]:
    for element in paragraph.iterdescendants():
        name = local(element)
        if name in ("attachment", "footnote", "endnote"):
            parents = (local(parent) for parent in element.iterancestors())
            if next((p for p in parents if p in ("p", "attachment", "footnote")), "p") == "p":
                yield element


def _styles(root: Element) -> dict[str, _Style]:
    styles: dict[str, _Style] = {}
    for element in named(root, "paragraphstyle", "characterstyle"):
        name = attribute(element, "name")
        heading = _HEADING.match(name)
        level = int(heading[1] or 1) if heading else int(name == "Title")
        bold: bool | None = None
        for properties in element:
            if local(properties) == "property-map":
                bold = _flag(properties, "bold")
        style = _Style(name, attribute(element, "parent-ident"), bold, level)
        for key in (attribute(element, "ident"), attribute(element, "ID")):
            if key:
                styles.setdefault(key, style)
    return styles


def _flag(properties: Element, name: str) -> bool | None:
    for each in properties:
        if local(each) == name:
            value = next(iter(each), None)
            return None if value is None else attribute(value, "number") not in ("", "0")
    return None


def describe(page: Page, root: Element) -> None:
    values: dict[str, str] = {}
    for part in root:
        if local(part) in ("metadata", "publication-info"):
            for field in part:
                texts = [attribute(v, "string") or attribute(v, "val") for v in field.iter()]
                values[local(field)] = ", ".join(filter(None, texts))[:_MAX_VALUE_CHARS]
    page.title = values.get("title", "")
    page.author = values.get("authors", "")
    page.keywords = values.get("keywords", "")
    page.description = values.get("comment", "")
    page.language = values.get("language", "")
    page.published = _date(values.get("SLCreationDateProperty", ""))
    page.modified = _date(values.get("SLLastModifiedDateProperty", ""))


def _date(text: str) -> str:
    found = re.match(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)([+-]\d\d):?(\d\d)$", text)
    return f"{found[1]}{found[2]}:{found[3]}" if found else ""
