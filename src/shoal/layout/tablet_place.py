"""Where does a tablet lie while an epoch has it? In a directory of that epoch's own.

On a shared file system the new owner makes its directory from the one before: what never changes
(tables' files, archives, the index's segments) is linked, the rest is copied, so it takes as long
as there are files. The directory with the highest number is the tablet: a former owner that comes
back writes into its own, or makes one, which nobody reads any more. Only whole records can be added
to an archive file that both have, and no row points at them.
"""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from shoal.errors import CollectionError
from shoal.whole_file import put_on_disk

_DIGITS = 8
_NEVER_CHANGES = (".sst", ".warc.gz", ".store", ".term", ".idx", ".pos", ".fast", ".fieldnorm")
SNAPSHOTS = "snapshots"
"""In the directory of an epoch: copies of its table for those who read all of it."""
_NOT_TAKEN_ALONG = frozenset(
    ("lock", "readers", "status.json", ".status.json.part", "log", "LOCK", SNAPSHOTS)
)
_KEPT = 2
"""Directories: the owner's, and the one before it, in which somebody may still be reading."""
_TRIES = 5
_BETWEEN_TRIES_SECONDS = 1.0


def tablet_name(number: int) -> str:
    return f"{number:04}"


def directory_of_epoch(tablet: Path, epoch: int) -> Path:
    return tablet / f"{epoch:0{_DIGITS}}"


def current(tablet: Path, before: int | None = None) -> Path | None:
    """The directory of the last epoch that made one (of those `before` an epoch); None before the
    first."""
    try:
        whole = [path for path in tablet.iterdir() if path.is_dir() and path.name.isdigit()]
    except OSError:
        return None
    found = [path for path in whole if before is None or int(path.name) < before]
    return max(found, key=lambda path: int(path.name), default=None)


def adopt(tablet: Path, epoch: int) -> Path:
    """Make the directory of an epoch, from the one before it."""
    mine = directory_of_epoch(tablet, epoch)
    draft = mine.with_suffix(".draft")
    try:
        _clone_whole(tablet, epoch, draft)
        _sync(draft)
        shutil.rmtree(mine, ignore_errors=True)
        draft.rename(mine)
        put_on_disk(tablet)
    except OSError as error:
        raise CollectionError(
            f"The tablet in {tablet} can't be taken over: {error.strerror or error}."
        ) from error
    _forget_old(tablet, epoch)
    return mine


def _clone_whole(tablet: Path, epoch: int, draft: Path) -> None:
    """Again when anything changed meanwhile: a former owner's last flush or compaction."""
    for left in reversed(range(_TRIES)):
        shutil.rmtree(draft, ignore_errors=True)
        source = current(tablet, before=epoch)
        if source is None:
            draft.mkdir(parents=True)
            return
        with suppress(FileNotFoundError):
            seen = sorted(_files(source))
            clone(source, draft)
            shutil.copymode(source, draft)
            if sorted(_files(source)) == seen:
                return
        if left:
            time.sleep(_BETWEEN_TRIES_SECONDS)
    raise CollectionError(f"Somebody still writes to the tablet in {tablet}; look who it is.")


def _files(directory: Path) -> Iterator[tuple[str, int, int]]:
    """What is taken along, with sizes and times."""
    for folder, folders, names in os.walk(directory):
        folders[:] = [each for each in folders if each not in _NOT_TAKEN_ALONG]
        for name in names:
            if name not in _NOT_TAKEN_ALONG:
                path = os.path.join(folder, name)  # noqa: PTH118 - there may be many
                found = os.lstat(path)
                yield path, found.st_size, found.st_mtime_ns


def clone(source: Path, target: Path) -> None:
    target.mkdir(parents=True)
    for each in sorted(source.iterdir()):
        if each.name in _NOT_TAKEN_ALONG or each.is_symlink():
            continue
        if each.is_dir():
            clone(each, target / each.name)
        elif each.name.endswith(_NEVER_CHANGES):
            link_or_copy(each, target / each.name)
        else:
            shutil.copy2(each, target / each.name)


def _sync(directory: Path) -> None:
    """On disk before anybody relies on it: others have deleted what this tablet took in. What is
    linked is the former owner's, and on disk as far as rows rely on it."""
    for folder, _, files in os.walk(directory):
        for path in (Path(folder) / name for name in files):
            if path.stat().st_nlink == 1:
                put_on_disk(path)
        put_on_disk(folder)


def link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except FileNotFoundError:
        raise
    except OSError:  # a file system without links
        shutil.copy2(source, target)


def _forget_old(tablet: Path, epoch: int) -> None:
    with suppress(OSError):
        numbered = [path for path in sorted(tablet.iterdir()) if path.name[:_DIGITS].isdigit()]
        whole = [path for path in numbered if path.name.isdigit()]
        for each in numbered:
            if each not in whole[-_KEPT:] and int(each.name[:_DIGITS]) < epoch:
                shutil.rmtree(each, ignore_errors=True)
