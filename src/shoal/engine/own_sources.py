"""Which folders are the sources of a collection, and how are they followed?

The rows of the sources stand in the table. A run looks at all of each once, and may go on to follow
what changes. It is no crawl: nobody is asked for anything, and while nothing changes nothing is
written.
"""

import asyncio
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

from shoal.config import Config
from shoal.engine.engine import Engine
from shoal.engine.mail_sources import account_of, mail_inventory, mail_source
from shoal.engine.own_documents import CpuShare, Taking
from shoal.engine.own_tidying import Tidying
from shoal.errors import UsageError
from shoal.fetch.answer import Content, media_type, succeeded
from shoal.indexer.indexing import make_anew
from shoal.model.record import pack, unpack
from shoal.model.source import FOLDER, MAIL, SOURCE_KEYS, SourceRow, source_key
from shoal.model.source_change import Gone
from shoal.model.urls.file_url import file_url
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import Fetched
from shoal.ports import DocumentSource, Table
from shoal.sources.disk.filesystem import read_when_idle
from shoal.sources.disk.folder import FolderSource
from shoal.sources.disk.inventory import Inventory
from shoal.sources.disk.listing import DiskSettings
from shoal.sources.mail.identity import url_of_mail

_FILES = b"file:"
_LOOK_SECONDS = 1.0
_FEW = 20
"""Of a first look; more of its documents come into the index in their turn, for less."""
_MOST_ANEW, _ANEW_SHARE = 20_000, 20
"""Documents that are left, for the index to be made anew when others are forgotten: so many, and so
many for each of those."""
_BEFORE_FIRST_TELL_SECONDS = 0.2

Tell = Callable[[Taking], None]
"""Is told now and then what was done."""


def rows(table: Table) -> Iterator[SourceRow]:
    """All sources, by their names."""
    for _, stored in table.scan("site", SOURCE_KEYS, SOURCE_KEYS[:-1] + b"\x01"):
        yield unpack(SourceRow, stored)


def checked_path(given: str | Path) -> bytes:
    """The whole path of a folder or file that a person named, as the disk has it."""
    if not str(given).strip() or given == Path():
        raise UsageError("an empty name is no folder and no file")
    path = whole_path(given)
    shown = path.decode("utf-8", "backslashreplace")
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a path that need not be text
        if stat.S_ISDIR(mode):
            os.scandir(path).close()
        elif stat.S_ISREG(mode):
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
        else:
            raise UsageError(f"{shown} is neither a folder nor a file")
    except OSError as error:
        raise UsageError(f"{shown} can't be read: {error.strerror}") from error
    return path


def whole_path(given: str | Path) -> bytes:
    """Without symbolic links: each file has one name."""
    try:
        return os.fsencode(Path(given).expanduser().resolve())
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"{given} is no path: {error}") from error


