"""Has a page of another tablet said this before? What tablets tell each other of theirs.

Groups of a tablet's own pages are settled first, as on one machine. Then the page that stands for a
group is sent to the shards of its smallest minhashes (sent_sketches.py, shard.py), and only when
something has changed: so a duplicate within a tablet costs nothing, and with one tablet nothing is
ever sent.

What shards answer is remembered shard by shard. While one of them names a page, ours is a duplicate
of it; the other shards are told so, and ours stands for nobody there. All of it is written in the
batch of the visit, or of the delivery. Items for oneself take the same way, without leaving.

    far-place   up to where all is gone through again: after groups were rebuilt, or a split
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from shoal.duplicates.across.sent_sketches import SENT, Sent, SketchAnswer, sent_of
from shoal.duplicates.across.shard import REALM, Shard, far_index
from shoal.duplicates.family import FAMILY
from shoal.duplicates.learn.mirrors import Mirrors
from shoal.duplicates.near.groups import Groups, Worth, WorthOf, page_id
from shoal.duplicates.near.near import GROUP, LEAST_SHINGLES, Cut, Group
from shoal.duplicates.near.sketch import size
from shoal.model.cell import NUL
from shoal.model.document import Document, Fate, Reassigned
from shoal.model.messages import Item, Repeated, Sketched
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import Partition, tablet_of_row
from shoal.model.urls.rowkey import part_of, url_of
from shoal.model.verdict import graded
from shoal.model.visit import OF_SITE, Visit
from shoal.ports import Batch, Table

AT_ONCE = 200
"""Entries that are gone through again in one batch."""
PLACE = REALM + b"place" + NUL

Send = Callable[[Batch, int, Item], None]
"""Put an item for another tablet into the outbox."""


@dataclass(frozen=True)
class Own:
    """What a tablet knows of its own pages."""

    groups: Groups
    worth_of: Callable[[bytes, Document], Worth]
    """The worth of a page at hand."""
    worth_of_stored: WorthOf
    """The worth of a page that is stored."""
    cut: Callable[[bytes], Cut]
    mirrors: Mirrors | None = None


class Across:
    def __init__(self, table: Table, partition: Partition, send: Send, own: Own) -> None:
        self._table = table
        self._partition = partition
        self._send = send
        self._own = own
        self._index = far_index(table)
        self._shard = Shard(self._index, own.cut, partition.number, self._answer)
        self._batch: Batch | None = None
        self._to_self: deque[Sketched | Repeated] = deque()
        self.pending = partition.tablets > 1 and table.get(FAMILY, PLACE) is not None
        """Whether `go_on` has something to do."""

    # --- what happens -----------------------------------------------------------------------

    def after_judge(
        self,
        batch: Batch,
        visit: Visit,
        documents: Sequence[Document],
        reassigned: Sequence[Reassigned],
        left: Sequence[bytes] = (),
    ) -> tuple[Sequence[Document], Sequence[Reassigned]]:
        """In a visit's commit, behind the verdict of one's own tablet: what all tablets say.
        `left`: rows of documents that are no longer inside the visit's own."""
        if self._partition.tablets == 1 or visit.kind in OF_SITE:
            return documents, reassigned
        self._begin(batch)
        rows = [visit.row + part_of(each.name) for each in documents]
        own = dict(zip(rows, documents, strict=True))
        if not visit.is_first and visit.row not in own:
            self._look_after(batch, visit.row)
        for row in left:
            self._look_after(batch, row)
        for row, document in own.items():
            is_new = visit.is_first and not document.name
            self._tell_shards(batch, row, partial(self._own.worth_of, row, document), is_new)
        self._tell_of(batch, reassigned)
        changed = self._take_own(batch)
        reassigned = [*reassigned, *(each for each in changed if each.row not in own)]
        return [self._as_told(*each) for each in zip(rows, documents, strict=True)], reassigned

    def _as_told(self, row: bytes, document: Document) -> Document:
        verdict = self.verdict(row)
        if verdict is None or document.fate is not Fate.WAITING:
            return document
        return graded(document, Fate.DUPLICATE, url_of(verdict.representative))

    def after_withdraw(
        self, batch: Batch, row: bytes, reassigned: Iterable[Reassigned]
    ) -> list[Reassigned]:
        """A page went without a visit. Returns whose place changes beyond what is told already."""
        if self._partition.tablets == 1:
            return []
        self._begin(batch)
        self._look_after(batch, row)
        self._tell_of(batch, reassigned)
        return self._take_own(batch)

    def expect(self, batch: Batch, items: Iterable[Sketched]) -> None:
        """These will be taken in this batch, and may be read for all at once."""
        self._begin(batch)
        self._shard.expect(items)

    def take(self, batch: Batch, item: Sketched | Repeated) -> list[Reassigned]:
        """An item has arrived; those of a batch come one after the other. Returns the pages of this
        tablet whose place changes; the last word on each counts."""
        self._begin(batch)
        self._to_self.append(item)
        return self._take_own(batch)

    def go_on(self, batch: Batch, at_once: int = AT_ONCE) -> list[Reassigned]:
        """Go through some more of all that is known: what was not told is told."""
        self._begin(batch)
        place, done = self._table.get(FAMILY, PLACE) or b"", 0
        for prefix in (REALM + GROUP, REALM + SENT, GROUP):  # in the order of the table
            start, end = max(prefix, place + NUL), prefix[:-1] + b"\x01"
            for key, stored in self._table.scan(FAMILY, start, end) if start < end else ():
                self._go_through(batch, prefix, key, stored)
                done += 1
                if done == at_once:
                    batch.put(FAMILY, PLACE, key)
                    return self._take_own(batch)
        batch.delete(FAMILY, PLACE)
        self.pending = False
        return self._take_own(batch)

    def verdict(self, row: bytes) -> SketchAnswer | None:
        """The page of another tablet that stands for one of this."""
        sent = self._sent(row)
        return None if sent is None else sent.verdict

    # --- telling the shards -----------------------------------------------------------------

    def _tell_of(self, batch: Batch, reassigned: Iterable[Reassigned]) -> None:
        for row in dict.fromkeys(each.row for each in reassigned):
            self._tell_shards(batch, row, partial(self._own.worth_of_stored, row))

    def _tell_shards(
        self, batch: Batch, row: bytes, worth_of: Callable[[], Worth | None], is_new: bool = False
    ) -> None:
        """A page may have come to stand for its group, or no longer does."""
        groups, before = self._own.groups, None if is_new else self._sent(row)
        found = groups.fingerprint_of(row, representative=row)
        worth = None if found is None else worth_of()
        if found is None or worth is None or size(found[0].sketch) < LEAST_SHINGLES:
            self._dismiss(batch, before)
            return
        fingerprint, readers = found
        now = sent_of(row, fingerprint, worth, readers, self._partition.tablets)
        same = before is not None and before.says_the_same(now)
        if before is not None:
            if same and before.is_worth_the_same(now):
                return
            now.take_over(before)
            for shard in {*before.shards} - {*now.shards}:
                self._post(batch, shard, before.farewell())
        self._index.put(batch, SENT + page_id(row), pack(now))
        tablets = self._partition.tablets
        for shard in now.shards:
            said = now.brief(shard) if same else now.whole(shard, fingerprint, tablets)
            self._post(batch, shard, said)

    def _look_after(self, batch: Batch, row: bytes) -> None:
        """A page that was sent may have gone, or stand for nobody any more."""
        sent = self._sent(row)
        if sent is not None and self._own.groups.representative_of(row) != row:
            self._dismiss(batch, sent)

    def _dismiss(self, batch: Batch, sent: Sent | None) -> None:
        if sent is None:
            return
        self._index.put(batch, SENT + page_id(sent.row), None)
        for shard in sent.shards:
            self._post(batch, shard, sent.farewell())

    def _go_through(self, batch: Batch, prefix: bytes, key: bytes, stored: bytes) -> None:
        if prefix == REALM + GROUP:
            self._shard.judge(batch, key[len(prefix) :])
        elif prefix == REALM + SENT:
            self._look_after(batch, unpack(Sent, stored).row)
        else:
            representative = unpack(Group, stored).representative
            self._tell_shards(
                batch, representative, partial(self._own.worth_of_stored, representative)
            )

    # --- what shards say --------------------------------------------------------------------

    def _take_own(self, batch: Batch) -> list[Reassigned]:
        reassigned: list[Reassigned] = []
        while self._to_self:
            match self._to_self.popleft():
                case Sketched() as said:
                    self._shard.take(batch, said)
                case Repeated() as told:
                    reassigned += self._told(batch, told)
        return reassigned

    def _told(self, batch: Batch, told: Repeated) -> list[Reassigned]:
        sent, shard = self._sent(told.row), told.shard
        if sent is None or sent.life != told.life or shard not in sent.shards:
            return []  # said of a stay that has ended since
        before, elsewhere = sent.verdict, {each: sent.is_elsewhere(each) for each in sent.shards}
        if told.representative:
            sent.verdicts[shard] = SketchAnswer(told.representative, told.resemblance)
        else:
            sent.verdicts.pop(shard, None)
        self._index.put(batch, SENT + page_id(told.row), pack(sent))
        for each in sent.shards:
            if sent.is_elsewhere(each) != elsewhere[each]:
                self._post(batch, each, sent.brief(each))
        now = sent.verdict
        if (before and before.representative) == (now and now.representative):
            return []
        if now is None:
            return [Reassigned(told.row, Fate.WAITING, "")]
        self._learn(batch, told.row, now.representative)
        return [Reassigned(told.row, Fate.DUPLICATE, url_of(now.representative))]

    def _learn(self, batch: Batch, row: bytes, representative: bytes) -> None:
        """A pair of pages suggests, and speaks for, a pair of sites."""
        group = self._own.groups.group_of(row)
        if self._own.mirrors is not None and group is not None:
            self._own.mirrors.observe(
                batch,
                row,
                group,
                [representative],
                lambda other: group if other == representative else None,
            )

    # --- the table and the outbox -----------------------------------------------------------

    def _begin(self, batch: Batch) -> None:
        """What was put into a batch is seen until the next one."""
        if batch is not self._batch:
            self._batch = batch
            self._index.begin()

    def _sent(self, row: bytes) -> Sent | None:
        (stored,) = self._index.read([SENT + page_id(row)])
        sent = None if stored is None else unpack(Sent, stored)
        return sent if sent is not None and sent.row == row else None

    def _answer(self, batch: Batch, told: Repeated) -> None:
        self._post(batch, tablet_of_row(told.row, self._partition.tablets), told)

    def _post(self, batch: Batch, tablet: int, item: Sketched | Repeated) -> None:
        if tablet == self._partition.number:
            self._to_self.append(item)
        else:
            self._send(batch, tablet, item)


def start_over(batch: Batch) -> None:
    """All is to be gone through again when a tablet is next opened: its groups were rebuilt."""
    batch.put(FAMILY, PLACE, b"")
