"""What does the index know of a document that matches? Enough to order the best ones again.

The index orders by its own score; the search room weighs fields, anchors, rank and age again, from
these counts alone.
"""

from enum import IntFlag
from typing import NamedTuple

from shoal.model.record import Struct


class Where(IntFlag):
    """The fields that a word stands in."""

    TITLE = 1
    HEADINGS = 2
    BOLD = 4
    CONTENT = 8
    REST = 16
    ANCHOR = 32
    URL = 64


class Count(NamedTuple):
    """How often one word of the query stands in one document."""

    content: int
    anchor: int
    """Weighted by how many sites say so."""
    where: int
    """The fields (`Where`) that it stands in."""


class Candidate(Struct):
    row: bytes
    score: float
    """The index's own: fields weighed, BM25."""
    counts: list[Count] = []
    """For each of `Candidates.terms`, in their order."""
    length: int = 0
    """Words of its content."""
    stems: bytes = b""
    """The different stems of its content, by their 32-bit hashes, in the order they stand in."""
    stem_counts: bytes = b""
    """How often each stem stands there, up to 255. There may be more stems: those are of other
    fields."""
    called: int = 0
    """How many sites call it exactly by the words of the query."""
    is_titled: bool = False
    """Whether its own title is exactly the words of the query."""
    site: str = ""
    language: str = ""
    media_type: str = ""
    fetched: float = 0.0
    published: float = 0.0


class Term(Struct):
    """One word of the query that is not negated, as the index knows it."""

    word: str
    """As written."""
    stems: list[str]
    """Under the languages of the collection."""
    documents: int
    """How many documents have it in any field."""
    weight: float = 1.0
    """How often the query says it; less for a stop word."""
    is_stop: bool = False
    """Whether it is a word such as `the` or `which`, however rare it is here."""


class Candidates(Struct):
    found: list[Candidate]
    total: int
    """How many documents match in all."""
    terms: list[Term]
    documents: int
    """How many there are."""
    mean_length: float
