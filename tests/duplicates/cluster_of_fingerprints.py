"""Tablets that judge pages and tell each other of them, without a crawl: items go by hand."""

from collections import deque
from collections.abc import Sequence
from pathlib import Path
from random import Random

from shoal.duplicates.across.across import Across, Own
from shoal.duplicates.across.across_audit import audit_across
from shoal.duplicates.duplicates import Near, NearSettings
from shoal.duplicates.exact.exact import Judged
from shoal.duplicates.learn.mirrors import Mirrors
from shoal.duplicates.near.groups import Groups, Worth
from shoal.duplicates.near.near import NearIndex
from shoal.duplicates.near.near_audit import audit_groups
from shoal.duplicates.near.sketch import fingerprint
from shoal.model.document import Document, Fate, Reassigned
from shoal.model.messages import Item, Repeated, Sketched
from shoal.model.outcome import Outcome
from shoal.model.record import pack, unpack
from shoal.model.urls.partition import Partition, tablet_of_row
from shoal.model.urls.rowkey import row_key, site_of_key, url_of
from shoal.model.visit import Fetched, Visit
from shoal.ports import Batch
from shoal.store.table import RocksTable

Twin = Sketched | Repeated


def unpack_item(packed: bytes) -> Twin:
    return unpack(Twin, packed)  # type: ignore[arg-type]  # a union is a type, too


class Tablet:
    """One tablet: its table, what became of its pages, and what it has for others."""

    def __init__(self, cluster: "Cluster", directory: Path, partition: Partition) -> None:
        self.partition = partition
        self.table = RocksTable(directory / f"{partition.number}")
        self.cluster = cluster
        self.fates: dict[bytes, tuple[Fate, str]] = {}
        self.worths: dict[bytes, Worth] = {}
        self.open()

    def open(self) -> None:
        index = NearIndex(self.table)
        self.groups = Groups(index, self.worths.get, self._canonical)
        self.near = Near(index, self.groups, lambda row, _: self.worths[row], NearSettings())
        self.mirrors = Mirrors(self.table)
        own = Own(
            self.groups,
            lambda row, _: self.worths[row],
            self.worths.get,
            self.near.cut,
            self.mirrors,
        )
        self.across = Across(self.table, self.partition, self._send, own)

    def _canonical(self, row: bytes) -> str:
        return self.worths[row].canonical if row in self.worths else ""

    def _send(self, batch: Batch, target: int, item: Item) -> None:
        del batch
        assert target != self.partition.number
        self.cluster.post(self.partition.number, target, item)

    def judge(self, row: bytes, text: str, worth: Worth, readers: list[str]) -> None:
        is_first = row not in self.fates
        self.worths[row] = worth
        document = Document(text_chars=len(text), readers=readers)
        visit = Visit(url_of(row), row, site_of_key(row), is_first=is_first)
        judged, reassigned = self._judge(visit, Outcome.OK, [document], [fingerprint(text)])
        self.fates[row] = (judged[0].fate, judged[0].duplicate_of)
        self.reassign(reassigned)

    def _judge(
        self,
        visit: Visit,
        outcome: Outcome,
        documents: Sequence[Document] = (),
        found: Sequence[tuple[bytes, bytes]] = (),
    ) -> tuple[Sequence[Document], Sequence[Reassigned]]:
        """The documents, as they were judged, and whose place changes with them."""
        batch = self.table.batch()
        near = self.near.judge(batch, visit, Fetched(outcome), found, Judged(documents))
        told = self.across.after_judge(batch, visit, near.documents, near.reassigned)
        self.table.write(batch)
        return told

    def lose(self, row: bytes) -> None:
        visit = Visit(url_of(row), row, site_of_key(row))
        _, reassigned = self._judge(visit, Outcome.GONE)
        del self.worths[row], self.fates[row]
        self.reassign(reassigned)

    def take(self, items: list[Twin]) -> None:
        batch = self.table.batch()
        reassigned = [each for item in items for each in self.across.take(batch, item)]
        self.table.write(batch)
        self.reassign(reassigned)

    def go_on(self) -> None:
        while self.across.pending:
            batch = self.table.batch()
            reassigned = self.across.go_on(batch, at_once=7)
            self.table.write(batch)
            self.reassign(reassigned)

    def reassign(self, reassigned: Sequence[Reassigned]) -> None:
        for each in reassigned:
            assert each.row in self.fates
            self.fates[each.row] = (each.fate, each.duplicate_of)

    def faults(self) -> list[str]:
        found = [*audit_groups(self.table), *audit_across(self.table)]
        for row, (fate, of) in self.fates.items():
            verdict, lead = self.across.verdict(row), self.groups.representative_of(row)
            if verdict is not None and url_of(verdict.representative) != of:
                found.append(
                    f"{url_of(row)} is a duplicate of {of}, and not of {verdict.representative!r}"
                )
            is_led = verdict is not None or lead not in (None, row)
            if not (fate is Fate.DUPLICATE) == bool(of) == is_led:
                found.append(f"{url_of(row)} is {fate}")
        return found


