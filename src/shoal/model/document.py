"""What is kept? A document: one readable thing with its own row, out of a visit or injected.

One visit may yield many (a mailbox, a zip, a feed with whole articles); the first one's name is
empty and its row is the visit's own.
"""

from enum import StrEnum

from shoal.model.link import Link
from shoal.model.listings.feed import Feed
from shoal.model.listings.listing import ListedUrl
from shoal.model.page import Form
from shoal.model.record import Struct
from shoal.model.robots.page_rules import PageRules
from shoal.model.robots.robots import RobotsRules
from shoal.model.robots.site_signals import Reservation


class Fate(StrEnum):
    """What became of a fetched document. fetched = the sum of these."""

    INDEXED = "indexed"
    WAITING = "waiting for the index"
    DUPLICATE = "duplicate"
    NOINDEX = "noindex"
    EMPTY = "empty"
    UNCONVERTIBLE = "unconvertible"
    DROPPED = "dropped"  # understood, and then not wanted (off topic)
    SOURCE = "source"  # a sitemap or a feed: it names pages, and is none


class WarcLocation(Struct, array_like=True, frozen=True):
    """Where a record stands in the archive: one gzip member of one WARC file."""

    file: str
    offset: int
    length: int


class Signals(Struct, array_like=True, frozen=True):
    """What the owner says about AI use, stored with each fetch; exports carry it."""

    content_usage: str = ""
    content_signal: str = ""
    tdm_reservation: str = ""
    tdm_policy: str = ""
    noai: bool = False


class Document(Struct, array_like=True):
    name: str = ""
    """What is added to the visit's URL to name it; empty for the visit's own document."""
    media_type: str = ""
    title: str = ""
    language: str = ""
    charset: str = ""
    charset_from: str = ""
    description: str = ""
    canonical: str = ""
    text: bytes = b""
    """Plain text, UTF-8, zstd."""
    text_chars: int = 0
    body_bytes: int = 0
    """Length of the body as sent, and after its content encoding was undone."""
    decoded_bytes: int = 0
    """Also of a member, which was not sent by itself."""
    body_digest: str = ""
    """sha1:BASE32 of the body as archived (WARC's payload digest)."""
    text_digest: str = ""
    """xxh3 of the text; empty for an empty text, so that empty pages are never duplicates."""
    fate: Fate = Fate.WAITING
    problem: str = ""
    """Why it is unconvertible, or what was cut."""
    rules: PageRules = PageRules()
    signals: Signals = Signals()
    forms: list[Form] = []
    readers: list[str] = []
    """Who may read it; empty: everyone."""
    duplicate_of: str = ""
    """The URL of the page that had this very body before; empty when none had."""
    same_text_as: str = ""
    """The URL of the page that had this text before, in another body."""
    author: str = ""
    published: str = ""
    """When it was first published or made, and last changed: ISO 8601, as far as it is known."""
    modified: str = ""
    keywords: str = ""
    language_from: str = ""
    """The evidence for the language: `declared`, or `detector`."""
    blocks: bytes = b""
    """The tagged text (a list of Block), zstd; only for whoever asked for it."""
    line_scores: bytes = b""
    """For each line of the text how likely it is content (model/content.py); empty: all is."""
    cleaned_by: str = ""
    """The method that told content from its frame."""
    content_chars: int = 0
    """How much of the text is content."""
    page_type: str = ""
    """What the page says it is, by Open Graph: `article`, `product`, `website` …"""
    headings: str = ""
    """Its headings, a line each, and what stands in bold."""
    bold: str = ""
    content_digest: str = ""
    """xxh3 of the content without times of day: by it a change is told from a clock."""
    licenses: list[str] = []
    """URLs of the terms under which it stands, by its own word (rel=license)."""
    fields: list[tuple[str, str]] = []
    """What it says of itself by name, and what its source says of it: who wrote a mail to whom, in
    which thread and folder (mail_words.py)."""
    marks: list[tuple[str, str]] = []
    """What its reader found out about it, by name (words/marks.py); nothing takes a mark back. They
    have cells of their own, and are not stored here."""


class Reassigned(Struct, array_like=True):
    """Another page of a group of duplicates now stands for it, or no longer does."""

    row: bytes
    fate: Fate
    duplicate_of: str
    """The URL of the page that does; empty when it is this one."""


class Understood(Struct, array_like=True, frozen=True):
    """Everything a child process found out about one visit."""

    documents: list[Document] = []
    links: list[Link] = []
    robots: RobotsRules | None = None
    response: WarcLocation | None = None
    request: WarcLocation | None = None
    cpu_seconds: float = 0.0
    fingerprints: list[tuple[bytes, bytes]] = []
    """Sketch and minhashes of each document's content (duplicates/near/sketch.py), in their
    order."""
    listed: list[ListedUrl] = []
    """What a sitemap or a feed names."""
    below: list[Link] = []
    """Other sitemaps, which an index of them names."""
    feed: Feed | None = None
    """The feed itself."""
    left_out: int = 0
    """Entries of a sitemap that are other hosts', for which it can't speak."""
    problem: str = ""
    """What was wrong with a sitemap or a feed."""
    reservations: list[Reservation] = []
    """What a site's tdmrep.json says."""
    requisites: list[Link] = []
    """What a page or a style sheet needs to look as it did, if that is to be archived."""
    about: bytes = b""
    """How near the page's own words are to each part of what is looked for; see Evidence."""
