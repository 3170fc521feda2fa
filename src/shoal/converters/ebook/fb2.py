"""What does a FictionBook say? Its sections with titles, verse, quotations; then its notes.

FictionBook 2 is one XML file (often zipped, `.fb2.zip`): a description, a body of nested sections,
and bodies named `notes` or `comments`, whose sections are what the references in the text mean.
"""

import re
from collections.abc import Callable

from shoal.converters.context import Context, Converted
from shoal.converters.html.table_blocks import Cell, Table
from shoal.converters.writer import Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local, named, parse
from shoal.converters.zip import Package
from shoal.model.page import Page, Tag

_MAX_DEPTH = 60
_MAX_VALUE_CHARS = 2_000
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_DATE = re.compile(r"[1-9]\d{3}(?:-\d\d(?:-\d\d)?)?")


def convert(body: bytes, context: Context) -> list[Converted]:
    problem = ""
    if body[:2] == b"PK":
        package = Package(body, context.limits)
        names = [name for name in package.names if name.lower().endswith(".fb2")]
        body = package.read(names[0]) if names else b""
        problem = package.problem
    root = parse(body)
    if root is None or local(root) != "FictionBook":
        return [Converted(Page(), problem=problem or "damaged: no FictionBook in the XML")]
    writer = Writer(context.limits)
    walk = _Walk(writer)
    for annotation in list(named(root, "annotation"))[:1]:
        if any(local(parent) == "title-info" for parent in annotation.iterancestors()):
            walk.body(annotation)
    for each in root:
        if local(each) == "body":
            is_notes = attribute(each, "name") in ("notes", "comments", "footnotes")
            (walk.notes if is_notes else walk.body)(each)
    page = writer.page()
    _describe(page, root)
    return [Converted(page, problem=writer.problem or problem)]


class _Walk:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._depth = 0

    def body(self, body: Element) -> None:
        has_title = any(local(child) == "title" for child in body)
        self._blocks(body, 1 if has_title else 0, Tag.PARAGRAPH)

    def notes(self, body: Element) -> None:
        """A section each; its title is the number that the text refers to."""
        for section in named(body, "section"):
            paragraphs = [_runs(p) for p in named(section, "p", "v") if not _in_title(p)]
            if paragraphs:
                self._writer.other(Tag.ASIDE, _joined(paragraphs))

    def _blocks(self, parent: Element, level: int, kind: Tag) -> None:
        self._depth += 1
        for child in parent if self._depth <= _MAX_DEPTH and not self._writer.full else ():
            self._block(child, level, kind)
        self._depth -= 1

    def _block(self, element: Element, level: int, kind: Tag) -> None:
        name = local(element)
        if name == "section":
            self._blocks(element, level + 1, kind)
        elif name == "title":
            self._writer.heading(_joined([_runs(p) for p in named(element, "p")]), level)
        elif name in ("epigraph", "cite"):
            self._blocks(element, level, Tag.QUOTE)
        elif name == "annotation":
            self._blocks(element, level, kind)
        elif name == "poem":
            self._poem(element, level)
        elif name == "table":
            self._table(element)
        elif name == "image":
            self._writer.other(
                Tag.CAPTION, attribute(element, "alt") or attribute(element, "title")
            )
        elif kind is Tag.PARAGRAPH:
            self._writer.paragraph(_runs(element))
        else:
            self._writer.other(kind, _runs(element))
        for image in named(element, "image") if name == "p" else ():
            self._writer.other(Tag.CAPTION, attribute(image, "alt"))

    def _poem(self, poem: Element, level: int) -> None:
        for part in poem:
            if local(part) == "title":
                self._writer.heading(all_text(part), level + 1)
            elif local(part) == "stanza":
                lines = (" ".join(all_text(line).split()) for line in part)
                self._writer.preformatted("\n".join(lines))
            else:
                self._writer.paragraph(_runs(part))

    def _table(self, element: Element) -> None:
        table = Table()
        for row in named(element, "tr"):
            table.open("tr")
            for cell in row:
                table.open(local(cell))
                runs = _runs(cell)
                table.put(Cell(runs, _paragraph(runs), True))
                table.close(local(cell))
        table.write(self._writer)


def _paragraph(runs: list[Run]) -> Callable[[Writer], None]:
    return lambda writer: writer.paragraph(runs)


def _in_title(paragraph: Element) -> bool:
    parent = paragraph.getparent()
    return parent is not None and local(parent) == "title"


def _joined(paragraphs: list[list[Run]]) -> list[Run]:
    return [run for runs in paragraphs for run in (*runs, Run(" "))]


def _runs(element: Element, bold: bool = False, href: str = "", depth: int = 0) -> list[Run]:
    runs = [Run(str(element.text), bold, href)] if element.text else []
    for child in element if depth < _MAX_DEPTH else ():
        name = local(child)
        if name == "a":
            target = attribute(child, "href")
            if attribute(child, "type") != "note":  # the note itself follows the text
                runs += _runs(child, bold, target if _ABSOLUTE.match(target) else "", depth + 1)
        elif name:
            runs += _runs(child, bold or name == "strong", href, depth + 1)
        if child.tail:
            runs.append(Run(str(child.tail), bold, href))
    return runs


def _describe(page: Page, root: Element) -> None:
    info = next(named(root, "title-info"), None)
    if info is None:
        return
    page.title = _first(info, "book-title")
    authors = (
        " ".join(filter(None, (_first(a, n) for n in ("first-name", "middle-name", "last-name"))))
        or _first(a, "nickname")
        for a in info
        if local(a) == "author"
    )
    page.author = ", ".join(filter(None, authors))
    page.language = _first(info, "lang")
    page.description = _first(info, "annotation")
    genres = [_first_text(genre) for genre in named(info, "genre")][:20]
    page.keywords = _first(info, "keywords") or ", ".join(genres)
    page.published = _date(info)
    document = next(named(root, "document-info"), None)
    page.modified = "" if document is None else _date(document)


def _date(info: Element) -> str:
    element = next(named(info, "date"), None)
    if element is None:
        return ""
    found = _DATE.match(attribute(element, "value")) or _DATE.match(all_text(element).strip())
    return found[0] if found else ""


def _first(parent: Element, name: str) -> str:
    element = next(named(parent, name), None)
    return "" if element is None else _first_text(element)


def _first_text(element: Element) -> str:
    return " ".join(all_text(element)[:_MAX_VALUE_CHARS].split())