class Cluster:
    """Items of one tablet for another arrive in their order, and may come twice; whose turn it is
    is drawn."""

    def __init__(self, directory: Path, tablets: int, seed: int = 0, twice: float = 0.0) -> None:
        self.draw = Random(seed)
        self.twice = twice
        self.pipes: dict[tuple[int, int], deque[bytes]] = {}
        self.bytes_sent = self.items_sent = 0
        parts = [Partition(number, tablets) for number in range(tablets)]
        self.tablets = [Tablet(self, directory, part) for part in parts]

    def close(self) -> None:
        for tablet in self.tablets:
            tablet.table.close()

    def owner(self, url: str) -> Tablet:
        return self.tablets[tablet_of_row(row_key(url), len(self.tablets))]

    def post(self, sender: int, target: int, item: Item) -> None:
        packed = pack(item)
        self.bytes_sent += len(packed)
        self.items_sent += 1
        self.pipes.setdefault((sender, target), deque()).append(packed)

    def put(self, url: str, text: str, worth: Worth | None = None, readers: str = "") -> None:
        row = row_key(url)
        self.owner(url).judge(row, text, worth or Worth(url), readers.split())

    def lose(self, url: str) -> None:
        self.owner(url).lose(row_key(url))

    def deliver(self, most: int = 1_000_000) -> None:
        """Some deliveries, or all that there are and that they lead to."""
        for _ in range(most):
            waiting = [key for key, pipe in self.pipes.items() if pipe]
            if not waiting:
                return
            key = self.draw.choice(waiting)
            pipe = self.pipes[key]
            some = [pipe.popleft() for _ in range(min(len(pipe), self.draw.randrange(1, 6)))]
            if self.draw.random() < self.twice:
                some = [each for packed in some for each in (packed, packed)]
            self.tablets[key[1]].take([unpack_item(packed) for packed in some])
        assert most < 1_000_000, "they never come to an end"

    def fate(self, url: str) -> tuple[Fate, str]:
        return self.owner(url).fates[row_key(url)]

    def indexed(self) -> set[str]:
        return {
            url_of(row)
            for tablet in self.tablets
            for row, (fate, _) in tablet.fates.items()
            if fate is Fate.WAITING
        }

    def stands_for(self, url: str) -> str:
        """The page that is found in place of this one: its group knows, then other tablets."""
        row = row_key(url)
        for _ in range(3):
            tablet = self.owner(url_of(row))
            verdict = tablet.across.verdict(row)
            row = (
                (tablet.groups.representative_of(row) or row)
                if verdict is None
                else verdict.representative
            )
        return url_of(row)

    def groups(self) -> dict[str, str]:
        """The page that stands for each."""
        rows = [row for tablet in self.tablets for row in tablet.fates]
        return {url_of(row): self.stands_for(url_of(row)) for row in rows}

    def faults(self) -> list[str]:
        return [fault for tablet in self.tablets for fault in tablet.faults()]
