"""How is a collection replaced in one step? A crawl gathered apart, and then pointed at.

    generations/1/table, generations/1/warc     what a shadow crawl gathers
    live -> generations/1                       one rename, and it is the collection

A collection that never had a shadow has its table and archive in its own directory. `apply` makes
a new link and renames it over `live`: whoever opens the collection sees all of the old state or all
of the new. Who has it open goes on with the old, which is deleted when nobody reads it any more.
The shadow is the generation behind the live one, so that it need not be renamed, and a kill at any
moment leaves one of the two states and at most something to delete, which the next command does.

A shadow crawl holds the collection's own lock, inbox and settings: hosts are asked by one crawl at
a time, `stop` and `pause` reach it, and it keeps the waits that the live one owes to hosts.
"""

import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from shoal import faults
from shoal.collection.view import TabletView
from shoal.engine.limits import pages_of
from shoal.engine.recovery import mend_archive
from shoal.errors import CollectionError
from shoal.frontier.state.rows import EXCLUDED_KEY, HostRow, is_host_row_key
from shoal.frontier.state.view import FrontierView
from shoal.layout.crawl_row import roots_of
from shoal.layout.layout import LIVE, READERS, Layout, WriteLock, live_data
from shoal.layout.runs import RUN_KEYS
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.outcome import State
from shoal.model.record import Struct, pack, unpack
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import VisitKind
from shoal.model.words.topic import TOPIC_KEYS
from shoal.ports import Table
from shoal.store.table import RocksTable
from shoal.whole_file import put_on_disk

_GENERATIONS = "generations"
_DISCARDED = "discarded-"
_LIVE_DRAFT = ".live.new"
_LEAST = 0.5
_LEAST_UNFINISHED = 0.9
"""Of the pages that a collection has, what must have been gathered to replace them unasked."""
_DATA = ("table", "warc", "index", "graph", READERS)


class Applied(Struct):
    pages: int
    """Stored pages of the collection from now on,"""
    pages_before: int
    still_read: bool
    """Whether the old state is kept until those who read it are done."""


class ShadowStatus(Struct):
    gathered: bool
    directory: str
    pages: int = 0
    queued: int = 0
    running: bool = False


def shadow_layout(directory: Path) -> Layout:
    number = _number(live_data(directory)) + 1
    layout = Layout(directory, directory / _GENERATIONS / str(number))
    layout.status = layout.data / "status.json"
    return layout


def prepare(directory: Path, seeds: list[Link]) -> tuple[Layout, list[Link]]:
    """Where a shadow crawl gathers, and from which seeds: those given, else the collection's."""
    live, shadow = Layout(directory), shadow_layout(directory)
    live.must_exist()
    with WriteLock(live):
        clean(directory)
        shadow.create("")
        with RocksTable(live.table, reader=True) as old, RocksTable(shadow.table) as new:
            _take_over_clocks(old, new)
            roots = [] if seeds or roots_of(new) else roots_of(old)
            links = [_seed(url, FrontierView(old)) for url in roots]
    return shadow, seeds or links


def _seed(url: str, known: FrontierView) -> Link:
    """What the collection started from, read again as what it was."""
    link = Link(url, row_key(url), source=LinkSource.SEED)
    found = known.url(link.row)
    if found is not None and found.kind is VisitKind.SITEMAP:
        link.rel = int(Rel.SITEMAP)
    return link


def _take_over_clocks(old: Table, new: Table) -> None:
    """What hosts have coming (a back-off, a pause) holds for whoever asks them, and what a person
    said of them too. The runs before it stay in the list."""
    batch = new.batch()
    for key, value in old.scan("site", b"\x01"):
        if is_host_row_key(key):
            batch.put("site", key, _longer(value, new.get("site", key)))
    for first in (EXCLUDED_KEY, RUN_KEYS, TOPIC_KEYS):
        for key, value in old.scan("site", first, first + b"\xff"):
            batch.put("site", key, value)
    new.write(batch)


def _longer(value: bytes, than: bytes | None) -> bytes:
    """Of two clocks of a host the one that waits longer, with the delay by hand of the first."""
    if than is None:
        return value
    one, other = unpack(HostRow, value), unpack(HostRow, than)
    longer = one if (one.paused, one.next_ms) > (other.paused, other.next_ms) else other
    longer.own_delay_ms = one.own_delay_ms
    return pack(longer)


