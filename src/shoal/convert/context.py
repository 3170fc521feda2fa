"""What does a converter get, and what does it give? The seam between the reader and each format.

A converter is a function: a decoded body and its context in, documents out (a mailbox or a zip
gives many, a page gives one). It never raises on what it reads; what it could not do is its
`problem`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from shoal.convert.limits import Limits
from shoal.convert.links import LinkMaker
from shoal.model.page import Page


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
