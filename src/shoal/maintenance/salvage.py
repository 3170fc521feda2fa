"""What if the table itself is damaged? What still reads of it, and the rest out of the archive.

A new table is made beside the damaged one: first everything that RocksDB can still read, then every
visit that the archive holds and no row knows, made again (engine/replaying.py). When it is whole it
takes the place of the damaged one, which is kept in `damaged/`. A kill before that leaves things as
they were; one in the middle of it is put right by the next repair.
"""

import asyncio
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.clock import as_datetime
from shoal.config import Config
from shoal.duplicates.family import FAMILY
from shoal.engine.engine import Engine
from shoal.engine.replaying import Replayed
from shoal.frontier.audit.rebuild import rebuild
from shoal.frontier.state.rows import unpack_url, url_key
from shoal.layout.identity import TabletIdentity, partition_of
from shoal.layout.index_state import read_state
from shoal.layout.layout import DAMAGED, Layout, WriteLock
from shoal.maintenance.verify import Progress
from shoal.model.cell import to_ms
from shoal.model.document import WarcLocation
from shoal.model.outcome import Outcome
from shoal.model.record import Struct, pack, unpack
from shoal.model.source import STOCK_KEYS
from shoal.model.urls.partition import PARTITION_KEY
from shoal.model.urls.rowkey import row_key, site_of_key, url_of
from shoal.model.visit import SOURCES
from shoal.ports import Table
from shoal.store import archive
from shoal.store.archived_visits import ArchivedVisit, archived_visits
from shoal.store.cells import Cells
from shoal.store.change_log import SEQUENCE_KEY
from shoal.store.remains import Remains
from shoal.store.rows import FETCH, LINKS, TEXT, VISIT, FetchRow, VisitRow
from shoal.store.table import FAMILIES, RocksTable
from shoal.whole_file import put_on_disk

_WHOLE = "whole"
_CELLS_AT_ONCE = 2000
_ORDER = b"v"
_BODY = b"d"


class Salvaged(Struct):
    """What was made of a damaged table."""

    why: str
    """What was wrong with it."""
    set_aside: str
    """Where it is now; empty when there was nothing left of it."""
    cells: int = 0
    """That still read."""
    gaps: list[str] = []
    """Where it did not read: the family, and the last URL or key before it."""
    seeds_guessed: bool = False
    """Whether what the crawl had started from was lost with it."""
    files_lost: bool = False
    """Whether files of it were lost as a whole, so that nobody can say what they held."""


def is_waiting(layout: Layout) -> bool:
    """Whether a table that was made anew waits to be put in its place."""
    return (layout.salvage / _WHOLE).exists()


def salvage(
    layout: Layout,
    config: Config,
    identity: TabletIdentity | None,
    why: str,
    progress: Progress,
) -> tuple[Salvaged, Replayed]:
    fresh = Layout(layout.directory, layout.salvage)
    done = Salvaged(why, "")
    if not is_waiting(layout):
        with WriteLock(layout):
            shutil.rmtree(fresh.data, ignore_errors=True)
            fresh.data.mkdir(parents=True)
            fresh.warc.symlink_to(Path("..") / layout.warc.name)
            progress("Reading what is left of the table …")
            _copy_remains(layout, fresh, identity, done)
        replayed = take_from_archive(fresh, config, identity, progress, thorough=True, done=done)
        (fresh.data / _WHOLE).touch()
    else:
        replayed = Replayed()
    with WriteLock(layout):
        done.set_aside = _put_in_place(layout, fresh)
    return done, replayed


def _copy_remains(
    layout: Layout, fresh: Layout, identity: TabletIdentity | None, done: Salvaged
) -> None:
    scratch = fresh.data / "remains"
    with Remains(layout.table, scratch) as remains, RocksTable(fresh.table) as table:
        batch = table.batch()
        for family in FAMILIES:
            # Groups of pages that may be lost: they are made anew when all is there.
            for key, value in remains.pairs(family) if family != FAMILY else ():
                if family == "site" and key.startswith(STOCK_KEYS):
                    continue  # no archive has what sources hold: the next look reads it again
                batch.put(family, key, value)
                done.cells += 1
                if len(batch) >= _CELLS_AT_ONCE:
                    table.write(batch)
                    batch = table.batch()
        if identity is not None and table.get("site", PARTITION_KEY) is None:
            batch.put("site", PARTITION_KEY, pack(identity.partition))
        table.write(batch)
        _number_changes(table, layout)
        rebuild(table, time.time())
        done.gaps = [f"{gap.family}: {_shown(gap.after)}" for gap in remains.gaps]
        done.files_lost = ".sst" in done.why or any(scratch.glob("lost/*.sst"))
    shutil.rmtree(scratch, ignore_errors=True)


def _number_changes(table: RocksTable, layout: Layout) -> None:
    """Where the last number of the change log is lost, go on behind every number that anybody can
    have seen: else those who follow the log would take the table for an empty one."""
    if table.get("site", SEQUENCE_KEY) is not None:
        return
    logged = max((int.from_bytes(key, "big") for key, _ in table.scan("change", b"")), default=0)
    state = read_state(layout)
    batch = table.batch()
    for key, _ in table.scan("change", b""):  # the index is made anew, and a log has no gap
        batch.delete("change", key)
    last = max(logged, 0 if state is None else state.position) + 1
    batch.put("site", SEQUENCE_KEY, last.to_bytes(8, "big"))
    table.write(batch)


def _shown(key: bytes) -> str:
    try:
        return url_of(key.partition(b"\x00")[0])
    except ValueError:
        return repr(key)