def status(directory: Path) -> ShadowStatus:
    Layout(directory).must_exist()
    shadow = shadow_layout(directory)
    if not shadow.exists():
        return ShadowStatus(gathered=False, directory=str(directory))
    with TabletView(shadow) as collection:
        found = collection.status()
    return ShadowStatus(
        gathered=True,
        directory=str(directory),
        pages=found.stored,
        queued=found.queued,
        running=found.running,
    )


def apply(directory: Path, *, shrink: bool = False) -> Applied:
    """Raises Busy while a crawl runs, of the collection or of its shadow. `shrink`: also if much of
    the collection would be gone."""
    live, shadow = Layout(directory), shadow_layout(directory)
    live.must_exist()
    if not shadow.exists():
        raise CollectionError(
            f"Nothing was gathered apart for {directory}; "
            f"do it with: shoal crawl --shadow --dir {directory}"
        )
    with WriteLock(live):
        with RocksTable(live.table, reader=True) as table:
            before = _stored(table)
        with RocksTable(shadow.table) as table:
            mend_archive(table, shadow.warc, time.time())
            pages, queued = _stored(table), FrontierView(table).counts()[State.QUEUED]
        if not pages:
            raise CollectionError(
                f"What was gathered apart for {directory} has no page, so it was not applied; "
                f"go on with: shoal crawl --shadow --dir {directory}"
            )
        if not shrink:
            _require_as_much(directory, before, pages, queued)
        for path in (shadow.warc, shadow.table, shadow.data, shadow.data.parent):
            put_on_disk(path)
        faults.point("shadow.checked")
        _point_at(directory, shadow.data)
        faults.point("shadow.applied")
        return Applied(pages, before, still_read=not clean(directory))


def _require_as_much(directory: Path, before: int, pages: int, queued: int) -> None:
    """What was gathered apart may be the half of it that there was time for."""
    least = _LEAST_UNFINISHED if queued else _LEAST
    if pages >= least * before:
        return
    wait = "URL still waits" if queued == 1 else "URLs still wait"
    waiting = f", and {queued:,} {wait}" if queued else ""
    goes_on = f"go on with: shoal crawl --shadow --dir {directory}, or " if queued else ""
    raise CollectionError(
        f"{directory} has {before:,} pages, what was gathered apart only {pages:,}{waiting}, so it "
        f"was not applied; {goes_on}apply it all the same with: "
        f"shoal shadow apply --shrink --dir {directory}"
    )


def _stored(table: Table) -> int:
    return pages_of(FrontierView(table).counts())


def _point_at(directory: Path, data: Path) -> None:
    draft = directory / _LIVE_DRAFT
    try:
        draft.unlink(missing_ok=True)
        draft.symlink_to(data.relative_to(directory))
        draft.replace(directory / LIVE)
        put_on_disk(directory)
    except OSError as error:
        raise CollectionError(
            f"{directory / LIVE} can't be made a link: {error.strerror or error}; "
            "the collection is as it was."
        ) from error


def discard(directory: Path) -> None:
    live, shadow = Layout(directory), shadow_layout(directory)
    live.must_exist()
    if not shadow.exists():
        raise CollectionError(f"Nothing was gathered apart for {directory}.")
    with WriteLock(live):
        away = shadow.data.with_name(_DISCARDED + secrets.token_hex(4))
        shadow.data.rename(away)
        faults.point("shadow.discarded")
        clean(directory)


def clean(directory: Path) -> bool:
    """Delete what is neither live nor gathered apart, but for what somebody still reads. Returns
    whether all of it is gone. The caller holds the lock."""
    return all([_delete(data, directory) for data in _outdated(directory)])  # noqa: C419 - each one


def _outdated(directory: Path) -> Iterator[Path]:
    live = live_data(directory)
    if live != directory and (directory / "table").exists():
        yield directory
    keep = {live, shadow_layout(directory).data}
    generations = directory / _GENERATIONS
    if generations.is_dir():
        yield from (path for path in sorted(generations.iterdir()) if path not in keep)


def _delete(data: Path, directory: Path) -> bool:
    fd = os.open(data / READERS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        faults.point("shadow.cleaning")
        if data != directory:
            shutil.rmtree(data)
            return True
        for name in reversed(_DATA):  # the table last: without it there is nothing to clean
            path = data / name
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True


def _number(data: Path) -> int:
    return int(data.name) if data.parent.name == _GENERATIONS and data.name.isdigit() else 0
