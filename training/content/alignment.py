"""Which words of one text stand in another, in the same order? A longest common subsequence.

Bit-parallel (Hyyrö, 2004): a row of the table of lengths is one whole number, a bit for each word
of the first text, so that a page of 10,000 words takes milliseconds in plain Python. Equal
beginnings and ends belong to any longest one; else, of several, the same one is always taken.
"""

from collections import defaultdict
from collections.abc import Sequence


def in_common(words: Sequence[str], other: Sequence[str]) -> list[int]:
    """The places in `words` of a longest common subsequence with `other`, ascending."""
    first, last, beyond = _ends(words, other)
    rows = _rows(words[first:last], other[first:beyond])
    found = []
    at = last - first
    for row in range(len(rows) - 1, 0, -1):
        # A clear bit: the length grows at that word, within the words of `other` up to this row.
        while at and rows[row] >> (at - 1) & 1:
            at -= 1
        if not at:
            break
        if rows[row - 1] >> (at - 1) & 1:  # not yet in the row before: this word made it grow
            at -= 1
            found.append(first + at)
    return [*range(first), *reversed(found), *range(last, len(words))]


def _ends(words: Sequence[str], other: Sequence[str]) -> tuple[int, int, int]:
    """What is left of both, once their equal beginnings and ends are taken off."""
    first, last, beyond = 0, len(words), len(other)
    while first < last and first < beyond and words[first] == other[first]:
        first += 1
    while last > first and beyond > first and words[last - 1] == other[beyond - 1]:
        last, beyond = last - 1, beyond - 1
    return first, last, beyond


def _rows(words: Sequence[str], other: Sequence[str]) -> list[int]:
    places: dict[str, int] = defaultdict(int)
    for at, word in enumerate(words):
        places[word] |= 1 << at
    every = (1 << len(words)) - 1
    row = every
    rows = [row]
    for word in other:
        matches = row & places.get(word, 0)
        row = ((row + matches) | (row - matches)) & every
        rows.append(row)
    return rows
