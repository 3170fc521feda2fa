"""Who may read a file? Words of its own permissions and those of every folder above it."""

import os
from collections.abc import Iterator

from shoal.model.access import ENTER, READ, check_of, readers_of
from shoal.model.digest import quick_digest
from shoal.sources.disk.paths import parent_of

_ACL = "system.posix_acl_access"
_REMEMBERED = 10_000
NOBODY_KNOWS = "o=-,u0=r"
"""The check of what could not be looked at: nobody passes it but root."""

Words = tuple[tuple[str, ...], bytes]
"""Who may read a file, and the digest of it."""


def acl_of(path: bytes) -> bytes:
    """The access control list of a file or folder; empty where there is none."""
    try:
        return os.getxattr(path, _ACL, follow_symlinks=False)
    except OSError:
        return b""


class Permissions:
    """As of one look: what it has found out of a folder it does not ask again."""

    def __init__(self) -> None:
        self._entering: dict[bytes, tuple[str, ...]] = {}
        self._words: dict[tuple[object, ...], Words] = {}

    def readers(self, path: bytes, status: os.stat_result, acl: bytes) -> Words:
        entering = self.entering(parent_of(path))
        key = (entering, status.st_uid, status.st_gid, status.st_mode, acl)
        found = self._words.get(key)
        if found is None:
            own = check_of(status.st_uid, status.st_gid, status.st_mode, acl, READ)
            words = tuple(readers_of([*entering, own]))
            found = words, quick_digest("\0".join(words).encode())
            _remember(self._words, key, found)
        return found

    def entering(self, directory: bytes) -> tuple[str, ...]:
        """The checks that whoever wants to go there has to pass."""
        found = self._entering.get(directory)
        if found is None:
            above = directory if directory == b"/" else parent_of(directory)
            before = () if above == directory else self.entering(above)
            found = tuple(dict.fromkeys([*before, _check_of(directory)]))
            _remember(self._entering, directory, found)
        return found


def above(directory: bytes) -> Iterator[bytes]:
    """The directories above one, the nearest first."""
    while (parent := parent_of(directory)) != directory:
        yield parent
        directory = parent


def _check_of(directory: bytes) -> str:
    try:
        status = os.lstat(directory)
    except OSError:
        return NOBODY_KNOWS
    return check_of(status.st_uid, status.st_gid, status.st_mode, acl_of(directory), ENTER)


def _remember(memory: dict, key: object, value: object) -> None:  # type: ignore[type-arg]
    if len(memory) >= _REMEMBERED:
        memory.clear()
    memory[key] = value
