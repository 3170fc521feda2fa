"""What does a converter get, and what does it give? The seam between the reader and each format.

A converter is a function: a decoded body and its context in, documents out (a mailbox or a zip
gives many, a page gives one). It never raises on what it reads; what it could not do is its
`problem`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from shoal.convert.links import LinkMaker
from shoal.model.page import Page
from shoal.model.record import Struct


class Limits(Struct, frozen=True):
    """How much of one page is taken; whatever lies beyond is left out, and said so."""

    decoded_bytes: int = 50_000_000
    decoded_ratio: int = 500
    """Bytes decoded for one byte sent."""
    text_chars: int = 5_000_000
    title_chars: int = 1_000
    links: int = 10_000
    anchor_chars: int = 200
    forms: int = 100
    fields: int = 200
    """Fields of one form, and options of one field."""
    metas: int = 200
    value_chars: int = 2_000
    """Of a meta element, a form's field, a description."""
    html_bytes: int = 20_000_000
    tags: int = 250_000
    """That mean something to us; each takes some 400 bytes while a page is read."""


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class Context:
    url: str
    """Where the body came from; canonical."""
    charset: str
    """As declared in the Content-Type header, or empty."""
    links: LinkMaker
    limits: Limits


@dataclass(slots=True)
class Converted:
    page: Page
    name: str = ""
    """What names it within its visit; empty for the visit's own document."""
    meta: list[tuple[str, str]] = field(default_factory=list)
    """(name, content) of meta elements, names in lower case: rules and signals stand there."""
    problem: str = ""


Converter = Callable[[bytes, Context], list[Converted]]
