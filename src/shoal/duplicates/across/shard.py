"""Which pages of other tablets say nearly the same? The shard of minhashes.

    far-mark far-near far-kin far-member   as in near.py and groups.py, for pages of all tablets
    far-page 00 page (8)                   what its tablet said of it, and what that was told

Every minhash has one tablet as its *shard*, by its hash. A page that stands for its group at its
own tablet is sent to the shards of its smallest minhashes, and joins a group there as it did at its
own. Each shard says of its groups who stands for them, and tells the tablets of all others.

A page is judged at up to four shards that know nothing of each other, and there must be no two
pages of which each is hidden for the other. So `order` is strict, and by what the page's tablet has
said alone: a page is only told of one that is before it. The first of all is told of none.
A page that another shard has told so is *elsewhere*: here it stands for nobody, so that no chain
leads from copy to copy to a page that says something else. Both settle from the first page down.
"""

from collections.abc import Callable, Iterable
from itertools import islice

from shoal.duplicates.near.groups import Groups, Newcomer, Worth, page_id
from shoal.duplicates.near.near import GROUP, ID_BYTES, MINHASH, Cut, NearIndex, cut_up, is_followed
from shoal.duplicates.near.sketch import Fingerprint, resemblance
from shoal.model.cell import NUL
from shoal.model.messages import Repeated, Sketched
from shoal.model.record import Struct, pack, unpack
from shoal.ports import Batch, Table

REALM = b"far-"
PAGE = b"page" + NUL
_ENTERED = 4
"""Minhashes that a core is entered under, of those that are not common: half as many as for one's
own pages, because two that are alike meet at other shards as well. So many are looked up, too:
those that brought a page here come first (sent_sketches.py), and while they are not common nobody
who shares one of them is missed."""
MOST_TOLD = 10_000
"""Pages of a group that are told when another stands for it: it has hardly more than one of each
tablet."""
_TO_SAY = NUL
"""In place of a representative: what was told may not have been heard, so it has to be said
again."""
_UNDATED = "~"
"""Behind all dates."""

Order = tuple[bool, int, str, float, int, str]


class Foreign(Struct, array_like=True):
    """What a tablet said of its page."""

    row: bytes
    life: str
    worth: Worth
    elsewhere: bool = False
    told: bytes = b""
    """The representative that its tablet was told of; empty: none."""
    fingerprint: tuple[bytes, bytes, bytes] | None = None
    """Sketch, minhashes and readers; only while the groups are rebuilt."""


def order(worth: Worth) -> Order:
    """The page that stands for others has the least. It is `Worth.beats` made strict: what is
    clearly more there is more here; a page that names another as its canonical address comes
    behind; a page with a date comes before one without."""
    is_copy = worth.canonical not in ("", worth.url)
    many = (max(worth.in_links, 0) + 2).bit_length()
    published = worth.published or _UNDATED
    return is_copy, -many, published, worth.found, len(worth.url), worth.url


def far_index(table: Table) -> NearIndex:
    return NearIndex(table, REALM, _ENTERED, _ENTERED)


