"""How does an XML document become blocks? By the role each of its elements plays.

A vocabulary says which names are sections, titles, lists, tables …; all others are part of a line.
Without a vocabulary the rule is the tree's own: an element beside text is part of the line, an
element among elements stands for itself. libxml2 bounds the nesting, so the walk may recurse.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from shoal.converters.writer import Inline, Run, Writer
from shoal.converters.xml import Element, all_text, attribute, local
from shoal.model.page import Tag


class Role(Enum):
    BLOCK = auto()
    """A paragraph, or whatever only holds blocks."""
    SECTION = auto()
    TITLE = auto()
    LIST = auto()
    NUMBERED = auto()
    ITEM = auto()
    TABLE = auto()
    ROW = auto()
    CELL = auto()
    PRE = auto()
    QUOTE = auto()
    NOTE = auto()
    TERM = auto()
    DEFINITION = auto()
    CAPTION = auto()
    SKIP = auto()
    BOLD = auto()
    SPACE = auto()
    """Stands apart from its neighbours in the line: a line break, a cell."""
    INLINE = auto()


_KINDS = {
    Role.QUOTE: Tag.QUOTE,
    Role.NOTE: Tag.ASIDE,
    Role.TERM: Tag.TERM,
    Role.DEFINITION: Tag.DEFINITION,
    Role.CAPTION: Tag.CAPTION,
}
_IN_LINE = frozenset((Role.BOLD, Role.SPACE, Role.INLINE))


@dataclass(frozen=True, slots=True)
class Vocabulary:
    roles: dict[str, Role]
    links: tuple[str, ...] = ("href", "url", "target")
    """Attributes that say where a link leads to."""
    is_bold: Callable[[Element], bool] = field(default=lambda _: False)
    is_numbered: Callable[[Element], bool] = field(default=lambda _: False)


@dataclass(slots=True)
class Frame:
    level: int = 0
    list_depth: int = 0
    numbered: bool = False
    number: int = 0
    kind: Tag = Tag.PARAGRAPH


class Prose:
    def __init__(self, writer: Writer, vocabulary: Vocabulary | None = None) -> None:
        self._writer = writer
        self._vocabulary = vocabulary or Vocabulary({})
        self._is_generic = vocabulary is None

    def write(self, element: Element, level: int = 0) -> None:
        self._element(element, Frame(level))

    def _role(self, element: Element) -> Role:
        name = local(element)
        if not name:
            return Role.SKIP
        return self._vocabulary.roles.get(name, Role.INLINE)

    def _is_block(self, element: Element, role: Role, beside_text: bool) -> bool:
        if self._is_generic:
            return not beside_text
        if role is Role.QUOTE and beside_text and len(element) == 0:
            return False  # a few words that are quoted
        if role is not Role.INLINE:
            return role not in _IN_LINE
        return len(element) > 0 and any(
            self._role(each) not in _IN_LINE for each in element.iterdescendants()
        )

    def _flow(self, element: Element, frame: Frame) -> None:
        runs: list[Run] = []
        notes: list[Element] = []
        beside_text = _has_text(element)
        if element.text:
            runs.append(Run(element.text))
        for child in element:
            role = self._role(child)
            if role is not Role.SKIP:
                if role is Role.NOTE and beside_text:
                    notes.append(child)  # it follows the paragraph it stands in
                elif self._is_block(child, role, beside_text):
                    self._flush(runs, frame)
                    self._element(child, frame)
                else:
                    self._line(child, Run(""), runs)
            if child.tail:
                runs.append(Run(child.tail))
            if self._writer.full:
                return
        self._flush(runs, frame)
        for note in notes:
            self._element(note, frame)

    def _flush(self, runs: list[Run], frame: Frame) -> None:
        if any(run.text.strip() for run in runs):
            if frame.kind is Tag.ITEM:
                marker = f"{frame.number}." if frame.numbered else ""
                self._writer.item(runs, frame.list_depth, numbered=frame.numbered, marker=marker)
                frame.kind = Tag.PARAGRAPH  # what follows in the item stands on its own
            elif frame.kind is Tag.PARAGRAPH:
                self._writer.paragraph(runs)
            else:
                self._writer.other(frame.kind, runs)
        runs.clear()

    def _line(self, element: Element, around: Run, runs: list[Run]) -> None:
        role = self._role(element)
        if role is Role.SKIP:
            return
        if role is Role.SPACE:
            runs.append(Run(" "))
        if role is Role.BOLD or self._vocabulary.is_bold(element):
            around = around._replace(bold=True)
        for name in self._vocabulary.links:
            href = attribute(element, name)
            if href:
                around = around._replace(href=href)
                break
        if element.text:
            runs.append(around._replace(text=element.text))
        for child in element:
            self._line(child, around, runs)
            if child.tail:
                runs.append(around._replace(text=child.tail))
        if role is Role.SPACE or role not in _IN_LINE:
            runs.append(Run(" "))

    def _runs(self, element: Element) -> list[Run]:
        runs: list[Run] = []
        self._line(element, Run(""), runs)
        return runs

    def _element(self, element: Element, frame: Frame) -> None:
        role = self._role(element)
        if role is Role.TITLE:
            self._title(element, frame)
        elif role is Role.SECTION:
            self._flow(element, replace(frame, level=frame.level + 1, kind=Tag.PARAGRAPH))
        elif role in (Role.LIST, Role.NUMBERED):
            numbered = role is Role.NUMBERED or self._vocabulary.is_numbered(element)
            depth = frame.list_depth + 1
            self._flow(element, Frame(frame.level, depth, numbered))
        elif role is Role.ITEM and _parent_name(element) == "varlistentry":
            self._flow(element, replace(frame, kind=Tag.DEFINITION))
        elif role is Role.ITEM:
            frame.number += 1
            inner = replace(frame, kind=Tag.ITEM, list_depth=max(1, frame.list_depth))
            self._flow(element, inner)
        elif role in (Role.TABLE, Role.ROW):
            self._table(element)
        elif role is Role.PRE:
            self._writer.preformatted(all_text(element))
        elif role in _KINDS:
            self._flow(element, replace(frame, kind=_KINDS[role]))
        else:
            self._flow(element, frame)

    def _title(self, element: Element, frame: Frame) -> None:
        parent = element.getparent()
        role = self._role(parent) if parent is not None else Role.INLINE
        if role in (Role.TABLE, Role.CAPTION):
            self._writer.other(Tag.CAPTION, self._runs(element))
        elif role in (Role.LIST, Role.NUMBERED, Role.QUOTE, Role.NOTE):
            self._writer.paragraph(self._runs(element))
        else:
            self._writer.heading(self._runs(element), frame.level)

    def _table(self, table: Element) -> None:
        rows: list[list[Inline]] = []
        header_rows = 0
        for element in table.iter():
            role = self._role(element)
            if role in (Role.TITLE, Role.CAPTION):
                self._writer.other(Tag.CAPTION, self._runs(element))
            if role is not Role.ROW:
                continue
            cells = [child for child in element if self._role(child) is Role.CELL]
            in_head = _parent_name(element) == "thead"
            in_head |= local(element) == "sthead" or attribute(element, "role") == "label"
            if in_head or (cells and all(local(cell) == "th" for cell in cells)):
                header_rows += header_rows == len(rows)
            rows.append([self._runs(cell) for cell in cells])
        self._writer.table(rows, header_rows=header_rows)


def _parent_name(element: Element) -> str:
    parent = element.getparent()
    return "" if parent is None else local(parent)


def _has_text(element: Element) -> bool:
    if element.text and element.text.strip():
        return True
    return any(child.tail and child.tail.strip() for child in element)
