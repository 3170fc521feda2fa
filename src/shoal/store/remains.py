"""What can still be read of a damaged table? Everything but the blocks that are damaged.

Three things can be wrong. A block does not have its checksum: what stands before and behind it
reads. A file is gone or cut short, or the list of files (CURRENT, MANIFEST) is: RocksDB then makes
a new list of what is there. And the list may have lost its end, which no library tells: it names
too few files, and RocksDB deletes the others as soon as the table is opened for writing.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from rocksdict import AccessType, Cache, Rdict, RdictIter, ReadOptions

from shoal.closing import Closing
from shoal.errors import DamagedError
from shoal.store.table import FAMILIES, READER_CACHE_BYTES, options_of
from shoal.store.table_faults import lacks_current, one_line


class Gap(NamedTuple):
    """A stretch of a damaged table that does not read."""

    family: str
    after: bytes
    """The last key before it that does; empty: there is none."""


class Remains(Closing):
    """A damaged table is left as it is: where RocksDB has to make a new list of its files, that is
    done to links to them, in `scratch`."""

    def __init__(self, path: Path, scratch: Path) -> None:
        self._db: Rdict | None = None
        self._families: frozenset[str] = frozenset()
        self.gaps: list[Gap] = []
        if fault_of_list(path):
            _list_anew(path, scratch)
            path = scratch
        with suppress(DamagedError):  # then nothing of it reads
            self._db, self._families = _open(path)

    def pairs(self, family: str) -> Iterator[tuple[bytes, bytes]]:
        """In key order; what does not read is leapt over, and noted as a gap."""
        if self._db is None or family not in self._families:
            return
        cells, last = self._db.get_column_family(family), b""
        start: bytes | None = b""
        while start is not None:
            cursor = cells.iter(ReadOptions())
            cursor.seek(start)
            while cursor.valid():
                last = cursor.key()
                yield last, cursor.value()
                cursor.next()
            if _ended_well(cursor):
                return
            self.gaps.append(Gap(family, last))
            further = _further(max(last, start))
            start = next((key for key in further if _reads(cells, key)), None)

    def close(self) -> None:
        if self._db is not None:
            self._db.close()
            self._db = None


def fault_in(path: Path) -> str:
    """Why a table does not read from its first byte to its last; empty when it does."""
    if fault := fault_of_list(path):
        return fault
    try:
        db, families = _open(path)
        try:
            for family in sorted(families):
                _read_through(db, family)
        finally:
            db.close()
    except DamagedError as error:
        return str(error)
    return ""


def fault_of_list(path: Path) -> str:
    """What is wrong with the list of the files that make a table; empty when it names all that are
    there, and no others."""
    if lacks_current(path):
        return "its file CURRENT is lost"
    try:
        db, _ = _open(path)
    except DamagedError as error:
        return str(error)
    try:
        listed = {str(each["name"]).lstrip("/") for each in db.live_files()}
    finally:
        db.close()
    strange = {each.name for each in path.glob("*.sst")} - listed
    return f"its list of files does not name {min(strange)}" if strange else ""


def _list_anew(path: Path, scratch: Path) -> None:
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    for each in path.iterdir() if path.is_dir() else ():
        if each.is_file() and each.name != "LOCK":
            _link_or_copy(each, scratch / each.name)
    with suppress(DamagedError), _library():
        Rdict.repair(str(scratch), options_of("default", Cache(READER_CACHE_BYTES)))


def _open(path: Path) -> tuple[Rdict, frozenset[str]]:
    """Without writing a byte; with those of our families that are there."""
    cache = Cache(READER_CACHE_BYTES)
    with _library():
        there = Rdict.list_cf(str(path), options_of("default", cache))
        families = {name: options_of(name, cache) for name in there}
        db = Rdict(str(path), options_of("default", cache), families, AccessType.read_only())
    return db, frozenset(there) & frozenset(FAMILIES)


def _read_through(db: Rdict, family: str) -> None:
    cursor = db.get_column_family(family).iter(ReadOptions())
    cursor.seek(b"")
    while cursor.valid():
        cursor.next()
    with _library():
        cursor.status()


def _ended_well(cursor: RdictIter) -> bool:
    try:
        with _library():
            cursor.status()
    except DamagedError:
        return False
    return True


def _further(key: bytes) -> Iterator[bytes]:
    """Keys behind a key, each further than the one before: how long a gap is nobody knows."""
    for length in range(len(key), 0, -1):
        if key[length - 1] < 0xFF:
            yield key[: length - 1] + bytes([key[length - 1] + 1])
    if not key:
        yield from (bytes([first]) for first in range(1, 0x100))


def _reads(cells: Rdict, key: bytes) -> bool:
    cursor = cells.iter(ReadOptions())
    cursor.seek(key)
    return cursor.valid() or _ended_well(cursor)


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # a file system without links
        shutil.copyfile(source, target)


@contextmanager
def _library() -> Iterator[None]:
    try:
        yield
    except Exception as error:  # the library raises bare Exception
        raise DamagedError(one_line(error)) from error
