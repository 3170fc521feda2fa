"""What does a file say? A page: tagged text, links and forms, the same for every format.

Converters make it, later rooms read it. `blocks` carries the text in reading order with its tags;
`text` is the same as plain text.
"""

from enum import StrEnum

from shoal.model.link import Link
from shoal.model.record import Struct
from shoal.model.robots.page_rules import PageRules


class Tag(StrEnum):
    """What a block is. Bold, links and font size are properties of a block's text."""

    HEADING = "h"
    PARAGRAPH = "p"
    ITEM = "li"
    """An item of a bulleted list."""
    NUMBERED = "ol"
    """An item of a numbered list."""
    TABLE = "table"
    """One block: a line for each row, cells apart by tabs."""
    PRE = "pre"
    """Line breaks and spaces mean what they are: code, verse."""
    QUOTE = "quote"
    TERM = "dt"
    DEFINITION = "dd"
    CAPTION = "caption"
    """Of a picture or a table; also what a picture shows in words."""
    ASIDE = "aside"
    """What stands apart from the text: notes, comments, headers and footers of pages."""


class Block(Struct, array_like=True):
    kind: Tag
    text: str
    level: int = 0
    """Of a heading (1 to 6), the depth of an item (from 1), the header rows of a table."""
    marker: str = ""
    """The number that stands before it: `1.`, `(a)`, `2.1.3`."""
    bold: list[tuple[int, int]] = []
    """From and up to which character of the text."""
    links: list[tuple[int, int, str]] = []
    """The same, and where to."""
    font_size: float = 0.0
    """In points, where headings are told by it; else 0."""
    source: int = -1
    """Where it stands: a page, slide or sheet from 1 on, or the place in the source text."""
    score: float = 1.0
    """How sure it is that this is content and no menu, advertisement or footer: from 0 to 1, and
    content from one half on."""
    is_comment: bool = False
    """Whether readers wrote it below the page's own text."""

    @property
    def link_density(self) -> float:
        """How much of the text is links, from 0 to 1."""
        return sum(end - start for start, end, _ in self.links) / (len(self.text) or 1)


class FormField(Struct, array_like=True):
    name: str
    kind: str = "text"
    value: str = ""
    options: list[str] = []


class Form(Struct, array_like=True):
    """A form found on a page (nothing is ever submitted here)."""

    action: str
    method: str = "get"
    fields: list[FormField] = []


class Page(Struct, array_like=True):
    title: str = ""
    text: str = ""
    blocks: list[Block] = []
    links: list[Link] = []
    forms: list[Form] = []
    language: str = ""
    description: str = ""
    canonical: str = ""
    charset: str = ""
    charset_from: str = ""
    """The evidence for the charset: `bom`, `http`, `meta`, `xml`, `detector`, `default`."""
    rules: PageRules = PageRules()
    refresh_to: str = ""
    """Target of a `<meta http-equiv=refresh>`, which is treated as a link."""
    author: str = ""
    published: str = ""
    """When it was first published or made, and last changed: ISO 8601, as far as it is known."""
    modified: str = ""
    keywords: str = ""
    line_scores: bytes = b""
    """For each line of the text how likely it is content (model/content.py); empty: all is."""
    cleaned_by: str = ""
    """The method that told so."""
    headings: str = ""
    """Its headings, a line each, and what stands in bold."""
    bold: str = ""
    licenses: list[str] = []
    """URLs of the terms under which it stands, by its own word."""
