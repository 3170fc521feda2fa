"""How does a tablet come back? From the newest checkpoint of which every byte is there.

Each piece is held against its digest. A checkpoint that is damaged is passed over for the one
before, and that is told: what came after it is lost. A store that does not answer is another
matter: then nothing is restored, because an older state must not be taken for the newest. All is
written apart and gets its name at the end, so that a directory is a whole tablet or none.

What another directory of this machine still has is not fetched again: files of the table are linked
(they never change), ranges of archive files are copied. Their digests are looked at likewise.
"""

import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from shoal import faults
from shoal.cluster.manifest import (
    ARCHIVE,
    TABLE,
    Manifest,
    Piece,
    StoredFile,
    checkpoint_key,
    checkpoints,
    decode,
    is_fixed,
    read_local,
    read_range,
    write_local,
)
from shoal.cluster.objects import Missing, Objects
from shoal.cluster.upload_parts import MOST_BYTES
from shoal.errors import CollectionError, DamagedError
from shoal.model.digest import pieces_digest

_AT_ONCE = 4
_MOST_PASSED = 10


class _Held(NamedTuple):
    """Where a piece may be on this machine."""

    path: Path
    start: int


def restore(
    objects: Objects,
    prefix: str,
    into: Path,
    reuse: Sequence[Path] = (),
    progress: Callable[[str], None] | None = None,
) -> Manifest | None:
    """Into a directory that is empty or not there. None when the store has no checkpoint of the
    tablet; `reuse` are directories of its former lives; `progress` hears of damage."""
    partial = into.with_name(into.name + ".partial")
    passed: set[str] = set()
    try:
        if into.exists() and any(into.iterdir()):
            raise CollectionError(f"{into} is not empty; restore into a new directory.")
        while name := _newest_but(passed, objects, prefix):
            try:
                manifest = _restore_one(objects, prefix, name, partial, reuse)
            except (DamagedError, Missing) as error:
                passed.add(name)
                if progress is not None and objects.exists(f"{prefix}/{checkpoint_key(name)}"):
                    progress(
                        f"The checkpoint {name} of {prefix} is damaged and passed over: {error}"
                    )
                continue
            partial.replace(into)
            return manifest
    except OSError as error:
        raise CollectionError(f"{prefix} can't be restored to {into}: {error}.") from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    if passed:
        raise DamagedError(f"Every checkpoint of {prefix} is damaged; mend the store first.")
    return None


def _newest_but(passed: set[str], objects: Objects, prefix: str) -> str:
    """Looked up each time: when an owner is at work, old ones go and new ones come."""
    if len(passed) >= _MOST_PASSED:
        return ""
    return next((name for name in checkpoints(objects, prefix) if name not in passed), "")


def _restore_one(
    objects: Objects, prefix: str, name: str, into: Path, reuse: Iterable[Path]
) -> Manifest:
    shutil.rmtree(into, ignore_errors=True)
    manifest = decode(objects.get(f"{prefix}/{checkpoint_key(name)}"))
    _Restoring(objects, prefix, into, _held(reuse)).all(manifest)
    write_local(into, manifest)
    return manifest


class _Restoring:
    """One checkpoint, into a new directory."""

    def __init__(
        self, objects: Objects, prefix: str, into: Path, held: dict[str, list[_Held]]
    ) -> None:
        self._objects = objects
        self._prefix = prefix
        self._into = into
        self._held = held

    def all(self, manifest: Manifest) -> None:
        for folder in (TABLE, ARCHIVE):
            (self._into / folder).mkdir(parents=True)
        with ThreadPoolExecutor(_AT_ONCE, "restore") as pool:
            for _ in pool.map(self._file, manifest.files):  # the first fault ends it
                faults.point("restore.file")

    def _file(self, file: StoredFile) -> None:
        path = self._into / file.name
        only = file.pieces[0] if len(file.pieces) == 1 else None
        if only is not None and is_fixed(file.name) and self._link(only, path):
            return
        if only is not None and only.size > MOST_BYTES:
            self._fetch(only, path)
            return
        with path.open("wb") as joined:
            for piece in file.pieces:
                joined.write(self._copy(piece) or self._get(piece))

    def _link(self, piece: Piece, path: Path) -> bool:
        for held in self._held.get(piece.key, ()):
            try:
                os.link(held.path, path)
                if _is_whole(path, piece):
                    return True
                path.unlink()
            except OSError:
                continue  # on another disk, or gone
        return False

    def _fetch(self, piece: Piece, path: Path) -> None:
        self._objects.fetch(f"{self._prefix}/{piece.key}", path)
        if not _is_whole(path, piece):
            raise _damaged(piece)

    def _copy(self, piece: Piece) -> bytes | None:
        for held in self._held.get(piece.key, ()):
            try:
                data = b"".join(read_range(held.path, held.start, held.start + piece.size))
            except OSError:
                continue
            if pieces_digest([data]) == piece.digest:
                return data
        return None

    def _get(self, piece: Piece) -> bytes:
        data = self._objects.get(f"{self._prefix}/{piece.key}")
        if len(data) != piece.size or pieces_digest([data]) != piece.digest:
            raise _damaged(piece)
        return data


def _held(directories: Iterable[Path]) -> dict[str, list[_Held]]:
    """By key, as the directories' own manifests have it; what they say is made sure of later."""
    held = defaultdict(list)
    for directory in directories:
        manifest = read_local(directory)
        for file in manifest.files if manifest is not None else ():
            start = 0
            for piece in file.pieces:
                held[piece.key].append(_Held(directory / file.name, start))
                start += piece.size
    return held


def _is_whole(path: Path, piece: Piece) -> bool:
    size = path.stat().st_size
    return size == piece.size and pieces_digest(read_range(path, 0, size)) == piece.digest


def _damaged(piece: Piece) -> DamagedError:
    return DamagedError(f"{piece.key} is not what was written.")
