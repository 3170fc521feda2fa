"""What does one page say of another? A link with its anchor text, as the child process settles it.

A link arrives in the main process ready: canonical URL, row key, verdict of the scope, repeats
within the page folded into one. So the cost per link there is a seen test and two puts.
"""

from enum import IntFlag, StrEnum

from shoal.model.record import Struct


class Rel(IntFlag):
    PLAIN = 0
    NOFOLLOW = (
        1  # rel=nofollow, or a page that says nofollow: recorded, adds nothing to the frontier
    )
    UGC = 2
    SPONSORED = 4
    EMBED = 8  # frame or iframe: part of the page that shows it
    CANONICAL = 16
    FEED = 32
    SITEMAP = 64
    REDIRECT = 128  # adds no depth


NO_VOTE = int(Rel.NOFOLLOW | Rel.UGC | Rel.SPONSORED | Rel.FEED | Rel.SITEMAP)
"""Links that say nothing of the worth of what they lead to."""


class LinkSource(StrEnum):
    """How a URL came to be known."""

    SEED = "seed"
    LINK = "link"
    REDIRECT = "redirect"
    SITEMAP = "sitemap"
    GUESS = "guess"  # sitemaps usually stand there, and robots.txt names none
    FEED = "feed"
    NAMED_FEED = "named feed"  # a feed that a person named, and what it brings
    SUBMIT = "submit"
    INJECT = "inject"
    REQUISITE = "requisite"  # a stored page needs it to look as it did


class Evidence(Struct, array_like=True, gc=False):
    """What a page shows of the worth of what it links to; only in a crawl by importance."""

    about: bytes = b""
    """How near its words are to each part of what is looked for, 0 to 255 for each."""
    among: int = 1
    """How many links of the page count as votes."""
    ruled: bool = False
    """Whether a rule has said what it is worth: then nothing else counts."""


class Link(Struct, array_like=True):
    url: str
    row: bytes
    text: str = ""
    rel: int = 0
    excluded: str = ""
    """Why the scope refuses it; empty when it is wanted."""
    priority: float = 0.5
    """0 to 1, from the Prioritizer: what it is worth to fetch, as far as the link itself tells."""
    source: LinkSource = LinkSource.LINK
    seen: bytes = b""
    """Its key in the seen test, when that is not the row itself."""
    site_length: int = 0
    """How much of the row is the site's key; 0 when it was not worked out."""
    more: tuple[str, ...] = ()
    """What else the page calls it, in other links to it; few, and short."""
    evidence: Evidence | None = None


class Anchor(Struct, array_like=True):
    """The cell `anchor:<source row>` at the target's row."""

    text: str
    rel: int = 0
    readers: list[str] = []
    """Of the source, where that is not for everybody."""
    more: tuple[str, ...] = ()
    """Other texts of the same page for the same target."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All of them, each once."""
        return (self.text, *self.more)
