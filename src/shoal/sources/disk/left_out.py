"""Which files and folders of a source are left out for one reason? They are looked for when a
person asks; a look at the source only counts them.

And why is one file left out, which a person names? No file is opened for either.
"""

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from shoal.sources.disk.ignore import FILE_NAME, Rules, patterns_of
from shoal.sources.disk.listing import (
    CACHE,
    CACHE_TAG,
    IGNORED,
    UNREADABLE,
    DiskSettings,
    Lister,
    Unlisted,
    lines_in,
)
from shoal.sources.disk.paths import join, name_of, parent_of

_MOST_SECONDS = 5.0


@dataclass
class _Noting(Lister):
    """Remembers the paths."""

    found: list[tuple[str, bytes]] = field(default_factory=list)

    def skip(self, reason: str, path: bytes) -> None:
        super().skip(reason, path)
        self.found.append((reason, path))


class LeftOut(NamedTuple):
    reason: str
    path: bytes
    """Itself, or the folder above it that is left out."""
    pattern: str = ""
    """The one that decided, and where it stands."""


def left_out(root: bytes, settings: DiskSettings, reason: str) -> Iterator[bytes]:
    """Their paths, in the order of the folders, for a few seconds at most."""
    lister = _lister(root, settings)
    if lister is None:
        return
    end_s, todo = time.monotonic() + _MOST_SECONDS, [root]
    while todo and time.monotonic() < end_s:
        directory = todo.pop()
        try:
            listing = lister.everything(directory)
        except Unlisted:
            listing = None
        if reason == UNREADABLE and listing is not None:
            closed = (join(directory, each.name) for each in listing.files)
            lister.found.extend((reason, each) for each in closed if not os.access(each, os.R_OK))
        yield from sorted(path for why, path in lister.found if why == reason)
        lister.found.clear()
        if listing is not None:
            todo += sorted((join(directory, each) for each in listing.folders), reverse=True)


def why_left_out(root: bytes, settings: DiskSettings, path: bytes) -> LeftOut | None:
    """None: it is wanted, or does not stand in this source."""
    lister = _lister(root, settings)
    if lister is None:
        return None
    way = [path]
    while way[-1] != lister.root:
        if parent_of(way[-1]) == way[-1]:
            return None
        way.append(parent_of(way[-1]))
    for directory, each in zip(way[:0:-1], way[-2::-1], strict=True):
        listing = lister.named(directory, [name_of(each)])
        if lister.found:
            reason = lister.found[0][0]
            is_folder = not listing.files and os.path.isdir(each)  # noqa: PTH112 - bytes
            said = _deciding(lister, directory, each, is_folder=is_folder)
            return LeftOut(reason, each, said if reason == IGNORED else "")
        if each != path and _is_cache(each):
            return LeftOut(CACHE, each)
    return None


def _is_cache(directory: bytes) -> bool:
    return os.path.lexists(join(directory, CACHE_TAG))


def _deciding(lister: _Noting, directory: bytes, path: bytes, *, is_folder: bool) -> str:
    """The pattern by which a path is ignored: the last that fits, of the nearest folder."""
    while True:
        given = [os.fsencode(each) for each in lister.settings.ignore]
        own = [(line, join(directory, FILE_NAME)) for line in lines_in(directory)]
        lines = [(line, b"files.ignore") for line in given] if directory == lister.root else []
        for line, where in reversed([*lines, *own]):
            rules = Rules(directory, tuple(patterns_of([line])))
            if rules.ignores(path, is_folder=is_folder):
                return f"{_shown(line)} (in {_shown(where)})"
        if directory == lister.root:
            return ""
        directory = parent_of(directory)


def _shown(text: bytes) -> str:
    return text.strip().decode("utf-8", "backslashreplace")


def _lister(root: bytes, settings: DiskSettings) -> _Noting | None:
    try:
        status = os.lstat(root)
    except OSError:
        return None
    given = tuple(patterns_of(os.fsencode(each) for each in settings.ignore))
    top = root if stat.S_ISDIR(status.st_mode) else parent_of(root)
    return _Noting(top, status.st_dev, settings, given)
