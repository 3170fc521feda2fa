"""What does a page stress? Its headings and what stands in bold, as lines, for the index to weigh.

Of an HTML page they are slices of the scanned text; of other formats they come with the blocks.
"""

from collections.abc import Iterable

from shoal.model.page import Block, Tag

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
BOLD = ("b", "strong")
PIECE_CHARS = 300
"""Of one heading or bold text; a whole page in bold stresses nothing."""
ALL_CHARS = 4_000
"""Of all headings, and of all that is bold."""


class Stress:
    """Where stressed elements begin and end, as a scan passes them. Any end ends the last that
    began (so it is for headings in WHATWG 13.2.6.4.7), and one that never ends is none."""

    def __init__(self) -> None:
        self.places: list[tuple[int, int]] = []
        self._start = -1

    def open(self, place: int) -> None:
        self._start = place

    def close(self, place: int) -> None:
        if 0 <= self._start < place:
            self.places.append((self._start, place))
        self._start = -1


def lines(pieces: Iterable[str]) -> str:
    """Each piece once, a line each, up to the limit."""
    found: dict[str, None] = {}
    room = ALL_CHARS
    for piece in pieces:
        if not piece or piece in found:
            continue
        room -= len(piece) + 1
        if room < 0:
            break
        found[piece] = None
    return "\n".join(found)


def headings_of(blocks: Iterable[Block]) -> str:
    return lines(
        " ".join(block.text.split())[:PIECE_CHARS] for block in blocks if block.kind is Tag.HEADING
    )


def bold_of(blocks: Iterable[Block]) -> str:
    return lines(
        " ".join(block.text[start:end].split())[:PIECE_CHARS]
        for block in blocks
        if block.kind is not Tag.HEADING
        for start, end in block.bold
    )
