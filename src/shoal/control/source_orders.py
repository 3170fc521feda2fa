"""How is a source added, forgotten or looked at without waiting for its documents?

Whoever writes to the collection takes the order from its inbox: a crawl, or whoever follows the
sources. Where nobody does it is carried out at once, but for the reading: that is left to whoever
follows them next. What a person named is checked first, with the sentences of the command line.
"""

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from shoal.access.opening import settings_at
from shoal.clock import SystemClock
from shoal.config import Config
from shoal.engine.engine import Engine
from shoal.engine.mail_sources import mail_row
from shoal.engine.own_sources import OwnSources, checked_path
from shoal.errors import Busy, UsageError
from shoal.layout.layout import Layout, is_locked
from shoal.layout.sources import disk_settings, rows
from shoal.loop import run
from shoal.model.source import FOLDER, SourceRow, shown
from shoal.sources.disk.left_out import left_out
from shoal.sources.inbox import AddSource, Inbox, LookAtSource, RemoveSource
from shoal.store.table import RocksTable


def order_folder(place: str, path: str) -> bool:
    """Have a folder or a file read. Returns whether somebody writes now, who takes it in."""
    row = SourceRow(FOLDER, checked_path(path), added=SystemClock().now())
    return _order(place, AddSource(row))


def order_mailbox(place: str, mailbox: str, password_file: str, owner: str) -> bool:
    """The same of a mailbox, whose server is asked first."""
    row = mail_row(mailbox, password_file or None, owner, SystemClock().now())
    return _order(place, AddSource(row))


def order_removal(place: str, name: str) -> bool:
    """Have a source forgotten, by its name as it is shown."""
    return _order(place, RemoveSource(_known(place, name).name))


def order_look(place: str, name: str = "") -> bool:
    """Have all of a source looked at now, or all of them."""
    return _order(place, LookAtSource(_known(place, name).name if name else b""))


def skipped_in(place: str, name: str, reason: str, at_most: int) -> list[str]:
    """Which files and folders of a source are left out now for a reason, as far as they are found
    in a few seconds."""
    row = _known(place, name)
    if row.kind != FOLDER:
        return []
    config = settings_at(place, {}, os.environ)
    settings = disk_settings(config, Layout(Path(place)))
    found: Iterator[bytes] = left_out(row.name, settings, reason)
    return [shown(each) for each in islice(found, at_most)]


def _known(place: str, name: str) -> SourceRow:
    with RocksTable(Layout(Path(place)).table, reader=True) as table:
        for row in rows(table):
            if shown(row.name) == name:
                return row
    raise UsageError(f"{name} is no source of this collection")


def _order(place: str, order: AddSource | RemoveSource | LookAtSource) -> bool:
    config, layout = settings_at(place, {}, os.environ), Layout(Path(place))
    layout.must_exist()
    layout.close_to_others()
    if not is_locked(layout):
        try:
            run(_carry_out(layout, config, order))
        except Busy:
            pass  # somebody has just begun to write
        else:
            return False
    Inbox(layout.inbox).post(order)
    return True


async def _carry_out(
    layout: Layout, config: Config, order: AddSource | RemoveSource | LookAtSource
) -> None:
    if isinstance(order, LookAtSource):
        return  # who follows them next looks at all of them first
    engine = Engine(layout.directory, config, at_rest=True)
    try:
        sources = OwnSources(engine)
        if isinstance(order, AddSource):
            sources.add(order.source)
            engine.sync()
        else:
            await sources.remove(order.name)
    finally:
        await engine.close()
