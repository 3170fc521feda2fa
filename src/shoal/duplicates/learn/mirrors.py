"""Which sites are the same as others? Pairs of places whose pages at the same path are the same.

    mirror 00 place 00 place     →  what was seen of the pair, and which of the two is the mirror
    mirrors 00 site              →  the pairs that a site is in

A place is what the rows of a site, or of a part of it, begin with: `org,gnu)80:http`, or
`org,mirror)80:http/pub/gnu`. The rest of a row begins with a slash and is the same at both, so the
counterpart of a page is one concatenation and one read away. Duplicates on two sites suggest a
pair; pages that have a counterpart are compared, and a pair that held for enough distinct pages is
learned (the evidence of lessons.py). http and https, with www and without, are pairs like others.

No URL is lost for good: see Lessons. Here a refusal rests on a counterpart that the crawl knows.
If that one fails or goes, `counterparts` names the pages of mirrors that have to be asked instead.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from shoal.duplicates.family import FAMILY
from shoal.duplicates.learn.lessons import (
    MOST_CANDIDATES,
    MOST_SITES_AT_HAND,
    Evidence,
    GroupOf,
    Standard,
    Unlearned,
    is_sample,
    least_useful,
)
from shoal.duplicates.learn.url_rules import section
from shoal.model.cell import NUL
from shoal.model.record import Struct, field, pack, unpack
from shoal.model.urls.rowkey import site_of_key, url_of
from shoal.ports import Batch, Table

MIRROR = Standard(observations=12, groups=8, tolerated=1)
MOST_TWINS = 8
"""Twins of one page that are looked at: a licence stands on thousands of sites."""
MOST_PREFIX_SEGMENTS = 4
MOST_PREFIX_BYTES = 256
MOST_SEGMENTS = 64
MOST_LINKS_OF_A_CHAIN = 64

PAIR = b"mirror" + NUL
MIRRORS = b"mirrors" + NUL
_END_OF_PAIRS = b"mirror\x01"

Worth = Callable[[bytes], tuple[float, ...]]
"""How much speaks for a site (by its key) as the original: the larger is."""

Places = tuple[bytes, bytes]
"""Two places of different sites, in order."""


class Pair(Struct, array_like=True):
    one: bytes
    other: bytes
    evidence: Evidence = field(default_factory=Evidence)
    mirror: bytes = b""
    """Which of the places is the mirror, decided when it is first learned."""

    @property
    def original(self) -> bytes:
        return self.one if self.mirror == self.other else self.other


class Mirror(NamedTuple):
    """A pair for people; the URLs end where the common rest of the paths begins."""

    original: str
    mirror: str
    compared: int
    same: int
    learned: bool


def alike(_site: bytes) -> tuple[float, ...]:
    """Nothing is known of what sites are worth."""
    return ()


class Mirrors:
    """What is at hand is changed in the commit that writes it, as in Lessons."""

    def __init__(self, table: Table, worth: Worth = alike) -> None:
        self._table = table
        self._worth = worth
        self._places_of = lru_cache(MOST_SITES_AT_HAND)(self._load_places)
        self._pair = lru_cache(MOST_SITES_AT_HAND)(self._load_pair)

    def refusal(self, row: bytes, is_known: Callable[[bytes], bool]) -> str:
        """Why a page need not be fetched, in words; empty when it must be. `is_known` says whether
        the crawl has a page or will have it: not for one that failed, is gone or was refused."""
        pairs = self._places_of(site_of_key(row))
        if not pairs or is_sample(row):
            return ""
        for places in pairs:
            pair = self._pair(places)
            rest = _rest(pair.mirror, row) if pair.evidence.learned else None
            if rest is None or not pair.evidence.holds_in(section(rest.decode())):
                continue
            counterpart = pair.original + rest
            if is_known(counterpart):
                return f"{_reason(pair)}{url_of(counterpart)} is taken there"
        return ""

    def counterparts(self, row: bytes) -> list[bytes]:
        """Rows of this page on the mirrors of its site, whether there are such pages or not."""
        found = []
        for places in self._places_of(site_of_key(row)):
            pair = self._pair(places)
            rest = _rest(pair.original, row) if pair.evidence.learned else None
            if rest is not None:
                found.append(pair.mirror + rest)
        return found

    def known(self) -> Iterator[Mirror]:
        """All pairs that are suspected or learned, as the table has them."""
        for _, stored in self._table.scan(FAMILY, PAIR, _END_OF_PAIRS):
            pair = unpack(Pair, stored)
            pair.mirror = pair.mirror or self._lesser(pair)
            seen = pair.evidence
            yield Mirror(
                _shown(pair.original), _shown(pair.mirror), seen.seen, seen.same, seen.learned
            )

    def observe(
        self, batch: Batch, row: bytes, group: bytes, twins: Sequence[bytes], group_of: GroupOf
    ) -> list[Unlearned]:
        """A page was fetched, and is in this group; `twins` are pages of this group on other sites.
        Returns the pairs that are revoked by it."""
        revoked = []
        for places in self._places_of(site_of_key(row)):
            pair = self._pair(places)
            counterpart = _counterpart(pair, row)
            other = None if counterpart is None else group_of(counterpart[0])
            if counterpart is None or other is None:
                continue
            where = section(counterpart[1].decode())
            if pair.evidence.add(MIRROR, group, other == group, where):
                revoked.append(Unlearned(site_of_key(pair.mirror), _told(pair), _reason(pair)))
            elif pair.evidence.learned and not pair.mirror:
                pair.mirror = self._decided(pair)
            batch.put(FAMILY, _pair_key(places), pack(pair))
        for twin in twins[:MOST_TWINS]:
            suggested = places_between(row, twin)
            if suggested is not None:
                self._consider(batch, suggested)
        return revoked

    # --- candidates -------------------------------------------------------------------------

    def _consider(self, batch: Batch, places: Places) -> None:
        sites = [site_of_key(place) for place in places]
        if places in self._places_of(sites[0]):
            return
        leaving = [self._giving_way(site) for site in sites]
        if None in leaving:
            return
        for gone in leaving:
            if gone:
                self._drop(batch, gone)
        for site in sites:
            self._places_of(site).append(places)
            self._save(batch, site)
        batch.put(FAMILY, _pair_key(places), pack(self._pair(places)))

    def _giving_way(self, site: bytes) -> Places | tuple[()] | None:
        """The pair that makes room at a site; empty when there is room, None when none may go."""
        pairs = self._places_of(site)
        if len(pairs) < MOST_CANDIDATES:
            return ()
        at = least_useful([self._pair(places).evidence for places in pairs])
        return None if at is None else pairs[at]

    def _drop(self, batch: Batch, places: Places) -> None:
        for site in map(site_of_key, places):
            pairs = self._places_of(site)
            if places in pairs:
                pairs.remove(places)
                self._save(batch, site)
        pair = self._pair(places)
        pair.evidence, pair.mirror = Evidence(), b""
        batch.delete(FAMILY, _pair_key(places))

    def _save(self, batch: Batch, site: bytes) -> None:
        batch.put(FAMILY, MIRRORS + site, pack(self._places_of(site)))

    def _load_places(self, site: bytes) -> list[Places]:
        stored = self._table.get(FAMILY, MIRRORS + site)
        return [] if stored is None else unpack(list[Places], stored)

    def _load_pair(self, places: Places) -> Pair:
        stored = self._table.get(FAMILY, _pair_key(places))
        return Pair(*places) if stored is None else unpack(Pair, stored)

    # --- which is the mirror ----------------------------------------------------------------

    def _decided(self, pair: Pair) -> bytes:
        """The mirror is the one that is worth less; unless the other is a mirror of it already, by
        whatever chain. In a ring of mirrors every page would be refused for another."""
        lesser = self._lesser(pair)
        greater = pair.one if lesser == pair.other else pair.other
        return greater if self._represents(site_of_key(greater), site_of_key(lesser)) else lesser

    def _lesser(self, pair: Pair) -> bytes:
        def rank(place: bytes) -> tuple[tuple[float, ...], int, bytes]:
            # Of equals the shorter is the original, then the smaller.
            return self._worth(site_of_key(place)), -len(place), _inverted(place)

        return min(pair.one, pair.other, key=rank)

    def _represents(self, mirror: bytes, original: bytes) -> bool:
        """Whether one site is a mirror of another, or of a mirror of it …"""
        seen, ahead = {mirror}, [mirror]
        while ahead and len(seen) < MOST_LINKS_OF_A_CHAIN:
            site = ahead.pop()
            for places in self._places_of(site):
                pair = self._pair(places)
                if not pair.mirror or site_of_key(pair.mirror) != site:
                    continue
                above = site_of_key(pair.original)
                if above == original:
                    return True
                if above not in seen:
                    seen.add(above)
                    ahead.append(above)
        return False


def places_between(a: bytes, b: bytes) -> Places | None:
    """What two rows of different sites begin with before their common rest: at least one whole
    segment, or both are the pages of the sites themselves."""
    site_a, site_b = site_of_key(a), site_of_key(b)
    path_a, _, query_a = a[len(site_a) :].partition(b"?")
    path_b, _, query_b = b[len(site_b) :].partition(b"?")
    if site_a == site_b or query_a != query_b:
        return None
    ahead_a, ahead_b = path_a.split(b"/", MOST_SEGMENTS), path_b.split(b"/", MOST_SEGMENTS)
    common = False
    while len(ahead_a) > 1 and len(ahead_b) > 1 and ahead_a[-1] == ahead_b[-1]:
        common = bool(ahead_a.pop()) or common
        ahead_b.pop()
    if not common and not path_a == path_b == b"/":
        return None
    prefix_a, prefix_b = b"/".join(ahead_a), b"/".join(ahead_b)
    if max(len(ahead_a), len(ahead_b)) > MOST_PREFIX_SEGMENTS + 1:
        return None
    if max(len(prefix_a), len(prefix_b)) > MOST_PREFIX_BYTES:
        return None
    one, other = sorted((site_a + prefix_a, site_b + prefix_b))
    return one, other


def _rest(place: bytes, row: bytes) -> bytes | None:
    rest = row[len(place) :]
    return rest if row.startswith(place) and rest.startswith(b"/") else None


def _counterpart(pair: Pair, row: bytes) -> tuple[bytes, bytes] | None:
    """The row of the same page at the other place, and the rest that they share."""
    for own, other in ((pair.one, pair.other), (pair.other, pair.one)):
        rest = _rest(own, row)
        if rest is not None:
            return other + rest, rest
    return None


def _pair_key(places: Places) -> bytes:
    return PAIR + NUL.join(places)


def _inverted(place: bytes) -> bytes:
    return bytes(255 - byte for byte in place)


def _shown(place: bytes) -> str:
    return url_of(place + b"/")


def _told(pair: Pair) -> str:
    return f"{_shown(pair.mirror)} mirrors {_shown(pair.original)}"


def _reason(pair: Pair) -> str:
    return f"mirror: {_told(pair)}, and "
