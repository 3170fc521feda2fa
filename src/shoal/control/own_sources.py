"""Which folders of one's own are read? Added, listed and forgotten."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from shoal.access.opening import settings_at
from shoal.collection.view import TabletView
from shoal.config import Config
from shoal.engine.mail_sources import mail_inventory
from shoal.engine.own_sources import (
    Tell,
    checked_path,
    look_at,
    remove_source,
    rows,
    whole_path,
)
from shoal.errors import CollectionError, UsageError
from shoal.layout.following import Following, read_following
from shoal.layout.layout import Layout, is_cluster_place
from shoal.loop import run
from shoal.model.record import Struct
from shoal.model.source import FOLDER, MAIL, SourceRow, shown
from shoal.ports import Table
from shoal.sources.disk.inventory import Inventory
from shoal.sources.mail.address import is_imap
from shoal.store.table import RocksTable

_OTHERS = 0o077
KERNEL = "the kernel tells of each change"
LOOKED_AT = "it is looked at now and then"
SERVER = "the server tells of the inbox, other folders are asked after"
DATES = "its dates are looked at every second"


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
    added: float = 0.0
    """Unix seconds, as all times here."""
    looked: float = 0.0
    """When a look at all of it last came to its end, as far as that is known."""
    state: str = ""
    """`waiting`, `looking`, `followed`; empty: nobody follows it now."""
    done: int = 0
    """Documents taken in, moved, shared or removed since it is followed."""
    told_by: str = ""
    """How changes come to be known; empty while nobody follows it."""


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


def add_sources(
    place: str,
    paths: Sequence[str | Path],
    settings: Mapping[str, object],
    tell: Tell | None = None,
) -> Added:
    """Read folders or files, and remember them."""
    config = config_of(place, settings)
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
    config = config_of(place, settings)
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


def sources_of(place: str) -> list[SourceLine]:
    _must_be_one(place)
    layout = Layout(Path(place))
    layout.must_exist()
    following = read_following(layout)
    with RocksTable(layout.table, reader=True) as table:
        return [line_of(table, row, following) for row in rows(table)]


def remove_source_at(place: str, path: str | Path) -> Removed:
    layout = Layout(Path(place))
    config = config_of(place, {})
    layout.must_exist()
    layout.must_be_free()
    whole = str(path).encode() if is_imap(str(path)) else whole_path(path)
    gone = run(remove_source(layout.directory, config, whole))
    return Removed(shown(whole), gone)


def source_lines(view: TabletView) -> list[SourceLine]:
    """Of a collection that is open for reading; what a person has of their own is the owner's."""
    view.must_see_all()
    following = read_following(view.layout)
    return [line_of(view.table, row, following) for row in rows(view.table)]


def line_of(table: Table, row: SourceRow, following: Following | None = None) -> SourceLine:
    line = _line_at_rest(table, row)
    line.added, line.looked = row.added, row.looked
    followed = () if following is None else following.sources
    for each in followed:
        if each.name == line.path:
            line.state, line.done, line.problem = each.state, each.done, each.problem
            line.looked = max(line.looked, each.looked)
            line.told_by = _told_by(row)
    return line


def _told_by(row: SourceRow) -> str:
    if row.kind != MAIL:
        return LOOKED_AT if row.polled else KERNEL
    return SERVER if is_imap(os.fsdecode(row.name)) else DATES


def _line_at_rest(table: Table, row: SourceRow) -> SourceLine:
    if row.kind == MAIL:
        mails = mail_inventory(row, table).count()
        left_out = _left_out(row)
        return SourceLine(shown(row.name), mails, row.whole, left_out, row.problem, "", MAIL)
    inventory = Inventory(table)
    documents = sum(1 for _ in inventory.below(row.name)) + (inventory.get(row.name) is not None)
    name = shown(row.name)
    return SourceLine(name, documents, row.whole, _left_out(row), row.problem, row.polled)


def _left_out(row: SourceRow) -> list[LeftOut]:
    return [
        LeftOut(reason, left.count, left.example) for reason, left in sorted(row.skipped.items())
    ]


def config_of(place: str, settings: Mapping[str, object]) -> Config:
    _must_be_one(place)
    return settings_at(place, settings, os.environ)


def _must_be_one(place: str) -> None:
    if is_cluster_place(place):
        raise UsageError(
            f"{place} is a cluster, which reads no folders; add them to a collection of their own"
        )
