"""Who says what of whom? A page's out-links at its own row, what it calls others at theirs.

A target may be another tablet's: what concerns it leaves in the same batch (`RemoteTablets`), and
what pages of other tablets call a page of ours arrives by `say_of`.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from shoal.model.cell import NUL, newest_key, stamped, to_ms
from shoal.model.link import Anchor, Link, LinkSource
from shoal.model.messages import Linked, Unlinked
from shoal.model.record import pack, unpack
from shoal.model.urls.rowkey import site_of_key
from shoal.model.visit import Visit
from shoal.ports import Batch, RemoteTablets
from shoal.store.cells import Cells
from shoal.store.change_log import ChangeLog
from shoal.store.rows import LINKS, OutLink, What


def _anchor(link: Link, readers: Sequence[str]) -> tuple[object, ...]:
    more = link.more
    return (link.text, link.rel, readers, more) if more or readers else (link.text, link.rel)


class Linking:
    def __init__(self, cells: Cells, log: ChangeLog, remote: RemoteTablets | None = None) -> None:
        self._cells = cells
        self._log = log
        self._remote = remote

    def keep(  # noqa: PLR0913 - what a visit brought
        self,
        batch: Batch,
        visit: Visit,
        links: Sequence[Link],
        targets: Sequence[bytes],
        when: float,
        readers: Sequence[str] = (),
    ) -> None:
        """Anchor text goes to the target's row, with the page's readers where it is not for
        everybody; what the page no longer says is taken back."""
        before = None if visit.is_first else self._cells.get(visit.row, LINKS)
        if before is not None:
            if to_ms(before.when) > to_ms(when):
                return  # a version out of the past: what it said is not what the page says
            said = unpack(list[OutLink], before.value)
            for target in {old.target for old in said} - {*targets, b""}:
                self.unlink(batch, target, visit.row, when)
            gone = {old.link.row for old in said} - {link.row for link in links}
            self._unlink_remote(batch, visit.row, gone, when)
        source, stamp = NUL + visit.row, stamped(to_ms(when), b"")
        batch.put_many(
            "anchor",
            # A tuple packs as the Anchor (below, as the OutLink) that it is read back as, without
            # making one.
            (
                (target + source, stamp + pack(_anchor(link, readers)))
                for link, target in zip(links, targets, strict=True)
                if target
            ),
        )
        put = self._cells.first if visit.is_first else self._cells.put
        put(batch, visit.row, LINKS, pack(list(zip(links, targets, strict=True))), when)

    def amend(self, batch: Batch, source: bytes, readers: Sequence[str]) -> None:
        """A page has other readers: what it says of others has, too. Other tablets are told when
        they are fewer; what may be known by more is known when the page is read again."""
        cell = self._cells.get(source, LINKS)
        if cell is None:
            return
        when_ms, away = to_ms(cell.when), dict[bytes, list[Link]]()
        for link, target in ((out.link, out.target) for out in unpack(list[OutLink], cell.value)):
            if link.source is LinkSource.REQUISITE:
                continue
            if target:
                anchor = Anchor(link.text, link.rel, list(readers), link.more)
                batch.put("anchor", newest_key(target, source), stamped(when_ms, pack(anchor)))
            elif self._remote is not None and not self._remote.owns(site := site_of_key(link.row)):
                away.setdefault(site, []).append(link)
        if self._remote is not None and readers:
            for site, links in away.items():
                said = Linked(links, 0, 0, source, when_ms, readers=list(readers))
                self._remote.send(batch, site, said)

    def take_back(self, batch: Batch, source: bytes, when: float) -> None:
        """A page goes: it says nothing of anybody any more."""
        cell = self._cells.get(source, LINKS)
        said = [] if cell is None else unpack(list[OutLink], cell.value)
        for target in {old.target for old in said} - {b""}:
            self.unlink(batch, target, source, when)
        self._unlink_remote(batch, source, {old.link.row for old in said}, when)

    def say_of(self, batch: Batch, said: Linked, targets: Sequence[bytes]) -> None:
        """What a page of another tablet calls these rows; an empty one is nobody's."""
        for link, target in zip(said.links, targets, strict=True):
            if not target or link.source is LinkSource.REQUISITE:
                continue
            readers = said.readers
            if readers is None:
                before = self._cells.get(target, f"anchor:{said.source.decode()}")
                readers = [] if before is None else unpack(Anchor, before.value).readers
            anchor = Anchor(link.text, link.rel, readers, link.more)
            key, value = newest_key(target, said.source), stamped(said.when_ms, pack(anchor))
            batch.put("anchor", key, value)
            self._log.append(batch, target, What.LINKED, said.when_ms / 1000)

    def unlink(self, batch: Batch, target: bytes, source: bytes, when: float) -> None:
        batch.delete("anchor", newest_key(target, source))
        self._log.append(batch, target, What.LINKED, when)

    def is_told(self, target: bytes, source: bytes) -> bool:
        """Whether everyone may know that a page links there."""
        cell = self._cells.get(target, f"anchor:{source.decode()}")
        return cell is not None and not unpack(Anchor, cell.value).readers

    def linking_to(self, row: bytes, at_most: int) -> list[bytes]:
        """Some pages that link to one and that everyone may read."""
        found = (cell for cell in self._cells.row("anchor", row))
        public = (cell for cell in found if not unpack(Anchor, cell.value).readers)
        return [cell.qualifier for cell in islice(public, at_most)]

    def public_in_links(self, row: bytes, at_most: int) -> int:
        """How many pages link to one that everyone may read."""
        found = 0
        for cell in self._cells.row("anchor", row):
            found += not unpack(Anchor, cell.value).readers
            if found == at_most:
                break
        return found

    def _unlink_remote(
        self, batch: Batch, source: bytes, targets: Iterable[bytes], when: float
    ) -> None:
        remote = self._remote
        if remote is None:
            return
        for target in targets:
            site = site_of_key(target)
            if not remote.owns(site):
                remote.send(batch, site, Unlinked(target, source, to_ms(when)))
