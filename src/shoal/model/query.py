"""What is looked for? A query as a tree of plain values: what people wrote, understood.

The search room reads it out of a line of text; the index answers it. Neither knows the other.
"""

from enum import StrEnum

from shoal.model.record import Struct


class Occur(StrEnum):
    SHOULD = "should"
    MUST = "must"
    NOT = "not"


class Word(Struct, frozen=True, tag=True):
    """One word, as written; the index stems it."""

    text: str
    field: str = ""
    """`title`, `headings`, `bold`, `content`, `anchor`, `url`; empty: any of them."""


class Phrase(Struct, frozen=True, tag=True):
    """Words in this order, beside each other."""

    text: str
    field: str = ""


class Is(Struct, frozen=True, tag=True):
    """A field that is exactly this: `site` (also its subdomains), `type` (a media type, or one of
    its names: pdf, html), `language`, `source`, `mark`."""

    field: str
    value: str


class Dated(Struct, frozen=True, tag=True):
    """Published (or, where that is not known, fetched) from `after` on and before `before`."""

    after: float | None = None
    before: float | None = None


class Rows(Struct, frozen=True, tag=True):
    """One of these documents: what links to a page, what is related to it."""

    rows: tuple[bytes, ...]


class OneOf(Struct, frozen=True, tag=True):
    """At least one of these."""

    parts: "tuple[QueryPart, ...]"


class AllOf(Struct, frozen=True, tag=True):
    """All of these."""

    parts: "tuple[QueryPart, ...]"


QueryPart = Word | Phrase | Is | Dated | Rows | OneOf | AllOf


class Clause(Struct, frozen=True):
    occur: Occur
    part: QueryPart


class Query(Struct, frozen=True):
    clauses: tuple[Clause, ...] = ()
    notes: tuple[str, ...] = ()
    """What was not understood, in words; it was searched for as far as possible."""
    text: str = ""
    """As it was written."""
