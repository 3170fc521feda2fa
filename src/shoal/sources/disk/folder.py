"""What has become of the files of a folder? The source of documents on a disk.

It looks at directories and compares them with its inventory. Nothing is opened that did not change:
a file that was renamed is known by its inode, and who may read it follows from what `lstat` says.
Which directories are to be looked at is told by the kernel (watching.py), or by the clock.
"""

import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from shoal.clock import Clock
from shoal.model.outcome import Outcome
from shoal.model.record import pack, unpack
from shoal.model.source import SourceRow
from shoal.model.source_change import Gone, Moved, Shared, SourceChange, Taken
from shoal.model.urls.file_url import file_url, path_of_file_url
from shoal.model.visit import Fetched
from shoal.ports import Batch, Table
from shoal.sources.disk.filesystem import most_watches, remote_kind
from shoal.sources.disk.ignore import FILE_NAME, patterns_of
from shoal.sources.disk.inventory import Entry, Inventory
from shoal.sources.disk.listing import (
    UNREADABLE,
    DiskSettings,
    Found,
    Lister,
    Listing,
    Unlisted,
)
from shoal.sources.disk.paths import join, name_of, parent_of
from shoal.sources.disk.permissions import Permissions, above, acl_of
from shoal.sources.disk.watching import Stirred, Watcher

_AT_ONCE = 64
"""Changes in one list."""
_MOST_GONE = 100_000
"""Files that are held to be gone, until all was looked at: one of them may turn up elsewhere."""
_TICK_SECONDS = 0.02
"""Kernels date files by a clock that ticks every hundredth of a second, or more often."""
_MOST_TRIES = 3
"""To read a file that is being written to."""

AsFetched = Callable[[bytes, bytes, float, float], Fetched]
"""A body, the name of its file, its date and the time now, as if it had been fetched."""


