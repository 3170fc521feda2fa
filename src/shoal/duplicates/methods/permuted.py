"""Which fingerprints differ from this one in at most k bits? Permuted tables, in the family `print`
(Manku, Jain and Das Sarma 2007; U3).

A fingerprint is cut into m blocks, and k bits that differ lie in at most k of them. So for every
choice of m - k blocks there is a table with these blocks first: two fingerprints within k bits
begin alike in at least one, and a look-up reads in each only what begins alike. More blocks mean
more tables and longer beginnings, thus fewer candidates: `widen` goes over to more blocks as the
fingerprints become many, slice by slice, while the tables in use answer and are kept up to date.

    name 00 00 count, name 00 00 stage                        →  how many, and which tables are used
    name 00 m table, the chosen blocks, the others, the key   →  nothing
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations, islice
from math import comb
from typing import NamedTuple

from shoal.duplicates.family import FAMILY
from shoal.errors import CollectionError
from shoal.model.cell import NUL
from shoal.model.record import Struct, changed, pack, unpack
from shoal.ports import Batch, Table

MOST_TABLES = 64
MOST_CANDIDATES = 10_000
"""Read in one table, at most. A site that answers everything with one text costs no more."""
_EXPECTED_CANDIDATES = 16
"""In one table, if fingerprints were random. A look-up among a million takes 0.28 ms with so many
in each of 4 tables, and 0.57 ms and twice the memory with nearly none in 10."""
_COUNT_BYTES = 8


class Neighbour(NamedTuple):
    key: bytes
    distance: int


class Permutation:
    """An order of a fingerprint's blocks: those that must be equal, then the others."""

    def __init__(self, widths: list[int], chosen: tuple[int, ...]) -> None:
        others = (block for block in range(len(widths)) if block not in chosen)
        self._pieces: list[tuple[int, int, int]] = []
        """Shift, width and mask; blocks that are neighbours before and after are one piece."""
        for block in (*chosen, *others):
            width, shift = widths[block], sum(widths[block + 1 :])
            if self._pieces and self._pieces[-1][0] == shift + width:
                width += self._pieces.pop()[1]
            self._pieces.append((shift, width, (1 << width) - 1))
        self.free_bits = sum(widths) - sum(widths[block] for block in chosen)

    def permuted(self, whole: int) -> int:
        result = 0
        for shift, width, mask in self._pieces:
            result = result << width | whole >> shift & mask
        return result


class Scheme:
    """The tables that find what is within `most_differing` bits, for a number of blocks."""

    def __init__(self, bits: int, most_differing: int, blocks: int) -> None:
        size, larger = divmod(bits, blocks)
        widths = [size + (block < larger) for block in range(blocks)]
        self.tables = [
            Permutation(widths, chosen)  # the first leaves a fingerprint as it is
            for chosen in combinations(range(blocks), blocks - most_differing)
        ]
        self.prefix_bits = bits - max(table.free_bits for table in self.tables)


scheme_of = lru_cache(maxsize=64)(Scheme)


def blocks_for(bits: int, most_differing: int, count: int) -> int:
    """The fewest blocks, and so the fewest tables, in which candidates among so many are few."""
    blocks = most_differing + 1
    while count > _EXPECTED_CANDIDATES << scheme_of(bits, most_differing, blocks).prefix_bits:
        if blocks == bits or comb(blocks + 1, most_differing) > MOST_TABLES:
            break
        blocks += 1
    return blocks


class Stage(Struct, array_like=True):
    """Which tables are used, and how far the change to others is."""

    bits: int
    most_differing: int
    blocks: int
    filled_blocks: int = 0
    """Of the tables that are being filled, or 0."""
    emptied_blocks: int = 0
    """Of the tables that are being deleted, or 0."""
    position: bytes = b""
    """Up to here the source is copied, or deleted."""


