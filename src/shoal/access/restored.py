"""How is a cluster read that rests in an object store? From its last checkpoints, restored here.

    WORK/CLUSTER/read/0007/00000012-00000003    tablet 7 as of that checkpoint, with an index
    WORK/CLUSTER/read/graph                     ranks that were made on this machine

A checkpoint never changes, so what was restored once is used again. The next one is made from what
is here already (restore.py); the two newest of a tablet stay, and what somebody still reads.
Checkpoints hold no full-text index: it is made here, once for each of them.
"""

import fcntl
import os
import secrets
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from shoal.access.rank_copies import hand_out
from shoal.cluster.manifest import checkpoints
from shoal.cluster.objects import Missing, Objects, open_objects
from shoal.cluster.restore import restore
from shoal.collection.tablets import LocalTablets
from shoal.errors import CollectionError
from shoal.graph.generations import summary_of
from shoal.indexer.indexing import bring_up_to_date
from shoal.layout.cluster_file import SETTINGS, not_yet, work_folder
from shoal.layout.layout import READERS, Layout
from shoal.layout.ranks import graph_of
from shoal.layout.tablet_place import tablet_name

if TYPE_CHECKING:
    from shoal.access.opening import ProgressReporter

_KEPT = 2
_AT_ONCE = 4
_DRAFT = "draft-"
_FORGOTTEN_SECONDS = 24 * 3600.0
"""A draft as old as that is one of a process that was killed."""
_FIRST_DIGIT = "[0-9]*"


def cache_of(place: str) -> Path:
    return work_folder(place) / "read"


def restored(place: str, tablets: int, progress: "ProgressReporter") -> list[Path]:
    """Where the tablets lie on this machine, as of their newest checkpoints, with their indexes."""
    cache = cache_of(place)
    restoring = _Restoring(open_objects(place), cache, progress)
    with ThreadPoolExecutor(_AT_ONCE, "restore") as threads:
        found: list[Path] = []
        for number, path in enumerate(threads.map(restoring.newest, range(tablets)), 1):
            progress.report("tablets fetched", number, tablets)
            found += [path] if path is not None else []
    if len(found) < tablets:
        raise not_yet(place, len(found), tablets)
    for path in found:
        bring_up_to_date(path, lambda documents: progress.report("indexing", documents))
    if restoring.is_new and summary_of(graph_of(cache)) is not None:
        with LocalTablets([Layout(path) for path in found]) as opened:
            hand_out(opened, cache)
    return found


def restored_tablet(place: str, number: int) -> Path:
    """One of them, without an index."""
    from shoal.access.opening import Unheard  # noqa: PLC0415 - it needs this module

    path = _Restoring(open_objects(place), cache_of(place), Unheard()).newest(number)
    if path is None:
        raise CollectionError(f"Tablet {number} of the cluster in {place} has nothing yet.")
    return path


class _Restoring:
    def __init__(self, objects: Objects, cache: Path, progress: "ProgressReporter") -> None:
        self._objects, self._cache, self._teller = objects, cache, progress
        self.is_new = False
        """Whether a checkpoint was not here yet."""

    def newest(self, number: int) -> Path | None:
        """None when the tablet has no checkpoint."""
        name = tablet_name(number)
        prefix, folder = f"tablets/{name}", self._cache / name
        names = checkpoints(self._objects, prefix)
        if not names or (folder / names[0]).is_dir():
            return folder / names[0] if names else None
        try:
            self._cache.mkdir(mode=0o700, parents=True, exist_ok=True)
            folder.mkdir(exist_ok=True)
            return self._restore(prefix, folder)
        except OSError as error:
            raise CollectionError(
                f"{folder} can't be written: {error.strerror or error}."
            ) from error

    def _restore(self, prefix: str, folder: Path) -> Path | None:
        earlier = sorted(folder.glob(_FIRST_DIGIT))
        draft = folder / f"{_DRAFT}{secrets.token_hex(4)}"
        try:
            made = restore(self._objects, prefix, draft, earlier, self._teller.remark)
            if made is None:
                return None
            with suppress(Missing):
                (draft / SETTINGS).write_bytes(self._objects.get(SETTINGS))
            with suppress(OSError):  # another process was faster, and has the same
                draft.rename(folder / made.name)
                self.is_new = True
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        _forget_old(folder)
        return folder / made.name


def _forget_old(folder: Path) -> None:
    for each in sorted(folder.glob(_FIRST_DIGIT))[:-_KEPT]:
        _delete(each)
    for each in folder.glob(f"{_DRAFT}*"):
        with suppress(OSError):
            if time.time() - each.stat().st_mtime > _FORGOTTEN_SECONDS:
                shutil.rmtree(each, ignore_errors=True)


def _delete(directory: Path) -> None:
    """Unless somebody reads it."""
    with suppress(OSError):
        fd = os.open(directory / READERS, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(directory, ignore_errors=True)
        finally:
            os.close(fd)