def _put_in_place(layout: Layout, fresh: Layout) -> str:
    """Both are renamed; whoever is killed in between is told to run it again, and comes here."""
    aside = ""
    if layout.exists():
        stamp = as_datetime(time.time()).strftime("%Y%m%d-%H%M%S")
        target = free_name(layout, f"table-{stamp}")
        layout.table.rename(target)
        aside = str(target.relative_to(layout.directory))
    fresh.table.rename(layout.table)
    put_on_disk(layout.data)
    shutil.rmtree(fresh.data, ignore_errors=True)
    return aside


def free_name(layout: Layout, name: str) -> Path:
    """Where something damaged can be put aside under its own name, or one like it."""
    place = layout.directory / DAMAGED
    place.mkdir(exist_ok=True)
    target, number = place / name, 1
    while target.exists():
        number += 1
        target = place / f"{name}-{number}"
    return target


# --- out of the archive -----------------------------------------------------------------------


def lacks_visits(table: Table, directory: Path) -> bool:
    """Whether the archive holds a visit that no row knows."""
    cells = Cells(table)
    return any(is_lacking(table, cells, each) for each in archived_visits(directory))


def is_lacking(
    table: Table, cells: Cells, archived: ArchivedVisit, *, thorough: bool = False
) -> bool:
    """Whether a row does not know of this visit, or of a later one. `thorough`: or has lost what
    the visit brought. A tablet also has records of pages of others, whose body its own share."""
    try:
        row = row_key(archived.url)
    except ValueError:
        return False  # no URL of ours
    if not partition_of(table).owns(site_of_key(row)):
        return False
    stored, newest = table.get("page", url_key(row)), cells.get(row, VISIT)
    if stored is None or newest is None:
        return True
    visit = unpack(VisitRow, newest.value)
    if int(visit.started) < archived.when:
        return True
    is_page = unpack_url(stored).kind not in SOURCES
    if not thorough or not is_page or visit.outcome not in (Outcome.OK, Outcome.UNCHANGED):
        return False
    page, text = cells.get(row, FETCH), cells.get(row, TEXT)
    if page is None or cells.get(row, LINKS) is None:
        return True
    has_text = bool(unpack(FetchRow, page.value).document.text_digest)
    return has_text and (text is None or to_ms(text.when) != to_ms(page.when))


def take_from_archive(  # noqa: PLR0913 - a collection, who it is, and how much is wanted
    layout: Layout,
    config: Config,
    identity: TabletIdentity | None,
    progress: Progress,
    *,
    thorough: bool = False,
    done: Salvaged | None = None,
) -> Replayed:
    """Make the visits again that the archive holds and the rows do not."""
    progress("Looking through the archive …")
    with _scratch(layout) as scratch:
        roots = _list_visits(layout.warc, scratch)
        return asyncio.run(_replay(layout, config, identity, scratch, roots, thorough, done))


async def _replay(  # noqa: PLR0913 - likewise
    layout: Layout,
    config: Config,
    identity: TabletIdentity | None,
    scratch: Table,
    roots: list[str],
    thorough: bool,
    done: Salvaged | None,
) -> Replayed:
    engine = Engine(layout, config, at_rest=True, identity=identity)
    try:
        if done is not None:
            done.seeds_guessed = not engine.roots and bool(roots)
        table = engine.table
        cells = Cells(table)
        visits = (
            visit
            for visit in _in_order(scratch)
            if is_lacking(table, cells, visit, thorough=thorough)
        )
        replaying = engine.replaying(roots)
        replayed = await replaying.replay(
            layout.warc, visits, lambda digest: _body_of(scratch, digest), counted=thorough
        )
        engine.sync()
        return replayed
    finally:
        await engine.close()


@contextmanager
def _scratch(layout: Layout) -> Iterator[RocksTable]:
    """What is gone through twice stands on disk: an archive may have more records than memory."""
    path = layout.data / ".archived-visits"
    shutil.rmtree(path, ignore_errors=True)
    try:
        with RocksTable(path, reader=False) as table:
            yield table
    finally:
        shutil.rmtree(path, ignore_errors=True)


def _list_visits(directory: Path, scratch: Table) -> list[str]:
    """By time, and bodies by digest. Returns the first page of each site: what a crawl whose seeds
    are lost may have started from."""
    first: dict[bytes, tuple[float, str]] = {}
    batch, count = scratch.batch(), 0
    for visit in archived_visits(directory):
        place = visit.response
        key = b"%s%012d\x00%s\x00%012d" % (
            _ORDER,
            int(visit.when),
            place.file.encode(),
            place.offset,
        )
        batch.put("text", key, pack(visit))
        if not visit.is_revisit and visit.digest:
            batch.put("text", _BODY + visit.digest.encode(), pack(place))
        try:
            site = site_of_key(row_key(visit.url))
        except ValueError:
            continue
        first[site] = min(first.get(site, (visit.when, visit.url)), (visit.when, visit.url))
        count += 1
        if count % _CELLS_AT_ONCE == 0:
            scratch.write(batch)
            batch = scratch.batch()
    scratch.write(batch)
    return [url for _, url in sorted(first.values())]


def _in_order(scratch: Table) -> Iterator[ArchivedVisit]:
    for _, value in scratch.scan("text", _ORDER, _ORDER + b"\xff"):
        yield unpack(ArchivedVisit, value)


def _body_of(scratch: Table, digest: str) -> WarcLocation | None:
    found = scratch.get("text", _BODY + digest.encode())
    return None if found is None else unpack(WarcLocation, found)


def has_archive(layout: Layout) -> bool:
    return any(True for _ in archive.files(layout.warc))
