"""Which pages are trained on, and what does the compiled module say of their pieces?

The only place that calls `outline` of src/shoal/cleaners/_content.c, so the features in training
are those in use. Pages are read anew on every pass: together their sources take half a gigabyte.
"""

from array import array
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from benchmarks.extract_scores import SETS, Page, pages
from shoal.cleaners._content import outline

ELEMENT_BUCKETS = 16_384
WORD_BUCKETS = 32_768
"""BUCKETS and WORD_BUCKETS of _names.h."""

Buckets = list[tuple[list[int], list[int]]]
"""Of each piece: those of its words, and those of the names of the elements around it."""


def all_pages(data: Path, at_most: int | None = None) -> Iterator[tuple[str, Page]]:
    """Every page with the name of its set, in the order of the files; or the same few of each."""
    few = None if at_most is None else max(1, at_most // len(SETS))
    for name in SETS:
        for page in islice(pages(name, data), few):
            yield name, page


def ranges(html: str) -> list[tuple[int, int]]:
    """Where each piece stands in the source."""
    places = array("i", outline(html)[0])
    return list(zip(places[::2], places[1::2], strict=True))


def buckets(html: str) -> Buckets:
    return outline(html, None, True)[3]


def features(html: str, lexicon: bytes) -> bytes:
    """Rows of numbers of 4 bytes, one row for each piece."""
    return outline(html, lexicon)[1]


def feature_names() -> list[str]:
    return outline("<p>a</p>")[2]
