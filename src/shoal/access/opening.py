"""What stands at a place, and how is it read? A collection, or a cluster as if it were one.

a directory with a collection             its table, as always
a cluster on a shared file system         the directories in which its tablets lie now
one in an object store, while it runs     the owners of its tablets, over Ray
one in an object store, at rest           its last checkpoints, restored here (restored.py)

A running cluster whose Ray can't be reached from this machine is read as if it were at rest.
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from shoal.collection.collection import Collection
from shoal.collection.tablets import LocalTablets, Tablets
from shoal.config import Config, load
from shoal.errors import Busy, UsageError
from shoal.layout.layout import Layout, is_cluster_place, place_of
from shoal.model.principal import OWNER, Principal

if TYPE_CHECKING:
    from shoal.layout.cluster_file import ClusterFile


class ProgressReporter(Protocol):
    """Who hears how far it is."""

    def report(self, doing: str, done: int, total: int = 0) -> None:
        """What is being done, for how many, and of how many; 0: not known."""
        ...

    def remark(self, text: str) -> None:
        """What a person should know of."""
        ...


class Unheard:
    """Nobody asked how far it is."""

    def report(self, doing: str, done: int, total: int = 0) -> None:
        """Nobody is told."""

    def remark(self, text: str) -> None:
        warnings.warn(text, stacklevel=2)


_NOBODY = Unheard()


def open_collection(
    place: str | Path | None = None,
    principal: Principal = OWNER,
    progress: ProgressReporter = _NOBODY,
) -> Collection:
    """Whatever stands there, for reading; to be closed, or used in a `with`."""
    return Collection(*opened(place, principal, progress))


def opened(
    place: str | Path | None = None,
    principal: Principal = OWNER,
    progress: ProgressReporter = _NOBODY,
) -> tuple[Tablets, str, Path]:
    """What a collection is made of: its tablets, its place, and the directory of its graph."""
    where = place_of(place)
    if not is_cluster_place(where):
        return LocalTablets([Layout(Path(where))], principal), where, Path(where)
    return _tablets(where, principal, progress), where, graph_place(where)


def is_there(place: str | Path) -> bool:
    """Whether anything stands there."""
    return is_cluster_place(str(place)) or Layout(Path(place)).exists()


def settings_at(
    place: str | Path, overrides: Mapping[str, object], environment: Mapping[str, str]
) -> Config:
    """The settings of a collection or a cluster, wherever they are."""
    if not is_cluster_place(str(place)):
        return load(Path(place), overrides, environment)
    from shoal.layout.cluster_file import config_of  # noqa: PLC0415 - only clusters need it

    return config_of(str(place), dict(overrides), dict(environment))


def _tablets(place: str, principal: Principal, progress: ProgressReporter) -> Tablets:
    """Of a cluster."""
    from shoal.layout.cluster_file import (  # noqa: PLC0415 - only clusters need it
        is_object_store,
        read,
    )

    file = read(place)
    if not is_object_store(place):
        return SharedTablets(Path(place), file.tablets, principal)
    tablets = _at_work(place, file, principal, progress)
    if tablets is not None:
        return tablets
    layouts = [Layout(each) for each in _restored(place, file, progress)]
    return LocalTablets(layouts, principal)


class SharedTablets(LocalTablets):
    """Of a cluster on a shared file system: each lies with whoever owned it last."""

    def __init__(self, place: Path, tablets: int, principal: Principal = OWNER) -> None:
        self._place, self._tablets = place, tablets
        super().__init__(self._lying(), principal)

    def _lying(self) -> list[Layout]:
        from shoal.layout.cluster_file import directories  # noqa: PLC0415 - as above

        return [Layout(each) for each in directories(self._place, self._tablets)]

    def refresh(self) -> None:
        self.move(self._lying())
        super().refresh()


def tablet_directories(place: str, progress: ProgressReporter = _NOBODY) -> list[Path]:
    """Where the tablets of a collection can be read on this machine; of a cluster, at rest."""
    if not is_cluster_place(place):
        return [Path(place)]
    from shoal.layout.cluster_file import (  # noqa: PLC0415 - as above
        directories,
        is_object_store,
        read,
    )
    from shoal.layout.cluster_status import status_at  # noqa: PLC0415

    file = read(place)
    if status_at(place).running:
        raise Busy(f"The cluster in {place} runs; stop it with: shoal cluster stop {place}")
    if is_object_store(place):
        return _restored(place, file, progress)
    return directories(Path(place), file.tablets)


def graph_place(place: str) -> Path:
    """The directory in which the graph of a collection or of a cluster stands."""
    if "://" not in place:
        return Path(place)
    from shoal.access.restored import cache_of  # noqa: PLC0415 - as above

    return cache_of(place)


def _restored(place: str, file: "ClusterFile", progress: ProgressReporter) -> list[Path]:
    from shoal.access.restored import restored  # noqa: PLC0415 - as above

    return restored(place, file.tablets, progress)


def _at_work(
    place: str, file: "ClusterFile", principal: Principal, progress: ProgressReporter
) -> Tablets | None:
    """The owners of its tablets; None when it is at rest, or they can't be asked."""
    from shoal.layout.cluster_status import status_at  # noqa: PLC0415 - as above

    status = status_at(place)
    if not (status.running and status.ray_address):
        return None
    try:
        from shoal.cluster.ray_questions import RayTablets  # noqa: PLC0415 - Ray is an extra

        return RayTablets(file.name, file.tablets, status.ray_address, principal)
    except (ImportError, UsageError) as error:
        why = str(error).partition(";")[0]
        progress.remark(
            f"The cluster runs, and its tablets can't be asked from here ({why}): "
            "this is as of their last checkpoints."
        )
        return None
