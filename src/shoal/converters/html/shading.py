"""How much of a stretch of text is content? A cleaner's answer, carried over from the source.

A cleaner says where its pieces stand in the source, the scanner where these places are in the text
(scan.py); here a line or a block of the text asks for its own shade.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import pairwise
from operator import or_

from shoal.model.content import COMMENT, KEPT, NOSCRIPT, Content

Shade = tuple[int, int]
"""How likely it is content, from 0 to 255, and its marks."""
ALL: Shade = (255, 0)
"""Where nobody told content from its frame."""
NOTHING: Shade = (0, 0)


class Shading:
    def __init__(self, content: Content, places: bytes) -> None:
        """`places`: those of the content, in the text."""
        every = memoryview(places).cast("i").tolist()
        self._starts, self._ends = every[::2], every[1::2]
        self._shades, self._marks = content.line_scores, content.marks

    def of(self, start: int, end: int) -> Shade:
        """The mean shade of what stands between two places of the text, and the marks of all."""
        at = bisect_right(self._ends, start)
        if at < len(self._ends) and self._starts[at] <= start and self._ends[at] >= end:
            return self._shades[at], self._marks[at]  # as nearly always: all of it is one piece
        total = length = marks = 0
        while at < len(self._starts) and self._starts[at] < end:
            part = min(end, self._ends[at]) - max(start, self._starts[at])
            total += part * self._shades[at]
            length += part
            marks |= self._marks[at]
            at += 1
        if 2 * length < end - start:  # most of it is nobody's: no mere gaps between pieces
            length = end - start
        return (total // length if length else 0), marks

    def parts(self, start: int, end: int) -> list[tuple[int, int, Shade]]:
        """The same for each stretch of it that is content, or is none: a block may be a menu, a
        text and a footer with only line breaks between them."""
        at = bisect_right(self._ends, start)
        last = bisect_left(self._starts, end, at) - 1
        if last <= at:
            return [(start, end, self.of(start, end))]
        cuts = [start]
        for piece in range(at + 1, last + 1):
            if (self._shades[piece] >= KEPT) != (self._shades[piece - 1] >= KEPT):
                cuts.append(self._starts[piece])
        return [(low, high, self.of(low, high)) for low, high in pairwise([*cuts, end])]

    def lines(self, spans: Iterable[tuple[int, int]]) -> bytes:
        return bytes(self.of(start, end)[0] for start, end in spans)

    @property
    def lives_in_noscript(self) -> bool:
        """Whether content stands where it is shown only without scripts."""
        return bool(self._marks.strip(b"\0")) and any(
            mark & NOSCRIPT and shade >= KEPT
            for mark, shade in zip(self._marks, self._shades, strict=True)
        )


def is_mixed(shades: Sequence[Shade]) -> bool:
    """Whether some are surely content and others surely not: cells of a page, not of a table."""
    likely = [shade for shade, _ in shades]
    return bool(likely) and min(likely) < KEPT // 4 and max(likely) > KEPT + KEPT // 2


def mean_shade(shades: Sequence[Shade], weights: Sequence[int]) -> Shade:
    total = sum(weights)
    if not total:
        return ALL
    mean = sum(shade * weight for (shade, _), weight in zip(shades, weights, strict=True)) // total
    return mean, reduce(or_, (marks for _, marks in shades))


def score_of(shade: Shade) -> tuple[float, bool]:
    """As a block has it: from one half on it is content."""
    likely, marks = shade
    return round(likely / 255, 3), bool(marks & COMMENT)
