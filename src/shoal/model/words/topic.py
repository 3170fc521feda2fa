"""What is a topic, and what did a person say of it? Words, and pages that are about it or not.

A topic stands in the family `site`: one row for itself, one for each page that was judged by a
person, and one for what was learned. What a person said carries the words of the page, so that it
is the same on every tablet, and outlives the page.
"""

import re

from shoal.errors import UsageError
from shoal.model.record import Struct
from shoal.model.urls.rowkey import row_key

TOPIC_KEYS = b"\x00topic\x00"
AFTER_TOPICS = b"\x00topic\x01"
_SELF, _LABEL, _LEARNED, _PROGRESS = b"t", b"l", b"m", b"p"
_NUL = b"\x00"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")

MOST_TOPICS = 16
MOST_LABELS = 1_000
"""Of one topic."""
MOST_WORDS = 32
_MOST_WORDS_CHARS = 400
MOST_EXAMPLE_BYTES = 8_000
"""Of the words of one page that a person judged."""
HEAD_CHARS, TAIL_CHARS = 20_000, 1_500
"""Of a page by which it is judged: its beginning and its end, where its subjects are often
named."""


ON_TOPIC = 0.5
"""From which chance on a page is on topic."""
_FULL, _PARTS = 255, 5


class Topic(Struct, array_like=True):
    """A topic as a person made it."""

    name: str
    words: str = ""
    made: float = 0.0


class Label(Struct, array_like=True):
    """What a person said of one page."""

    url: str
    """Canonical; of a file that was given as an example, its name."""
    yes: bool
    title: str = ""
    text: str = ""
    """Its words, in part. Empty: the page is to be fetched first."""
    when: float = 0.0

    @property
    def is_known(self) -> bool:
        return bool(self.text or self.title)


class Learned(Struct, array_like=True):
    """What pages are judged by, beside the labels."""

    model: bytes = b""
    """learn/topic.py."""
    ordinary: list[tuple[str, str]] = []
    """Title and words of pages of the crawl that nobody chose."""


class Progress(Struct, array_like=True):
    """What a crawl for a topic has learned of links."""

    links: bytes = b""
    """By which they are valued (learn/link_value.py)."""
    read: int = 0
    """Pages that were judged."""
    places: dict[str, tuple[float, int]] = {}
    """The record of sites and folders: the sum of what their pages were worth, and how many."""
    on: int = 0
    """Pages that were judged to be on topic."""


def topic_name(given: str) -> str:
    """A name as it is stored; raises what a person is told."""
    name = given.strip().lower()
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{given[:60]!r} can't be the name of a topic: it must be of letters a to z, digits, "
            "'-' and '_'"
        )
    return name


def topic_words(given: str) -> str:
    """The words of a topic, one space between them."""
    words = given.replace(",", " ").split()
    if len(words) > MOST_WORDS or len(given) > _MOST_WORDS_CHARS:
        raise UsageError(f"a topic may have {MOST_WORDS} words of {_MOST_WORDS_CHARS} letters")
    return " ".join(words)


def topic_key(name: str) -> bytes:
    return TOPIC_KEYS + name.encode() + _NUL + _SELF


def learned_key(name: str) -> bytes:
    return TOPIC_KEYS + name.encode() + _NUL + _LEARNED


def progress_key(name: str) -> bytes:
    return TOPIC_KEYS + name.encode() + _NUL + _PROGRESS


def label_key(name: str, url: str) -> bytes:
    return label_keys(name) + row_key(url)


def label_keys(name: str) -> bytes:
    """What the keys of all labels of a topic begin with."""
    return TOPIC_KEYS + name.encode() + _NUL + _LABEL + _NUL


def is_learned_key(key: bytes) -> bool:
    return key.startswith(TOPIC_KEYS) and key[len(TOPIC_KEYS) :].endswith(_NUL + _LEARNED)


def topic_prefix(name: str) -> bytes:
    return TOPIC_KEYS + name.encode() + _NUL


def judged_part(text: str) -> str:
    """Of a page's text, what it is judged by."""
    if len(text) <= HEAD_CHARS + TAIL_CHARS:
        return text
    return f"{text[:HEAD_CHARS]}\n{text[-TAIL_CHARS:]}"


def example_part(text: str) -> str:
    """Of a page's text, what a label keeps."""
    most = MOST_EXAMPLE_BYTES
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return data.decode("utf-8", "replace")
    tail = most // 5
    return f"{data[: most - tail].decode(errors='ignore')}\n{data[-tail:].decode(errors='ignore')}"


def link_said(anchor: float, around: float, url: float, source: float) -> bytes:
    """What a link shows, as `Evidence.about` carries it: the first three from -0.5 to 1.5."""
    return bytes((_byte(anchor), _byte(around), _byte(url), round(_FULL * source), 0))


def page_said(chance: float) -> bytes:
    """What a page shows of itself, as `Understood.about` carries it."""
    return bytes((0, 0, 0, 0, round(_FULL * chance)))


def is_topical(about: bytes) -> bool:
    """Whether evidence is that of a crawl for a topic."""
    return len(about) == _PARTS


def said_of(about: bytes) -> tuple[float, float, float, float, float]:
    """Anchor, around, url, source, and the page itself."""
    if len(about) != _PARTS:
        return (0.0, 0.0, 0.0, 0.0, 0.0)
    shown = [(each / _FULL) * 2.0 - 0.5 if each else 0.0 for each in about[:3]]
    return (shown[0], shown[1], shown[2], about[3] / _FULL, about[4] / _FULL)


def _byte(near: float) -> int:
    return round(_FULL * (min(1.5, max(-0.5, near)) + 0.5) / 2.0)