class FolderSource:
    """A DocumentSource; of a folder, or of a single file."""

    def __init__(
        self,
        table: Table,
        row: SourceRow,
        settings: DiskSettings,
        clock: Clock,
        as_fetched: AsFetched,
    ) -> None:
        self._row = row
        self._path = row.name
        self._settings = settings
        self._clock = clock
        self._as_fetched = as_fetched
        self._inventory = Inventory(table)
        self._given = tuple(patterns_of(os.fsencode(each) for each in settings.ignore))
        self._read: dict[str, Entry] = {}
        """What was read of files whose changes are not noted yet."""
        self._skipped: Lister | None = None
        """Who counts what can't be read in the look at everything."""
        self._watcher: Watcher | None = None
        self._stirred = Stirred()
        self._unwatched: set[bytes] = set()
        """Directories that are asked now and then."""
        self._sweep_at = self._poll_at = 0.0

    # --- how it stands ----------------------------------------------------------------------

    def row(self) -> SourceRow:
        return self._row

    def note(self, batch: Batch, change: SourceChange) -> None:
        path = path_of_file_url(change.url)
        match change:
            case Gone():
                self._inventory.delete(batch, path)
            case Moved():
                self._inventory.delete(batch, path)
                self._inventory.put(batch, path_of_file_url(change.to), unpack(Entry, change.stamp))
            case Taken() | Shared():
                entry = self._read.pop(change.url, None) or unpack(Entry, change.stamp)
                self._inventory.put(batch, path, entry)

    # --- waiting ----------------------------------------------------------------------------

    def watch(self) -> None:
        """Be told of changes from now on; what changed before is found by looking at everything."""
        kind = remote_kind(self._path)
        now = time.monotonic()
        self._sweep_at, self._poll_at = now + self._settings.sweep_seconds, now
        if kind:
            self._row.polled = f"its file system ({kind}) does not tell of changes"
            return
        most = self._settings.most_watches
        try:
            self._watcher = Watcher(most_watches() if most is None else most)
        except OSError as error:
            self._row.polled = f"the system tells of no more changes ({error.strerror})"
            return
        self._row.polled = ""
        self._watcher.add_above(self._path)

    def wait(self, seconds: float) -> bool:
        if self._watcher is None:
            time.sleep(0 if self._stirred else seconds)
        else:
            self._watcher.read(0 if self._stirred else seconds, self._stirred)
        now = time.monotonic()
        if now >= self._sweep_at:
            self._stirred.everything = True
        elif now >= self._poll_at + self._settings.poll_seconds:
            self._poll_at = now
            if self._watcher is None:
                self._stirred.everything = True
            else:
                self._stirred.trees |= self._unwatched
        return bool(self._stirred)

    def close(self) -> None:
        if self._watcher is not None:
            self._watcher.close()

    # --- looking ----------------------------------------------------------------------------

    def changes(self, everything: bool) -> Iterator[Sequence[SourceChange]]:
        stirred, self._stirred = self._stirred, Stirred()
        try:
            status = os.lstat(self._path)
        except OSError as error:
            self._row.problem = f"it is not there now ({error.strerror})"
            return
        if everything or stirred.everything:
            self._sweep_at = time.monotonic() + self._settings.sweep_seconds
            yield from self._look_at_all(status)
        else:
            yield from self._look_at_some(status, stirred)

    def _look_at_all(self, status: os.stat_result) -> Iterator[Sequence[SourceChange]]:
        if self._is_unmounted(status):
            self._row.problem = "its disk is not mounted now"
            return
        self._unwatched.clear()
        lister, is_folder = self._lister(status), stat.S_ISDIR(status.st_mode)
        self._skipped = lister
        look = _Look(self._inventory, lister, self._enter)
        if is_folder:
            yield from look.run([self._path], {})
        else:
            folder, name = parent_of(self._path), name_of(self._path)
            self._enter(folder)
            yield from look.run([], {folder: {name}})
        self._row.problem, self._row.device = "", status.st_dev
        self._row.skipped, self._row.whole = lister.skipped, True
        if look.found:
            self._row.looked = self._clock.now()

    def _look_at_some(
        self, status: os.stat_result, stirred: Stirred
    ) -> Iterator[Sequence[SourceChange]]:
        lister = self._lister(status)
        if not stat.S_ISDIR(status.st_mode):
            folder, name = parent_of(self._path), name_of(self._path)
            yield from _Look(self._inventory, lister, self._enter).run([], {folder: {name}})
            return
        trees = {each for each in stirred.trees if lister.wants(each)}
        trees |= {each for each, names in stirred.names.items() if FILE_NAME in names}
        some = {
            directory: names
            for directory, names in stirred.names.items()
            if directory not in trees and lister.wants(directory)
        }
        roots = [each for each in sorted(trees) if not any(up in trees for up in above(each))]
        yield from _Look(self._inventory, lister, self._enter).run(roots, some)

    def _lister(self, status: os.stat_result) -> Lister:
        is_folder = stat.S_ISDIR(status.st_mode)
        root = self._path if is_folder else parent_of(self._path)
        return Lister(root, status.st_dev, self._settings, self._given)

    def _is_unmounted(self, status: os.stat_result) -> bool:
        if not self._row.device or self._row.device == status.st_dev:
            return False
        try:
            with os.scandir(self._path) as entries:
                return next(entries, None) is None
        except OSError:
            return True

    def _enter(self, directory: bytes) -> None:
        """It is about to be listed: whatever changes after that must be told."""
        if self._watcher is not None and not self._watcher.add(directory):
            self._unwatched.add(directory)
            self._row.polled = (
                "no more than fs.inotify.max_user_watches folders can be watched; the others are "
                "looked at now and then"
            )

    # --- reading ----------------------------------------------------------------------------

    def open(self, taken: Taken) -> Fetched | None:
        path, seen = path_of_file_url(taken.url), unpack(Entry, taken.stamp)
        started = self._clock.now()
        try:
            number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        except PermissionError:
            if self._skipped is not None:
                self._skipped.skip(UNREADABLE, path)
            return Fetched(Outcome.FORBIDDEN, started=started, ended=started)
        except OSError:
            return None
        with os.fdopen(number, "rb") as file:
            for _ in range(_MOST_TRIES):
                status = os.fstat(number)
                if not stat.S_ISREG(status.st_mode):
                    return None
                _let_it_age(status)
                try:
                    file.seek(0)
                    body = file.read(self._settings.max_bytes + 1)
                except OSError:
                    return None
                entry = _entry(status, seen.readers, acl=seen.acl)
                if entry.has_content_of(os.fstat(number)):
                    break
            else:
                return None  # whoever writes to it will be done some time, and that is told
        if len(body) > self._settings.max_bytes:
            return None
        self._read[taken.url] = entry
        return self._as_fetched(body, name_of(path), status.st_mtime, started)


