"""A tablet on the local disk of whichever machine has it, its truth in an object store."""

import shutil
from collections.abc import Callable
from contextlib import suppress

from shoal.cluster.checkpoint import Checkpointer, Tablet
from shoal.cluster.objects import Missing, open_objects
from shoal.cluster.restore import restore
from shoal.fleet.tablet_storage import Written
from shoal.layout.cluster_file import work_folder
from shoal.layout.tablet_place import directory_of_epoch

_KEPT = 2


class ObjectStorage:
    """`work` is where this machine keeps its working copies; each cluster has its own folder."""

    is_shared = False

    def __init__(self, place: str, work: str) -> None:
        self._objects = open_objects(place)
        self._work = work_folder(place, work)
        self._prefix = ""
        self._epoch = 0
        self._checkpointer: Checkpointer | None = None
        self.path = self._work
        self.uploaded_bytes = 0

    def prepare(self, tablet: str, epoch: int) -> None:
        folder = self._work / tablet
        self._prefix, self._epoch = f"tablets/{tablet}", epoch
        self.path = directory_of_epoch(folder, epoch)
        earlier = sorted(each for each in folder.glob("[0-9]*") if each.is_dir())
        restore(self._objects, self._prefix, self.path, earlier)
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        for each in earlier[: -(_KEPT - 1)]:
            shutil.rmtree(each, ignore_errors=True)
        with suppress(Missing):
            (self.path / "shoal.toml").write_bytes(self._objects.get("shoal.toml"))

    def attach(self, written: Written, guard: Callable[[], None]) -> None:
        """The first checkpoint is made at once: nobody restores from an epoch before this one then,
        once this one has sent or asked for anything."""
        tablet = Tablet(written.layout, written.checkpoint, written.archive_ends, guard)
        self._checkpointer = Checkpointer(self._objects, self._prefix, self._epoch, tablet)
        self.make_durable(written)

    def make_durable(self, written: Written) -> None:
        if self._checkpointer is not None:
            written.sync()
            self.uploaded_bytes += self._checkpointer.make().uploaded
