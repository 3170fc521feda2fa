"""How does the index keep up with the table? It follows the change log.

A change names a row; its entry is rebuilt from the table, so a change that comes twice does no
harm. The index commits the number of the last change that it has taken in together with the
documents: a crash costs a replay from there, never a document. Where the log no longer reaches back
that far (the index is new, or was deleted) everything is read from the table.

Links change the anchor text of their targets. Entering each target again for each link would cost
more than all else, so targets are noted, and entered when the log has been caught up with, each
once. Until then the number that is committed stays before the first change that is owed.

What somebody waits for (a pushed article, a page that was submitted) may be entered out of turn.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from shoal.errors import DamagedError
from shoal.index.reader import IndexReader
from shoal.index.writer import IndexWriter
from shoal.indexer.entries import Entries
from shoal.indexer.memory import Memory
from shoal.layout.index_state import IndexState, write_state
from shoal.layout.layout import Layout
from shoal.model.link import Rel
from shoal.model.principal import OWNER
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Table
from shoal.store.change_log import last_sequence
from shoal.store.pages import PageStore
from shoal.store.rows import What

_CHANGES_AT_ONCE = 500
_ROWS_BETWEEN = 50
_CHANGES_BETWEEN_COMMITS = 20_000
_TARGETS_AT_ONCE = 500
_MOST_TARGETS = 100_000
_MOST_TARGET_BYTES = 16_000_000
"""Noted at once; then they are entered though the log goes on."""
_ENTERED_BETWEEN = 20
"""So many documents are entered between two looks at how much memory there is."""
_MOST_TEXTS_REMEMBERED = 300_000
"""Anchor texts of targets that were noted already: most links repeat one."""
_NOT_OURS = int(Rel.NOFOLLOW | Rel.UGC | Rel.SPONSORED)

Progress = Callable[[int], None]


class Follower:
    def __init__(
        self,
        table: Table,
        store: PageStore,
        writer: IndexWriter,
        memory: Memory | None = None,
    ) -> None:
        self._table = table
        self._store = store
        self._writer = writer
        self._memory = memory
        self._entered = 0
        self._entries = Entries(table, store)
        self._position = writer.position
        """The last change whose row was entered."""
        self._owed = _Owed()
        self._said: set[int] = set()
        self._ahead: set[int] = set()
        """Changes whose rows were entered before it was their turn."""
        self._uncommitted = 0

    @property
    def behind(self) -> int:
        """Changes that are not taken in yet."""
        return max(0, last_sequence(self._table) - self._position)

    @property
    def owes(self) -> int:
        return len(self._owed) + self._uncommitted

    def step(self, between: Callable[[], None] = lambda: None) -> int:
        """Take in some changes, or, when there are none, some of what is owed. Returns how many
        documents were looked at; 0 when there is nothing left to do but commit. `between` is called
        now and then: it may enter others ahead, and commit."""
        if self._is_cut_off():
            return self.rebuild()
        changes = list(islice(self._store.log.after(self._position), _CHANGES_AT_ONCE))
        if not changes or self._owed.is_full:
            return self.pay_back()
        rows: dict[bytes, int] = {}
        for taken, (number, change) in enumerate(changes):
            if self._owed.is_full:
                del changes[taken:]  # the others when these were paid back
                break
            if change.what is What.LINKED:
                self._owed.add(change.row, number)
                continue
            if number not in self._ahead:
                rows[change.row] = number
            if change.what is not What.AMENDED:
                self._note_targets(change.row, number, is_all=change.what is What.SHARED)
        for place, (row, number) in enumerate(rows.items()):
            if place % _ROWS_BETWEEN == _ROWS_BETWEEN - 1:
                between()
            if number in self._ahead:
                continue  # since just now
            is_found = self._enter(row)
            if not is_found and (representative := self._entries.stands_for(row)) != row:
                self._owed.add(representative, changes[-1][0])  # credited with the row's anchors
        self._position = changes[-1][0]
        self._ahead = {number for number in self._ahead if number > self._position}
        self._uncommitted += len(changes)
        return len(changes)

    def enter_ahead(self, numbers: Iterable[int]) -> list[int]:
        """Take in these changes before the others, because somebody waits for them. Returns those
        that this view of the table does not have yet."""
        if self._is_cut_off():
            return []  # all is rebuilt in the next step
        unseen, last = [], last_sequence(self._table)
        for number in numbers:
            if number > last:
                unseen.append(number)
            elif number > self._position and number not in self._ahead:
                change = self._store.log.get(number)
                if change is not None and change.what is not What.LINKED:
                    self._enter(change.row)
                    self._ahead.add(number)
                    self._uncommitted += 1
        return unseen

    def commit(self) -> int:
        """Make it durable and visible. Returns the change up to which nothing is owed."""
        position = min(self._owed.first - 1, self._position) if self._owed else self._position
        self._writer.commit(position)
        self._uncommitted = 0
        return position

    def rebuild(self, progress: Progress | None = None) -> int:
        """Everything is rebuilt out of the table."""
        self._owed.clear()
        self._said.clear()
        self._ahead.clear()
        position = last_sequence(self._table)
        self._writer.clear()
        count = 0
        for page in self._store.stream(b"\x01", b"\xff", OWNER):
            self._enter(page.row)
            count += 1
            if progress is not None and not count % _CHANGES_AT_ONCE:
                progress(count)
        self._position = position
        self._uncommitted = count
        return count

    def _is_cut_off(self) -> bool:
        """Whether changes are missing between what the index has and what the log begins with."""
        last = last_sequence(self._table)
        first = self._store.log.first() or last + 1
        return self._position > last or self._position + 1 < first

    def _enter(self, row: bytes) -> bool:
        """Whether it is to be found."""
        self._owed.discard(row)
        self._entered += 1
        if self._memory is not None and not self._entered % _ENTERED_BETWEEN:
            self._memory.keep(self._forget)
        try:
            entry = self._entries.of(row)
        except DamagedError:
            entry = None  # what can't be read can't be found; `verify` tells of it
        if entry is None:
            self._writer.remove(row)
        else:
            self._writer.put(entry)
        return entry is not None

    def _forget(self) -> None:
        """All that is only remembered to be quicker."""
        self._said.clear()
        self._writer.forget()

    def _note_targets(self, row: bytes, number: int, *, is_all: bool) -> None:
        """Those that a site did not call so before; of a page that said something else before,
        all."""
        said, site = self._said, site_of_key(row)
        is_all = is_all or self._entries.was_visited_before(row)
        if len(said) > _MOST_TEXTS_REMEMBERED:
            said.clear()
        for out in self._store.links_of(row):
            link = out.link
            if not link.text or not out.target or link.rel & _NOT_OURS:
                continue
            keys = [hash((out.target, text, site)) for text in (link.text, *link.more)]
            if is_all or not said.issuperset(keys):
                said.update(keys)
                self._owed.add(out.target, number)

    def pay_back(self, at_most: int = _TARGETS_AT_ONCE) -> int:
        """Targets that were fetched are entered with what is said of them now; the others will be
        when they are fetched. Returns how many there were."""
        targets = list(islice(self._owed, at_most))
        stored = {target for target in targets if self._store.page(target, OWNER) is not None}
        for target in targets:
            self._owed.discard(target)
        for row in {self._entries.stands_for(target) for target in stored}:
            self._enter(row)
        self._uncommitted += len(stored)
        return len(targets)


class _Owed:
    """Targets of links that are to be entered again, each with the change that said so."""

    def __init__(self) -> None:
        self._targets: dict[bytes, int] = {}
        self._bytes = 0

    @property
    def is_full(self) -> bool:
        return len(self._targets) > _MOST_TARGETS or self._bytes > _MOST_TARGET_BYTES

    @property
    def first(self) -> int:
        """The change from which on something is owed."""
        return min(self._targets.values())

    def add(self, target: bytes, number: int) -> None:
        """The first change that said so stays."""
        if target not in self._targets:
            self._targets[target] = number
            self._bytes += len(target)

    def discard(self, target: bytes) -> None:
        if self._targets.pop(target, None) is not None:
            self._bytes -= len(target)

    def clear(self) -> None:
        self._targets.clear()
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._targets)

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._targets)


def follow_to_the_end(layout: Layout, follower: Follower, progress: Progress | None = None) -> int:
    """Until nothing is left; committed now and then. Returns how many documents were entered."""
    entered = since_commit = 0
    while count := follower.step():
        entered += count
        since_commit += count
        if since_commit >= _CHANGES_BETWEEN_COMMITS:
            commit(layout, follower)
            since_commit = 0
        if progress is not None:
            progress(entered)
    commit(layout, follower)
    return entered


def commit(layout: Layout, follower: Follower) -> IndexState:
    position = follower.commit()
    reader = IndexReader(layout.index)
    pages = reader.pages()
    state = IndexState(position, pages, time.time(), reader.documents() - pages)
    write_state(layout, state)
    return state
