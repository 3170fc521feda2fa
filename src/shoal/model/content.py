"""Which parts of a page's source are its content? What every cleaner answers.

Apart from the words of the page: whoever converts it knows where its text stands in the source.
"""

from array import array
from collections.abc import Iterable
from typing import NamedTuple

KEPT = 128
"""A score of this and more is content."""
COMMENT = 1
"""What readers wrote below it."""
NOSCRIPT = 2
"""Shown only where scripts do not run."""


class Content(NamedTuple):
    method: str
    """What found it: `model`, `dom`, `slope`, `window`, `visual`."""
    places: bytes
    """Pairs of int32: where each piece of the source begins and ends; in order, apart."""
    line_scores: bytes
    """One for each piece: how likely it is content, from 0 to 255."""
    marks: bytes
    """One for each piece: COMMENT, NOSCRIPT."""


def content_text(text: str, line_scores: bytes) -> str:
    """The lines that are content; all of them when nobody told."""
    if not line_scores:
        return text
    lines = text.split("\n")
    return "\n".join(line for line, shade in zip(lines, line_scores, strict=False) if shade >= KEPT)


def content_of(ranges: Iterable[tuple[int, int]], method: str) -> Content:
    """For methods that choose and do not weigh."""
    places = array("i", (place for pair in ranges for place in pair))
    count = len(places) // 2
    return Content(method, places.tobytes(), b"\xff" * count, bytes(count))
