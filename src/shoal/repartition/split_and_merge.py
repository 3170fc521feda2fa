"""How does a collection become a cluster, and a cluster a collection? By `repartition`, with the
tablets where a cluster has them.

`cluster.json` is written last: a place without it is no cluster, and whoever is killed before may
begin again. In an object store tablets are made on this machine first, and put there as the
checkpoints of an epoch that nobody ever claimed.
"""

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from shoal.access.people import USERS
from shoal.cluster.checkpoint import Checkpointer, Tablet
from shoal.cluster.objects import Objects, open_objects
from shoal.cluster.restore import restore
from shoal.errors import Busy, CollectionError
from shoal.frontier.state.view import FrontierView
from shoal.layout.cluster_file import (
    SETTINGS,
    directories,
    is_object_store,
    must_be_new,
    read,
    write,
)
from shoal.layout.cluster_status import new_status, status_at, write_status
from shoal.layout.layout import Layout
from shoal.layout.tablet_place import directory_of_epoch, tablet_name
from shoal.repartition.repartition import Moved, Progress, repartition
from shoal.store.archive_ends import whole_ends
from shoal.store.table import RocksTable
from shoal.whole_file import DRAFT, write_whole

_NOBODY = 0
"""The epoch of tablets that no owner has made."""


def split(source: Path, place: str, tablets: int, progress: Progress | None = None) -> Moved:
    """Make a cluster out of a collection at rest, which stays as it is."""
    must_be_new(place, tablets)
    Layout(source).must_exist()
    settings = (source / SETTINGS).read_text() if (source / SETTINGS).is_file() else ""
    if is_object_store(place):
        moved, counted = _split_to_objects(source, place, tablets, progress)
    else:
        folders = [Path(place) / "tablets" / tablet_name(number) for number in range(tablets)]
        shutil.rmtree(Path(place) / "tablets", ignore_errors=True)  # of a split that was killed
        for folder in folders:
            folder.mkdir(parents=True)
        made = [directory_of_epoch(folder, _NOBODY) for folder in folders]
        moved = repartition([source], made, progress)
        counted = [_counts_of(Layout(directory)) for directory in made]
        _take_along(source, Path(place))
    file = write(place, tablets, settings)
    status = new_status(file.name, place, tablets)
    for report, counts in zip(status.reports, counted, strict=True):
        report.counts = counts
    write_status(open_objects(place), status)
    return moved


def merge(place: str, target: Path, progress: Progress | None = None) -> Moved:
    """Make one collection out of a cluster at rest, which stays as it is."""
    file = read(place)
    if status_at(place).running:
        raise Busy(f"The cluster in {place} runs; stop it with: shoal cluster stop {place}")
    settings = open_objects(place).get(SETTINGS)
    if not is_object_store(place):
        tablets = directories(Path(place), file.tablets)
        moved = repartition(tablets, [target], progress, settings)
        _take_along(Path(place), target)
        return moved
    with _scratch(target) as scratch:
        sources = _restored(open_objects(place), file.tablets, scratch, progress)
        return repartition(sources, [target], progress, settings)


def _take_along(source: Path, target: Path) -> None:
    """Who may look into it, and who has a token for it."""
    if Layout(source).is_closed:
        Layout(target).close_to_others()
    if (source / USERS).is_file():
        write_whole(target / USERS, (source / USERS).read_bytes(), mode=0o600)


def _split_to_objects(
    source: Path, place: str, tablets: int, progress: Progress | None
) -> tuple[Moved, list[dict[str, int]]]:
    objects = open_objects(place)
    objects.delete(key for key, _ in objects.names("tablets"))
    with _scratch(source) as scratch:
        made = [scratch / tablet_name(number) for number in range(tablets)]
        moved = repartition([source], made, progress)
        for number, directory in enumerate(made):
            _say(progress, f"Storing tablet {number} …")
            _put(objects, f"tablets/{tablet_name(number)}", Layout(directory))
        return moved, [_counts_of(Layout(directory)) for directory in made]


def _counts_of(layout: Layout) -> dict[str, int]:
    with RocksTable(layout.table, reader=True) as table:
        return FrontierView(table).counts().as_dict()


def _put(objects: Objects, prefix: str, layout: Layout) -> None:
    with RocksTable(layout.table) as table:
        tablet = Tablet(layout, table.checkpoint, partial(whole_ends, table), lambda: None)
        Checkpointer(objects, prefix, _NOBODY, tablet).make()


def _restored(
    objects: Objects, tablets: int, into: Path, progress: Progress | None
) -> Sequence[Path]:
    found = []
    for number in range(tablets):
        _say(progress, f"Fetching tablet {number} …")
        directory = into / tablet_name(number)
        if restore(objects, f"tablets/{tablet_name(number)}", directory, progress=progress) is None:
            raise CollectionError(f"Tablet {number} has no checkpoint; start the cluster first.")
        found.append(directory)
    return found


@contextmanager
def _scratch(beside: Path) -> Iterator[Path]:
    """On the disk where there must be room anyway; what a kill has left there goes first."""
    place = beside.absolute().with_name(f".{beside.absolute().name}{DRAFT}")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    try:
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _say(progress: Callable[[str], None] | None, what: str) -> None:
    if progress is not None:
        progress(what)
