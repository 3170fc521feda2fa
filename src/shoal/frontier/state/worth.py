"""What is known of a URL's worth, and what does it come to? Content, popularity, location.

Value = (k1·content + k2·popularity + k3·location) / (k1 + k2 + k3), as in Cho, Garcia-Molina and
Page, "Efficient crawling through URL ordering" (1998); each part and the value lie between 0 and 1.

What is known stands in the URL's row, so a kill loses none of it. Popularity is counted by sites:
the first links of a site count whole, each doubling of them as much as one link of another site.
So a site can't make a page popular alone, and of many sites some are kept by name and the others as
if they were one.
"""

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log, log2
from typing import Literal, NamedTuple, Protocol
from zlib import crc32

from shoal.counters import TOTAL, WORDS, Counts
from shoal.model.document import Understood
from shoal.model.record import Struct

Popularity = Literal["shares", "links", "rank"]

_MOST_SITES = 32
"""That are told apart, of those that link to one URL."""
_HALF = 2.0
"""Votes that make half of the most that popularity can be."""
_AMOUNT = struct.Struct(">If")
_FULL = 255
_READ = WORDS + "read "
_HAVING = WORDS + "having "
_PASSED = TOTAL + "passed "


@dataclass(frozen=True)
class Importance:
    """How a crawl by importance weighs a URL."""

    content: float = 0.0
    popularity: float = 1.0
    location: float = 0.0
    votes: Popularity = "shares"
    words: tuple[str, ...] = ()
    """What content is compared with: a name for each part of the evidence."""
    threshold: float = 0.5
    """Fetched pages of at least this value are counted."""


class LearnedContent(Protocol):
    """Content that is learned while the crawl goes on, in place of that of a query."""

    def content(self, row: bytes, worth: "Worth") -> float:
        """What a URL is worth by what is known of it, from 0 to 1."""
        ...

    def linked(self, row: bytes, worth: "Worth", finder: bytes, about: bytes) -> None:
        """A page links to a URL, and this is what the link shows."""
        ...

    def judged(self, row: bytes, worth: "Worth", understood: Understood) -> None:
        """A page was read that everyone may read; its worth is still that of when it waited."""
        ...


@dataclass(frozen=True)
class LinkFacts:
    """What others know of links and URLs, for the frontier to value them by."""

    rank_of: Callable[[bytes], float] = lambda _row: 0.0
    """Of a row by the links known so far, from 0 to 1."""
    is_told: Callable[[bytes, bytes], bool] = lambda _target, _source: False
    """Whether a target's row has it already that a page links there."""
    linking_to: Callable[[bytes, int], Sequence[bytes]] = lambda _row, _most: ()
    """Some pages that link to a row and that everyone may read."""
    location_of: Callable[[str], float] = lambda _url: 0.0
    """What a URL is worth by itself."""
    learned: LearnedContent | None = None
    """None: content is that of a query, or nothing."""


class Worth(Struct, array_like=True):
    """What is known of one URL, in its row."""

    location: float = 0.0
    """By its address alone; or what a rule says."""
    ruled: bool = False
    """Whether a rule says so: then nothing else counts."""
    about: bytes = b""
    """The best that was seen of each part of what is looked for, 0 to 255."""
    votes: bytes = b""
    """Of each linking site, by a hash, how much its pages say in all."""
    others: float = 0.0
    """The same of all further sites."""
    near: float = 0.0
    """How near all pages are together that link to it, in a crawl for a topic; and how many."""
    linking: int = 0
    warmth: float = 0.0
    """How few pages ago the crawl was on topic: 1, and half of it with each page."""
    hub: float = 0.0
    """How good the best of the pages is as a list of links."""


class Parts(NamedTuple):
    """A value with what it is made of."""

    value: float
    content: float
    popularity: float
    location: float


