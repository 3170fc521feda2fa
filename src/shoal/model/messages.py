"""What do tablets tell each other? Items of the outbox, and how they travel.

An item is put into the outbox in the batch of the visit that it comes from, under its target and a
*position*: the epoch of the tablet that wrote it, and a number that only grows. A delivery carries
some of them in order, and says behind which position they stand; the receiver takes what is behind
the last position that it knows from that sender, in one batch with the new position. So a delivery
may come twice, late, or not at all: its effect is once. The epoch is there because a tablet that
was restored hands out numbers a second time, for other items.
"""

from typing import NamedTuple

from shoal.model.change_history import ChangeHistory
from shoal.model.link import Link
from shoal.model.listings.sitemap_metadata import SitemapMetadata
from shoal.model.record import Struct
from shoal.model.robots.robots import RobotsRules


class Position(NamedTuple):
    epoch: int = 0
    number: int = 0


NOWHERE = Position()


class Linked(Struct, array_like=True, tag="named"):
    """A page links to URLs of another tablet: to be queued there, with their anchor texts."""

    links: list[Link]
    depth: int
    hops: int
    source: bytes
    """The row of the page; empty for a seed."""
    when_ms: int
    history: ChangeHistory | None = None
    """A page has moved there: how it changes is known already."""
    again: bool = False
    """A stored page has moved there: it is next at its site."""
    readers: list[str] | None = None
    """Who may read the page: empty for everybody; None: as it was said before."""
    private: bool = False
    """The page comes from a private address: it may lead to others."""
    told: bool = False
    """The page may have been read before: then some of its links are known already."""


class Unlinked(Struct, array_like=True, tag="unlinked"):
    """A page no longer links to a URL of another tablet."""

    target: bytes
    """As it was linked."""
    source: bytes
    when_ms: int


class Handed(Struct, array_like=True, tag="handed"):
    """Credit for the domain of a site (frontier/schedule/credit.py)."""

    site: bytes
    pages: float


class Root(Struct, array_like=True, tag="root"):
    """A seed has moved: the scope of every tablet goes with it."""

    url: str


class Errand(Struct, array_like=True, tag="errand"):
    """A site's robots.txt is said to stand at a site of another tablet: fetch it for the asker."""

    url: str
    asker: bytes
    hops: int
    private_ok: bool = False


class RobotsAnswer(Struct, array_like=True, tag="robots"):
    """What an errand came to, for the asker."""

    asker: bytes
    rules: RobotsRules | None
    """None: they can't be had, so nothing may be asked for now."""
    allows_all: bool = False
    """There is no robots.txt."""
    requested_ms: int = 0
    until_ms: int = 0
    status: int = 0
    url: str = ""


class Sketched(Struct, array_like=True, tag="sketched"):
    """A page says this: are there near-duplicates at other tablets? Sent to those that its
    minhashes hash to."""

    row: bytes
    sketch: bytes
    """Empty: it says what it said; only its worth has changed, or what is known elsewhere."""
    minhashes: bytes
    life: str
    """Since when it is known there; what was said of an earlier one no longer counts."""
    worth: bytes
    """Packed; what decides which of two stands for both."""
    readers: bytes = b""
    gone: bool = False
    """It no longer says so, or is no longer there."""
    elsewhere: bool = False
    """Another shard of its minhashes knows a page that stands for it."""


class Repeated(Struct, array_like=True, tag="repeated"):
    """A page is a near-duplicate of one of another tablet, which stands for both; or, with an empty
    representative, it no longer is."""

    row: bytes
    representative: bytes
    life: str
    """As it was sketched: if that has ended since, nothing is changed."""
    resemblance: float = 0.0
    shard: int = 0
    """The tablet that says so: it takes back only what it said itself."""


class Described(Struct, array_like=True, tag="described"):
    """A sitemap says something of pages of another tablet, which it names."""

    finder: bytes
    """The row of the sitemap."""
    pages: list[tuple[bytes, SitemapMetadata]]
    """Each by its row, as it is named."""
    when_ms: int


Item = Linked | Unlinked | Handed | Root | Errand | RobotsAnswer | Sketched | Repeated | Described


class Wanted(Struct, array_like=True):
    """Parts of addresses that a tablet would like to be lent (frontier/schedule/shares.py)."""

    position: Position
    """Of the question, by its asker: only those that come later count."""
    addresses: list[tuple[str, float]]
    """Each with the share that it has of it now."""


class Delivery(Struct, array_like=True):
    """Items of one tablet for another, in order."""

    sender: int
    target: int
    after: Position
    """The position before the first: all up to it were delivered or are no longer wanted."""
    items: list[tuple[Position, bytes]]
    """Each with its position, packed."""
    wanted: Wanted | None = None
    """Asked of the owner of these addresses."""


class Receipt(Struct, array_like=True):
    """How far a receiver has come with the items of one sender."""

    applied: Position
    durable: Position
    """Up to here they survive whatever happens to it: the sender may forget them."""
    busy: bool = False
    """It has as much to do as it can: what comes a little later is as good."""
    lent: list[float] = []
    """Of what was wanted, in its order."""
