"""How far does each archive file go, as far as rows know? Two marks per file, in the family `site`.

`written` is the end of the last record that a row points at, put into the row's own batch: a file
that is shorter has lost records that rows need. `synced` is as much of that as was on disk when
the archive was last synced: what stands behind it may be torn. Both are ends of whole records,
because a file has one writer, and it tells nobody of a record before all of it is written.
"""

from collections.abc import Mapping

from shoal.model.document import WarcLocation
from shoal.model.record import pack, unpack
from shoal.ports import Batch, Table

_WRITTEN = b"\x00written\x00"
_SYNCED = b"\x00synced\x00"


class ArchiveEnds:
    """The ends that this process has come to know."""

    def __init__(self) -> None:
        self._ends: dict[str, int] = {}
        self._synced: dict[str, int] = {}

    def note(self, batch: Batch, *locations: WarcLocation | None) -> None:
        """A visit's batch points at these records."""
        for location in locations:
            if location is not None and location.offset + location.length > self._ends.get(
                location.file, 0
            ):
                self._ends[location.file] = location.offset + location.length
                batch.put(
                    "site", _WRITTEN + location.file.encode(), pack(self._ends[location.file])
                )

    def now(self) -> dict[str, int]:
        """To be taken *before* the archive is synced, and told to `note_synced` after it."""
        return dict(self._ends)

    def note_synced(self, batch: Batch, ends: Mapping[str, int]) -> None:
        for file, end in ends.items():
            if self._synced.get(file) != end:
                self._synced[file] = end
                batch.put("site", _SYNCED + file.encode(), pack(end))


def written_ends(table: Table) -> dict[str, int]:
    return _ends(table, _WRITTEN)


def synced_ends(table: Table) -> dict[str, int]:
    return _ends(table, _SYNCED)


def whole_ends(table: Table) -> dict[str, int]:
    """How far a copy of each file must go, and may: there a record ends."""
    written, synced = written_ends(table), synced_ends(table)
    return {file: max(written.get(file, 0), synced.get(file, 0)) for file in written | synced}


def correct(batch: Batch, file: str, end: int) -> None:
    """The file was looked at: it goes so far, no further, and all of it is whole."""
    for mark in (_WRITTEN, _SYNCED):
        batch.put("site", mark + file.encode(), pack(end))


def mark_whole(batch: Batch, file: str, end: int) -> None:
    """The file was looked at and is on disk up to here, whatever rows know of it."""
    batch.put("site", _SYNCED + file.encode(), pack(end))


def forget(batch: Batch, file: str) -> None:
    """The file is gone, and no row points at it any more."""
    for mark in (_WRITTEN, _SYNCED):
        batch.delete("site", mark + file.encode())


def is_mark(key: bytes) -> bool:
    """Whether a key of the family `site` is one of the two marks of a file."""
    return key.startswith((_WRITTEN, _SYNCED))


def _ends(table: Table, mark: bytes) -> dict[str, int]:
    after = mark[:-1] + b"\x01"
    return {
        key[len(mark) :].decode("utf-8", "replace"): unpack(int, value)
        for key, value in table.scan("site", mark, after)
    }