class OwnSources:
    """The sources of a collection that is open for writing."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        config = engine.config
        self._tidying = Tidying(engine.table)
        self._documents = engine.own_documents(self._tidying)
        self._index = engine.follow_index()
        self._threads = ThreadPoolExecutor(initializer=read_when_idle)
        self._share = CpuShare(config.files.share, engine.cpu_seconds)
        self._over = asyncio.Event()
        self._written: dict[bytes, bytes] = {}
        self._forgotten = 0
        self._at_once: int | None = None
        """Documents that come together and are found at once; None: all."""

    @property
    def taking(self) -> Taking:
        return self._documents.taking

    @property
    def problem(self) -> str:
        """Why not everything is indexed."""
        return "" if self._index is None else self._index.problem

    def stop(self) -> None:
        self._over.set()

    # --- which there are --------------------------------------------------------------------

    def add(self, given: bytes | SourceRow) -> None:
        """Remember a folder or a file, by its path, or a mailbox."""
        now = self._engine.clock.now()
        row = SourceRow(FOLDER, given, added=now) if isinstance(given, bytes) else given
        stored = self._engine.table.get("site", source_key(row.kind, row.name))
        if stored is None:
            self._write(row)
        elif row.kind == MAIL:  # what a person says anew of a known one holds from now on
            known = unpack(SourceRow, stored)
            known.secret, known.owner = row.secret, row.owner
            self._write(known)

    async def remove(self, path: bytes) -> int:
        """Forget a source, and what no other source holds. Returns how many documents went."""
        table = self._engine.table
        mailbox = table.get("site", source_key(MAIL, path))
        if mailbox is not None:
            return await self._remove_mailbox(unpack(SourceRow, mailbox))
        others = [each.name for each in rows(table) if each.name != path]
        source, inventory = self._folder(SourceRow(FOLDER, path)), Inventory(table)
        held = list(inventory.below(path))
        if inventory.get(path) is not None:
            held.append(path)
        going = [each for each in held if not any(_is_in(each, other) for other in others)]
        self._start()
        try:
            for each in going:
                self._documents.remove(source, Gone(file_url(each)))
            await self._tidy()
            self._delete(source_key(FOLDER, path))
        finally:
            await self._end()
        return len(going)

    async def _remove_mailbox(self, row: SourceRow) -> int:
        table, account = self._engine.table, account_of(row)
        inventory, source = mail_inventory(row, table), mail_source(row, table, self._engine.clock)
        self._start()
        try:
            gone = 0
            for digest, _ in inventory.mails():
                self._documents.remove(source, Gone(url_of_mail(account, digest)))
                gone += 1
            inventory.clear()
            await self._tidy()
            self._delete(source_key(MAIL, row.name))
        finally:
            source.close()
            await self._end()
        return gone

    def _delete(self, key: bytes) -> None:
        batch = self._engine.table.batch()
        batch.delete("site", key)
        self._engine.table.write(batch)

    async def _tidy(self) -> None:
        """What has gone is to be gone from the table's files."""
        if self._tidying.is_owed:
            own = [_rows_begin_with(row) for row in rows(self._engine.table)]
            await self._in_thread(partial(self._tidying.rewrite, self._tidying.begin(own)))
            self._tidying.end()

    async def _keep_tidy(self) -> None:
        while True:
            await asyncio.sleep(self._engine.config.files.sweep)
            await self._tidy()

    def _source(self, row: SourceRow) -> DocumentSource:
        if row.kind == MAIL:
            return mail_source(row, self._engine.table, self._engine.clock)
        return self._folder(row)

    def _folder(self, row: SourceRow) -> FolderSource:
        files, layout = self._engine.config.files, self._engine.layout
        never = {whole_path(each) for each in (layout.directory, layout.data)}
        settings = DiskSettings(
            hidden=files.hidden == "yes",
            mounts=files.mounts == "yes",
            ignore=tuple(files.ignore),
            max_bytes=files.max_size,
            most_watches=files.max_watches,
            sweep_seconds=files.sweep,
            poll_seconds=files.poll,
            never=tuple(never),
        )
        return FolderSource(self._engine.table, row, settings, self._engine.clock, _as_fetched)

    def _write(self, row: SourceRow) -> None:
        """Only when it says something else than before."""
        key, value = source_key(row.kind, row.name), pack(row)
        before = self._written.get(key) or self._engine.table.get("site", key)
        if before != value:
            batch = self._engine.table.batch()
            batch.put("site", key, value)
            self._engine.table.write(batch)
        self._written[key] = value

    # --- a run ------------------------------------------------------------------------------

    async def run(
        self,
        paths: Sequence[bytes] | None = None,
        *,
        forever: bool = False,
        tell: Tell | None = None,
    ) -> None:
        """Look at all sources, or at these; with `forever` follow them until it is stopped."""
        chosen = [each for each in rows(self._engine.table) if paths is None or each.name in paths]
        sources: list[DocumentSource] = [self._source(row) for row in chosen]
        self._start()
        beside = [asyncio.create_task(self._keep_telling(tell))]
        try:
            for source in sources:
                if forever:
                    await self._in_thread(source.watch)
                self._at_once = None if source.row().whole else _FEW
                await self._look(source, everything=True)
            self._at_once = None
            self._engine.sync()
            if not self._over.is_set():
                await self._tidy()
            if forever:
                beside.append(asyncio.create_task(self._keep_tidy()))
                async with asyncio.TaskGroup() as group:
                    for source in sources:
                        group.create_task(self._follow(source))
                    if not sources:
                        await self._over.wait()
        finally:
            for each in beside:
                each.cancel()
            for source in sources:
                source.close()
            await self._end()

    def _start(self) -> None:
        if self._index is not None:
            self._index.start_patiently()

    async def _end(self) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._engine.sync()
        if self._index is not None:
            await self._index.finish()

    async def _look(self, source: DocumentSource, *, everything: bool) -> None:
        take = self._documents.take
        if await take(source, self._threads, self._rest, everything=everything):
            self._write(source.row())

    async def _rest(self) -> bool:
        """Between two lists of changes; whether to go on."""
        self._hurry()
        await self._share.rest()
        return not self._over.is_set()

    async def _follow(self, source: DocumentSource) -> None:
        loop = asyncio.get_running_loop()
        is_synced = True
        while not self._over.is_set():
            waiting = loop.run_in_executor(self._threads, source.wait, _LOOK_SECONDS)
            if await waiting:
                await self._look(source, everything=False)
                is_synced = False
            elif not is_synced:
                self._engine.sync()
                is_synced = True
            self._hurry()

    def _hurry(self) -> None:
        """What was taken in is to be found at once; what the index has is forgotten in the log."""
        if self._index is None:
            return
        self._index.hurry(self._at_once)
        position = self._index.position
        if position != self._forgotten:
            self._index.forget()
            self._forgotten = position

    async def _keep_telling(self, tell: Tell | None) -> None:
        while tell is not None:
            tell(self.taking)
            await asyncio.sleep(_BEFORE_FIRST_TELL_SECONDS)

    async def _in_thread(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._threads, work)


