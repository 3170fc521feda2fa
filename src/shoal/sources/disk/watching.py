"""Where does something stir? What the kernel tells of changes in directories (inotify).

Only which directories, and which names in them: what has become of these is found by looking. When
the kernel's queue overflowed, something is missing in what it told, and everything is looked at.
"""

import errno
import os
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field

from inotify_simple import INotify, flags

from shoal.sources.disk.paths import join, name_of, parent_of

_FULL = (errno.ENOSPC, errno.ENOMEM)
_CHANGES = (
    flags.CREATE
    | flags.DELETE
    | flags.MOVED_FROM
    | flags.MOVED_TO
    | flags.CLOSE_WRITE
    | flags.ATTRIB
    | flags.DELETE_SELF
    | flags.MOVE_SELF
    | flags.ONLYDIR
    | flags.DONT_FOLLOW
    | flags.EXCL_UNLINK
)
_ABOVE = flags.ATTRIB | flags.MOVE_SELF | flags.ONLYDIR
_BESIDE = flags.CREATE | flags.DELETE | flags.MOVED_FROM | flags.MOVED_TO
_SELF = flags.DELETE_SELF | flags.MOVE_SELF
_COALESCED_MS = 20


@dataclass
class Stirred:
    """What is to be looked at."""

    everything: bool = False
    names: defaultdict[bytes, set[bytes]] = field(default_factory=lambda: defaultdict(set))
    """In these directories, these names."""
    trees: set[bytes] = field(default_factory=set)
    """These directories, and all below them."""

    def __bool__(self) -> bool:
        return self.everything or bool(self.names) or bool(self.trees)


class Watcher:
    """Of one source; `most` directories at most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._inotify = INotify(nonblocking=True)
        self._paths: dict[int, bytes] = {}
        self._numbers: dict[bytes, int] = {}
        self._above: dict[int, bytes] = {}
        """Directories above the source, and the name in each that leads to it."""
        self.overflows = 0
        """How often the kernel's queue was too short."""

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, directory: bytes) -> bool:
        """Whether it is told from now on when something changes there; not when there are too many
        already. What it is and whether it is there is found by looking."""
        if directory in self._numbers:
            # It may be another directory by that name than the one that is watched.
            return self._add(directory)
        return len(self._paths) < self._most and self._add(directory)

    def add_above(self, source: bytes) -> None:
        """The directories above the source: who may enter them matters, and whether it is there."""
        mask, below = _ABOVE | _BESIDE, source
        while (directory := parent_of(below)) != below:
            with suppress(OSError):
                number = self._inotify.add_watch(directory, mask)
                self._above[number] = name_of(below)
            mask, below = _ABOVE, directory

    def _add(self, directory: bytes) -> bool:
        try:
            number = self._inotify.add_watch(directory, _CHANGES)
        except OSError as error:
            return error.errno not in _FULL
        before = self._paths.get(number)
        if before is not None and before != directory:
            self._numbers.pop(before, None)
        older = self._numbers.get(directory)
        if older is not None and older != number:
            self._paths.pop(older, None)
        self._paths[number], self._numbers[directory] = directory, number
        return True

    def read(self, seconds: float, stirred: Stirred) -> None:
        """Wait so long for something, and add it."""
        for event in self._inotify.read(int(seconds * 1000), _COALESCED_MS):
            self._take(event.wd, event.mask, os.fsencode(event.name), stirred)

    def _take(self, number: int, mask: int, name: bytes, stirred: Stirred) -> None:
        if mask & flags.Q_OVERFLOW:
            self.overflows += 1
            stirred.everything = True
            return
        if number in self._above and name in (b"", self._above[number]):
            stirred.everything = True
        directory = self._paths.get(number)
        if directory is None:
            return
        if mask & flags.IGNORED:
            self._paths.pop(number, None)
            if self._numbers.get(directory) == number:
                del self._numbers[directory]
        elif mask & _SELF:
            stirred.names[parent_of(directory)].add(name_of(directory))
        elif not name:
            stirred.trees.add(directory)  # who may enter it has changed
        else:
            path = join(directory, name)
            if mask & flags.ISDIR and mask & flags.MOVED_FROM:
                self._forget_below(path)
            if mask & flags.ISDIR and not mask & (flags.DELETE | flags.MOVED_FROM):
                stirred.trees.add(path)
            stirred.names[directory].add(name)

    def _forget_below(self, directory: bytes) -> None:
        """It was moved away: what is told of it would be told under its old name."""
        inside = directory + b"/"
        moved = [each for each in self._numbers if each == directory or each.startswith(inside)]
        for path in moved:
            number = self._numbers.pop(path)
            self._paths.pop(number, None)
            with suppress(OSError):
                self._inotify.rm_watch(number)

    def close(self) -> None:
        self._inotify.close()
