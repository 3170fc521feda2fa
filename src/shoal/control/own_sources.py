"""Which folders of one's own are read? Added, followed, listed and forgotten."""

import asyncio
import os
import signal
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.access.opening import settings_at
from shoal.config import Config
from shoal.engine.mail_sources import mail_inventory
from shoal.engine.own_sources import (
    OwnSources,
    Tell,
    checked_path,
    look_at,
    remove_source,
    rows,
    whole_path,
)
from shoal.errors import CollectionError, UsageError
from shoal.layout.layout import Layout, is_cluster_place
from shoal.loop import run
from shoal.model.record import Struct
from shoal.model.source import FOLDER, MAIL, SourceRow
from shoal.ports import Table
from shoal.sources.disk.inventory import Inventory
from shoal.sources.mail.address import is_imap
from shoal.store.table import RocksTable

_OTHERS = 0o077


class LeftOut(Struct):
    """What was left out for one reason."""

    reason: str
    count: int
    example: str


class SourceLine(Struct):
    """A folder or file that is read."""

    path: str
    """Or the address of an account."""
    documents: int
    whole: bool
    """Whether all of it was looked at."""
    skipped: list[LeftOut]
    problem: str
    polled: str
    kind: str = FOLDER
    """`folder` or `mail`."""


class Added(Struct):
    """What came of a look."""

    sources: list[SourceLine]
    read: int
    moved: int
    shared: int
    gone: int
    problem: str = ""


class Removed(Struct):
    path: str
    documents: int
    note: str = ""
    """What is still to be done, for nothing of them to be left in the collection's files."""


def add_sources(
    place: str,
    paths: Sequence[str | Path],
    settings: Mapping[str, object],
    tell: Tell | None = None,
) -> Added:
    """Read folders or files, and remember them."""
    config = _config(place, settings)
    added = [checked_path(each) for each in paths]
    if not added:
        raise UsageError("name a folder or a file that is to be read")
    Layout(Path(place)).must_be_free()
    close_to_others(Path(place))
    return run(_add(Path(place), config, added, tell))


def add_row(
    place: str, row: SourceRow, settings: Mapping[str, object], tell: Tell | None = None
) -> Added:
    """The same for what is remembered of a mailbox."""
    config = _config(place, settings)
    Layout(Path(place)).must_be_free()
    close_to_others(Path(place))
    return run(_add(Path(place), config, [row], tell))


def close_to_others(directory: Path) -> None:
    """What is read of a person's own is no more open than it was: the collection is its owner's."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = stat.S_IMODE(directory.stat().st_mode)
    if mode & _OTHERS:
        directory.chmod(mode & ~_OTHERS)


def holds_own(directory: Path) -> bool:
    """Whether documents of people's own are read into a collection; where that can't be told, it
    is taken to be so."""
    layout = Layout(directory)
    if is_cluster_place(str(directory)) or not layout.exists():
        return False
    try:
        with RocksTable(layout.table, reader=True) as table:
            return next(rows(table), None) is not None
    except CollectionError:
        return True


async def _add(
    place: Path, config: Config, added: Sequence[bytes | SourceRow], tell: Tell | None
) -> Added:
    done = await look_at(place, config, added, tell=tell)
    taking = done.taking
    with RocksTable(Layout(place).table, reader=True) as table:
        lines = [line_of(table, row) for row in done.rows]
    return Added(lines, taking.read, taking.moved, taking.shared, taking.gone, done.problem)


def watch_sources(
    place: str, settings: Mapping[str, object], tell: Tell | None = None
) -> signal.Signals | None:
    """Follow all sources until a signal comes, which is returned."""
    layout = Layout(Path(place))
    config = _config(place, settings)
    layout.must_exist()
    layout.must_be_free()
    return run(_watch(Path(place), config, tell))


async def _watch(place: Path, config: Config, tell: Tell | None) -> signal.Signals | None:
    loop, came = asyncio.get_running_loop(), list[signal.Signals]()

    def listen(sources: OwnSources) -> None:
        def stop(which: signal.Signals) -> None:
            came.append(which)
            sources.stop()

        for which in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(which, stop, which)

    try:
        await look_at(place, config, forever=True, tell=tell, started=listen)
    finally:
        for which in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(which)
    return came[0] if came else None


def sources_of(place: str) -> list[SourceLine]:
    _must_be_one(place)
    layout = Layout(Path(place))
    layout.must_exist()
    with RocksTable(layout.table, reader=True) as table:
        return [line_of(table, row) for row in rows(table)]


def remove_source_at(place: str, path: str | Path) -> Removed:
    layout = Layout(Path(place))
    config = _config(place, {})
    layout.must_exist()
    layout.must_be_free()
    whole = str(path).encode() if is_imap(str(path)) else whole_path(path)
    done = run(remove_source(layout.directory, config, whole))
    note = "" if done.is_wiped else "their words leave the index's files with: shoal reindex"
    return Removed(_shown(whole), done.documents, note)


def line_of(table: Table, row: SourceRow) -> SourceLine:
    if row.kind == MAIL:
        mails = mail_inventory(row, table).count()
        return SourceLine(_shown(row.name), mails, row.whole, [], row.problem, "", MAIL)
    inventory = Inventory(table)
    documents = sum(1 for _ in inventory.below(row.name)) + (inventory.get(row.name) is not None)
    skipped = [
        LeftOut(reason, left.count, left.example) for reason, left in sorted(row.skipped.items())
    ]
    shown = _shown(row.name)
    return SourceLine(shown, documents, row.whole, skipped, row.problem, row.polled)


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "backslashreplace")


def _config(place: str, settings: Mapping[str, object]) -> Config:
    _must_be_one(place)
    return settings_at(place, settings, os.environ)


def _must_be_one(place: str) -> None:
    if is_cluster_place(place):
        raise UsageError(
            f"{place} is a cluster, which reads no folders; add them to a collection of their own"
        )
