"""Is there an index in this directory, and is it one of ours?

The version of the schema stands in a file beside tantivy's own. It is written last, so a directory
with that file was a whole index when it was made. The writer starts over where the version is
another or tantivy can't read what is there (the index is only a view of the table, and the follower
fills it again from position 0); a reader says what is wrong.
"""

import fcntl
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import Busy, CollectionError, DamagedError
from shoal.index.fields import POSITION_KEY, VERSION, make_schema
from shoal.index.native import Index, NativeQuery, Searcher

_VERSION_FILE = "shoal-index-version"
_LOCK_FILE = "shoal-index-lock"
_ERRORS = (ValueError, OSError)
"""What tantivy raises for files that are missing, damaged or not to be read."""


def version_in(path: Path) -> str:
    try:
        return (path / _VERSION_FILE).read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""


def is_ours(path: Path) -> bool:
    """Whether there is an index, and of this release."""
    return version_in(path) == str(VERSION)


def open_index(path: Path) -> Index:
    """For reading."""
    version = version_in(path)
    if not version:
        raise CollectionError(
            f"There is no full-text index in {path} yet; make one with `shoal reindex`."
        )
    if version != str(VERSION):
        raise CollectionError(
            f"The full-text index in {path} is of another release; "
            "make it anew with `shoal reindex`."
        )
    try:
        return Index.open(str(path))
    except _ERRORS as error:
        raise damaged(path) from error


class ReadablePlace:
    """Where an index can be opened for reading: the library locks a file in there for a moment. On
    a read-only disk it is a directory of links, which goes with this object."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.path = path
        if path.is_dir() and not os.access(path, os.W_OK):
            self.path = Path(tempfile.mkdtemp(prefix="shoal-index-"))
            weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)
            self.renew()

    def renew(self) -> None:
        """Link what has come since."""
        if self.path == self._path:
            return
        there = {each.name for each in self.path.iterdir()}
        for each in self._path.iterdir():
            if each.name not in there and not each.name.endswith("lock"):
                (self.path / each.name).symlink_to(each.absolute())


def open_or_start(path: Path) -> Index:
    """For writing: what is there, or an empty index."""
    if version_in(path) == str(VERSION):
        try:
            return Index.open(str(path))
        except _ERRORS:
            pass  # it is rebuilt below
    return start(path)


def start(path: Path) -> Index:
    """An empty index, whatever was there."""
    try:
        (path / _VERSION_FILE).unlink(missing_ok=True)
        for each in list(path.iterdir()):
            if each.is_dir() and not each.is_symlink():
                shutil.rmtree(each)
            elif each.name != _LOCK_FILE:
                each.unlink()
        index = Index(make_schema(), str(path), reuse=False)
        (path / _VERSION_FILE).write_text(f"{VERSION}\n", encoding="ascii")
    except _ERRORS as error:
        raise _unwritable(path, error) from error
    return index


def position_in(index: Index, searcher: Searcher) -> int:
    """0 when nothing was committed yet."""
    wanted = NativeQuery.term_query(index.schema, "key", POSITION_KEY)
    hits = searcher.search(wanted, 1, count=False).hits
    return int(searcher.doc(hits[0][1]).get_first("position") or 0) if hits else 0


class WriterLock:
    """Held by the one that writes, and so may rebuild the directory. The system frees it however
    the process ends."""

    def __init__(self, path: Path) -> None:
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._fd = os.open(path / _LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise _unwritable(path, error) from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(self._fd)
            raise busy(path) from error

    def release(self) -> None:
        os.close(self._fd)


def _unwritable(path: Path, error: Exception) -> CollectionError:
    return CollectionError(f"The directory {path} can't be written: {error}.")


def damaged(path: Path) -> DamagedError:
    return DamagedError(
        f"The full-text index in {path} can't be read; make it anew with `shoal reindex`."
    )


@contextmanager
def library_faults(path: Path) -> Iterator[None]:
    """What the library raises for damaged files, a panic among it, is one sentence of ours."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, _ERRORS) or type(error).__name__ == "PanicException":
            raise damaged(path) from error
        raise


def busy(path: Path) -> Busy:
    return Busy(f"Another process is writing to the full-text index in {path}; stop it first.")
