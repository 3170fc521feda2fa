"""How does a light markup become blocks? Line by line, by a table of patterns for each language.

Wiki texts, AsciiDoc, Org and Textile differ in their signs, not in their ways: a line is a heading,
an item, a row, the bound of a block, or goes on with the paragraph before it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from shoal.converters.characters.charset import decode
from shoal.converters.context import Context, Converted, decoded
from shoal.converters.markup.front_matter import FrontMatter, split
from shoal.converters.markup.inline import Markup
from shoal.converters.writer import Inline, Writer
from shoal.model.page import Tag

Found = re.Match[str]
_NEVER = re.compile(r"(?!)")


@dataclass(frozen=True, slots=True)
class Fence:
    begin: re.Pattern[str]
    end: Callable[[Found], re.Pattern[str]]
    kind: Tag | None
    """None leaves out what is between."""


@dataclass(frozen=True, slots=True)
class Language:
    """Patterns are matched at the start of a line."""

    inline: Markup
    heading: re.Pattern[str]
    """Group 1 is the mark, group 2 the text."""
    item: re.Pattern[str]
    """Likewise."""
    level: Callable[[str], int] = len
    """The level that a heading's mark stands for."""
    depth: Callable[[str], int] = len
    """The depth that an item's mark stands for."""
    is_numbered: Callable[[str], bool] = lambda mark: mark.strip()[-1:] in ("#", ".", ")")
    fences: tuple[Fence, ...] = ()
    row: re.Pattern[str] = _NEVER
    cells: Callable[[str], tuple[list[str], bool]] = lambda line: ([line], False)
    """Of a row, and whether it is a header; no cells for a rule."""
    fact: re.Pattern[str] = _NEVER
    """Group 1 is what it is, group 2 what it says."""
    dropped: re.Pattern[str] = _NEVER
    others: tuple[tuple[re.Pattern[str], Tag], ...] = ()
    """Lines of their own kind; group 1 is the text."""
    term: re.Pattern[str] = _NEVER
    """Group 1 is the term, group 2 what it means."""
    indented_is_code: bool = False
    nests_by_mark: bool = False
    """An item with a new mark is one of a list within the item before it."""


@dataclass(slots=True)
class _Open:
    """The paragraph or item that may go on."""

    kind: Tag = Tag.PARAGRAPH
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    marker: str = ""


def convert(
    body: bytes, context: Context, language: Language, prepare: Callable[[str], str] = str
) -> list[Converted]:
    source = decode(body, context.charset)
    writer = Writer(context.limits)
    front, text = split(source.text.replace("\r\n", "\n"))
    reader = _Reader(writer, language, front)
    reader.read(prepare(text).splitlines())
    page = writer.page(front.title or writer.first_heading)
    front.describe(page)
    return decoded(page, source, writer.problem)


