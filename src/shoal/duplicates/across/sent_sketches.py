"""What was said of a page to the shards of its minhashes, and what did they say?

    far-sent 00 page (8)   for a page that stands for its group at its own tablet

Two texts with .6 of their shingles in common have one of their four smallest minhashes in common
with a probability of .992, and meet at its shard; with five it would be .998, for a quarter more of
everything. Sketches go whole: with half of their values 3 in 1,000 pairs were judged differently.
"""

from collections import Counter
from secrets import token_hex
from typing import NamedTuple

from shoal.duplicates.across.shard import REALM, order
from shoal.duplicates.family import FAMILY
from shoal.duplicates.near.groups import Worth, page_id
from shoal.duplicates.near.near import ID_BYTES, cut_up
from shoal.duplicates.near.sketch import Fingerprint
from shoal.model.cell import NUL
from shoal.model.digest import quick_digest, stable_number
from shoal.model.messages import Sketched
from shoal.model.record import Struct, pack, unpack
from shoal.ports import Table

ROUTED = 4
"""Minhashes whose shards a page is sent to."""
SENT = b"sent" + NUL
_DIGEST_BYTES = 8
_LIFE_BYTES = 6


class SketchAnswer(NamedTuple):
    representative: bytes
    resemblance: float = 0.0


class Sent(Struct, array_like=True):
    row: bytes
    digest: str
    """Of the sketch as it was sent."""
    life: str
    """A name of this stay at these shards: what they said of an earlier one may still be on its way
    when the page is back, and no longer counts."""
    worth: bytes
    """Packed."""
    readers: bytes
    shards: list[int]
    verdicts: dict[int, SketchAnswer] = {}
    """By shard; a shard that knows no better page says nothing."""

    @property
    def verdict(self) -> SketchAnswer | None:
        """The page that most of them name."""
        named = Counter(each.representative for each in self.verdicts.values())
        representative = min(named, key=lambda row: (-named[row], row), default=None)
        return next(
            (each for each in self.verdicts.values() if each.representative == representative), None
        )

    def is_elsewhere(self, shard: int) -> bool:
        """Whether another shard than this names a page."""
        return any(other != shard for other in self.verdicts)

    def says_the_same(self, other: "Sent") -> bool:
        return (self.digest, self.readers) == (other.digest, other.readers)

    def is_worth_the_same(self, other: "Sent") -> bool:
        return order(unpack(Worth, self.worth)) == order(unpack(Worth, other.worth))

    def take_over(self, before: "Sent") -> None:
        """The page says something else: what was said of it holds until shards say otherwise."""
        self.verdicts = {
            shard: said for shard, said in before.verdicts.items() if shard in self.shards
        }
        if before.shards == self.shards:
            self.life = before.life

    # --- what is sent -----------------------------------------------------------------------

    def whole(self, shard: int, fingerprint: Fingerprint, tablets: int) -> Sketched:
        return Sketched(
            self.row,
            fingerprint.sketch,
            minhashes_for(shard, fingerprint.minhashes, tablets),
            self.life,
            self.worth,
            self.readers,
            elsewhere=self.is_elsewhere(shard),
        )

    def brief(self, shard: int) -> Sketched:
        """What has changed beside the text."""
        return Sketched(
            self.row, b"", b"", self.life, self.worth, elsewhere=self.is_elsewhere(shard)
        )

    def farewell(self) -> Sketched:
        return Sketched(self.row, b"", b"", self.life, b"", gone=True)


def sent_of(
    row: bytes, fingerprint: Fingerprint, worth: Worth, readers: bytes, tablets: int
) -> Sent:
    """What is to be said of a page that nothing was said of yet."""
    digest, life = sketch_digest(fingerprint), token_hex(_LIFE_BYTES)
    return Sent(row, digest, life, pack(worth), readers, shards_of(fingerprint.minhashes, tablets))


def sketch_digest(fingerprint: Fingerprint) -> str:
    return quick_digest(fingerprint.sketch)[:_DIGEST_BYTES].hex()


def shards_of(minhashes: bytes, tablets: int) -> list[int]:
    """The tablets that a text with these minhashes is looked up at."""
    return sorted({stable_number(minhash) % tablets for minhash in cut_up(minhashes)[:ROUTED]})


def minhashes_for(shard: int, minhashes: bytes, tablets: int) -> bytes:
    """Those that it is the shard of first: whoever shares one of them is there."""
    routed = cut_up(minhashes[: ROUTED * ID_BYTES])
    first = sorted(routed, key=lambda minhash: stable_number(minhash) % tablets != shard)
    return b"".join(first) + minhashes[ROUTED * ID_BYTES :]


def verdict_of(table: Table, row: bytes) -> SketchAnswer | None:
    """The page of another tablet that stands for one of this, as far as it was told."""
    stored = table.get(FAMILY, REALM + SENT + page_id(row))
    sent = None if stored is None else unpack(Sent, stored)
    return None if sent is None or sent.row != row else sent.verdict
