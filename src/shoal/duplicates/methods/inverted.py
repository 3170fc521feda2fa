"""Which documents share fingerprints with this one? An inverted index in the family `print`.

    gram 00 settings fingerprint document   →  how many fingerprints the document has
    grams 00 settings document              →  its key and all of its fingerprints

`settings` is 4 bytes that differ between ways of fingerprinting, so indexes of several stand side
by side and never mix; `document` is 8 bytes, a digest of its key. An entry per pair is written
without reading a list first, so many documents may go into one batch.

A look-up follows the smallest fingerprints, and no more of them than it must: of 100 that have to
share 60, a near document has one of any 41. What is met there and may be near by its size is then
compared in full, so a score is exact. Of a fingerprint that very many documents have (a phrase on
every page) only the first entries are read, and one more is followed in its place. What may be
missed is a document that shares with this one only what is common, or what the bounds leave out.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from struct import Struct as Layout

from shoal.duplicates.family import FAMILY
from shoal.duplicates.methods.fingerprints import Decision, Fingerprinting
from shoal.model.cell import NUL
from shoal.model.digest import quick_digest
from shoal.model.record import Struct, pack, unpack
from shoal.ports import Batch, Table

MOST_FOLLOWED = 512
"""Fingerprints of a document that are looked up: of those of a book only the smallest."""
MOST_READ = 32
"""Entries that are read of one fingerprint; one with as many is common."""
MOST_COMPARED = 256
"""Documents that are compared in full: those that were met most often."""
DEFAULT_AT_MOST = 10

_GRAM = b"gram" + NUL
_GRAMS = b"grams" + NUL
_SETTINGS_BYTES = 4
_FINGERPRINT_BYTES = 8
_DOCUMENT_BYTES = 8
_NUMBER = Layout(">I")
_AFTER_ALL_DOCUMENTS = b"\xff" * (_DOCUMENT_BYTES + 1)

Found = tuple[bytes, float]
"""A document's key, and its score."""


class _Entered(Struct, array_like=True):
    key: bytes
    fingerprints: bytes
    """Eight bytes each, highest first."""


class InvertedIndex:
    """Documents by their fingerprints, which are all made in the same way."""

    def __init__(self, table: Table, fingerprinting: Fingerprinting) -> None:
        self._table = table
        settings = quick_digest(fingerprinting.label.encode())[:_SETTINGS_BYTES]
        self._gram = _GRAM + settings
        self._grams = _GRAMS + settings

    def add(self, batch: Batch, key: bytes, fingerprints: Iterable[int]) -> None:
        """Enter a document in place of what the table knows of it: once per batch."""
        document = _document(key)
        now = {_as_bytes(value) for value in fingerprints}
        for old in self._entered_under(document).difference(now):
            batch.delete(FAMILY, self._gram + old + document)
        if not now:
            batch.delete(FAMILY, self._grams + document)
            return
        number = _NUMBER.pack(len(now))
        batch.put_many(FAMILY, [(self._gram + each + document, number) for each in now])
        batch.put(FAMILY, self._grams + document, pack(_Entered(key, b"".join(sorted(now)))))

    def remove(self, batch: Batch, key: bytes) -> None:
        self.add(batch, key, ())

    def find(
        self, fingerprints: Iterable[int], decision: Decision, at_most: int = DEFAULT_AT_MOST
    ) -> list[Found]:
        """The nearest documents that the decision calls near, best first, then by key. The scores
        are of these fingerprints (a) against the document's (b)."""
        ours = {_as_bytes(value) for value in fingerprints}
        found = []
        for key, theirs in self._candidates(ours, decision):
            score = decision.score_of(len(ours & theirs), len(ours), len(theirs))
            if decision.admits(score):
                found.append((key, score))
        return sorted(found, key=lambda each: (-each[1], each[0]))[:at_most]

    def _candidates(
        self, ours: set[bytes], decision: Decision
    ) -> Iterable[tuple[bytes, set[bytes]]]:
        met, numbers, not_followed = self._follow(ours, decision.least_shared(len(ours)))

        def may_be_near(document: bytes, times: int) -> bool:
            of_b = numbers[document]
            most_shared = min(times + not_followed, len(ours), of_b)
            return decision.admits(decision.score_of(most_shared, len(ours), of_b))

        chosen = [each for each, times in met.items() if may_be_near(each, times)]
        chosen.sort(key=lambda each: (-met[each], each))
        keys = [self._grams + each for each in chosen[:MOST_COMPARED]]
        for stored in self._table.get_many(FAMILY, keys):
            if stored is not None:
                entered = unpack(_Entered, stored)
                yield entered.key, _split(entered.fingerprints)

    def _follow(
        self, ours: set[bytes], least_shared: int
    ) -> tuple[Counter[bytes], dict[bytes, int], int]:
        """How often documents were met, how many fingerprints they have, and of how many of ours
        not all of the documents are known."""
        met: Counter[bytes] = Counter()
        numbers: dict[bytes, int] = {}
        not_followed = len(ours)
        for each in sorted(ours)[:MOST_FOLLOWED]:
            if not_followed < least_shared:
                break  # what was not met by now has too few of ours
            start = self._gram + each
            entries = self._table.scan(FAMILY, start, start + _AFTER_ALL_DOCUMENTS)
            read = 0
            for key, number in islice(entries, MOST_READ):
                document = key[-_DOCUMENT_BYTES:]
                met[document] += 1
                numbers[document] = _NUMBER.unpack(number)[0]
                read += 1
            if read < MOST_READ:
                not_followed -= 1
        return met, numbers, not_followed

    def _entered_under(self, document: bytes) -> set[bytes]:
        stored = self._table.get(FAMILY, self._grams + document)
        return set() if stored is None else _split(unpack(_Entered, stored).fingerprints)


def _document(key: bytes) -> bytes:
    return quick_digest(key)[:_DOCUMENT_BYTES]


def _as_bytes(fingerprint: int) -> bytes:
    return fingerprint.to_bytes(_FINGERPRINT_BYTES)


def _split(fingerprints: bytes) -> set[bytes]:
    places = range(0, len(fingerprints), _FINGERPRINT_BYTES)
    return {fingerprints[at : at + _FINGERPRINT_BYTES] for at in places}
