"""Which folders are the sources of a collection, and how are they followed?

The rows of the sources stand in the table. A run looks at all of each once, and may go on to follow
what changes. It is no crawl: nobody is asked for anything, and while nothing changes nothing is
written.
"""

import asyncio
import os
import stat
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from shoal.config import Config
from shoal.engine.beside.following import SourceFollowing, WorkedShare
from shoal.engine.engine import Engine
from shoal.engine.mail_sources import account_of, mail_inventory, mail_source
from shoal.engine.own_documents import CpuShare, Taking
from shoal.engine.own_tidying import Tidying
from shoal.errors import UsageError
from shoal.fetch.answer import Content, media_type, succeeded
from shoal.layout.sources import disk_settings
from shoal.layout.sources import rows as rows
from shoal.model.record import pack, unpack
from shoal.model.source import FOLDER, MAIL, SourceRow, source_key
from shoal.model.source_change import Gone
from shoal.model.urls.file_url import file_url
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import Fetched
from shoal.ports import DocumentSource
from shoal.sources.disk.filesystem import read_when_idle
from shoal.sources.disk.folder import FolderSource
from shoal.sources.disk.inventory import Inventory
from shoal.sources.mail.identity import url_of_mail

_MOST_THREADS = 64
"""Each source that is followed has one, which waits."""
_FILES = b"file:"
_FEW = 20
"""Of a first look; more of its documents come into the index in their turn, for less."""
_BEFORE_FIRST_TELL_SECONDS = 0.2

Tell = Callable[[Taking], None]
"""Is told now and then what was done."""