def add_vote(worth: Worth, site: bytes, amount: float) -> None:
    """A page of a site links to it."""
    name, votes = crc32(site), worth.votes
    for place in range(0, len(votes), _AMOUNT.size):
        known, before = _AMOUNT.unpack_from(votes, place)
        if known == name:
            end = place + _AMOUNT.size
            worth.votes = votes[:place] + _AMOUNT.pack(name, before + amount) + votes[end:]
            return
    if len(votes) < _MOST_SITES * _AMOUNT.size:
        worth.votes = votes + _AMOUNT.pack(name, amount)
    else:
        worth.others += amount


def add_evidence(worth: Worth, about: bytes) -> None:
    """What was seen of it, or of a link to it."""
    if about and about != worth.about:
        known = worth.about.ljust(len(about), b"\0")
        worth.about = bytes(map(max, known, about.ljust(len(known), b"\0")))


def votes_of(worth: Worth) -> float:
    """All votes, those of one site less and less."""
    amounts = [amount for _, amount in _AMOUNT.iter_unpack(worth.votes)]
    return sum(map(_said, amounts)) + _said(worth.others)


def sites_of(worth: Worth) -> int:
    """How many sites link to it, as far as they are told apart."""
    return len(worth.votes) // _AMOUNT.size


def _said(amount: float) -> float:
    return amount if amount <= 1 else 1 + log2(amount)


class Scale:
    """Values by what is wanted, and by how rare each word was among the pages read so far."""

    def __init__(
        self,
        wanted: Importance,
        counts: Counts,
        rank_of: Callable[[bytes], float],
        learned: LearnedContent | None = None,
    ) -> None:
        self.wanted = wanted
        self.learned = learned
        self._counts = counts
        self._rank_of = rank_of
        self._content = wanted.content if wanted.words else 0.0
        self._all = self._content + wanted.popularity + wanted.location
        self._rarity = self._rarities()

    def value(self, row: bytes, worth: Worth) -> float:
        if worth.ruled:
            return worth.location
        found = self.wanted.popularity * self._popularity(row, worth)
        if self._content:
            found += self._content * self._near(row, worth)
        if self.wanted.location:
            found += self.wanted.location * worth.location
        return found / self._all if self._all else 0.0

    def parts(self, row: bytes, worth: Worth) -> Parts:
        similar = self._near(row, worth) if self._content else 0.0
        popular = self._popularity(row, worth) if self.wanted.popularity else 0.0
        return Parts(self.value(row, worth), similar, popular, worth.location)

    def note_read(self, about: bytes) -> None:
        """A page was read for the first time: which of the words it has."""
        for word, seen in zip(self.wanted.words, about, strict=False):
            self._counts.add(_READ + word)
            if seen:
                self._counts.add(_HAVING + word)
        self._rarity = self._rarities()

    def note_value(self, value: float) -> None:
        """A page of this value was fetched."""
        if value >= self.wanted.threshold:
            self._counts.add(passed_key(self.wanted.threshold))

    def _popularity(self, row: bytes, worth: Worth) -> float:
        if self.wanted.votes == "rank":
            return self._rank_of(row)
        said = votes_of(worth)
        return said / (said + _HALF)

    def _near(self, row: bytes, worth: Worth) -> float:
        if self.learned is not None:
            return self.learned.content(row, worth)
        return self._similarity(worth.about)

    def _similarity(self, about: bytes) -> float:
        if not about or not self._rarity:
            return 0.0
        found = sum(map(float.__mul__, self._rarity, map(float, about)))
        return found / _FULL / sum(self._rarity)

    def _rarities(self) -> Sequence[float]:
        """Inverse document frequencies, as far as they are known."""
        return [
            log(1 + (1 + self._counts[_READ + word]) / (1 + self._counts[_HAVING + word]))
            for word in self.wanted.words
        ]


def passed_key(threshold: float) -> str:
    """Under which pages of at least such a value are counted."""
    return f"{_PASSED}{threshold:g}"
