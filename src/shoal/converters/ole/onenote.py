"""What does a OneNote section (.one) say? Its pages in order: titles, outlines, lists, tables.

Objects refer to each other ([MS-ONE]): a section to pages, a page to its title and outlines, an
outline to paragraphs. What was written in earlier states of a page is kept in the file and can be
shown there; it comes last, as asides. Files that cannot be walked give all their texts.
"""

import itertools
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from shoal.converters.context import Context, Converted
from shoal.converters.ole.doc_lists import written
from shoal.converters.ole.onenote_packed import PACKED, Packed
from shoal.converters.ole.onenote_scan import find_sets
from shoal.converters.ole.onenote_store import REVISION_STORE, Id, Notebook, Space, Store, Stored
from shoal.converters.ole.onenote_text import plain, runs_of, style_name, text_of
from shoal.converters.writer import Run, Writer
from shoal.model.page import Tag

_CHILDREN, _CONTENT, _TITLE_PART, _PAGES = 0x24001C20, 0x24001C1F, 0x24001D5F, 0x2C001D63
_TEXT, _TITLE, _PAGE, _ELEMENT, _IMAGE, _TABLE, _ROW, _CELL, _FILE, _SERIES = (
    *(0x6000E, 0x6002C, 0x6000B, 0x6000D, 0x60011, 0x60022, 0x60023, 0x60024, 0x60035, 0x60008),
)
_ALT_TEXT, _FILE_NAME, _FILE_CONTAINER = 0x1C001E58, 0x1C001D9C, 0x20001D9B
_LISTS, _LIST_FORMAT, _CACHED_TITLE, _AUTHOR = 0x24001C26, 0x1C001C1A, 0x1C001CF3, 0x1C001D75
_CREATED, _MODIFIED, _DOWN, _ACROSS = 0x14001D09, 0x14001D7A, 0x14001C15, 0x14001C14
_EPOCH = datetime(1980, 1, 1, tzinfo=UTC)
_DEEPEST = 60
_FAULTS = (struct.error, ValueError, IndexError, OverflowError)


def convert(body: bytes, context: Context) -> list[Converted]:
    writer = Writer(context.limits)
    problem = ""
    section = _Section(writer)
    try:
        if body[48:64] == REVISION_STORE:
            section.write(Store(body))
        elif body[48:64] == PACKED:
            section.write(Packed(body))
    except _FAULTS as fault:
        problem = f"damaged: {fault}"
    title = section.title if writer.blocks else _write_found(body, writer)
    page = writer.page(title)
    page.author, page.published, page.modified = section.author, section.created, section.modified
    documents = [Converted(page, problem=problem or writer.problem)]
    for name, data in section.files[: context.limits.members]:
        documents += context.inside(data, name)
    return documents


def _write_found(body: bytes, writer: Writer) -> str:
    """The first title of a page."""
    shown: dict[str, None] = {}
    for found in find_sets(body):
        title = found.text(_CACHED_TITLE)
        if title.strip() and title not in shown:
            shown[title] = None
            writer.heading(title, 1)
    first = next(iter(shown), "")
    for found in find_sets(body):
        text = plain(text_of(found))
        if text.strip() and text not in shown:
            shown[text] = None
            writer.paragraph(text)
    return first


