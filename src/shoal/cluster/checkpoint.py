"""How does a tablet survive its machine? From time to time what is new of it goes to the store.

The order is the whole point. The table is copied as of one moment; *then* it is asked how far the
archive goes, so that no row of the copy points past the copied bytes; what the store does not have
is put there; the manifest goes last, under a name of its own. Killed at any moment, the manifest
before it is whole. Only then objects are deleted: what neither this manifest needs nor the one
before, also those that kills and faults have left.

A former owner may wake up anywhere in here. So `guard` is asked *behind* the publishing: if the
tablet was still its own then, whoever owns it next restores from this manifest or a later one; if
not, nothing is acknowledged and nothing is deleted. A new owner makes a checkpoint before it sends
or fetches anything, so that nobody ever restores from what such a straggler published.
"""

import shutil
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, Protocol

from shoal import faults
from shoal.cluster.checkpoint_plan import Planned, Planner, Upload
from shoal.cluster.manifest import (
    Manifest,
    Piece,
    checkpoint_key,
    checkpoints,
    encode,
    read_local,
    read_range,
    write_local,
)
from shoal.cluster.objects import Exists, Objects, StoreFault
from shoal.cluster.upload_parts import MOST_BYTES
from shoal.errors import CollectionError, Fenced
from shoal.model.record import changed

_AT_ONCE = 4
_COPY = "checkpoint.copy"
"""A directory beside the table, for hard links and what is small, while a checkpoint is made."""
_SETTINGS = "shoal.toml"


class Place(Protocol):
    """Where a tablet's files are (layout/layout.py)."""

    @property
    def directory(self) -> Path: ...
    @property
    def warc(self) -> Path: ...


class Tablet(NamedTuple):
    """What is copied, and how."""

    place: Place
    snapshot: Callable[[Path], None]
    """Copies the table as of now into a new directory, by hard links where it can."""
    ends: Callable[[], dict[str, int]]
    """How far each archive file goes in whole records, as far as rows know."""
    guard: Callable[[], None]
    """Raises `Fenced` when somebody else may own the tablet."""


class Checkpointer:
    """The checkpoints of one epoch. One thread at a time may use it."""

    def __init__(self, objects: Objects, prefix: str, epoch: int, tablet: Tablet) -> None:
        self._objects = objects
        self._prefix = prefix
        self._epoch = epoch
        self._tablet = tablet
        self._number = 0
        self._last = read_local(tablet.place.directory)
        self._have: dict[str, Piece] = {}
        """What is in the store for sure."""
        self._maybe: set[str] = set()
        """Keys of all that may be in the store."""
        self._looked = False

    def make(self) -> Manifest:
        """When it returns, all that was in the tablet when it was called is durable. A `StoreFault`
        leaves things as they were, and the next call goes on from there."""
        self._tablet.guard()
        if not self._looked:
            self._look()
            self._looked = True
        self._number += 1
        manifest = Manifest(self._epoch, self._number, time.time(), [])
        copy = self._tablet.place.directory / _COPY
        try:
            planned = self._plan(manifest, copy)
            uploads = [upload for each in planned for upload in each.uploads]
            self._upload(uploads)
        except OSError as error:
            raise CollectionError(f"No checkpoint can be made: {error}.") from error
        finally:
            shutil.rmtree(copy, ignore_errors=True)
        manifest = changed(
            manifest,
            files=sorted((each.file for each in planned), key=lambda file: file.name),
            uploaded=sum(upload.piece.size for upload in uploads),
        )
        self._publish(manifest)
        self._delete_unneeded(manifest)
        self._last = manifest
        self._note(manifest)
        return manifest

    def _look(self) -> None:
        """What is there, of this tablet's former lives?"""
        data = dict(self._objects.names(f"{self._prefix}/data"))
        names = checkpoints(self._objects, self._prefix)
        if names and self._last is None:
            raise CollectionError(
                f"{self._prefix} has checkpoints that this tablet was not made from; restore them."
            )
        own = [name for name in names if name.startswith(f"{self._epoch:08d}-")]
        self._number = max((int(name.partition("-")[2]) for name in own), default=0)
        self._maybe = {key[len(self._prefix) + 1 :] for key in data}
        self._maybe |= {checkpoint_key(name) for name in names}
        for file in self._last.files if self._last else ():
            for piece in file.pieces:
                if data.get(f"{self._prefix}/{piece.key}") == piece.size:
                    self._have[piece.key] = piece

    def _plan(self, manifest: Manifest, copy: Path) -> list[Planned]:
        planner = Planner(manifest, self._last, self._have)
        place = self._tablet.place
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir()
        self._tablet.snapshot(copy / "table")
        ends = self._tablet.ends()
        planned = [*planner.table(copy / "table"), *planner.archive(place.warc, ends)]
        if (place.directory / _SETTINGS).is_file():
            shutil.copyfile(place.directory / _SETTINGS, copy / _SETTINGS)
            planned.append(planner.small(_SETTINGS, copy / _SETTINGS))
        return planned

    def _upload(self, uploads: Sequence[Upload]) -> None:
        self._maybe.update(upload.piece.key for upload in uploads)
        with ThreadPoolExecutor(_AT_ONCE, "checkpoint") as pool:
            for _ in pool.map(self._upload_one, uploads):  # the first fault ends it
                faults.point("checkpoint.uploaded")

    def _upload_one(self, upload: Upload) -> None:
        piece = upload.piece
        data: bytes | Path = upload.path
        if piece.size <= MOST_BYTES:  # as all pieces of archive files, which grow meanwhile
            data = b"".join(read_range(upload.path, upload.start, upload.start + piece.size))
        self._objects.put(f"{self._prefix}/{piece.key}", data)
        self._have[piece.key] = piece

    def _publish(self, manifest: Manifest) -> None:
        self._tablet.guard()
        key, data = checkpoint_key(manifest.name), encode(manifest)
        self._maybe.add(key)
        try:
            self._objects.put(f"{self._prefix}/{key}", data, create=True)
        except Exists as error:  # our own, if an answer was lost
            if self._objects.get(f"{self._prefix}/{key}") != data:
                raise Fenced(f"Another process makes checkpoints of {self._prefix}.") from error
        faults.point("checkpoint.published")
        self._tablet.guard()

    def _note(self, manifest: Manifest) -> None:
        """For the next owner on this machine: which of our files are which objects."""
        try:
            write_local(self._tablet.place.directory, manifest)
        except OSError as error:
            raise CollectionError(f"No checkpoint can be noted: {error}.") from error

    def _delete_unneeded(self, manifest: Manifest) -> None:
        needed = manifest.keys() | (self._last.keys() if self._last else set())
        unneeded = self._maybe - needed
        try:
            self._objects.delete(f"{self._prefix}/{key}" for key in sorted(unneeded))
        except StoreFault:
            return  # the next checkpoint deletes them
        self._maybe &= needed
        for key in unneeded:
            self._have.pop(key, None)
