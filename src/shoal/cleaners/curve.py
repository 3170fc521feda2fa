"""What does a page's document slope curve look like? `shoal.slope`: the curve as data.

The curve is the number of tags among the first n tokens (Croft, Metzler and Strohman, figure 3.17);
content is where it is flat. With it goes what a method makes of it: blocks of tokens from i to j.
"""

from dataclasses import dataclass, field
from html import unescape
from typing import Literal

from shoal.cleaners import drawing
from shoal.cleaners.slope import best_block
from shoal.cleaners.tag_bits import Bits, Range
from shoal.cleaners.window import low_slope_blocks

Method = Literal["slope", "window"]

_SHOWN_WORDS = 8
_SHOWN_CHARACTERS = 40
"""Of one word."""


@dataclass(frozen=True)
class Block:
    """The tokens from i to j, both included, and what they say first and last."""

    i: int
    j: int
    words: int
    first: str
    last: str
    source: Range
    """[start, end) in the page's source, from the first word to the last."""


@dataclass(frozen=True)
class Curve:
    """A page's document slope curve, and its content by one method."""

    method: Method
    tokens: int
    tags: int
    words: int
    blocks: list[Block]
    cumulative: list[int] = field(repr=False)
    """How many of the first n tokens are tags, for n from 0 to `tokens`."""

    @property
    def words_inside(self) -> int:
        return sum(block.words for block in self.blocks)

    @property
    def share(self) -> float:
        """How much of the page's words is in the blocks."""
        return self.words_inside / self.words if self.words else 0.0

    def points(self, most: int) -> list[tuple[int, int]]:
        """(tokens, tags) at even distances along the curve, its two ends among them."""
        steps = max(1, min(most - 1, self.tokens))
        places = sorted({round(step * self.tokens / steps) for step in range(steps + 1)})
        return [(place, self.cumulative[place]) for place in places]

    def text(self, columns: int = 100, *, ascii_only: bool = False) -> str:
        """The curve in characters, its blocks marked on the axis."""
        return drawing.text(self._plot(), columns, ascii_only=ascii_only)

    @property
    def svg(self) -> str:
        return drawing.svg(self._plot())

    @property
    def png(self) -> bytes:
        return drawing.png(self._plot())

    def _plot(self) -> drawing.Plot:
        noun = "block" if len(self.blocks) == 1 else "blocks"
        return drawing.Plot(
            title=f"{self.method}: {len(self.blocks)} {noun}, {self.share:.0%} of the words",
            points=self.points(drawing.MOST_POINTS),
            marked=[(block.i, block.j + 1) for block in self.blocks],
        )


def slope(html: str, method: Method = "slope") -> Curve:
    """The curve of a page and its content: the best block, or every section of low slope."""
    bits = Bits(html)
    cumulative = bits.cumulative()
    if method == "window":
        found = low_slope_blocks(cumulative)
    else:
        best = best_block(bits.bits)
        found = [] if best is None else [best]
    return Curve(
        method=method,
        tokens=len(bits),
        tags=bits.tags,
        words=bits.words,
        blocks=[
            _block(html, bits, block, source)
            for block in found
            for source in bits.ranges([block])  # none for a block without a word
        ],
        cumulative=cumulative.tolist(),
    )


def _block(html: str, bits: Bits, block: Range, source: Range) -> Block:
    i, j = block
    first: list[int] = []
    last: list[int] = []
    at, until = i - 1, j + 1
    while len(first) < _SHOWN_WORDS and (at := bits.is_word.find(1, at + 1, j + 1)) >= 0:
        first.append(at)
    while len(last) < _SHOWN_WORDS and (until := bits.is_word.rfind(1, i, until)) >= 0:
        last.append(until)
    return Block(
        i=i,
        j=j,
        words=bits.is_word.count(1, i, j + 1),
        first=_said(html, bits, first),
        last=_said(html, bits, last[::-1]),
        source=source,
    )


def _said(html: str, bits: Bits, places: list[int]) -> str:
    return " ".join(
        unescape(html[bits.starts[place] : bits.ends[place]][:_SHOWN_CHARACTERS])
        for place in places
    )
