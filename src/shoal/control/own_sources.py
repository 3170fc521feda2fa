"""Which folders of one's own are read? Added, followed, listed and forgotten."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

from shoal.access.opening import is_there, open_collection, settings_at
from shoal.collection.view import TabletView
from shoal.config import Config
from shoal.engine.local_files import has_readers
from shoal.engine.mail_sources import mail_inventory
from shoal.engine.own_looks import Forgotten, Tablet, look_at, remove_source
from shoal.engine.own_sources import OwnSources, Tell, checked_path, rows, whole_path
from shoal.errors import CollectionError, UsageError
from shoal.frontier.state.view import FrontierView
from shoal.layout.crawl_row import roots_of
from shoal.layout.following import Following, read_following
from shoal.layout.layout import Layout
from shoal.loop import run
from shoal.model.document import Fate
from shoal.model.outcome import State
from shoal.model.principal import OWNER
from shoal.model.record import Struct
from shoal.model.source import FOLDER, MAIL, SourceRow, shown
from shoal.model.urls.file_url import file_url
from shoal.model.urls.rowkey import row_key
from shoal.ports import Table
from shoal.sources.disk.inventory import Inventory
from shoal.sources.inbox import AddSource, Inbox, RemoveSource
from shoal.sources.mail.address import is_imap
from shoal.store.table import RocksTable

KERNEL = "the kernel tells of each change"
LOOKED_AT = "it is looked at now and then"
SERVER = "the server tells of the inbox, other folders are asked after"
DATES = "its dates are looked at every second"
_MOST_ASKED = 10_000
"""Documents of a source that are asked whether they could be read."""


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
    asked: int = 0
    """How many of a folder's documents, the first of them, the next two numbers are of."""
    unreadable: int = 0
    """Of those, the ones that can't be read: damaged, locked, or of a format without a
    converter."""
    empty: int = 0
    """Of those, the ones that have no text."""


class Added(Struct):
    """What came of a look."""

    sources: list[SourceLine]
    read: int
    moved: int
    shared: int
    gone: int
    problem: str = ""
    handed: bool = False
    """Whether a running crawl was told, which reads them beside its visits."""


class Removed(Struct):
    path: str
    documents: int
    handed: bool = False
    """Whether a running crawl was told, which forgets it."""
    note: str = ""
    """What is still to be done, for nothing of them to be left in the collection's files."""


def add_sources(
    place: str,
    paths: Sequence[str | Path],
    settings: Mapping[str, object],
    tell: Tell | None = None,
) -> Added:
    """Read folders or files, and remember them."""
    config = settings_at(place, settings, os.environ)
    return _add(place, config, named_sources(paths), tell)


def named_sources(paths: Sequence[str | Path]) -> list[bytes]:
    """What is to be read; a UsageError when there is nothing that can be."""
    if not paths:
        raise UsageError("name a folder or a file that is to be read")
    return [checked_path(each) for each in paths]


def add_row(
    place: str, row: SourceRow, settings: Mapping[str, object], tell: Tell | None = None
) -> Added:
    """The same for what is remembered of a mailbox."""
    return _add(place, settings_at(place, settings, os.environ), [row], tell)


def _add(
    place: str, config: Config, added: Sequence[bytes | SourceRow], tell: Tell | None
) -> Added:
    layout = Layout(Path(place))
    layout.must_be_free()
    layout.close_to_others()
    if _is_with_a_crawl(layout):
        for each in added:
            row = SourceRow(FOLDER, each) if isinstance(each, bytes) else each
            Inbox(layout.inbox).post(AddSource(row))
        return Added([], 0, 0, 0, 0, handed=True)
    return run(add_to(layout.directory, config, added, tell))


def _is_with_a_crawl(layout: Layout) -> bool:
    """Whether a crawl follows the sources, which lets nobody else write."""
    following = read_following(layout)
    return following is not None and following.crawls


