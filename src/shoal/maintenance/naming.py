"""Whom do stored pages name? Those that were read without looking for names are marked now.

A crawl marks pages as it reads them (the setting understand.entities). Here the stored texts are
read again, some at a time: each slice is one batch, and what has its marks already is not written.
So a kill costs the slice in work, and who begins again comes to the same end.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from shoal import faults
from shoal.config import Config
from shoal.errors import UsageError
from shoal.fleet.at_rest import tablets_at_rest
from shoal.layout.layout import Layout, WriteLock
from shoal.loop import run
from shoal.model.compression import unzstd
from shoal.model.content import content_text
from shoal.model.principal import OWNER
from shoal.model.record import Struct
from shoal.naming import names
from shoal.store.pages import EVERYTHING, PageStore
from shoal.store.table import RocksTable
from shoal.worker.naming import Names

Progress = Callable[[int], None]

_ROWS_AT_ONCE = 200
_CHARS_AT_ONCE = 8_000_000


class NamesMarked(Struct):
    """What was done."""

    documents: int = 0
    """That were looked at."""
    read: int = 0
    """Those with a text in a language that has a model."""
    named: int = 0
    """Those that name somebody."""
    changed: int = 0
    """Those whose marks were written or taken back."""


class _Text(NamedTuple):
    row: bytes
    text: str
    language: str


def mark_names(place: str | Path, config: Config, told: Progress) -> NamesMarked:
    """Each tablet; `told` is handed how many documents were looked at. Raises Busy while another
    process writes to the collection."""
    if names.native is None:
        raise UsageError(
            "Names can't be found: the module that reads for them is not compiled; "
            "`shoal doctor` says more."
        )
    done = NamesMarked()
    for directory in tablets_at_rest(place):
        layout = Layout(directory)
        layout.must_exist()
        with WriteLock(layout), RocksTable(layout.table) as table:
            store = PageStore(table, layout.warc, config.crawl.versions)
            run(_mark(store, config.crawl.child_count, done, told))
            table.sync()
    return done


async def _mark(store: PageStore, processes: int, done: NamesMarked, told: Progress) -> None:
    readers = Names(processes)
    try:
        for some in _slices(_texts(store, done)):
            found = await readers.of_all((each.text, each.language) for each in some)
            batch, now = store.batch(), time.time()
            for each, marks in zip(some, found, strict=True):
                new = _changes(store.marks(each.row, OWNER), dict(marks))
                done.named += any(value for _, value in marks)
                if new:
                    store.mark(batch, each.row, new, now)
                    done.changed += 1
            store.commit(batch)
            faults.point("entities.slice")
            told(done.documents)
    finally:
        await readers.close()


def _changes(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in now.items() if value != before.get(name, "")}


def _texts(store: PageStore, done: NamesMarked) -> Iterator[_Text]:
    for page in store.stream(b"", None, OWNER, EVERYTHING):
        done.documents += 1
        whole = store.whole(page.row, OWNER)
        if whole is None or not whole.document.text:
            continue
        document = whole.document
        text = unzstd(document.text).decode("utf-8", "replace")
        if names.can_read(document.language):
            done.read += 1
            content = content_text(text, document.line_scores) or text
            yield _Text(page.row, content[: names.MOST_CHARS], document.language)


def _slices(texts: Iterable[_Text]) -> Iterator[list[_Text]]:
    """Of bounded size."""
    rest = iter(texts)
    while some := list(islice(rest, 1)):
        size = len(some[0].text)
        while size < _CHARS_AT_ONCE and len(some) < _ROWS_AT_ONCE and (more := next(rest, None)):
            some.append(more)
            size += len(more.text)
        yield some
