"""What does a document of iWork 2013 and later say? Its objects, in the order one sees them.

Keynote: slide by slide; Numbers: sheet by sheet; Pages: the body with what hangs on it, then the
rest. From a slide or a sheet we follow references, but only to what can be drawn on it.
"""

from shoal.converters.iwork.iwa import (
    Fields,
    Object,
    fields,
    first_int,
    first_message,
    objects,
    reference,
    references,
    text,
    unpack,
)
from shoal.converters.iwork.iwa_chart import CHART, chart_rows, chart_title, description
from shoal.converters.iwork.iwa_table import Table
from shoal.converters.iwork.iwa_text import BODY, FOOTNOTE, HEADER, NOTE, Paragraph, Texts
from shoal.converters.limits import Limits
from shoal.converters.writer import Run, Writer
from shoal.model.page import Tag

_TITLE_LEVEL = 1
_SHEET_LEVEL = 2
_STORAGES = frozenset({2001, 2005})
_TABLE = 6001
_COMMENT = 3056
_DRAWN = frozenset(
    {2003, 2008, 2011, 2013, 3002, 3003, 3004, 3005, 3007, 3008, 3009, 6000, 7, 15, CHART}
)
_FLOATING = frozenset({_TABLE, _COMMENT, 6000, 3005, 2011, CHART})
_PAGES_DOCUMENT = 10000
_NOT_SHOWN = ("MasterSlide", "TemplateSlide", "ThemeStylesheet", "ViewState", "AnnotationAuthor")
_MAX_DEPTH = 40
_MAX_UNPACKED = 60_000_000
_SLIDE_PARTS = (6, 30, 7, 42, 27)


def write_objects(files: dict[str, bytes], writer: Writer, limits: Limits) -> str:
    """Returns what went wrong."""
    found: dict[int, Object] = {}
    room = min(_MAX_UNPACKED, limits.unpacked_bytes)
    for name, data in files.items():
        if not name.rpartition("/")[2].startswith(_NOT_SHOWN):
            unpacked = unpack(data, room)
            room -= len(unpacked)
            objects(unpacked, found)
    _Document(found, writer).write()
    if not found:
        return "damaged: no objects"
    return "" if room > 0 else f"cut: unpacks to more than {_MAX_UNPACKED} bytes"


