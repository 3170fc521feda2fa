"""Which sections of a page are its content? Those where the document slope curve is flat.

After Pinto and others (2002), as told in section 3.8 of Croft, Metzler and Strohman: one block is
too few where an article is cut by a gallery or a form, and wrong where menus have more words than
tags. So a window of a fixed number of tokens moves over the curve. A section begins where the slope
within the window (its share of tags) falls below half of the whole page's slope, and is extended
until it is above that. The numbers are our choice, by measurement on the pages of docs/noise.md.
"""

from array import array

from shoal.cleaners.tag_bits import Bits, Range

WIDTH_TOKENS = 50
_WINDOWS = 4
"""As many stand side by side at least: on a short page the window is narrower."""
BEGIN_SHARE = 0.5
EXTEND_SHARE = 1.0
"""Of the page's mean slope. The second is higher, so that one link doesn't end a section."""


def low_slope_blocks(curve: "array[int]") -> list[Range]:
    """Blocks of tokens [i, j], both included, ascending and disjoint.

    `curve` is the number of tags among the first n tokens, for n from 0 to all.
    """
    count = len(curve) - 1
    if count == 0:
        return []
    width = window_width(count)
    mean_in_window = curve[-1] / count * width
    blocks: list[Range] = []
    begun: int | None = None
    for position in range(count - width + 1):
        tags = curve[position + width] - curve[position]
        if begun is None:
            if tags < BEGIN_SHARE * mean_in_window or curve[-1] == 0:
                begun = position
        elif tags > EXTEND_SHARE * mean_in_window:
            _join(blocks, begun, position + width - 2)
            begun = None
    if begun is not None:
        _join(blocks, begun, count - 1)
    return blocks


def window_width(tokens: int) -> int:
    return max(1, min(WIDTH_TOKENS, tokens // _WINDOWS))


def content(html: str) -> list[Range]:
    """The source of every flat section, from its first word to its last."""
    bits = Bits(html)
    return bits.ranges(low_slope_blocks(bits.cumulative()))


def _join(blocks: list[Range], i: int, j: int) -> None:
    """Windows overlap, so a section may begin before the last one has ended."""
    if blocks and i <= blocks[-1][1] + 1:
        i, _ = blocks.pop()
    blocks.append((i, j))
