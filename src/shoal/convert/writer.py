"""How does a converter write down what it reads? Block by block, in reading order.

White space is made even, control characters and empty blocks left out, spans of bold and links
kept in step with the text, and the limits held: once `full`, what is written goes nowhere, and the
converter may stop early. The plain text of a page is that of its blocks, one per line.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from shoal.convert.limits import Limits
from shoal.model.page import Block, Page, Tag


class Run(NamedTuple):
    """A stretch of text that looks the same."""

    text: str
    bold: bool = False
    href: str = ""
    """As written in the source; resolved when the page is made."""


Inline = str | Sequence[Run]

_SPACE = re.compile(r"\s+")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class Writer:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._chars = 0
        self.blocks: list[Block] = []
        self.full = False

    def heading(
        self,
        inline: Inline,
        level: int,
        *,
        marker: str = "",
        font_size: float = 0.0,
        source: int = -1,
    ) -> None:
        level = min(6, max(1, level))
        block = Block(Tag.HEADING, "", level, marker, font_size=font_size, source=source)
        self._write(inline, block)

    def paragraph(
        self, inline: Inline, *, marker: str = "", font_size: float = 0.0, source: int = -1
    ) -> None:
        block = Block(Tag.PARAGRAPH, "", 0, marker, font_size=font_size, source=source)
        self._write(inline, block)

    def item(
        self,
        inline: Inline,
        depth: int = 1,
        *,
        numbered: bool = False,
        marker: str = "",
        source: int = -1,
    ) -> None:
        """`marker` is the number that a numbered item shows; empty when the source has none."""
        kind = Tag.NUMBERED if numbered else Tag.ITEM
        self._write(inline, Block(kind, "", max(1, depth), marker, source=source))

    def other(self, kind: Tag, inline: Inline, *, level: int = 0, source: int = -1) -> None:
        """A quotation, a term, a caption, a note …"""
        self._write(inline, Block(kind, "", level, source=source))

    def preformatted(self, text: str, *, source: int = -1) -> None:
        text = (
            _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n").rstrip()
        )
        if text.strip():
            self._add(Block(Tag.PRE, text, source=source))

    def table(
        self, rows: Iterable[Sequence[Inline]], *, header_rows: int = 0, source: int = -1
    ) -> None:
        """Rows are taken only as long as there is room. Empty rows are left out."""
        lines = _Spans()
        for row in rows:
            lines.row(row)
            if self._chars + lines.length > self._limits.text_chars:
                break
        if lines.length:
            block = Block(
                Tag.TABLE, lines.text, header_rows, "", lines.bold, lines.links, source=source
            )
            self._add(block)

    def page(self, title: str = "") -> Page:
        """Title and text are set; whatever else is known of the document is for the caller."""
        title = _SPACE.sub(" ", _CONTROLS.sub(" ", title)).strip()[: self._limits.title_chars]
        return Page(title=title, text=text_of(self.blocks), blocks=self.blocks)

    @property
    def problem(self) -> str:
        return f"text cut at {self._limits.text_chars} characters" if self.full else ""

    def _write(self, inline: Inline, block: Block) -> None:
        spans = _Spans()
        spans.line(inline)
        if spans.length:
            block.text, block.links = spans.text, spans.links
            if block.kind is not Tag.HEADING:  # which stands out as it is
                block.bold = spans.bold
            self._add(block)

    def _add(self, block: Block) -> None:
        if self.full:
            return
        room = self._limits.text_chars - self._chars
        if len(block.text) > room or len(self.blocks) >= self._limits.blocks:
            self.full = True
            block.text = block.text[: max(0, room)]
            block.bold = [span for span in block.bold if span[1] <= room]
            block.links = [span for span in block.links if span[1] <= room]
            if not block.text or len(self.blocks) >= self._limits.blocks:
                return
        self._chars += len(block.text) + 1
        self.blocks.append(block)


class _Spans:
    """One text out of runs, with even white space, and the spans within it."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.length = 0
        self.bold: list[tuple[int, int]] = []
        self.links: list[tuple[int, int, str]] = []

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def row(self, cells: Sequence[Inline]) -> None:
        before = len(self._pieces), self.length
        if self.length:
            self._put("\n")
        start = self.length
        for number, cell in enumerate(cells):
            if number:
                self._put("\t")
            self.line(cell)
        if self.length - start < len(cells):  # tabs alone
            del self._pieces[before[0] :]
            self.length = before[1]

    def line(self, inline: Inline) -> None:
        runs = (Run(inline),) if isinstance(inline, str) else inline
        pending, start = False, self.length  # a space that stands only between words
        for run in runs:
            text = _CONTROLS.sub("", run.text)
            words = _SPACE.sub(" ", text)
            if not words:
                continue
            if words[0] == " ":
                pending, words = True, words[1:]
            if not words:
                continue
            if pending and self.length > start:
                self._put(" ")
            pending = words[-1] == " "
            began = self.length
            self._put(words[:-1] if pending else words)
            if run.bold:
                _extend(self.bold, began, self.length)
            if run.href:
                self.links.append((began, self.length, run.href))

    def _put(self, text: str) -> None:
        self._pieces.append(text)
        self.length += len(text)


def _extend(spans: list[tuple[int, int]], start: int, end: int) -> None:
    """Bold that goes on after a space is one span."""
    if spans and start - spans[-1][1] <= 1:
        spans[-1] = (spans[-1][0], end)
    else:
        spans.append((start, end))


def text_of(blocks: Iterable[Block]) -> str:
    return "\n".join(
        f"{block.marker} {block.text}" if block.marker else block.text for block in blocks
    )
