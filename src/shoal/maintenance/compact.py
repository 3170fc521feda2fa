"""How is room made in a collection? (`shoal compact`)

Versions beyond the policy go, with their texts and their claims on the archive; archive files that
are mostly dead records are copied without them (store/compaction.py says why a kill costs nothing);
the table is rewritten without what was deleted.
"""

import time
from collections.abc import Callable
from pathlib import Path

from shoal import faults
from shoal.config import Config
from shoal.engine.recovery import mend_archive
from shoal.fleet.at_rest import tablets_at_rest
from shoal.frontier.state.rows import pack_url, unpack_url, url_key
from shoal.layout.duplicates import exact_prints
from shoal.layout.layout import Layout, WriteLock
from shoal.model.record import Struct
from shoal.model.visit import VisitKind
from shoal.ports import Batch
from shoal.store import archive_ends, claims, compaction
from shoal.store.compaction import Copy, Live
from shoal.store.pages import PageStore
from shoal.store.rows import FetchRow
from shoal.store.table import RocksTable

DEAD_SHARE = 0.5
"""A file is copied when at least so much of it is dead, so that a record is copied seldom."""
_FILES_AT_ONCE = 16
_ROWS_AT_ONCE = 500

Progress = Callable[[str], None]


class Compacted(Struct):
    """What was let go, and what that brought."""

    bytes_before: int = 0
    bytes_after: int = 0
    versions_dropped: int = 0
    texts_dropped: int = 0
    records_dropped: int = 0
    files_rewritten: int = 0
    files_deleted: int = 0
    prints_dropped: int = 0
    note: str = ""

    @property
    def bytes_reclaimed(self) -> int:
        return self.bytes_before - self.bytes_after


def compact(
    place: str | Path, config: Config, least_dead_share: float, progress: Progress
) -> Compacted:
    """Each tablet. Raises Busy while another process writes to the collection."""
    done = Compacted()
    for directory in tablets_at_rest(place, progress):
        _add(done, _compact(directory, config, least_dead_share, progress))
    return done


def _add(done: Compacted, more: Compacted) -> None:
    for name in done.__struct_fields__:
        if name != "note":
            setattr(done, name, getattr(done, name) + getattr(more, name))
    done.note = done.note or more.note


def _compact(
    directory: Path, config: Config, least_dead_share: float, progress: Progress
) -> Compacted:
    layout = Layout(directory)
    layout.must_exist()
    with WriteLock(layout):
        before = _bytes_in(layout.data / "table") + _bytes_in(layout.warc)
        with RocksTable(layout.table) as table:
            done = _Compaction(table, layout.warc, config.crawl.versions, progress)
            done.run(least_dead_share)
        done.result.bytes_before = before
        done.result.bytes_after = _bytes_in(layout.data / "table") + _bytes_in(layout.warc)
    return done.result


class _Compaction:
    def __init__(
        self, table: RocksTable, directory: Path, versions: int, progress: Progress
    ) -> None:
        self._table = table
        self._directory = directory
        self._versions = versions
        self._progress = progress
        self._now = time.time()
        self._damaged = False
        self.result = Compacted()

    def run(self, least_dead_share: float) -> None:
        committed = set(archive_ends.written_ends(self._table))
        compaction.drop_drafts(self._directory)
        mend_archive(self._table, self._directory, self._now)
        self._progress("Dropping old versions …")
        live = self._trim_rows()
        store = PageStore(self._table, self._directory, self._versions)
        self.result.prints_dropped = exact_prints(self._table, store).drop_stale()
        if self._damaged:
            self.result.note = "Rows do not read, so the archive was left alone: run shoal repair."
        else:
            self._rewrite_archive(live, committed, least_dead_share)
        self._progress("Compacting the table …")
        self._table.compact()

    def _trim_rows(self) -> Live:
        live, batch = Live(), self._table.batch()
        for number, row in enumerate(claims.rows(self._table), 1):
            self._damaged |= bool(row.damaged)
            needed = self._is_requisite(row)
            trimmed = compaction.trim(self._table, batch, row, self._versions, is_requisite=needed)
            if trimmed.disowned:
                self._forget_body(batch, row.row)
            self.result.versions_dropped += trimmed.versions
            self.result.texts_dropped += trimmed.texts
            for version in row.versions:
                live.note(claims.locations_of(version.value))
            if number % _ROWS_AT_ONCE == 0:
                self._table.write(batch)
                batch = self._table.batch()
                faults.point("compact.trimming")
        self._table.write(batch)
        self._table.sync()
        return live

    def _is_requisite(self, row: claims.Row) -> bool:
        if not row.versions or any(isinstance(each.value, FetchRow) for each in row.versions):
            return False
        stored = self._table.get("page", url_key(row.row))
        return stored is not None and unpack_url(stored).kind is VisitKind.REQUISITE

    def _forget_body(self, batch: Batch, row: bytes) -> None:
        """The page was removed, and now its archived body goes: the next one comes whole."""
        stored = self._table.get("page", url_key(row))
        if stored is not None:
            url = unpack_url(stored)
            url.etag = url.last_modified = url.digest = ""
            batch.put("page", url_key(row), pack_url(url, self._now))

    def _rewrite_archive(self, live: Live, committed: set[str], least_dead_share: float) -> None:
        found = list(compaction.candidates(self._directory, live, least_dead_share))
        copier = compaction.Copier(self._directory, least_dead_share, self._now)
        for start in range(0, len(found), _FILES_AT_ONCE):
            copies: dict[str, Copy] = {}
            for file in found[start : start + _FILES_AT_ONCE]:
                self._progress(f"Reading {file} …")
                if file not in committed and not live.of(file):
                    copies[file] = Copy("", 0, {}, 0)  # a killed process left it
                elif copy := copier.copy(file, live.of(file)):
                    copies[file] = copy
            self._switch(copies)

    def _switch(self, copies: dict[str, Copy]) -> None:
        if not copies:
            return
        faults.point("compact.copied")
        compaction.move_rows(self._table, copies)
        faults.point("compact.moved")
        compaction.delete_files(self._directory, copies)
        self.result.records_dropped += sum(copy.dropped for copy in copies.values())
        self.result.files_rewritten += sum(bool(copy.file) for copy in copies.values())
        self.result.files_deleted += sum(not copy.file for copy in copies.values())


def _bytes_in(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
