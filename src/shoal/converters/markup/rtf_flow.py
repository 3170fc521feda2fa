"""How do the paragraphs, cells and rows of an RTF file become blocks?

A flow is a stream of text with its own paragraph and table: the body, and each note, header or text
box within it. What stands in a flow inside another one (`pieces`) follows the paragraph that it is
anchored in.
"""

from dataclasses import dataclass, field

from shoal.converters.markup.rtf_text import whole
from shoal.converters.writer import Run, Writer
from shoal.model.page import Tag


@dataclass(slots=True)
class Look:
    """What the paragraph is to be, as known when it ends."""

    kind: Tag = Tag.PARAGRAPH
    level: int = 0
    marker: str = ""
    table_depth: int = 0
    style_is_bold: bool = False
    heads_column: bool = False
    typed_chars: int = 0
    """How much of the text is its mark."""


@dataclass(slots=True)
class Piece:
    kind: Tag
    runs: list[Run] = field(default_factory=list)
    level: int = 0
    marker: str = ""
    rows: list[list[list[Run]]] = field(default_factory=list)


class Flow:
    def __init__(self, kind: Tag = Tag.PARAGRAPH) -> None:
        self.kind = kind
        """ASIDE makes all of it one."""
        self.runs: list[Run] = []
        self.marker = ""
        self.pieces: list[Piece] = []
        self._anchored: list[Piece] = []
        self._anchored_in_table: list[Piece] = []
        self._row: list[list[Run]] = []
        self._cell: list[Run] = []
        self._rows: list[list[list[Run]]] = []
        self._header_rows = 0
        self._column_heads = 0

    def add(self, text: str, bold: bool, href: str) -> None:
        last = self.runs[-1] if self.runs else None
        if last and last.bold == bold and last.href == href and len(last.text) < 4096:
            self.runs[-1] = Run(last.text + text, bold, href)
        else:
            self.runs.append(Run(text, bold, href))

    def beginning(self) -> str:
        return "".join(run.text[:20] for run in self.runs[:4])

    def anchor(self, pieces: list[Piece]) -> None:
        self._anchored += pieces
        if not self.runs and not self._row and not self._cell:
            self._place_anchored()

    def end_paragraph(self, look: Look) -> None:
        runs, self.runs = self._take(look), []
        marker, self.marker = self.marker or look.marker, ""
        if look.table_depth:
            if runs:
                self._column_heads += look.heads_column
                self._cell += [Run(f"{marker} " if marker else ""), *runs, Run(" ")]
            return
        if any(run.text.strip() for run in runs):
            self.end_table()
            if self.kind is not Tag.PARAGRAPH:
                look = Look(self.kind)
            self.pieces.append(Piece(look.kind, runs, look.level, marker))
        elif look.kind is Tag.PRE and self.pieces and self.pieces[-1].kind is Tag.PRE:
            self.pieces.append(Piece(Tag.PRE))
        self._place_anchored()

    def end_cell(self, look: Look) -> None:
        look.table_depth = max(1, look.table_depth)
        self.end_paragraph(look)
        if look.table_depth > 1:  # a table in a cell is text of the cell
            self._cell.append(Run(" "))
        else:
            self._row.append(self._cell)
            self._cell = []

    def end_row(self, look: Look, *, is_header: bool) -> None:
        if self.runs or self._cell:
            self.end_cell(look)
        is_header = is_header or self._column_heads >= len(self._row) > 0
        self._column_heads = 0
        if is_header and self._header_rows == len(self._rows):
            self._header_rows += 1
        self._rows.append(self._row)
        self._row = []
        self._anchored_in_table += self._anchored
        self._anchored = []

    def end_table(self) -> None:
        if self._cell or self._row:  # its \row never came
            self._rows.append([*self._row, self._cell] if self._cell else self._row)
        if any(run.text.strip() for row in self._rows for cell in row for run in cell):
            rows = self._rows
            if self.kind is Tag.ASIDE:
                self.pieces += [
                    Piece(Tag.ASIDE, [run for cell in row for run in (*cell, Run(" "))])
                    for row in rows
                ]
            else:
                self.pieces.append(Piece(Tag.TABLE, rows=rows, level=self._header_rows))
        self._rows, self._row, self._cell, self._header_rows = [], [], [], 0
        self.pieces += self._anchored_in_table
        self._anchored_in_table = []

    def end(self, look: Look) -> None:
        self.end_paragraph(look)
        self.end_table()
        self._place_anchored()

    def _place_anchored(self) -> None:
        if self._anchored and not self._rows and not self._row and not self._cell:
            self.pieces += self._anchored
            self._anchored = []

    def _take(self, look: Look) -> list[Run]:
        runs = self.runs
        if look.typed_chars:
            runs = _without(runs, look.typed_chars)
        if look.style_is_bold and all(run.bold or not run.text.strip() for run in runs):
            runs = [Run(run.text, False, run.href) for run in runs]  # the style's look, no emphasis
        return [Run(whole(run.text), run.bold, run.href) for run in runs]


def _without(runs: list[Run], chars: int) -> list[Run]:
    left: list[Run] = []
    for run in runs:
        left.append(run._replace(text=run.text[chars:]))
        chars = max(0, chars - len(run.text))
    return left


class PieceWriter:
    """Pieces to blocks. Lines of code in a row are one block, repeated headers are said once."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._code: list[str] = []
        self._asides: set[str] = set()

    def write(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            if piece.kind is Tag.PRE:
                self._code.append("".join(run.text for run in piece.runs))
                continue
            self.finish()
            self._one(piece)
        pieces.clear()

    def finish(self) -> None:
        if self._code:
            self._writer.preformatted("\n".join(self._code))
            self._code = []

    def _one(self, piece: Piece) -> None:
        writer = self._writer
        if piece.kind is Tag.TABLE:
            writer.table(piece.rows, header_rows=piece.level)
        elif piece.kind is Tag.HEADING:
            writer.heading(piece.runs, piece.level, marker=piece.marker)
        elif piece.kind in (Tag.ITEM, Tag.NUMBERED):
            numbered = piece.kind is Tag.NUMBERED
            writer.item(piece.runs, piece.level, numbered=numbered, marker=piece.marker)
        elif piece.kind is Tag.PARAGRAPH:
            writer.paragraph(piece.runs, marker=piece.marker)
        elif piece.kind is not Tag.ASIDE or self._is_new("".join(run.text for run in piece.runs)):
            writer.other(piece.kind, piece.runs)

    def _is_new(self, text: str) -> bool:
        text = text.strip()
        known = text in self._asides or not any(map(str.isalnum, text))
        self._asides.add(text)
        return not known
