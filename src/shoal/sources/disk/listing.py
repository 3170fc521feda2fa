"""What stands in a directory that is wanted? Files to be read, folders to be entered, and why the
rest is left out.

Nothing is opened here but directories: a pipe or a device is told by its kind. Symbolic links are
not followed, so there are no loops; what they lead to is found where it stands.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from shoal.model.source import Skipped
from shoal.sources.disk.ignore import FILE_NAME, MOST_BYTES, Pattern, Rules, patterns_of
from shoal.sources.disk.paths import join, name_of, parent_of

CACHE_TAG = b"CACHEDIR.TAG"
_RULES_REMEMBERED = 10_000
_EXAMPLE_CHARS = 200
HIDDEN = "hidden"
IGNORED = "ignored by a pattern"
LINK = "a symbolic link"
SPECIAL = "neither a file nor a folder"
TOO_LARGE = "larger than files.max_size"
MOUNT = "on another file system"
CACHE = "a cache (CACHEDIR.TAG)"
UNREADABLE = "may not be read"
BROKEN = "can't be read"


@dataclass(frozen=True)
class DiskSettings:
    hidden: bool = False
    mounts: bool = False
    ignore: tuple[str, ...] = ()
    max_bytes: int = 50_000_000
    most_watches: int | None = None
    """None: nearly as many as the kernel allows."""
    sweep_seconds: float = 21_600.0
    poll_seconds: float = 60.0
    never: tuple[bytes, ...] = ()
    """Folders that are left out whatever is set: the collection's own."""


class Found(NamedTuple):
    name: bytes
    status: os.stat_result


class Listing(NamedTuple):
    files: list[Found]
    folders: list[bytes]
    """Their names."""


class Unlisted(Exception):
    """A directory could not be listed."""

    def __init__(self, *, is_gone: bool) -> None:
        super().__init__()
        self.is_gone = is_gone
        """Whether nothing there can be read any more: it is not there, or closed to us. A disk
        that fails says nothing of its files."""


@dataclass
class Lister:
    """As of one look."""

    root: bytes
    device: int
    settings: DiskSettings
    given: tuple[Pattern, ...]
    skipped: dict[str, Skipped] = field(default_factory=dict)
    _rules: dict[bytes, Rules] = field(default_factory=dict)

    def everything(self, directory: bytes) -> Listing:
        """Raises `Unlisted`."""
        try:
            with os.scandir(directory) as entries:
                found = list(_statuses(entries))
        except (FileNotFoundError, NotADirectoryError):
            raise Unlisted(is_gone=True) from None
        except PermissionError:
            self.skip(UNREADABLE, directory)
            raise Unlisted(is_gone=True) from None
        except OSError:
            self.skip(BROKEN, directory)
            raise Unlisted(is_gone=False) from None
        if directory != self.root and any(each.name == CACHE_TAG for each in found):
            self.skip(CACHE, directory)
            return Listing([], [])
        return self._wanted(directory, found)

    def named(self, directory: bytes, names: Iterable[bytes]) -> Listing:
        """As far as these names are there."""
        found = []
        for name in names:
            with suppress(OSError):
                found.append(Found(name, os.lstat(join(directory, name))))
        return self._wanted(directory, found)

    def wants(self, directory: bytes) -> bool:
        """Whether a directory is entered, by its own name and by those above it."""
        while directory != self.root:
            above = parent_of(directory)
            if above == directory:
                return False  # it is not below the root at all
            try:
                status = os.lstat(directory)
            except OSError:
                return False
            if not stat.S_ISDIR(status.st_mode) or self._why_not(above, directory, status):
                return False
            directory = above
        return True

    def _wanted(self, directory: bytes, found: Iterable[Found]) -> Listing:
        listing = Listing([], [])
        for each in found:
            path = join(directory, each.name)
            reason = self._why_not(directory, path, each.status)
            if reason:
                self.skip(reason, path)
            elif stat.S_ISDIR(each.status.st_mode):
                listing.folders.append(each.name)
            else:
                listing.files.append(each)
        return listing

    def _why_not(self, directory: bytes, path: bytes, status: os.stat_result) -> str:
        name, mode = name_of(path), status.st_mode
        is_folder = stat.S_ISDIR(mode)
        if name.startswith(b".") and not self.settings.hidden:
            return HIDDEN
        if stat.S_ISLNK(mode):
            return LINK
        if not is_folder and not stat.S_ISREG(mode):
            return SPECIAL
        if path in self.settings.never or self.rules(directory).ignores(path, is_folder=is_folder):
            return IGNORED
        if is_folder:
            other = status.st_dev != self.device and not self.settings.mounts
            return MOUNT if other else ""
        return TOO_LARGE if status.st_size > self.settings.max_bytes else ""

    def rules(self, directory: bytes) -> Rules:
        found = self._rules.get(directory)
        if found is None:
            if directory == self.root:
                above: Rules | None = Rules(self.root, self.given)
            else:
                above = self.rules(parent_of(directory))
            own = _patterns_in(directory)
            found = Rules(directory, own, above) if own or above is None else above
            if len(self._rules) >= _RULES_REMEMBERED:
                self._rules.clear()
            self._rules[directory] = found
        return found

    def skip(self, reason: str, path: bytes) -> None:
        found = self.skipped.setdefault(reason, Skipped())
        found.count += 1
        shown = path.decode("utf-8", "backslashreplace")[:_EXAMPLE_CHARS]
        found.example = min(found.example or shown, shown)


def _statuses(entries: "Iterator[os.DirEntry[bytes]]") -> Iterator[Found]:
    for entry in entries:
        with suppress(OSError):  # it has just gone
            yield Found(entry.name, entry.stat(follow_symlinks=False))


def _patterns_in(directory: bytes) -> tuple[Pattern, ...]:
    return tuple(patterns_of(lines_in(directory)))


def lines_in(directory: bytes) -> list[bytes]:
    """Of its file that says what is left out."""
    path = join(directory, FILE_NAME)
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return []
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            return []
        try:
            return file.read(MOST_BYTES).splitlines()
        except OSError:
            return []