class _Section:
    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._space = Space()
        self._store: Notebook | None = None
        self._visited: set[Id] = set()
        self._page = 0
        self._counts: list[int] = []
        self.files: list[tuple[str, bytes]] = []
        self.title = self.author = self.created = self.modified = ""

    def write(self, store: Notebook) -> None:
        self._store = store
        spaces = self._pages(store) or list(store.spaces.values())
        asides: list[str] = []
        for self._page, self._space in enumerate(spaces, 1):
            self._visited = set()
            if self._space.root:
                self._walk(self._space.root, 0, 0)
            asides += self._earlier()
        for text in asides:
            self._writer.other(Tag.ASIDE, text)

    @staticmethod
    def _pages(store: Notebook) -> list[Space]:
        """The pages that the section names, in its order."""
        root = store.spaces.get(store.root) if store.root else None
        if root is None or root.root is None:
            return []
        section = root.objects.get(root.root)
        names: list[Id] = []
        for reference in section.references(_CHILDREN) if section else []:
            series = root.objects.get(reference)
            if series and series.kind in {_SERIES, 0}:
                names += series.spaces(_PAGES)
        return [store.spaces[name] for name in dict.fromkeys(names) if name in store.spaces]

    def _earlier(self) -> Iterator[str]:
        """Texts that are no more on the page, the longest of each that grew letter by letter."""
        nodes = [
            *self._space.earlier,
            *(each for name, each in self._space.objects.items() if name not in self._visited),
        ]
        now = {text_of(each.properties) for each in self._space.objects.values()}
        old = {text_of(each.properties): None for each in nodes if each.kind == _TEXT}
        texts = sorted(text for text in old if text.strip() and text not in now)
        grown = {text for text, after in itertools.pairwise(texts) if after.startswith(text)}
        current = [text for text in now if text.strip()][:1000]
        for text in itertools.islice(old, 1000):
            shown = text.strip() and text not in now and text not in grown
            if shown and not any(each.startswith(text) for each in current):
                yield plain(text)

    def _walk(self, name: Id, depth: int, level: int) -> None:
        """`level` is how deep in lists."""
        node = self._space.objects.get(name)
        if node is None or name in self._visited or depth > _DEEPEST or self._writer.full:
            return
        self._visited.add(name)
        if node.kind == _PAGE:
            self._describe(node)
        if node.kind == _TABLE:
            self._writer.table(self._rows(node, depth), source=self._page)
            return
        if node.kind == _TEXT:
            self._write_text(node, level, None)
        elif node.kind == _IMAGE:
            alt_text = node.properties.text(_ALT_TEXT)
            self._writer.other(Tag.CAPTION, alt_text, source=self._page)
        elif node.kind == _FILE:
            self._take_file(node)
        marker = self._list_format(node, level)
        for child in self._children(node):
            inner = self._space.objects.get(child)
            if marker is not None and inner and inner.kind == _TEXT and child not in self._visited:
                self._visited.add(child)
                self._write_text(inner, level, marker)
            else:
                deeper = node.kind == _ELEMENT and bool(inner and inner.kind == _ELEMENT)
                self._walk(child, depth + 1, level + deeper)

    def _children(self, node: Stored) -> list[Id]:
        children = node.references(_CHILDREN)
        if node.kind == _PAGE:  # outlines lie anywhere on a page: from top to bottom
            children.sort(key=self._place)
        return [*node.references(_TITLE_PART), *node.references(_CONTENT), *children]

    def _place(self, name: Id) -> tuple[float, float]:
        node = self._space.objects.get(name)
        values = node.properties.values if node else {}
        down, across = values.get(_DOWN, b""), values.get(_ACROSS, b"")
        return (
            struct.unpack("<f", down)[0] if len(down) == 4 else 0.0,
            struct.unpack("<f", across)[0] if len(across) == 4 else 0.0,
        )

    def _describe(self, page: Stored) -> None:
        self.author = self.author or page.properties.text(_AUTHOR)
        created = _time(page.properties.values.get(_CREATED, b""))
        modified = _time(page.properties.values.get(_MODIFIED, b""))
        self.created = min(filter(None, (self.created, created)), default="")
        self.modified = max(self.modified, modified)

    def _write_text(self, node: Stored, level: int, marker: str | None) -> None:
        runs = runs_of(node, self._space)
        style = style_name(node, self._space)
        if style == "PageTitle":
            self.title = self.title or plain(text_of(node.properties)).strip()
            self._writer.heading(runs, 1, source=self._page)
        elif style == "PageDateTime":
            self._writer.other(Tag.ASIDE, runs, source=self._page)
        elif len(style) == 2 and style[0] == "h" and style[1] in "123456":
            self._writer.heading(runs, int(style[1]) + 1, source=self._page)
        elif marker is not None:
            self._writer.item(
                runs, level + 1, numbered=bool(marker), marker=marker, source=self._page
            )
        else:
            self._counts = self._counts[:level]
            self._writer.paragraph(runs, source=self._page)

    def _list_format(self, node: Stored, level: int) -> str | None:
        """The number that a paragraph shows; empty for a bullet, None when it is in no list."""
        for reference in node.references(_LISTS):
            found = self._space.objects.get(reference)
            form = found.properties.text(_LIST_FORMAT) if found else ""
            before, mark, after = form[1:].partition("\ufffd")
            if not mark or not after:
                return ""
            counts = [*self._counts[: level + 1], *[0] * (level + 1 - len(self._counts))]
            counts[level] += 1
            self._counts = counts
            return f"{before}{written(counts[level], ord(after[0]))}{after[1:]}"
        return None

    def _rows(self, table: Stored, depth: int) -> list[list[list[Run]]]:
        rows: list[list[list[Run]]] = []
        for name in self._fresh(table):
            row = self._space.objects.get(name)
            cells = [self._cell(cell, depth + 2) for cell in self._fresh(row)] if row else []
            rows.append(cells)
        return rows

    def _fresh(self, node: Stored) -> list[Id]:
        names = [name for name in node.references(_CHILDREN) if name not in self._visited]
        self._visited.update(names)
        return names

    def _cell(self, name: Id, depth: int) -> list[Run]:
        node = self._space.objects.get(name)
        if node is None or depth > _DEEPEST:
            return []
        if node.kind == _TEXT:
            return [*runs_of(node, self._space), Run(" ")]
        runs: list[Run] = []
        for child in self._children(node):
            if child not in self._visited:
                self._visited.add(child)
                runs += self._cell(child, depth + 1)
        return runs

    def _take_file(self, node: Stored) -> None:
        name = node.properties.text(_FILE_NAME)
        self._writer.other(Tag.CAPTION, name, source=self._page)
        for reference in node.references(_FILE_CONTAINER):
            data = self._store.file(self._space.files.get(reference, "")) if self._store else b""
            if data:
                self.files.append((name, data))


def _time(value: bytes) -> str:
    """Seconds since 1980."""
    if len(value) != 4 or not any(value):
        return ""
    moment = _EPOCH + timedelta(seconds=int.from_bytes(value, "little"))
    return moment.isoformat().replace("+00:00", "Z")
