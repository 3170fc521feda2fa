"""What does a file say? A page: tagged text, links and forms, the same for every format.

Converters make it, later rooms read it. `blocks` carries the text in reading order with its tags;
`text` is the same as plain text.
"""

from shoal.model.link import Link
from shoal.model.page_rules import PageRules
from shoal.model.record import Struct


class Block(Struct, array_like=True):
    kind: str
    """`p`, `h`, `li`, `td`, `pre`, `title` …"""
    text: str
    level: int = 0
    """Heading level, list depth."""


class FormField(Struct, array_like=True):
    name: str
    kind: str = "text"
    value: str = ""
    options: list[str] = []


class Form(Struct, array_like=True):
    """A form found on a page (D2 probes GET forms; nothing is ever submitted here)."""

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
    """The evidence for the charset: `bom`, `http`, `meta`, `detector`, `default`."""
    rules: PageRules = PageRules()
    refresh_to: str = ""
    """Target of a `<meta http-equiv=refresh>`, which is treated as a link."""