class _Document:
    def __init__(self, found: dict[int, Object], writer: Writer) -> None:
        self._objects = found
        self._writer = writer
        self._texts = Texts(found)
        self._seen: set[int] = set()
        self._said: set[str] = set()
        self._source = -1
        self._has_headings = True
        self._has_sheets = False

    def write(self) -> None:
        root = self._objects.get(1, Object(0, b""))
        document = fields(root.payload)
        sheets = [each for each in references(document, 1) if each in self._objects]
        show = fields(self._payload(reference(document, 2)))
        slides = self._slides(show)
        if root.type != _PAGES_DOCUMENT and slides:
            self._has_headings = False
            for number, slide in enumerate(slides, 1):
                self._source = number
                self._slide(fields(self._payload(slide)))
        elif root.type != _PAGES_DOCUMENT and sheets:
            self._has_sheets = True
            for number, sheet in enumerate(sheets, 1):
                self._source = number
                self._sheet(fields(self._payload(sheet)))
        else:
            self._pages()

    def _slides(self, show: Fields) -> list[int]:
        nodes = references(first_message(show, 3), 2)
        slides: list[int] = []
        for node in nodes:
            slide = reference(fields(self._payload(node)), 2)
            if slide in self._objects:
                slides.append(slide)
        return slides

    def _slide(self, slide: Fields) -> None:
        title = self._title(reference(slide, 5))
        self._writer.heading(title, _TITLE_LEVEL, source=self._source)
        for part in _SLIDE_PARTS:
            for identity in references(slide, part):
                self._visit(identity, 0)

    def _title(self, placeholder: int) -> list[Run]:
        self._seen.add(placeholder)
        runs: list[Run] = []
        for identity in self._referred(fields(self._payload(placeholder)), 0):
            found = self._objects[identity]
            if found.type in _STORAGES and identity not in self._seen:
                self._seen.add(identity)
                for paragraph in self._texts.paragraphs(fields(found.payload)):
                    runs += [*(Run(r.text, False, r.href) for r in paragraph.runs), Run(" ")]
        return runs

    def _sheet(self, sheet: Fields) -> None:
        self._writer.heading(text(sheet, 1), _SHEET_LEVEL, source=self._source)
        for identity in references(sheet, 2):
            self._visit(identity, 0)
        for number in (18, 19, 15, 16):
            for identity in references(sheet, number):
                self._visit(identity, 0)

    def _pages(self) -> None:
        """The body first; the rest in the order in which it was made."""
        rest: list[int] = []
        for identity in sorted(self._objects):
            found = self._objects[identity]
            if found.type in _STORAGES and first_int(fields(found.payload), 1, 3) == BODY:
                self._visit(identity, 0)
            elif found.type in _STORAGES or found.type in _FLOATING:
                rest.append(identity)
        for identity in rest:
            self._visit(identity, 0)

    def _visit(self, identity: int, depth: int) -> None:
        found = self._objects.get(identity)
        if found is None or identity in self._seen or depth > _MAX_DEPTH or self._writer.full:
            return
        self._seen.add(identity)
        if found.type in _STORAGES:
            self._storage(fields(found.payload), depth)
        elif found.type == _TABLE:
            self._table(fields(found.payload))
        elif found.type == _COMMENT:
            self._aside(text(fields(found.payload), 1))
        elif found.type in _DRAWN:
            self._writer.other(Tag.CAPTION, description(found), source=self._source)
            if found.type == CHART:
                self._chart(fields(found.payload))
            for each in self._referred(fields(found.payload), 0):
                self._visit(each, depth + 1)

    def _referred(self, message: Fields, depth: int) -> list[int]:
        """Numbers of known objects that may be drawn, anywhere in a message. A reference is a
        message of one number; that it is one can only be told by whether such an object exists."""
        found: list[int] = []
        for values in message.values():
            for value in values:
                if not isinstance(value, bytes) or not 1 < len(value) < 100_000:
                    continue
                inner = fields(value)
                identity = first_int(inner, 1)
                known = self._objects.get(identity) if len(inner) == 1 else None
                if known is None:
                    if depth < 6:
                        found += self._referred(inner, depth + 1)
                elif known.type in _STORAGES | _DRAWN | {_TABLE, _COMMENT}:
                    found.append(identity)
        return found

    def _storage(self, storage: Fields, depth: int) -> None:
        kind = first_int(storage, 1, 3)
        if kind in (HEADER, FOOTNOTE, NOTE):
            self._aside(self._plain(storage))
            return
        for paragraph in self._texts.paragraphs(storage):
            self._paragraph(paragraph)
            for identity in paragraph.apart:
                self._visit(identity, depth + 1)

    def _paragraph(self, paragraph: Paragraph) -> None:
        runs = paragraph.runs
        if paragraph.level and self._has_headings:
            marker = paragraph.marker
            self._writer.heading(runs, paragraph.level, marker=marker, source=self._source)
        elif paragraph.depth:
            self._writer.item(
                runs,
                paragraph.depth,
                numbered=paragraph.is_numbered,
                marker=paragraph.marker,
                source=self._source,
            )
        else:
            self._writer.paragraph(runs, source=self._source)

    def _table(self, model: Fields) -> None:
        table = Table(model, self._objects, self._rich)
        self._writer.other(Tag.CAPTION, table.name, source=self._source)
        self._writer.table(table.rows(), header_rows=table.header_rows, source=self._source)
        for comment in table.comments():
            self._aside(comment)

    def _chart(self, chart: Fields) -> None:
        title = chart_title(chart, self._objects)
        self._writer.other(Tag.CAPTION, title, source=self._source)
        if not self._has_sheets:  # its numbers stand in their cells
            self._writer.table(chart_rows(chart), header_rows=1, source=self._source)

    def _rich(self, identity: int) -> str:
        self._seen.add(identity)
        return self._plain(fields(self._payload(identity)))

    def _plain(self, storage: Fields) -> str:
        paragraphs = self._texts.paragraphs(storage)
        return " ".join("".join(run.text for run in p.runs) for p in paragraphs)

    def _aside(self, said: str) -> None:
        said = " ".join(said.split())
        if said and said not in self._said:
            self._said.add(said)
            self._writer.other(Tag.ASIDE, said, source=self._source)

    def _payload(self, identity: int) -> bytes:
        found = self._objects.get(identity)
        return b"" if found is None else found.payload