class _Look:
    """One look at some directories. Changes of one list have nothing to do with each other, so that
    they can be taken in side by side; all of them are, before the next list is made."""

    def __init__(
        self, inventory: Inventory, lister: Lister, enter: Callable[[bytes], None]
    ) -> None:
        self._inventory = inventory
        self._lister = lister
        self._enter = enter
        self._permissions = Permissions()
        self._list: list[SourceChange] = []
        self._touched: set[bytes] = set()
        self.found = False
        """Whether there was anything to do."""

    def run(
        self, trees: Sequence[bytes], names: "dict[bytes, set[bytes]]"
    ) -> Iterator[Sequence[SourceChange]]:
        gone: list[bytes] = []
        todo, seen = list(trees), set(trees)
        for directory, some in names.items():
            listing = self._lister.named(directory, some)
            known: dict[bytes, Entry | None] = {
                name: self._inventory.get(join(directory, name)) for name in some
            }
            folders = {each for each in some if next(self._below(directory, each), None)}
            yield from self._compare(directory, listing, known, folders, gone)
            new = [join(directory, each) for each in listing.folders]
            todo += [each for each in new if each not in seen]
            seen.update(new)
        while todo:
            directory = todo.pop()
            self._enter(directory)
            try:
                listing = self._lister.everything(directory)
            except Unlisted as why:
                if why.is_gone:
                    gone += self._inventory.below(directory)
                continue
            known = dict[bytes, Entry | None](self._inventory.files(directory))
            folders = set(self._inventory.folders(directory))
            yield from self._compare(directory, listing, known, folders, gone)
            todo += [join(directory, each) for each in listing.folders]
            if len(gone) > _MOST_GONE:
                yield from self._tell_gone(gone)
                gone = []
        yield from self._tell_gone(gone)
        yield from self._flush()

    def _below(self, directory: bytes, name: bytes) -> Iterator[bytes]:
        return self._inventory.below(join(directory, name))

    def _compare(
        self,
        directory: bytes,
        listing: Listing,
        known: "dict[bytes, Entry | None]",
        folders: set[bytes],
        gone: list[bytes],
    ) -> Iterator[Sequence[SourceChange]]:
        for found in listing.files:
            yield from self._look_at(join(directory, found.name), found, known)
        there = {found.name for found in listing.files}
        gone += [
            join(directory, name)
            for name, entry in known.items()
            if entry is not None and name not in there
        ]
        for name in folders.difference(listing.folders):
            gone += self._below(directory, name)

    def _look_at(
        self, path: bytes, found: Found, known: "dict[bytes, Entry | None]"
    ) -> Iterator[Sequence[SourceChange]]:
        status, entry = found.status, known.get(found.name)
        acl = b""
        if entry is None or entry.acl or entry.ctime_ns != status.st_ctime_ns:
            acl = acl_of(path)
        words, digest = self._permissions.readers(path, status, acl)
        stamp = _entry(status, digest, acl=bool(acl))
        if entry is not None and entry.has_content_of(status):
            if entry.readers != digest:
                yield from self._tell(Shared(file_url(path), pack(stamp), words), path)
            return
        origin = self._inventory.last_seen(status.st_ino)
        if origin is not None and origin in self._touched:
            yield from self._flush()
        if origin is not None and origin != path and self._was_there(origin, status):
            moved = Moved(file_url(origin), file_url(path), pack(stamp), words)
            yield from self._tell(moved, origin, path)
        else:
            yield from self._tell(Taken(file_url(path), pack(stamp), words), path)

    def _was_there(self, origin: bytes, status: os.stat_result) -> bool:
        """Whether a file was read under another name, which it no longer has."""
        entry = self._inventory.get(origin)
        if entry is None or not entry.has_content_of(status):
            return False
        with suppress(OSError):
            return os.lstat(origin).st_ino != status.st_ino
        return True

    def _tell_gone(self, paths: Iterable[bytes]) -> Iterator[Sequence[SourceChange]]:
        for path in paths:
            if path in self._touched:
                yield from self._flush()
            if self._inventory.get(path) is not None:
                yield from self._tell(Gone(file_url(path)), path)

    def _tell(self, change: SourceChange, *paths: bytes) -> Iterator[Sequence[SourceChange]]:
        if len(self._list) >= _AT_ONCE or not self._touched.isdisjoint(paths):
            yield from self._flush()
        self._list.append(change)
        self._touched.update(paths)
        self.found = True

    def _flush(self) -> Iterator[Sequence[SourceChange]]:
        if self._list:
            yield self._list
        self._list, self._touched = [], set()


def _let_it_age(status: os.stat_result) -> None:
    """What is written a moment after this was read must have another date."""
    age = time.time() - status.st_mtime_ns / 1e9
    if 0 <= age < _TICK_SECONDS:
        time.sleep(_TICK_SECONDS - age)


def _entry(status: os.stat_result, readers: bytes, *, acl: bool) -> Entry:
    return Entry(
        status.st_ino, status.st_mtime_ns, status.st_size, status.st_ctime_ns, acl, readers
    )
