"""How does a converter write down what it reads? Block by block, in reading order.

White space is made even, control characters and empty blocks left out, spans of bold and links
kept in step with the text, and the limits held: once `full`, what is written goes nowhere, and the
converter may stop early. The plain text of a page is that of its blocks, one per line.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from shoal.converters.html.shading import ALL, score_of
from shoal.converters.limits import Limits
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
        self.shade = ALL
        """Of what is written next."""

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
        for number, row in enumerate(rows):
            if not lines.row(row) and number < header_rows:
                header_rows -= 1
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
    def first_heading(self) -> str:
        """What a document is called that does not say it; empty when it has no heading."""
        return next((block.text for block in self.blocks if block.kind is Tag.HEADING), "")

    @property
    def problem(self) -> str:
        if not self.full:
            return ""
        if len(self.blocks) >= self._limits.blocks:
            return f"cut: more than {self._limits.blocks} blocks"
        return f"text cut at {self._limits.text_chars} characters"

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
        if block.marker:
            block.marker = _CONTROLS.sub("", block.marker)
        room = self._limits.text_chars - self._chars
        if len(block.text) > room or len(self.blocks) >= self._limits.blocks:
            self.full = True
            block.text = block.text[: max(0, room)]
            block.bold = [span for span in block.bold if span[1] <= room]
            block.links = [span for span in block.links if span[1] <= room]
            if not block.text or len(self.blocks) >= self._limits.blocks:
                return
        self._chars += len(block.text) + 1
        block.score, block.is_comment = score_of(self.shade)
        self.blocks.append(block)


class _Spans:
    """One text out of runs, with even white space, and the spans within it."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self.length = 0
        self.bold: list[tuple[int, int]] = []
        self.links: list[tuple[int, int, str]] = []
        self._gap: Run | None = None
        """The run whose space was written last, before the words that are written now."""

    @property
    def text(self) -> str:
        return "".join(self._pieces)

    def row(self, cells: Sequence[Inline]) -> bool:
        """Whether there was anything in it; empty rows are left out."""
        before = len(self._pieces), self.length
        if self.length:
            self._put("\n")
        start = self.length
        for number, cell in enumerate(cells):
            if number:
                self._put("\t")
            self.line(cell)
        if self.length - start < max(1, len(cells)):  # tabs alone
            del self._pieces[before[0] :]
            self.length = before[1]
            return False
        return True

    def line(self, inline: Inline) -> None:
        runs = (Run(inline),) if isinstance(inline, str) else inline
        gap: Run | None = None  # whose space stands before the next word, if there are words before
        start = self.length
        for run in runs:
            words = _SPACE.sub(" ", _CONTROLS.sub("", run.text))
            if not words:
                continue
            if words[0] == " ":
                gap, words = gap or run, words[1:]
            if not words:
                continue
            self._gap = gap if self.length > start else None
            if self._gap is not None:
                self._put(" ")
            gap = run if words[-1] == " " else None
            began = self.length
            self._put(words[:-1] if gap is not None else words)
            if run.bold:
                self._mark_bold(began)
            if run.href:
                self._mark_link(began, run.href)

    def _mark_bold(self, start: int) -> None:
        """Bold that goes on after a space is one span."""
        if self.bold and self._touches(self.bold[-1][1], start):
            start = self.bold.pop()[0]
        self.bold.append((start, self.length))

    def _mark_link(self, start: int, href: str) -> None:
        """A link that is partly bold is one link; two links with a space between them are two."""
        if self.links and self.links[-1][2] == href:
            low, end, _ = self.links[-1]
            is_own_gap = self._gap is not None and self._gap.href == href
            if end == start or (end + 1 == start and is_own_gap):
                start = low
                self.links.pop()
        self.links.append((start, self.length, href))

    def _touches(self, end: int, start: int) -> bool:
        """Whether nothing but a space stands between."""
        return end == start or (end + 1 == start and self._gap is not None)

    def _put(self, text: str) -> None:
        self._pieces.append(text)
        self.length += len(text)


def text_of(blocks: Iterable[Block]) -> str:
    return "\n".join(
        f"{block.marker} {block.text}" if block.marker else block.text for block in blocks
    )


_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l")),
    *((40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)


def roman(number: int, most: int = 3_999) -> str:
    """As the items of a list are numbered; in digits what is beyond."""
    if not 0 < number <= most:
        return str(number)
    digits = ""
    for value, sign in _ROMAN:
        count, number = divmod(number, value)
        digits += sign * count
    return digits


def letters(number: int) -> str:
    """a, b … z, aa, ab …"""
    found = ""
    while number > 0:
        number, rest = divmod(number - 1, 26)
        found = chr(ord("a") + rest) + found
    return found or "0"
