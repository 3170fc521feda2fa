"""What can be mended? What follows from the rows is rebuilt; what is lost is fetched again.

Everything that `verify` can find has its cure here or is left and told. Nothing that still reads is
thrown away, but for texts and anchors that belong to nothing.
"""

import time
from collections import deque
from pathlib import Path
from typing import NamedTuple

from shoal.access.opening import graph_place
from shoal.analysis.ranking import rank
from shoal.analysis.regroup import regroup
from shoal.config import Config, load
from shoal.engine.replaying import Replayed
from shoal.errors import UsageError
from shoal.fleet.at_rest import tablets_at_rest, tablets_of
from shoal.frontier.audit.rebuild import queue_again, rebuild
from shoal.graph.generations import drop
from shoal.indexer.indexing import bring_up_to_date
from shoal.layout.identity import TabletIdentity
from shoal.layout.index_state import forget_index
from shoal.layout.layout import Layout, WriteLock, is_cluster_place, is_locked
from shoal.layout.ranks import graph_of
from shoal.maintenance.group_findings import group_findings
from shoal.maintenance.index_findings import index_findings, was_indexed
from shoal.maintenance.salvage import (
    Salvaged,
    free_name,
    has_archive,
    is_waiting,
    lacks_visits,
    salvage,
    take_from_archive,
)
from shoal.maintenance.verify import (
    Progress,
    Sighting,
    graph_findings,
    lacks_page,
    out_links,
    record_faults,
    strange_anchors,
    text_fault,
)
from shoal.model.cell import NUL, newest_key
from shoal.model.document import WarcLocation
from shoal.model.link import Anchor
from shoal.model.record import Struct, pack
from shoal.model.urls.partition import Partition
from shoal.ports import Table
from shoal.store import archive, archive_ends, claims
from shoal.store.archive_tail import Tail, mend
from shoal.store.cells import Cells
from shoal.store.change_log import SEQUENCE_KEY, last_sequence
from shoal.store.compaction import Copier, move_rows
from shoal.store.members import members
from shoal.store.pages import PageStore
from shoal.store.remains import fault_in
from shoal.store.table import RocksTable
from shoal.whole_file import put_on_disk, write_whole

_WRITE_AT_ONCE = 1000


class Replaced(NamedTuple):
    """An archive file that was damaged within."""

    file: str
    set_aside: str
    lost_bytes: int


class Repaired(Struct):
    """What was done."""

    settings_from: str = ""
    """What the settings were made of again; empty when they were in order."""
    settings_aside: str = ""
    salvaged: list[Salvaged] = []
    """Of each damaged table."""
    taken_from_archive: int = 0
    """Visits that the archive held and no row knew."""
    records_unread: list[str] = []
    """URLs of such visits whose records do not read."""
    torn_tails: list[Tail] = []
    files_replaced: list[Replaced] = []
    records_disowned: int = 0
    """Places that rows pointed at, and where their record is not."""
    queued_again: int = 0
    texts_dropped: int = 0
    anchors_added: int = 0
    anchors_dropped: int = 0
    regrouped: bool = False
    """Whether the groups of near-duplicates were wrong and were rebuilt."""
    sequence_raised: bool = False
    frontier_entries: int = 0
    """Queue entries, places in the front index, rows of sites and counts that were wrong."""
    ranked: bool = False
    """Whether the link graph was damaged and was rebuilt."""
    index_forgotten: bool = False
    """Whether the full-text index is rebuilt by the next search."""

    @property
    def nothing(self) -> bool:
        return self == Repaired()


def repair(place: str | Path, progress: Progress, *, from_archive: bool = False) -> Repaired:
    """Each tablet. Raises Busy while another process writes to the collection. `from_archive`: the
    table is made anew in any case."""
    done = Repaired()
    if not is_cluster_place(str(place)):
        done.settings_from, done.settings_aside = _mend_settings(Layout(Path(place)))
    tablets = tablets_of(str(place))
    for number, directory in enumerate(tablets_at_rest(place, progress)):
        partition = Partition(number, tablets) if tablets else None
        more = _repair(directory, partition, progress, from_archive=from_archive)
        for name in done.__struct_fields__:
            setattr(done, name, getattr(done, name) + getattr(more, name))
    done.ranked = _mend_graph(str(place), progress)
    return done


