"""What does a converter get, and what does it give? The seam between the reader and each format.

A converter is a function: a decoded body and its context in, documents out (a mailbox or a zip
gives many, a page gives one). It never raises on what it reads; what it could not do is its
`problem`.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote

from shoal.converters.limits import Limits
from shoal.converters.links import LinkMaker
from shoal.model.page import Page
from shoal.model.record import Struct
from shoal.ports import Cleaner

if TYPE_CHECKING:
    from shoal.converters.characters.charset import Text


@dataclass(slots=True)
class Converted:
    page: Page
    name: str = ""
    """What names it within its visit; empty for the visit's own document."""
    meta: list[tuple[str, str]] = field(default_factory=list)
    """(name, content) of meta elements, names in lower case: rules and signals stand there."""
    problem: str = ""
    media_type: str = ""
    """Of a document inside another one; empty for the visit's own."""
    bytes: int = 0
    """Of a member or an attachment, as it was unpacked."""
    left_out: Counter[str] = field(default_factory=Counter)
    """How many members of it were not read, by the limit that forbade it."""
    fields: list[tuple[str, str]] = field(default_factory=list)
    """What it says of itself by name (`Document.fields`)."""


def decoded(page: Page, source: "Text", problem: str) -> list[Converted]:
    """The one document of a text file, and which characters its bytes stood for."""
    page.charset, page.charset_from = source.charset, source.evidence
    return [Converted(page, problem=problem)]


def nothing_inside(_data: bytes, _name: str, _declared: str = "") -> list[Converted]:
    return []


class Context(Struct, frozen=True):
    url: str
    """Where the body came from; canonical."""
    charset: str
    """As declared in the Content-Type header, or empty."""
    links: LinkMaker
    limits: Limits
    media_type: str = ""
    """What the body was found to be."""
    inside: Callable[..., list[Converted]] = nothing_inside
    """`inside(data, name, declared_type="")`: the documents of something that stands in this one
    (a member, an attachment), named within it. Empty when too deep or too many."""

    member: str = ""
    """Of something that stands in another document: its name there."""
    wants_ocr: bool = False
    """Whether letters in pictures are to be recognised."""
    wants_blocks: bool = True
    """False: plain text will do, where blocks would be extra work."""
    cleaner: Cleaner | None = None
    """Tells content from its frame; None: all of it is content."""

    @property
    def name(self) -> str:
        """A file's name, for people: of the member, or the last part of the URL."""
        place = self.member or unquote(self.url.partition("?")[0].partition("#")[0])
        return place.rstrip("/").rpartition("/")[2]


Converter = Callable[[bytes, Context], list[Converted]]