def follows_sources(config: Config) -> bool:
    """Whether a crawl follows them, which goes on without end."""
    return config.crawl.forever == "yes" and config.files.follow == "yes"


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

    def __init__(
        self, engine: Engine, home: Path | None = None, *, beside_crawl: bool = False
    ) -> None:
        """`home`: where the cluster stands, if it is a tablet of one; it is never read itself.
        Beside a crawl: its housekeeping syncs, and follows with the index."""
        self._engine, self._home = engine, home or engine.layout.directory
        config = engine.config
        self._tidying = Tidying(engine.table)
        self._documents = engine.own_documents(self._tidying)
        self._beside_crawl = beside_crawl
        self._index = None if beside_crawl else engine.follow_index()
        self._threads = ThreadPoolExecutor(_MOST_THREADS, initializer=read_when_idle)
        self._worked = WorkedShare()
        spent = engine.cpu_seconds if not beside_crawl else lambda: self._worked.seconds
        self._share = CpuShare(config.files.share, spent)
        self._following: SourceFollowing | None = None
        self._is_stopped = False
        self._is_synced = True
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
        self._is_stopped = True
        if self._following is not None:
            self._following.stop()

    @property
    def following(self) -> SourceFollowing:
        """What follows them."""
        if self._following is None:
            crawls = self._beside_crawl
            self._following = SourceFollowing(self._engine, self, crawls=crawls)
        return self._following

    # --- which there are --------------------------------------------------------------------

    def all(self) -> list[SourceRow]:
        return list(rows(self._engine.table))

    def add(self, given: bytes | SourceRow) -> None:
        """Remember a folder or a file, by its path, or a mailbox."""
        now = self._engine.clock.now()
        row = SourceRow(FOLDER, given, added=now) if isinstance(given, bytes) else given
        stored = self._engine.table.get("site", source_key(row.kind, row.name))
        row.added = row.added or now
        if stored is None:
            self._write(row)
        elif row.kind == MAIL:  # what a person says anew of a known one holds from now on
            known = unpack(SourceRow, stored)
            known.secret, known.owner = row.secret, row.owner
            self._write(known)

    async def remove(self, name: bytes) -> int:
        """Forget a source, and what no other source holds. Returns how many documents went."""
        self._start()
        try:
            return await self.forget(name)
        finally:
            await self._end()

    async def forget(self, name: bytes) -> int:
        """The same while they are followed."""
        table = self._engine.table
        mailbox = table.get("site", source_key(MAIL, name))
        if mailbox is not None:
            return await self._forget_mailbox(unpack(SourceRow, mailbox))
        others = [each.name for each in rows(table) if each.name != name]
        source, inventory = self._folder(SourceRow(FOLDER, name)), Inventory(table)
        held = list(inventory.below(name))
        if inventory.get(name) is not None:
            held.append(name)
        gone = 0
        for each in held:
            if not any(_is_in(each, other) for other in others):
                gone += await self._forget_document(source, file_url(each))
        await self.tidy()
        self._delete(source_key(FOLDER, name))
        return gone

    async def _forget_mailbox(self, row: SourceRow) -> int:
        table, account = self._engine.table, account_of(row)
        inventory, source = mail_inventory(row, table), self._mailbox(row)
        gone = 0
        try:
            for digest, _ in inventory.mails():
                gone += await self._forget_document(source, url_of_mail(account, digest))
            inventory.clear()
            await self.tidy()
            self._delete(source_key(MAIL, row.name))
        finally:
            source.close()
        return gone

    async def _forget_document(self, source: DocumentSource, url: str) -> int:
        self._documents.remove(source, Gone(url))
        await asyncio.sleep(0)  # others have their turn
        return 1

    def _delete(self, key: bytes) -> None:
        batch = self._engine.table.batch()
        batch.delete("site", key)
        self._engine.table.write(batch)
        self._written.pop(key, None)

    async def tidy(self) -> None:
        """What has gone is to be gone from the table's files."""
        if self._tidying.is_owed and not self._is_stopped:
            own = [_rows_begin_with(row) for row in rows(self._engine.table)]
            await self.in_thread(partial(self._tidying.rewrite, self._tidying.begin(own)))
            self._tidying.end()

    async def _keep_tidy(self) -> None:
        while True:
            await asyncio.sleep(self._engine.config.files.sweep)
            await self.tidy()

    def source_of(self, row: SourceRow) -> DocumentSource:
        if row.kind == MAIL:
            return self._mailbox(row)
        return self._folder(row)

    def _mailbox(self, row: SourceRow) -> DocumentSource:
        engine = self._engine
        return mail_source(row, engine.table, engine.clock, engine.layout)

    def _folder(self, row: SourceRow) -> FolderSource:
        engine = self._engine
        settings = disk_settings(engine.config, engine.layout, self._home)
        return FolderSource(engine.table, row, settings, engine.clock, _as_fetched)

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
        """Look at all sources, or at these; with `forever` follow all until it is stopped."""
        self._start()
        beside = [asyncio.create_task(self._keep_telling(tell))]
        try:
            if forever and not self._is_stopped:
                beside.append(asyncio.create_task(self._keep_tidy()))
                await self.following.run()
            elif not forever:
                await self._look_once(paths)
                self._engine.sync()
                await self.tidy()
        finally:
            for each in beside:
                each.cancel()
            await self._end()

    async def _look_once(self, paths: Sequence[bytes] | None) -> None:
        for row in self.all():
            if paths is None or row.name in paths:
                source = self.source_of(row)
                try:
                    await self.look(source, lambda _: not self._is_stopped, everything=True)
                finally:
                    source.close()

    async def follow(self) -> None:
        """Beside a crawl, until it is stopped."""
        try:
            if not self._is_stopped:
                await self.following.run()
        finally:
            self._threads.shutdown(cancel_futures=True)

    def _start(self) -> None:
        if self._index is not None:
            self._index.start_patiently()

    async def _end(self) -> None:
        self._threads.shutdown(cancel_futures=True)
        self._engine.sync()
        if self._index is not None:
            await self._index.finish()

    async def look(
        self, source: DocumentSource, goes_on: Callable[[int], bool], *, everything: bool
    ) -> None:
        """`goes_on` is told how many changes were taken in, and says whether to go on."""
        turn = self._worked.timing()

        async def between(taken: int) -> bool:
            self._hurry()
            turn()
            await self._share.rest()
            turn()
            return goes_on(taken)

        self._is_synced = False
        self._at_once = _FEW if everything and not source.row().whole else None
        take = self._documents.take
        if await take(source, self._threads, between, everything=everything):
            self._write(source.row())
        turn()
        self._at_once = None
        self._hurry()

    async def stirs(self, source: DocumentSource, seconds: float) -> bool:
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._threads, source.wait, seconds)
        self._hurry()
        return found

    def settle(self, source: DocumentSource) -> None:
        """Nothing happens for the moment."""
        self._write(source.row())
        if not self._is_synced and not self._beside_crawl:
            self._engine.sync()
        self._is_synced = True

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

    async def in_thread(self, work: Callable[[], None]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._threads, work)


def _rows_begin_with(row: SourceRow) -> bytes:
    """Those of the documents that a source brought."""
    return row_key(url_of_mail(account_of(row), b"")) if row.kind == MAIL else _FILES


def _is_in(path: bytes, folder: bytes) -> bool:
    return path == folder or path.startswith(folder.rstrip(b"/") + b"/")


def _as_fetched(body: bytes, name: bytes, modified: float, now: float) -> Fetched:
    kind = media_type(name.decode("utf-8", "replace"))
    return succeeded(Content(body, kind, modified=modified), now, now)
