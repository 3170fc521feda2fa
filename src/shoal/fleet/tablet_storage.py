"""How is what a tablet writes made durable, and found again by its next owner?

On a shared file system by syncing it: the next owner makes its directory from this one. With an
object store a tablet lies on the local disk of whichever machine has it, and its truth is the last
checkpoint.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from shoal.layout.cluster_file import is_object_store
from shoal.layout.layout import Layout
from shoal.layout.tablet_place import adopt


class Written(Protocol):
    """What is made durable: a tablet that a crawl, or a command, writes to."""

    @property
    def layout(self) -> Layout: ...
    def checkpoint(self, into: Path) -> None:
        """The table as of now, in a new directory."""
        ...

    def archive_ends(self) -> dict[str, int]:
        """How far each archive file goes in whole records, as far as rows know."""
        ...

    def sync(self) -> None:
        """What was written is on disk."""
        ...


class Storage(Protocol):
    @property
    def is_shared(self) -> bool: ...
    @property
    def path(self) -> Path:
        """Where the tablet lies, once it is prepared."""
        ...

    @property
    def uploaded_bytes(self) -> int: ...
    def prepare(self, tablet: str, epoch: int) -> None:
        """Make the directory of an epoch from the last durable state."""
        ...

    def attach(self, written: Written, guard: Callable[[], None]) -> None:
        """Before it sends or asks for anything. `guard` raises when the tablet is lost."""
        ...

    def make_durable(self, written: Written) -> None: ...


def storage_of(place: str, work: str) -> Storage:
    if is_object_store(place):
        from shoal.fleet.object_storage import ObjectStorage  # noqa: PLC0415 - only where it is used

        return ObjectStorage(place, work)
    return SharedStorage(Path(place.removeprefix("file://")))


class SharedStorage:
    is_shared = True
    uploaded_bytes = 0

    def __init__(self, place: Path) -> None:
        self._place = place
        self.path = place

    def prepare(self, tablet: str, epoch: int) -> None:
        self.path = adopt(self._place / "tablets" / tablet, epoch)
        settings = self._place / "shoal.toml"
        if settings.is_file():
            shutil.copyfile(settings, self.path / "shoal.toml")

    def attach(self, written: Written, guard: Callable[[], None]) -> None:
        del written, guard

    def make_durable(self, written: Written) -> None:
        written.sync()
