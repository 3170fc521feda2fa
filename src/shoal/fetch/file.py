"""How do the bytes of a local file arrive? `file:` URLs, read in a thread.

Only regular files are opened, never devices, sockets or pipes, which could block or have effects.
A directory is a page of links. A symbolic link in it is listed under the path that it leads to, so
that each directory has one URL and a loop of links ends where it began. Hidden
files are not listed.

Who may read a file is found out of what was opened, never of a path that may lead elsewhere by
then; it is part of the ETag, so that a change of permissions alone is a change, too.
"""

import asyncio
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

from shoal.clock import Clock
from shoal.fetch.answer import HTML, Content, http_date, listing, media_type, succeeded, unchanged
from shoal.model.digest import quick_digest
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit

MAX_LISTED = 100_000
"""Entries of one directory that are listed; the rest is cut."""


ReadersOf = Callable[[int, bytes], tuple[str, ...]]
"""Who may read what was opened, by the path that was named."""


class _Read(NamedTuple):
    body: bytes
    media_type: str
    cut: bool
    readers: tuple[str, ...]


class FileFetcher:
    def __init__(
        self,
        clock: Clock,
        max_body_bytes: int = 20_000_000,
        readers_of: ReadersOf | None = None,
    ) -> None:
        self._clock = clock
        self._max_body_bytes = max_body_bytes
        self._ask_readers = readers_of

    async def fetch(self, visit: Visit) -> Fetched:
        return await asyncio.to_thread(self._read, visit)

    async def close(self) -> None:
        return

    def _read(self, visit: Visit) -> Fetched:
        started = self._clock.now()
        path = path_of(visit.url)
        if path is None:
            return self._failed(Outcome.REFUSED, "Only files of this machine are read.", started)
        try:
            status, readers = self._looked_at(path)
            content = Content(
                b"",
                "",
                modified=int(status.st_mtime),
                etag=f'"{status.st_mtime_ns:x}-{status.st_size:x}{_digest(readers)}"',
            )
            reader = self._reader(status.st_mode)
            if reader is None:
                note = "It is neither a regular file nor a directory."
                return self._failed(Outcome.REFUSED, note, started)
            if _is_unchanged(visit, content):
                return unchanged(content, started, self._clock.now())
            found = reader(path)
        except (FileNotFoundError, NotADirectoryError):
            outcome = Outcome.GONE if _has_others(path.parent) else Outcome.MISSING
            return self._failed(outcome, "There is no such file.", started)
        except PermissionError:  # what was stored when it could be read is nobody's any more
            is_stored = self._ask_readers is not None and not visit.is_first
            outcome = Outcome.GONE if is_stored else Outcome.FORBIDDEN
            return self._failed(outcome, "The file may not be read.", started)
        except (OSError, ValueError) as error:  # a loop of links, a name too long, a failing disk
            return self._failed(Outcome.MISSING, f"The file can't be read: {error}.", started)
        content = content._replace(body=found.body, media_type=found.media_type, cut=found.cut)
        fetched = succeeded(content, started, self._clock.now())
        fetched.readers = list(found.readers)
        return fetched

    def _looked_at(self, path: Path) -> tuple[os.stat_result, tuple[str, ...]]:
        number = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            return os.fstat(number), self._readers_of(number, path)
        finally:
            os.close(number)

    def _readers_of(self, number: int, path: Path) -> tuple[str, ...]:
        ask = self._ask_readers
        return () if ask is None else ask(number, os.fsencode(path))

    def _reader(self, mode: int) -> Callable[[Path], _Read] | None:
        if stat.S_ISREG(mode):
            return self._read_file
        return self._read_directory if stat.S_ISDIR(mode) else None

    def _read_file(self, path: Path) -> _Read:
        # Not blocking, in case that it has become a pipe since it was looked at.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError("it is no longer a regular file")
            readers = self._readers_of(descriptor, path)
            body = file.read(self._max_body_bytes + 1)
        cut = len(body) > self._max_body_bytes
        return _Read(body[: self._max_body_bytes], media_type(path.name), cut, readers)

    def _read_directory(self, path: Path) -> _Read:
        """Sorted by name, so that an unchanged directory gives the same bytes."""
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            readers = self._readers_of(descriptor, path)
            names, cut = _names_in(descriptor, path)
        finally:
            os.close(descriptor)
        return _Read(listing(str(path), sorted(names)), HTML, cut, readers)

    def _failed(self, outcome: Outcome, note: str, started: float) -> Fetched:
        return Fetched(outcome, started=started, ended=self._clock.now(), note=note)


def _has_others(folder: Path) -> bool:
    """Whether a file's folder is there and holds something: then the file is gone for good. A
    folder that is empty, or not there, may be a disk that is not mounted."""
    try:
        with os.scandir(folder) as entries:
            return any(True for _ in entries)
    except OSError:
        return False


def path_of(url: str) -> Path | None:
    """The absolute path that a file URL names, or None."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    # A scope judges URLs by their text, so an escaped slash or dot must not lead elsewhere.
    segments = [unquote_to_bytes(segment) for segment in parts.path.split("/")]
    if segments[0] or any(s in (b".", b"..") or b"/" in s or b"\0" in s for s in segments):
        return None
    return Path(os.fsdecode(b"/".join(segments)))


def url_of(path: Path, is_directory: bool) -> str:
    url = "file://" + quote_from_bytes(os.fsencode(path))
    return url + "/" if is_directory and not url.endswith("/") else url


def _names_in(descriptor: int, path: Path) -> tuple[list[tuple[str, str]], bool]:
    """The URL and the name of each, and whether there are more."""
    names: list[tuple[str, str]] = []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            if len(names) == MAX_LISTED:
                return names, True
            link = _link_of(entry, path)
            if link is not None:
                names.append(link)
    return names, False


def _link_of(entry: os.DirEntry[str], directory: Path) -> tuple[str, str] | None:
    if entry.name.startswith("."):
        return None  # hidden: a person who means it names it
    try:
        is_directory = entry.is_dir()
        if not is_directory and not entry.is_file():
            return None
        path = directory / entry.name
        shown = os.fsencode(entry.name).decode("utf-8", "replace")
        target = path.resolve(strict=True) if entry.is_symlink() else path
    except OSError:  # a link that leads nowhere, or in a circle
        return None
    return url_of(target, is_directory), shown


def _is_unchanged(visit: Visit, content: Content) -> bool:
    if visit.etag:
        return visit.etag == content.etag
    return visit.last_modified == http_date(content.modified or 0)


def _digest(readers: Sequence[str]) -> str:
    return f"-{quick_digest(chr(0).join(readers).encode()).hex()}" if readers else ""
