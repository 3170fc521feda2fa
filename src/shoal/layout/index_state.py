"""How far has the index come, and which pages does it hold? What its writer leaves behind at each
commit, for those who only want to know."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.errors import ShoalError
from shoal.layout.layout import Layout
from shoal.model.document import Fate
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.ports import Table
from shoal.store.change_log import last_sequence
from shoal.whole_file import write_whole

if TYPE_CHECKING:
    from shoal.index.reader import IndexReader


class IndexState(Struct):
    position: int
    pages: int
    """Without documents that stand within others."""
    committed: float
    inside: int = 0
    """Those; not known of an index that an older release wrote."""


def write_state(layout: Layout, state: IndexState) -> None:
    write_whole(_state_path(layout), to_json(state))


def forget_index(layout: Layout) -> None:
    """Rows changed without a word in the log: the next search rebuilds the index. Its directory
    stays, and is empty: one that is not there was lost (`verify`)."""
    shutil.rmtree(layout.index, ignore_errors=True)
    with suppress(OSError):
        layout.index.mkdir()


def read_state(layout: Layout) -> IndexState | None:
    try:
        return from_json(IndexState, _state_path(layout).read_bytes())
    except (OSError, *JSON_ERRORS):
        return None


def index_commit(layout: Layout) -> int:
    """Another number after each commit; 0 before the first."""
    try:
        return _state_path(layout).stat().st_mtime_ns
    except OSError:
        return 0


def _state_path(layout: Layout) -> Path:
    return layout.index / "state.json"


def fate_of(stored: str, row: bytes, holds: Callable[[bytes], bool]) -> str:
    """What is said of a page: its stored fate, but that the table never learns when the index has
    taken it in. Everyone who names a fate asks here."""
    return Fate.INDEXED if stored == Fate.WAITING and holds(row) else stored


class IndexHolds:
    """Whether the index holds a row, by its newest commit."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._commit = 0
        self._reader: IndexReader | None = None

    def __call__(self, row: bytes) -> bool:
        commit = index_commit(self._layout)
        if commit != self._commit:
            self._reader, self._commit = _reader(self._layout), commit
        return self._reader is not None and self._reader.holds(row)


def _reader(layout: Layout) -> "IndexReader | None":
    from shoal.index.reader import IndexReader  # noqa: PLC0415 - it loads the index library

    with suppress(ShoalError):
        return IndexReader(layout.index)
    return None  # there is no index yet


def is_behind(layout: Layout, table: Table) -> bool:
    """Whether pages were stored that the index does not have, or another release has made it."""
    from shoal.index.index_directory import is_ours  # noqa: PLC0415 - it loads the index library

    state = read_state(layout)
    if state is None or not is_ours(layout.index):
        return True
    return state.position < last_sequence(table)


def lag(layout: Layout, table: Table) -> int:
    """Changes that the index has not taken in."""
    state = read_state(layout)
    return max(0, last_sequence(table) - (0 if state is None else state.position))