async def add_to(
    place: Path | Tablet,
    config: Config,
    added: Sequence[bytes | SourceRow],
    tell: Tell | None = None,
) -> Added:
    done = await look_at(place, config, added, tell=tell)
    taking = done.taking
    directory = place.directory if isinstance(place, Tablet) else place
    with RocksTable(Layout(directory).table, reader=True) as table:
        lines = [_asked_line(table, row) for row in done.rows]
    return Added(lines, taking.read, taking.moved, taking.shared, taking.gone, done.problem)


def holds_own(place: str | Path) -> bool:
    """Whether some may read more of a collection than others, because documents of people's own are
    read into it, or files with their readers; where that can't be told, it is taken to be so."""
    if not is_there(place):
        return False
    try:
        with open_collection(place) as collection:
            return any(collection.tablets.ask_all(_holds_own))
    except CollectionError:
        return True


def _holds_own(view: TabletView) -> bool:
    if next(rows(view.table), None) is not None or has_readers(view.config, roots_of(view.table)):
        return True
    files = view.store.stream(row_key("file:///"), row_key("file:///") + b"\xff", OWNER)
    return any(page.document.readers for page in files)


async def watch_all(
    places: Sequence[Tablet], config: Config, tell: Tell | None
) -> signal.Signals | None:
    """Follow the sources of these tablets until a signal comes, which is returned."""
    loop, came, watched = asyncio.get_running_loop(), list[signal.Signals](), list[OwnSources]()

    def stop(which: signal.Signals) -> None:
        came.append(which)
        for each in watched:
            each.stop()

    def listen(sources: OwnSources) -> None:
        watched.append(sources)
        for which in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(which, stop, which)

    try:
        async with asyncio.TaskGroup() as group:
            for place in places:
                group.create_task(look_at(place, config, forever=True, tell=tell, started=listen))
    except BaseExceptionGroup as faults:
        raise faults.exceptions[0] from None  # the first fault stopped the others
    finally:
        for which in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(which)
    return came[0] if came else None


def sources_of(place: str) -> list[SourceLine]:
    with open_collection(place) as collection:
        return [line for some in collection.tablets.ask_all(_asked_lines) for line in some]


def remove_source_at(place: str, path: str | Path) -> Removed:
    layout = Layout(Path(place))
    config = settings_at(place, {}, os.environ)
    layout.must_exist()
    layout.must_be_free()
    whole = name_of(path)
    if _is_with_a_crawl(layout):
        with RocksTable(layout.table, reader=True) as table:
            if all(each.name != whole for each in rows(table)):
                raise UsageError(f"{shown(whole)} is no source of this collection")
        Inbox(layout.inbox).post(RemoveSource(whole))
        return Removed(shown(whole), 0, handed=True)
    return removed(whole, run(remove_source(layout.directory, config, whole)))


def removed(name: bytes, done: Forgotten) -> Removed:
    note = "" if done.is_wiped else "their words leave the index's files with: shoal reindex"
    return Removed(shown(name), done.documents, note=note)


def name_of(path: str | Path) -> bytes:
    """What a source is remembered as."""
    return str(path).encode() if is_imap(str(path)) else whole_path(path)


def source_lines(view: TabletView) -> list[SourceLine]:
    """Of a collection that is open for reading; what a person has of their own is the owner's."""
    view.must_see_all()
    following = read_following(view.layout)
    return [line_of(view.table, row, following) for row in rows(view.table)]


def _asked_lines(view: TabletView) -> list[SourceLine]:
    """The same, with how many of their documents can't be read."""
    view.must_see_all()
    following = read_following(view.layout)
    return [_asked_line(view.table, row, following) for row in rows(view.table)]


def _asked_line(table: Table, row: SourceRow, following: Following | None = None) -> SourceLine:
    line = line_of(table, row, following)
    if row.kind != FOLDER:
        return line
    known, inventory = FrontierView(table), Inventory(table)
    single = [row.name] if inventory.get(row.name) is not None else []
    for path in islice(chain(single, inventory.below(row.name)), _MOST_ASKED):
        line.asked += 1
        url = known.url(row_key(file_url(path)))
        if url is not None and url.state is State.FETCHED:
            line.unreadable += url.reason == Fate.UNCONVERTIBLE
            line.empty += url.reason == Fate.EMPTY
    return line


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
