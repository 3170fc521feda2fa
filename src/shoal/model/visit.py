"""What is one unit of work? A visit: one URL of one site, asked once, ending in one commit.

`Visit` is what the frontier hands out, `Fetched` what the network gave. Neither grows: what is
learned from the bytes is `Understood` (document.py), what is remembered is the row (store,
frontier).
"""

from enum import StrEnum

from shoal.model.document import WarcLocation
from shoal.model.link import LinkSource
from shoal.model.outcome import Outcome
from shoal.model.record import Struct


class VisitKind(StrEnum):
    PAGE = "page"
    ROBOTS = "robots"  # a site's robots.txt: the first entry of its queue, never a page
    INJECTED = "injected"  # bytes that came past frontier and fetch: a mail, a file, a pushed item
    SITEMAP = "sitemap"  # names pages, and is none
    FEED = "feed"  # likewise; asked again and again
    REQUISITE = "requisite"  # a picture, style or script of a page: archived, and no page
    TDMREP = "tdmrep"  # a site's tdmrep.json: asked for behind its robots.txt, never a page


SOURCES = (VisitKind.SITEMAP, VisitKind.FEED, VisitKind.REQUISITE)
"""What names pages, or belongs to one, and is none."""
OF_SITE = (VisitKind.ROBOTS, VisitKind.TDMREP)
"""What speaks for a whole site: kept with the site, without a row of its own."""


class Keep(StrEnum):
    """What is kept of a document, by its source's policy."""

    RAW = "raw"  # the response in the archive, and the text
    TEXT = "text"  # the text alone
    NONE = "none"  # only the row: the document stays where it is (files on disk)


class Visit(Struct, array_like=True):
    url: str
    row: bytes
    """Row key of the URL; for robots.txt that of its own URL."""
    site: bytes
    """Site key: the site whose turn this is."""
    kind: VisitKind = VisitKind.PAGE
    depth: int = 1
    hops: int = 0
    """Redirects followed to get here; chains are cut."""
    tries: int = 0
    """How often it was asked before."""
    level: int = 0
    due_ms: int = 0
    order: int = 0
    etag: str = ""
    last_modified: str = ""
    requested_for: bytes = b""
    """A robots.txt that was redirected: the site key whose rules it will be."""
    keep: Keep = Keep.RAW
    seen_digest: str = ""
    """Digest of the body that is stored already: the same again is archived as a revisit."""
    seen_at: float = 0.0
    source: LinkSource = LinkSource.LINK
    is_first: bool = False
    """Nothing of it was ever stored: no older version has to be looked for."""
    private_ok: bool = False
    """Whether its site may be at a private address: a person named it, or another such site."""
    seen_url: str = ""
    """Whose body that is, when it is another page's."""
    seen_location: WarcLocation | None = None
    """Where the body that was seen stands in the archive."""
    head: bool = False
    """Ask with HEAD: whether it changed is all that is wanted."""
    is_counted: bool = False
    """It is read out of the archive once more, and its request was counted when it was made."""
    readers: list[str] = []
    """Who may read what comes of it, as its source says; empty: everyone."""
    fields: list[tuple[str, str]] = []
    """What its source says of it beside (`Document.fields`)."""

    @property
    def is_awaited(self) -> bool:
        """Whether somebody waits for what comes of it: it was pushed or brought in, or a person
        wished for it (the first level is for wishes alone)."""
        is_wish = self.level == 0 and self.kind not in (*OF_SITE, VisitKind.REQUISITE)
        return is_wish or self.kind is VisitKind.INJECTED


class Fetched(Struct, array_like=True):
    outcome: Outcome
    status: int = 0
    started: float = 0.0
    ended: float = 0.0
    """When the last byte arrived: the site's wait starts here."""
    address: str = ""
    """`address:port` that answered, empty when none was reached or a proxy stood between."""
    headers: list[tuple[str, str]] = []
    """In order, names lower-cased, values as sent (latin-1)."""
    head: bytes = b""
    """Status line and header fields as received, for the archive."""
    body: bytes = b""
    """As sent: content encodings are undone in a child process, with limits."""
    request: bytes = b""
    """Request line and header fields as sent, for the archive."""
    cut: bool = False
    """The body was longer than the limit; what came before is kept."""
    note: str = ""
    """One sentence on what went wrong, for people; of a refusal, its reason."""
    readers: list[str] = []
    """Who may read it where it stands, as far as that is told; empty: everyone."""

    def header(self, name: str) -> str:
        """The last value of a header field, empty when absent."""
        for key, value in reversed(self.headers):
            if key == name:
                return value
        return ""

    @property
    def requested(self) -> bool:
        """Whether the site saw, or may have seen, a request: an unknown result counts as one."""
        return self.outcome not in (Outcome.REFUSED, Outcome.NO_SCHEME, Outcome.PRIVATE)

    @property
    def seconds(self) -> float:
        return max(0.0, self.ended - self.started)


def refused(reason: str, when: float) -> Fetched:
    """The answer of a visit that was not made."""
    return Fetched(Outcome.REFUSED, started=when, ended=when, note=reason)
