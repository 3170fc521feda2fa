"""How is a directory a store of objects? An object is a file: written apart, put on disk, then
moved to its name in one step, so that it is there whole or not at all.

`create` is link(2): of two that link to one name one fails, on NFS too. The directory may be on a
file system that many machines share, and several processes may use it at once.
"""

import errno
import os
import shutil
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from shoal.cluster.objects import Exists, Missing, StoreFault, must_be_key
from shoal.whole_file import put_on_disk

PARTIAL = ".partial"
"""What is being written; on the same disk, so that it can be moved to its place in one step."""
_STALE_SECONDS = 86400.0
_TRIES = 5
"""Of a put while others delete the last object of the same folder, and the folder."""
_COPY_BYTES = 1 << 20
_NOT_THERE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
_NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class DirectoryObjects:
    """A directory, on this machine or on a file system that many share."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._partial = root / PARTIAL
        self._prepared = False

    def put(self, key: str, data: bytes | Path, *, create: bool = False) -> None:
        path = self._path(key)
        if not self._prepared:  # who only reads leaves nothing behind
            with _faults_told(f"The store in {self._root} can't be made"):
                self._prepare()
            self._prepared = True
        with _faults_told(f"{key} can't be written to {self._root}"):
            try:
                self._put(path, data, create)
            except FileExistsError as error:
                raise Exists(f"{key} is in {self._root} already.") from error

    def get(self, key: str) -> bytes:
        with self._opened(key) as file:
            return file.read()

    def fetch(self, key: str, path: Path) -> None:
        with self._opened(key) as source:
            try:
                with path.open("wb") as file:
                    shutil.copyfileobj(source, file, _COPY_BYTES)
            except OSError:
                path.unlink(missing_ok=True)
                raise

    def exists(self, key: str) -> bool:
        with _faults_told(f"{key} can't be looked for in {self._root}"):
            return self._path(key).is_file()

    def names(self, prefix: str = "") -> list[tuple[str, int]]:
        folder = self._path(prefix.strip("/")) if prefix.strip("/") else self._root
        with _faults_told(f"{self._root} can't be listed"):
            return sorted(self._below(folder))

    def delete(self, keys: Iterable[str]) -> None:
        for key in keys:
            path = self._path(key)
            with _faults_told(f"{key} can't be deleted from {self._root}"):
                path.unlink(missing_ok=True)
            self._drop_empty(path.parent)

    def _prepare(self) -> None:
        self._partial.mkdir(parents=True, exist_ok=True)
        for left in self._partial.iterdir():
            try:
                if time.time() - left.stat().st_mtime > _STALE_SECONDS:
                    left.unlink()
            except FileNotFoundError:
                continue  # another process opened the store, too

    def _path(self, key: str) -> Path:
        must_be_key(key)
        return self._root / key

    @contextmanager
    def _opened(self, key: str) -> Iterator[BinaryIO]:
        path = self._path(key)
        with _faults_told(f"{key} can't be read from {self._root}"):
            try:
                file = path.open("rb")
            except _NOT_THERE as error:
                raise Missing(f"There is no {key} in {self._root}.") from error
            with file:
                yield file

    def _put(self, path: Path, data: bytes | Path, create: bool) -> None:
        partial = self._partial / uuid.uuid4().hex
        try:
            _write(partial, data)
            for left in reversed(range(_TRIES)):
                try:
                    _make_folder(path.parent)
                    _create(partial, path, data) if create else partial.replace(path)
                    break
                except FileNotFoundError:  # the folder was empty, and somebody removed it
                    if not left:
                        raise
            with suppress(FileNotFoundError):  # somebody has deleted the object already
                put_on_disk(path.parent)
        finally:
            partial.unlink(missing_ok=True)

    def _below(self, folder: Path) -> Iterator[tuple[str, int]]:
        try:
            entries = list(os.scandir(folder))
        except _NOT_THERE:
            return
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if Path(entry.path) != self._partial:
                    yield from self._below(Path(entry.path))
            else:
                try:
                    size = entry.stat().st_size
                except FileNotFoundError:
                    continue  # deleted since
                yield Path(entry.path).relative_to(self._root).as_posix(), size

    def _drop_empty(self, folder: Path) -> None:
        while folder != self._root:
            try:
                folder.rmdir()
            except OSError:
                return  # others are in it, or it is gone
            folder = folder.parent


def _write(path: Path, data: bytes | Path) -> None:
    with path.open("xb") as file:
        if isinstance(data, bytes):
            file.write(data)
        else:
            with data.open("rb") as source:
                shutil.copyfileobj(source, file, _COPY_BYTES)
        file.flush()
        os.fsync(file.fileno())


def _create(partial: Path, path: Path, data: bytes | Path) -> None:
    try:
        os.link(partial, path)
    except FileExistsError:
        # NFS repeats a request whose answer was lost: then it is our own that exists.
        if partial.stat().st_nlink != 2:
            raise
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        _write(path, data)  # created exclusively; who reads it at this moment sees a part


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        if any(each.is_file() for each in (folder, *folder.parents)):
            raise NotADirectoryError(
                errno.ENOTDIR, "an object stands where its folder is"
            ) from error
        raise FileNotFoundError(errno.ENOENT, "removed just now") from error


@contextmanager
def _faults_told(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreFault(f"{what}: {error.strerror or error}.") from error
