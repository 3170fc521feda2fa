"""What does a feed say? Its items, and how often it wants to be asked.

The same value for RSS, RDF, Atom and JSON Feed, read in a child process (sources/feed.py) and
looked at by whoever schedules polls. An item's `guid` is as it was given: whether it is a URL is
said by `url`, which is where the item's page is.
"""

from collections.abc import Sequence

from shoal.model.record import Struct


class Enclosure(Struct, array_like=True):
    url: str
    media_type: str = ""
    length_bytes: int = 0


class Item(Struct, array_like=True):
    guid: str = ""
    url: str = ""
    """Where its page is, whole; empty when it has none."""
    title: str = ""
    published: str = ""
    """ISO 8601, in UTC; empty when it is not told."""
    updated: str = ""
    author: str = ""
    summary: str = ""
    """HTML, as sent."""
    content: str = ""
    """HTML: the longest text that it carries."""
    is_whole: bool = False
    """Whether the text is the whole article, as far as can be told."""
    enclosures: list[Enclosure] = []
    language: str = ""
    license: str = ""
    """Where the terms stand, of the item or else of its feed."""


class Feed(Struct, array_like=True):
    form: str = ""
    """`rss20`, `atom10`, `json11` …; empty: it is no feed."""
    title: str = ""
    url: str = ""
    """The page that it belongs to."""
    self_url: str = ""
    """What it calls itself: the topic of a subscription."""
    hubs: list[str] = []
    """Where its changes can be subscribed to (WebSub)."""
    language: str = ""
    ttl_seconds: float = 0.0
    """How long it may be kept before it is asked for again: ttl, sy:updatePeriod; 0: not told."""
    skip_hours: list[int] = []
    """Hours of the day, UTC, in which nothing is to be expected."""
    skip_days: list[int] = []
    """Days of the week on which nothing is to be expected; 0 is Monday."""
    items: list[Item] = []
    problem: str = ""
    """What was wrong with it, though something could be read."""


FEED_KEYS = b"\x00feed\x00"
"""What the keys of all FeedRows begin with, in the family `site`; no site's key begins with NUL."""
ITEM_KEY_BYTES = 8
MAX_SEEN = 2_000
MAX_POSTED = 50


class FeedRow(Struct, array_like=True):
    """What is remembered of a feed between two polls; its URL is the row that it stands under."""

    title: str = ""
    hubs: list[str] = []
    self_url: str = ""
    seen: bytes = b""
    """The keys of its items (sources/feed.py), the newest first: at most MAX_SEEN of 8 bytes."""
    posted: list[float] = []
    """When its last items were posted, unix seconds, the newest first: at most MAX_POSTED."""
    polled_ms: int = 0
    """When it was last asked; when it will be stands in the queue."""
    failures: int = 0
    """In a row."""
    status: int = 0
    """Of the last answer; 0: there was none."""
    problem: str = ""
    removed: bool = False
    """A person wants no more of it: a page that announces it does not bring it back."""
    pushed_until_ms: int = 0
    """When the hub's lease ends; 0: it is polled only."""
    page_url: str = ""
    """The page that it belongs to."""
    ttl_seconds: float = 0.0
    """What it last said of when to ask, because a 304 says nothing."""
    skip_hours: list[int] = []
    skip_days: list[int] = []
    items: int = 0
    """How many it last showed,"""
    outside: int = 0
    """and of how many the page is outside the crawl's scope."""


def feed_key(row: bytes) -> bytes:
    """Where the FeedRow of a feed stands, in the family `site`."""
    return FEED_KEYS + row


def row_of_feed_key(key: bytes) -> bytes | None:
    return key[len(FEED_KEYS) :] if key.startswith(FEED_KEYS) else None


def unseen(row: FeedRow, keys: Sequence[bytes]) -> list[int]:
    """The places, in a poll's items, of those that were not there before; each item once."""
    seen = row.seen
    known = {seen[at : at + ITEM_KEY_BYTES] for at in range(0, len(seen), ITEM_KEY_BYTES)}
    found = []
    for place, key in enumerate(keys):
        if key not in known:
            known.add(key)
            found.append(place)
    return found


def remember(row: FeedRow, keys: Sequence[bytes]) -> None:
    """What a poll showed comes before what earlier ones did; the oldest are forgotten."""
    seen = row.seen
    before = (seen[at : at + ITEM_KEY_BYTES] for at in range(0, len(seen), ITEM_KEY_BYTES))
    row.seen = b"".join(list(dict.fromkeys([*keys, *before]))[:MAX_SEEN])
