"""What did a folder hold when it was last looked at? A row for each directory, a cell for each
file.

Keys begin with the directory and two slashes, which no path has, so that the files of a directory
are neighbours and all below it are a range. Beside it stands where an inode was last seen: by it a
file that was renamed is known again. Everything is written in the batch of what it led to.
"""

import os
from collections.abc import Iterator

from shoal.model.record import Struct, pack, unpack
from shoal.model.source import INODE_KEYS, INVENTORY_KEYS
from shoal.ports import Batch, Table

_FAMILY = "site"
_BEFORE_NAME = b"//"
_AFTER_FILES = b"/0"
_AFTER_ALL = b"0"
"""`0` follows the slash: behind all files of a directory, and behind all that is below it."""


class Entry(Struct, array_like=True, frozen=True):
    """What a file is known by."""

    inode: int
    mtime_ns: int
    size: int
    ctime_ns: int
    acl: bool
    """Whether it has an access control list; a change of it changes `ctime_ns`."""
    readers: bytes
    """Digest of the words for who may read it."""

    def has_content_of(self, status: os.stat_result) -> bool:
        """Whether a file still says what was read, as far as can be told without reading it."""
        known = (self.inode, self.mtime_ns, self.size)
        return known == (status.st_ino, status.st_mtime_ns, status.st_size)


class Inventory:
    def __init__(self, table: Table) -> None:
        self._table = table

    # --- reading ----------------------------------------------------------------------------

    def get(self, path: bytes) -> Entry | None:
        stored = self._table.get(_FAMILY, _key(path))
        return None if stored is None else unpack(Entry, stored)

    def files(self, directory: bytes) -> Iterator[tuple[bytes, Entry]]:
        """The names of the files in a directory, with what is known of each."""
        start = _of(directory) + _BEFORE_NAME
        for key, stored in self._table.scan(_FAMILY, start, _of(directory) + _AFTER_FILES):
            if key.startswith(start):
                yield key[len(start) :], unpack(Entry, stored)

    def folders(self, directory: bytes) -> Iterator[bytes]:
        """The names of the directories in one that hold files, at any depth."""
        at = prefix = _of(directory) + b"/"
        end = _of(directory) + _AFTER_ALL
        while (found := next(self._table.scan(_FAMILY, at, end), None)) is not None:
            name = found[0][len(prefix) :].partition(b"/")[0]
            if name:
                yield name
            at = prefix + name + _AFTER_ALL

    def below(self, directory: bytes) -> Iterator[bytes]:
        """The paths of all files in a directory and below it."""
        start = _of(directory) + b"/"
        for key, _ in self._table.scan(_FAMILY, start, _of(directory) + _AFTER_ALL):
            yield key[len(INVENTORY_KEYS) :].replace(_BEFORE_NAME, b"/", 1)

    def last_seen(self, inode: int) -> bytes | None:
        """The path under which an inode was last seen."""
        return self._table.get(_FAMILY, _inode_key(inode))

    # --- writing ----------------------------------------------------------------------------

    def put(self, batch: Batch, path: bytes, entry: Entry) -> None:
        before = self.get(path)
        if before is not None and before.inode != entry.inode:
            self._forget_inode(batch, before.inode, path)
        batch.put(_FAMILY, _key(path), pack(entry))
        if before is None or before.inode != entry.inode:
            batch.put(_FAMILY, _inode_key(entry.inode), path)

    def delete(self, batch: Batch, path: bytes) -> None:
        before = self.get(path)
        if before is not None:
            self._forget_inode(batch, before.inode, path)
            batch.delete(_FAMILY, _key(path))

    def _forget_inode(self, batch: Batch, inode: int, path: bytes) -> None:
        if self.last_seen(inode) == path:
            batch.delete(_FAMILY, _inode_key(inode))


def _of(directory: bytes) -> bytes:
    return INVENTORY_KEYS + directory.rstrip(b"/")


def _key(path: bytes) -> bytes:
    directory, _, name = path.rpartition(b"/")
    return _of(directory) + _BEFORE_NAME + name


def _inode_key(inode: int) -> bytes:
    return INODE_KEYS + inode.to_bytes(8)
