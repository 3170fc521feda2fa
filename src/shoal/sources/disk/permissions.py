"""Who may read a file? Words of its own permissions and those of every folder above it."""

import os
import stat
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


def readers_at(path: bytes) -> tuple[str, ...]:
    """Who may read what stands at a path now, wherever links lead."""
    number = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        return readers_of_open(number, path)
    finally:
        os.close(number)


def readers_of_open(number: int, named: bytes) -> tuple[str, ...]:
    """Of what was opened, by the path that it was `named`: whoever exchanges a link or a folder
    meanwhile changes nothing in whose file it is. All folders above it count, where it stands and
    where it was named."""
    permissions, opened = Permissions(), b"/proc/self/fd/%d" % number
    try:
        status = os.fstat(number)
        whole = os.readlink(opened)  # noqa: PTH115 - a path that need not be text
    except OSError:
        return tuple(readers_of([NOBODY_KNOWS]))
    try:
        acl = os.getxattr(opened, _ACL)
    except OSError:
        acl = b""
    entering = {*permissions.entering(parent_of(whole)), *permissions.entering(parent_of(named))}
    own = check_of(status.st_uid, status.st_gid, status.st_mode, acl, READ)
    return tuple(readers_of([*entering, own]))


def readers_of_crawled(number: int, named: bytes) -> tuple[str, ...]:
    """The same for what a crawl takes. The list of a folder names what not all may read who may
    look into it, so it is for the collection's owner alone; it is no result of anybody's anyway."""
    if stat.S_ISDIR(os.fstat(number).st_mode):
        return tuple(readers_of([NOBODY_KNOWS]))
    return readers_of_open(number, named)


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
