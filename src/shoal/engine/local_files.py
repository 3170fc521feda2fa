"""How are files of this machine crawled? Those that were crawled before are looked at again, which
costs no more than a look at their dates: new files of a folder are seen, and those that were
deleted go. A file has its own readers, and so the collection is its owner's."""

import os
from collections.abc import Iterable
from functools import partial
from itertools import islice

from shoal.config import Config
from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.outcome.queue_order import URGENT
from shoal.frontier.state.rows import row_of_url_key
from shoal.layout.layout import Layout
from shoal.model.access import is_within
from shoal.model.link import LinkSource
from shoal.model.urls.file_url import path_of_file_url
from shoal.model.urls.rowkey import row_key, url_of
from shoal.ports import Batch, Table
from shoal.sources.disk.permissions import readers_at

_LOCAL = "file:"
_AT_ONCE = 1_000


def look_again(table: Table, frontier: DiskFrontier, roots: Iterable[str]) -> None:
    """Queue all that is known below the local roots of a crawl."""
    for root in roots:
        if not root.startswith(_LOCAL):
            continue
        start = row_key(root)
        keys = (key for key, _ in table.scan("page", start, start + b"\xff"))
        rows = filter(None, map(row_of_url_key, keys))
        while some := list(islice(rows, _AT_ONCE)):
            frontier.change(partial(_hasten, frontier, some))


def _hasten(frontier: DiskFrontier, rows: list[bytes], batch: Batch, now: float) -> None:
    for row in rows:
        known = frontier.urls.read(row)
        if known is None or known.source is LinkSource.INJECT:
            continue  # a document inside another follows it, and is never asked for
        frontier.discovery.hasten(batch, row, URGENT, now)


def has_readers(config: Config, roots: Iterable[str]) -> bool:
    """Whether a crawl takes documents that may not be for everybody."""
    return config.files.readers == "file" and any(root.startswith(_LOCAL) for root in roots)


def keep_to_owner(layout: Layout, config: Config, roots: Iterable[str]) -> None:
    """What is taken from files is no more open than they are."""
    if has_readers(config, roots):
        layout.close_to_others()


def may_name(source: bytes, target: bytes) -> bool:
    """Whether a file that only some may read leads to another: when all who may read that one may
    read it, too, so that nobody learns from what is there of what they may not read. A folder leads
    to all that is in it: it is the way of the crawl, and no document."""
    named, name = url_of(target), url_of(source)
    if not (named.startswith(_LOCAL) and name.startswith(_LOCAL)):
        return False
    path = path_of_file_url(name)
    if os.path.isdir(path):  # noqa: PTH112 - a path that need not be text
        return True
    try:
        return is_within(readers_at(path_of_file_url(named)), readers_at(path))
    except OSError:
        return False