class Forgotten(NamedTuple):
    documents: int
    is_wiped: bool
    """Whether their words have left the index's files, too."""


class Looked(NamedTuple):
    taking: Taking
    rows: list[SourceRow]
    problem: str
    """Why not everything is indexed."""


async def look_at(  # noqa: PLR0913 - what to look at, how long, and who is told
    place: Path,
    config: Config,
    added: Sequence[bytes | SourceRow] = (),
    *,
    forever: bool = False,
    tell: Tell | None = None,
    started: Callable[[OwnSources], None] | None = None,
) -> Looked:
    """Open a collection, add sources, look at these (or at all), and go on if that is wanted."""
    engine = Engine(place, config, at_rest=True)
    try:
        sources = OwnSources(engine)
        if started is not None:
            started(sources)
        for each in added:
            sources.add(each)
        names = [each if isinstance(each, bytes) else each.name for each in added]
        await sources.run(names or None, forever=forever, tell=tell)
        found = [row for row in rows(engine.table) if not added or row.name in names]
        return Looked(sources.taking, found, sources.problem)
    finally:
        await engine.close()


async def remove_source(place: Path, config: Config, path: bytes) -> Forgotten:
    """Forget a source, with its documents, also what is left of them in files."""
    engine = Engine(place, config, at_rest=True)
    try:
        if all(each.name != path for each in rows(engine.table)):
            raise UsageError(f"{os.fsdecode(path)} is no source of this collection")
        gone = await OwnSources(engine).remove(path)
    finally:
        await engine.close()
    return Forgotten(gone, not gone or make_anew(place, _MOST_ANEW + _ANEW_SHARE * gone))


def _rows_begin_with(row: SourceRow) -> bytes:
    """Those of the documents that a source brought."""
    return row_key(url_of_mail(account_of(row), b"")) if row.kind == MAIL else _FILES


def _is_in(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _as_fetched(body: bytes, name: bytes, modified: float, now: float) -> Fetched:
    kind = media_type(name.decode("utf-8", "replace"))
    return succeeded(Content(body, kind, modified=modified), now, now)