class Shard:
    """The groups of one shard. `tell` is called with the pages that have to be told."""

    def __init__(
        self,
        index: NearIndex,
        cut: Callable[[bytes], Cut],
        number: int,
        tell: Callable[[Batch, Repeated], None],
    ) -> None:
        """`index` is one of the realm; `number` is that of this tablet."""
        self._index = index
        self._cut = cut
        self._number = number
        self._tell = tell
        self._groups = Groups(index, self._worth_of, lambda _row: "")

    def expect(self, said: Iterable[Sketched]) -> None:
        """What is read for any of them is read for all at once: a call costs more than a key."""
        keys, minhashes = [], []
        for each in said:
            page = page_id(each.row)
            keys += [PAGE + page, GROUP + page]
            minhashes += [
                MINHASH + minhash for minhash in cut_up(each.minhashes[: _ENTERED * ID_BYTES])
            ]
        self._index.read(keys)
        followed = filter(is_followed, self._index.read(minhashes))
        likely = {each for having in followed for each in cut_up(having)}
        self._index.read([GROUP + each for each in likely])

    def take(self, batch: Batch, said: Sketched) -> None:
        known = self.page(said.row)
        if said.gone:
            if known is not None:
                self._leave(batch, said.row)
        elif said.sketch:
            self._settle(batch, said, known)
        elif known is not None and known.life == said.life:
            known.worth, known.elsewhere = unpack(Worth, said.worth), said.elsewhere
            self._save(batch, known)
            self._consider(batch, known, self._groups.group_of(known.row))

    def judge(self, batch: Batch, group_id: bytes) -> None:
        """Who stands for a group? All others are told, as far as they don't know."""
        group = self._index.group(group_id)
        rows = islice(self._groups.members(group_id), MOST_TOLD)
        pages = [page for page in map(self.page, rows) if page is not None]
        if group is None or not pages:
            return
        representative = min(pages, key=_rank)
        if group.representative != representative.row:
            group.representative = representative.row
            self._index.save(batch, group_id, group)
        for page in pages:
            self._say(batch, page, representative)

    def page(self, row: bytes) -> Foreign | None:
        (stored,) = self._index.read([PAGE + page_id(row)])
        return None if stored is None else unpack(Foreign, stored)

    def verdict(self, row: bytes) -> bytes:
        """The page that stands for this one, by its group; empty: none does."""
        page, representative = self.page(row), self._representative_of(row)
        return b"" if page is None or representative is None else _verdict(page, representative)

    # --- coming and going -------------------------------------------------------------------

    def _settle(self, batch: Batch, said: Sketched, known: Foreign | None) -> None:
        worth, row = unpack(Worth, said.worth), said.row
        told = b"" if known is None else known.told
        if known is not None and known.life != said.life:
            told = _TO_SAY
        page = Foreign(row, said.life, worth, said.elsewhere, told)
        self._save(batch, page)
        before = None if known is None else self._groups.group_of(row)
        settled = self._groups.settle(
            batch,
            Newcomer(
                row,
                Fingerprint(said.sketch, said.minhashes),
                said.readers,
                None,
                lambda: worth,
                known is None,
            ),
            self._cut(row),
        )
        if settled.reassigned:  # another stands for the group that it left, or groups were joined
            if before not in (None, settled.group_id):
                self.judge(batch, before or b"")
            self.judge(batch, settled.group_id)
        elif known is not None or settled.representative != row:  # alone, there is nothing to tell
            self._consider(batch, page, settled.group_id)

    def _leave(self, batch: Batch, row: bytes) -> None:
        group_id = self._groups.group_of(row)
        reassigned = self._groups.leave(batch, row)
        self._index.put(batch, PAGE + page_id(row), None)
        if reassigned and group_id is not None:
            self.judge(batch, group_id)

    def _consider(self, batch: Batch, page: Foreign, group_id: bytes | None) -> None:
        """Whether a page stands for its group; the others are asked only when that may change."""
        group = None if group_id is None else self._index.group(group_id)
        if group_id is None or group is None:
            return
        if group.members == 1:
            self._say(batch, page, page)
            return
        representative = self.page(group.representative)
        if (
            representative is None
            or representative.row == page.row
            or _rank(page) < _rank(representative)
        ):
            self.judge(batch, group_id)
        else:
            self._say(batch, page, representative)

    def _say(self, batch: Batch, page: Foreign, representative: Foreign) -> None:
        verdict = _verdict(page, representative)
        if verdict == page.told:
            return
        page.told = verdict
        self._save(batch, page)
        alike = 0.0
        if verdict:
            ours, theirs = (
                self._groups.sketch_of(page.row),
                self._groups.sketch_of(representative.row),
            )
            alike = resemblance(ours, theirs) if ours and theirs else 0.0
        self._tell(batch, Repeated(page.row, verdict, page.life, alike, self._number))

    # --- reading and writing ----------------------------------------------------------------

    def _save(self, batch: Batch, page: Foreign) -> None:
        self._index.put(batch, PAGE + page_id(page.row), pack(page))

    def _representative_of(self, row: bytes) -> Foreign | None:
        representative = self._groups.representative_of(row)
        return None if representative is None else self.page(representative)

    def _worth_of(self, row: bytes) -> Worth | None:
        page = self.page(row)
        return None if page is None else page.worth


def _rank(page: Foreign) -> tuple[bool, Order]:
    return page.elsewhere, order(page.worth)


def _verdict(page: Foreign, representative: Foreign) -> bytes:
    if (
        representative is page
        or representative.elsewhere
        or order(representative.worth) >= order(page.worth)
    ):
        return b""
    return representative.row