class PermutedTables:
    """Fingerprints of one size by the keys of their documents.

    Writes go into the caller's batch and are found once it is written. A batch must be written
    before `widen` is called, or its fingerprints may miss the tables that are being filled."""

    def __init__(self, table: Table, name: bytes, bits: int, most_differing: int) -> None:
        if bits < 8 or bits % 8 or not 0 <= most_differing < min(bits, MOST_TABLES):
            raise ValueError(f"no tables find {bits} bits of which {most_differing} differ")
        if not name or NUL in name:
            raise ValueError("the name of the tables must be without NUL, and not empty")
        self._table = table
        self._bits = bits
        self._bytes = bits // 8
        self._most_differing = most_differing
        self._head = name + NUL
        self._stage_key = self._head + NUL + b"stage"
        self._count_key = self._head + NUL + b"count"
        self._count = int.from_bytes(table.get(FAMILY, self._count_key) or b"")
        self._stage()

    @property
    def count(self) -> int:
        """About how many there are: batches that were never written count as well."""
        return self._count

    @property
    def tables(self) -> int:
        """How many are read for one look-up."""
        return len(self._scheme(self._stage().blocks).tables)

    def find(self, fingerprint: bytes, most_candidates: int = MOST_CANDIDATES) -> list[Neighbour]:
        """What is within `most_differing` bits, nearest first, then by key."""
        whole, blocks = self._whole(fingerprint), self._stage().blocks
        found: dict[bytes, int] = {}
        for number, permutation in enumerate(self._scheme(blocks).tables):
            head = self._head + bytes((blocks, number))
            wanted = permutation.permuted(whole)
            start, end = self._range(head, wanted, permutation.free_bits)
            bits_at, key_at = len(head), len(head) + self._bytes
            for stored, _ in islice(self._table.scan(FAMILY, start, end), most_candidates):
                differing = (int.from_bytes(stored[bits_at:key_at]) ^ wanted).bit_count()
                if differing <= self._most_differing:
                    key = stored[key_at:]
                    found[key] = min(differing, found.get(key, differing))
        return sorted(
            (Neighbour(key, differing) for key, differing in found.items()),
            key=lambda neighbour: (neighbour.distance, neighbour.key),
        )

    def add(self, batch: Batch, key: bytes, fingerprint: bytes) -> None:
        whole, stage = self._whole(fingerprint), self._stage()
        entries = list(self._entries(stage, whole, key))
        if self._table.get(FAMILY, entries[0]) is None:
            self._tell(batch, self._count + 1)
        batch.put_many(FAMILY, ((entry, b"") for entry in entries))
        if self._stored_stage() is None:  # never over a later one: only `widen` changes it
            batch.put(FAMILY, self._stage_key, pack(stage))

    def remove(self, batch: Batch, key: bytes, fingerprint: bytes) -> None:
        whole, stage = self._whole(fingerprint), self._stage()
        entries = list(self._entries(stage, whole, key))
        if self._table.get(FAMILY, entries[0]) is not None:
            self._tell(batch, max(self._count - 1, 0))
        for entry in entries:
            batch.delete(FAMILY, entry)

    def widen(self, most_entries: int = 1000) -> bool:
        """Bring the tables nearer to what so many fingerprints need, by one slice of at most so
        many entries in a batch of its own. Returns whether there was something to do: call it
        again, now or later, also after a kill."""
        if most_entries < 1:
            raise ValueError("a slice has at least one entry")
        stage = self._stage()
        wanted = blocks_for(self._bits, self._most_differing, self._count)
        if wanted <= stage.blocks and not (stage.filled_blocks or stage.emptied_blocks):
            return False
        batch = self._table.batch()
        if stage.filled_blocks:
            stage = self._fill(batch, stage, most_entries)
        elif stage.emptied_blocks:
            stage = self._empty(batch, stage, most_entries)
        else:
            stage = changed(stage, filled_blocks=wanted)
        batch.put(FAMILY, self._stage_key, pack(stage))
        self._table.write(batch)
        return True

    def _fill(self, batch: Batch, stage: Stage, most_entries: int) -> Stage:
        head = self._head + bytes((stage.blocks, 0))
        end = self._head + bytes((stage.blocks, 1))
        copied = self._slice(head + stage.position, end, most_entries)
        for stored in copied:
            whole = int.from_bytes(stored[len(head) :][: self._bytes])
            key = stored[len(head) + self._bytes :]
            entries = self._placed(stage.filled_blocks, whole, key)
            batch.put_many(FAMILY, ((entry, b"") for entry in entries))
        if len(copied) == most_entries:
            return changed(stage, position=copied[-1][len(head) :] + NUL)
        return changed(
            stage,
            blocks=stage.filled_blocks,
            filled_blocks=0,
            emptied_blocks=stage.blocks,
            position=b"",
        )

    def _empty(self, batch: Batch, stage: Stage, most_entries: int) -> Stage:
        """From where the last slice ended: what is deleted is still in the way of a scan."""
        head = self._head + bytes((stage.emptied_blocks,))
        end = self._head + bytes((stage.emptied_blocks + 1,))
        deleted = self._slice(head + stage.position, end, most_entries)
        for stored in deleted:
            batch.delete(FAMILY, stored)
        if len(deleted) == most_entries:
            return changed(stage, position=deleted[-1][len(head) :])
        return changed(stage, emptied_blocks=0, position=b"")

    def _slice(self, start: bytes, end: bytes, most_entries: int) -> list[bytes]:
        return [key for key, _ in islice(self._table.scan(FAMILY, start, end), most_entries)]

    def _stage(self) -> Stage:
        """Read each time: in another process a writer may have gone on."""
        if (stage := self._stored_stage()) is None:
            blocks = blocks_for(self._bits, self._most_differing, 0)
            return Stage(self._bits, self._most_differing, blocks)
        if (stage.bits, stage.most_differing) != (self._bits, self._most_differing):
            raise CollectionError(
                f"The tables {self._head[:-1].decode('utf-8', 'replace')} were made for "
                f"{stage.bits} bits of which {stage.most_differing} differ; open them so, or make "
                "others under another name."
            )
        return stage

    def _stored_stage(self) -> Stage | None:
        stored = self._table.get(FAMILY, self._stage_key)
        return None if stored is None else unpack(Stage, stored)

    def _tell(self, batch: Batch, count: int) -> None:
        self._count = count
        batch.put(FAMILY, self._count_key, count.to_bytes(_COUNT_BYTES))

    def _scheme(self, blocks: int) -> Scheme:
        return scheme_of(self._bits, self._most_differing, blocks)

    def _entries(self, stage: Stage, whole: int, key: bytes) -> Iterator[bytes]:
        """In the tables in use, and in those that will be."""
        yield from self._placed(stage.blocks, whole, key)
        if stage.filled_blocks:
            yield from self._placed(stage.filled_blocks, whole, key)

    def _placed(self, blocks: int, whole: int, key: bytes) -> Iterator[bytes]:
        for number, permutation in enumerate(self._scheme(blocks).tables):
            permuted = permutation.permuted(whole).to_bytes(self._bytes)
            yield self._head + bytes((blocks, number)) + permuted + key

    def _range(self, head: bytes, permuted: int, free_bits: int) -> tuple[bytes, bytes]:
        """Of what begins alike in one table."""
        first = permuted >> free_bits << free_bits
        after = first + (1 << free_bits)
        start = head + first.to_bytes(self._bytes)
        if after >> self._bits:  # the last ones of their table
            return start, head[:-1] + bytes((head[-1] + 1,))
        return start, head + after.to_bytes(self._bytes)

    def _whole(self, fingerprint: bytes) -> int:
        if len(fingerprint) != self._bytes:
            raise ValueError(f"a fingerprint of {self._bits} bits has {self._bytes} bytes")
        return int.from_bytes(fingerprint)