def _mend_settings(layout: Layout) -> tuple[str, str]:
    """Where a settings file does not read, or is gone, the last one that did takes its place.
    Returns where the settings are from, and where the damaged file is."""
    try:
        load(layout.directory, {}, {})
        if layout.settings.exists() or not layout.last_settings.exists():
            return "", ""
    except UsageError:
        if not layout.settings.is_file():
            raise
    source = "the defaults"
    aside = ""
    if layout.settings.exists():
        target = free_name(layout, layout.settings.name)
        layout.settings.rename(target)
        aside = str(target.relative_to(layout.directory))
    if layout.last_settings.exists():
        write_whole(layout.settings, layout.last_settings.read_bytes(), synced=True)
        source = layout.last_settings.name
    try:
        load(layout.directory, {}, {})
    except UsageError:  # both are damaged
        layout.settings.unlink()
        source = "the defaults"
    return source, aside


def _mend_graph(place: str, progress: Progress) -> bool:
    directory = graph_of(graph_place(place))
    if next(graph_findings(directory), None) is None:
        return False
    progress("Ranking links anew …")
    drop(directory)
    rank(place, top=0)
    return True


def _repair(
    directory: Path, partition: Partition | None, progress: Progress, *, from_archive: bool
) -> Repaired:
    layout = Layout(directory)
    if not (is_waiting(layout) or has_archive(layout)):
        layout.must_exist()
    if is_locked(layout):
        WriteLock(layout).release()  # which says who holds it
    config, identity = load(layout.directory, {}, {}), _identity(directory, partition)
    why = _why_salvage(layout, from_archive=from_archive, progress=progress)
    done = Repaired()
    if why:
        found, replayed = salvage(layout, config, identity, why, progress)
        done.salvaged = [found]
    else:
        replayed = _take_what_lacks(layout, config, identity, progress)
    done.taken_from_archive, done.records_unread = replayed.visits, replayed.unread
    with WriteLock(layout), RocksTable(layout.table) as table:
        _Repair(table, layout, config, progress, done).run()
        done.index_forgotten = not done.nothing or _is_index_wrong(table, layout)
        was_found = was_indexed(table)
        if done.index_forgotten:
            forget_index(layout)
    if done.index_forgotten and was_found:
        progress("Making the full-text index anew …")
        bring_up_to_date(layout.directory)
    return done


def _why_salvage(layout: Layout, *, from_archive: bool, progress: Progress) -> str:
    """Why the table must be made anew; empty when it need not be."""
    if is_waiting(layout):
        return "an earlier repair was interrupted"
    if not layout.exists():
        return "it is gone"
    progress("Reading the table …")
    found = fault_in(layout.table)
    return found or ("it was asked for" if from_archive else "")


def _take_what_lacks(
    layout: Layout, config: Config, identity: TabletIdentity | None, progress: Progress
) -> Replayed:
    with WriteLock(layout), RocksTable(layout.table) as table:
        if not lacks_visits(table, layout.warc):
            return Replayed()
        rebuild(table, time.time())
    return take_from_archive(layout, config, identity, progress)


def _identity(directory: Path, partition: Partition | None) -> TabletIdentity | None:
    """As the owner of a tablet for whom its directory was made; alone in it while this lasts."""
    if partition is None:
        return None
    epoch = int(directory.name) if directory.name.isdigit() else 0
    return TabletIdentity(partition, epoch, holds=lambda: True, must_hold=lambda: None)


def _is_index_wrong(table: Table, layout: Layout) -> bool:
    return next(index_findings(table, layout), None) is not None


