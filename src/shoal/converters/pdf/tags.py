"""What does a tagged page say? Its structure tree decides what is a heading, a list, a table.

Standard structure types of ISO 32000-1, 14.8.4 (PDFium has already mapped a file's own names to
them). Elements that stand within a line give their words to the paragraph around them. Words that
the tree does not name are handed back: they are laid out as on any other page.
"""

import re
from collections.abc import Sequence

from shoal.converters.pdf.piece import Piece, measure, text_of_words
from shoal.converters.pdf.text import Word
from shoal.converters.pdf.tree import Node
from shoal.model.page import Tag

_HEADING = re.compile(r"H(?P<level>[1-6])?$|Title$")
_INLINE = frozenset(
    {"Span", "Link", "Quote", "Reference", "BibEntry", "Code", "Em", "Strong", "Sub", "Lbl"}
    | {"Annot", "Ruby", "RB", "RT", "RP", "Warichu", "WT", "WP", "Form", "Formula"}
)
_KINDS = {
    "BlockQuote": Tag.QUOTE,
    "Caption": Tag.CAPTION,
    "Note": Tag.ASIDE,
    "FENote": Tag.ASIDE,
    "Aside": Tag.ASIDE,
}
_CELLS = frozenset({"TH", "TD"})
_ROW_GROUPS = frozenset({"THead", "TBody", "TFoot"})
_BULLET = re.compile(r"[^\w(]*$|[oO]$")


class _Reading:
    def __init__(self, page: int, marked: dict[int, list[Word]]) -> None:
        self._page = page
        self._marked = marked
        self.pieces: list[Piece] = []
        self.used: set[int] = set()

    def take(self, mcid: int) -> list[Word]:
        if mcid in self.used:
            return []
        self.used.add(mcid)
        return self._marked.get(mcid, [])

    def block(self, node: Node, piece: Piece, depth: int) -> None:
        """`piece` collects the words that stand directly in the element; what is a block of its
        own within it comes after what was there before."""
        first = len(self.pieces)
        for kid in node.kids:
            if isinstance(kid, int):
                piece.words += self.take(kid)
            elif kid.kind in _INLINE or not kid.kind:
                self._inline(kid, piece)
            else:
                piece = self._flush(piece)
                self.element(kid, depth, piece)
                if piece.words:  # it went into what stands within
                    piece = self._new(piece.kind, piece.level)
        self._flush(piece)
        if len(self.pieces) > first and any(isinstance(kid, int) for kid in node.kids):
            self.pieces[first].goes_on = node.goes_on
            self.pieces[-1].breaks_off = node.breaks_off

    def _flush(self, piece: Piece) -> Piece:
        """What was collected is written; an empty piece of the same kind goes on."""
        if piece.words or piece.rows or piece.alt:
            measure(piece)
            self.pieces.append(piece)
            marker = ""
        else:
            marker = piece.marker
        return Piece(self._page, [], piece.kind, piece.level, marker, tagged=True)

    def _inline(self, node: Node, piece: Piece) -> None:
        for kid in node.kids:
            if isinstance(kid, int):
                piece.words += self.take(kid)
            else:
                self._inline(kid, piece)
        if node.alt and node.kind == "Formula" and not piece.words:
            piece.alt = node.alt

    def element(self, node: Node, depth: int, around: Piece) -> None:
        kind = node.kind
        heading = _HEADING.match(kind)
        if heading:
            level = int(heading["level"] or min(6, max(1, depth)))
            self.block(node, self._new(Tag.HEADING, level), depth)
        elif kind == "L":
            level = around.level if around.kind in (Tag.ITEM, Tag.NUMBERED) else 0
            self.items(node, level + 1)
        elif kind == "Table":
            self.table(node)
        elif kind == "Figure":
            piece = self._new(Tag.CAPTION)
            piece.alt = node.alt
            self._flush(piece)
            node.alt = ""
            self.block(node, self._new(Tag.PARAGRAPH), depth)
        elif kind in ("P", "LBody", "TOCI", "Div") and around.kind is not Tag.PARAGRAPH:
            self.block(node, around, depth)
        elif kind in _KINDS:
            self.block(node, self._new(_KINDS[kind]), depth)
        else:
            inner = depth + (kind in ("Sect", "Art", "Part"))
            self.block(node, self._new(Tag.PARAGRAPH), inner)

    def _new(self, kind: Tag, level: int = 0) -> Piece:
        return Piece(self._page, [], kind, level, tagged=True)

    def items(self, node: Node, level: int) -> None:
        for kid in node.kids:
            if isinstance(kid, int):
                self.block(Node("LI", [kid]), self._new(Tag.ITEM, level), 0)
            elif kid.kind == "L":
                self.items(kid, level + 1)
            elif kid.kind == "LI":
                self._item(kid, level)
            else:
                self.element(kid, 0, self._new(Tag.PARAGRAPH))

    def _item(self, node: Node, level: int) -> None:
        labels = Piece(self._page, [])
        body = Node("LI", [], goes_on=node.goes_on)
        for kid in node.kids:
            if isinstance(kid, Node) and kid.kind == "Lbl":
                self._inline(kid, labels)
            else:
                body.kids.append(kid)
        marker = text_of_words(labels.words).strip()
        numbered = bool(marker) and not _BULLET.match(marker)
        piece = self._new(Tag.NUMBERED if numbered else Tag.ITEM, level)
        piece.marker = marker if numbered else ""
        self.block(body, piece, 0)

    def table(self, node: Node) -> None:
        piece = self._new(Tag.TABLE)
        heads = 0
        after: list[Node] = []
        for row in _rows_of(node, after):
            cells = [kid for kid in row.kids if isinstance(kid, Node) and kid.kind in _CELLS]
            piece.rows.append([self._cell(cell) for cell in cells])
            if heads == len(piece.rows) - 1 and cells and all(c.kind == "TH" for c in cells):
                heads += 1
        piece.level = heads
        piece.goes_on, piece.breaks_off = node.goes_on, node.breaks_off
        if any(cell for row in piece.rows for cell in row):
            self.pieces.append(piece)
        for other in after:
            self.element(other, 0, self._new(Tag.PARAGRAPH))

    def _cell(self, node: Node) -> list[Word]:
        piece = Piece(self._page, [])
        self._inline(node, piece)
        return piece.words


def _rows_of(node: Node, after: list[Node], depth: int = 0) -> list[Node]:
    rows: list[Node] = []
    for kid in node.kids:
        if not isinstance(kid, Node):
            continue
        if kid.kind == "TR":
            rows.append(kid)
        elif kid.kind in _ROW_GROUPS and depth < 4:
            rows += _rows_of(kid, after, depth + 1)
        else:
            after.append(kid)
    return rows


def tagged(nodes: Sequence[Node], words: list[Word], page: int) -> tuple[list[Piece], list[Word]]:
    """The pieces that the tree names, in its order, and the words that it does not."""
    marked: dict[int, list[Word]] = {}
    for word in words:
        if word.style.mcid >= 0:
            marked.setdefault(word.style.mcid, []).append(word)
    reading = _Reading(page, marked)
    for node in nodes:
        reading.element(node, 0, Piece(page, []))
    rest = [word for word in words if word.style.mcid not in reading.used]
    return reading.pieces, rest