class _Reader:
    def __init__(self, writer: Writer, language: Language, front: FrontMatter) -> None:
        self._writer = writer
        self._language = language
        self._front = front
        self._open = _Open()
        self._rows: list[list[Inline]] = []
        self._header_rows = 0
        self._numbers: dict[int, int] = {}
        self._marks: list[str] = []

    def read(self, lines: list[str]) -> None:
        at = 0
        while at < len(lines) and not self._writer.full:
            if not lines[at] or lines[at].isspace():
                self._end()
                at += 1
            else:
                at = self._fence(lines, at) or self._take(lines[at].rstrip(), at)
        self._end()

    def _fence(self, lines: list[str], at: int) -> int:
        """The line after a block that has bounds; 0 when none begins here."""
        for fence in self._language.fences:
            found = fence.begin.match(lines[at])
            if found is None:
                continue
            self._end()
            end_pattern, end = fence.end(found), at + 1
            while end < len(lines) and not end_pattern.match(lines[end]):
                end += 1
            if fence.kind is Tag.PRE:
                self._writer.preformatted("\n".join(lines[at + 1 : end]))
            elif fence.kind is not None:
                for text in re.split(r"\n\s*\n", "\n".join(lines[at + 1 : end])):
                    self._writer.other(fence.kind, self._language.inline.runs(text))
            return end + 1
        return 0

    def _take(self, line: str, at: int) -> int:
        language = self._language
        if found := language.heading.match(line):
            self._end()
            self._writer.heading(language.inline.runs(found[2].strip()), language.level(found[1]))
            self._numbers.clear()
            self._marks.clear()
        elif language.row.match(line):
            self._row(line)
        elif found := language.fact.match(line):
            self._fact(found[1].lower(), found[2].strip())
        elif language.dropped.match(line):
            self._end()
        elif found := language.term.match(line):
            self._end()
            self._writer.other(Tag.TERM, language.inline.runs(found[1]))
            self._open = _Open(Tag.DEFINITION, [found[2] or ""])
        elif found := language.item.match(line):
            self._item(found[1], found[2])
        elif not self._other(line):
            self._more(line)
        return at + 1

    def _other(self, line: str) -> bool:
        for pattern, kind in self._language.others:
            found = pattern.match(line)
            if found:
                if self._open.kind is not kind or kind not in (Tag.QUOTE, Tag.PRE):
                    self._end()
                self._open.kind = kind
                self._open.lines.append(found[1])
                return True
        return False

    def _item(self, mark: str, text: str) -> None:
        self._end()
        depth = max(1, self._language.depth(mark))
        if self._language.nests_by_mark:
            sign = mark.strip("0123456789abcdefghijklmnopqrstuvwxyz") or mark
            if sign in self._marks:
                del self._marks[self._marks.index(sign) + 1 :]
            elif len(self._marks) < 20:
                self._marks.append(sign)
            depth = len(self._marks)
        numbered = self._language.is_numbered(mark)
        for deeper in [each for each in self._numbers if each > depth]:
            del self._numbers[deeper]
        marker = ""
        if numbered:
            self._numbers[depth] = self._numbers.get(depth, 0) + 1
            said = mark.strip()
            marker = said if said[:1].isdecimal() else f"{self._numbers[depth]}."
        self._open = _Open(Tag.NUMBERED if numbered else Tag.ITEM, [text], depth, marker)

    def _more(self, line: str) -> None:
        if self._open.kind in (Tag.CAPTION, Tag.PRE) or self._rows:
            self._end()
        code = self._language.indented_is_code and line.startswith(" ")
        if code and not self._open.lines:
            self._open.kind = Tag.PRE
        if self._open.kind is Tag.PARAGRAPH and not self._open.lines:
            self._numbers.clear()
            self._marks.clear()
        self._open.lines.append(line if self._open.kind is Tag.PRE else line.strip())

    def _row(self, line: str) -> None:
        if not self._rows:
            self._end()
        cells, is_header = self._language.cells(line)
        if not cells:  # a rule: what stands above the first one is the header
            self._header_rows = self._header_rows or (1 if len(self._rows) == 1 else 0)
            return
        if is_header and self._header_rows == len(self._rows):
            self._header_rows += 1
        self._rows.append([self._language.inline.runs(cell) for cell in cells])

    def _fact(self, name: str, value: str) -> None:
        self._end()
        name = {"lang": "language"}.get(name, name)
        if name in FrontMatter.__slots__ and not getattr(self._front, name):
            setattr(self._front, name, value)

    def _end(self) -> None:
        if self._rows:
            self._writer.table(self._rows, header_rows=self._header_rows)
            self._rows, self._header_rows = [], 0
        if not self._open.lines:
            self._open.kind = Tag.PARAGRAPH
            return
        block, self._open = self._open, _Open()
        text = "\n".join(block.lines)
        runs = self._language.inline.runs(text)
        if block.kind is Tag.PRE:
            self._writer.preformatted(text)
        elif block.kind in (Tag.ITEM, Tag.NUMBERED):
            numbered = block.kind is Tag.NUMBERED
            self._writer.item(runs, block.depth, numbered=numbered, marker=block.marker)
        else:
            self._writer.other(block.kind, runs)