class _Repair:
    def __init__(
        self, table: Table, layout: Layout, config: Config, progress: Progress, done: Repaired
    ) -> None:
        self._table = table
        self._layout = layout
        self._directory = layout.warc
        self._config = config
        self._progress = progress
        self._cells = Cells(table)
        self._done = done
        self._now = time.time()

    def run(self) -> Repaired:
        self._progress("Cutting off torn records …")
        self._done.torn_tails = mend(self._directory, {})
        self._progress("Holding rows against the archive …")
        self._mend_rows()
        self._mend_files()
        self._mend_texts()
        self._progress("Holding links against anchors …")
        self._mend_anchors()
        self._done.regrouped = self._mend_groups()
        self._done.sequence_raised = self._mend_sequence()
        self._progress("Counting anew …")
        self._done.frontier_entries = rebuild(self._table, self._now)
        self._correct_ends()
        self._table.sync()
        return self._done

    def _mend_rows(self) -> None:
        for row in claims.rows(self._table):
            batch, newest_lost = self._table.batch(), bool(row.damaged)
            newest_lost |= lacks_page(self._table, row)
            for key in row.damaged:
                batch.delete("page", key)
            seen: dict[WarcLocation, Sighting | str] = {}
            for version in row.versions:
                found = record_faults(self._directory, row.row, version.value, seen)
                lost = {location for location, _ in found}
                if lost:
                    claims.disown(batch, version, lost)
                    self._done.records_disowned += len(lost)
                    newest_lost |= version.newest
            if newest_lost:
                self._done.queued_again += queue_again(self._table, batch, row.row, self._now)
            self._table.write(batch)

    def _mend_files(self) -> None:
        """A file with a damaged stretch is copied without it, and set aside: no row points there
        any more, and other tools read a file up to its first fault."""
        copier = Copier(self._directory, 0.0, self._now)
        for path in list(archive.files(self._directory)):
            copy = copier.copy_whole_records(path.name)
            if copy is None:
                continue
            lost = path.stat().st_size - sum(member.length for member in members(path))
            move_rows(self._table, {path.name: copy})
            aside = free_name(self._layout, path.name)
            path.rename(aside)
            put_on_disk(self._directory)
            where = str(aside.relative_to(self._layout.directory))
            self._done.files_replaced.append(Replaced(path.name, where, lost))

    def _mend_texts(self) -> None:
        for key, stored in self._table.scan("text", b"\x01"):
            if text_fault(self._cells, key, stored):
                batch, row = self._table.batch(), key.partition(NUL)[0]
                batch.delete("text", key)
                self._done.texts_dropped += 1
                self._done.queued_again += queue_again(self._table, batch, row, self._now)
                self._table.write(batch)

    def _mend_anchors(self) -> None:
        for row, when, links in out_links(self._table):
            batch = self._table.batch()
            if links is None:
                batch.delete("link", newest_key(row, b"out"))
                self._done.queued_again += queue_again(self._table, batch, row, self._now)
            last = {out.target: out.link for out in links or () if out.target}
            found = self._table.get_many("anchor", [newest_key(target, row) for target in last])
            for (target, link), anchor in zip(last.items(), found, strict=True):
                if anchor is None:
                    value = pack(Anchor(link.text, link.rel, more=link.more))
                    self._cells.set(batch, target, "anchor", row, value, when)
                    self._done.anchors_added += 1
            self._table.write(batch)
        batch = self._table.batch()
        for target, source in strange_anchors(self._table, self._cells):
            batch.delete("anchor", newest_key(target, source))
            self._done.anchors_dropped += 1
            if self._done.anchors_dropped % _WRITE_AT_ONCE == 0:
                self._table.write(batch)
                batch = self._table.batch()
        self._table.write(batch)

    def _mend_groups(self) -> bool:
        is_new = bool(self._done.salvaged)  # it was made without them
        if not is_new and next(group_findings(self._table, self._cells), None) is None:
            return False
        self._progress("Grouping near-duplicates anew …")
        store = PageStore(self._table, self._directory, self._config.crawl.versions)
        regroup(self._table, store, self._config.dedupe, self._progress)
        return True

    def _mend_sequence(self) -> bool:
        """A number that is handed out twice would hide a change from those who follow the log."""
        start = (last_sequence(self._table) + 1).to_bytes(8, "big")
        newest = deque(self._table.scan("change", start), maxlen=1)
        for key, _ in newest:
            batch = self._table.batch()
            batch.put("site", SEQUENCE_KEY, key)
            self._table.write(batch)
        return bool(newest)

    def _correct_ends(self) -> None:
        """No row points behind the end of a file now, or into one that is gone."""
        batch = self._table.batch()
        sizes = {path.name: path.stat().st_size for path in archive.files(self._directory)}
        for file, end in archive_ends.written_ends(self._table).items():
            if file not in sizes:
                archive_ends.forget(batch, file)
            elif sizes[file] < end:
                archive_ends.correct(batch, file, sizes[file])
        self._table.write(batch)
