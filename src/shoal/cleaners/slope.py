"""Which one block of a page is its content? The one that leaves most tags outside.

Croft, Metzler and Strohman, section 3.8: tokens are bits, b = 1 for a tag. Wanted are i and j with
the most tags before i, words from i to j, and tags after j. That sum is the number of all tags plus
that of (1 - 2b) from i to j, so the best block is a maximum subarray and one pass finds it. Of
equally good blocks the first one is taken, as a search over all i and then all j would.
"""

from shoal.cleaners.tag_bits import Bits, Range


def best_block(bits: bytes | bytearray) -> Range | None:
    """The textbook's i and j, both included; None where there are no tokens."""
    best: Range | None = None
    best_gain = gain = i = 0
    for n, bit in enumerate(bits):
        if gain < 0:
            gain, i = 0, n
        gain += -1 if bit else 1
        if best is None or gain > best_gain:
            best_gain, best = gain, (i, n)
    return best


def content(html: str) -> list[Range]:
    """The source of the best block, from its first word to its last; nothing without words."""
    bits = Bits(html)
    block = best_block(bits.bits)
    return [] if block is None else bits.ranges([block])
