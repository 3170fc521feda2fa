"""How is something changed in the tablets of a collection that no crawl runs in? One by one.

A collection in a directory is its only tablet. The tablets of a cluster are taken as by a run: the
cluster is claimed, so that nobody starts it meanwhile; each tablet in an epoch of its own, in a
directory made from the last durable state; and what was changed there is made durable before the
tablet is left. Whoever is killed meanwhile leaves what the next owner can go on with.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from shoal.closing import Closing
from shoal.cluster.objects import Objects, StoreFault, open_objects
from shoal.cluster.ownership import Ownership
from shoal.errors import Fenced
from shoal.fleet.cluster_claim import Claimed
from shoal.fleet.tablet_storage import storage_of
from shoal.layout.cluster_file import read
from shoal.layout.identity import TabletIdentity
from shoal.layout.layout import Layout, is_cluster_place
from shoal.layout.tablet_place import tablet_name
from shoal.model.urls.partition import Partition
from shoal.store.archive_ends import written_ends
from shoal.store.table import RocksTable

_LEASE_SECONDS = 15.0
_RENEWALS_PER_LEASE = 3
_WHO = "a command"


def tablets_of(place: str) -> int:
    """How many tablets a cluster has; 0 for a collection in a directory."""
    return read(place, open_objects(place)).tablets if is_cluster_place(place) else 0


class Held(NamedTuple):
    """A tablet that is ours for a while."""

    directory: Path
    identity: TabletIdentity


def tablets_at_rest(
    at: str | Path, progress: Callable[[str], None] = lambda _: None
) -> Iterator[Path]:
    """The directory of each tablet, to be changed before the next is asked for. Of a cluster
    `progress` is told which one follows. Raises Busy while the cluster runs."""
    place = str(at)
    if not is_cluster_place(place):
        yield Path(place)
        return
    objects = open_objects(place)
    with Claimed(place, objects):
        for number in range(read(place, objects).tablets):
            progress(f"Tablet {number} …")
            with held(place, objects, number) as tablet:
                yield tablet.directory


@contextmanager
def held(place: str, objects: Objects, number: int) -> Iterator[Held]:
    """One tablet of a cluster that is claimed. What was done is made durable in the end, unless it
    failed: then the next owner goes on with what is there."""
    name = tablet_name(number)
    ownership = Ownership(objects, f"tablets/{name}", _WHO, _LEASE_SECONDS)
    wait = ownership.claim()
    with _Renewed(ownership):  # also while it is waited for, which is longer than a lease
        time.sleep(wait)
        storage = storage_of(place, "")
        storage.prepare(name, ownership.epoch)
        partition = Partition(number, read(place, objects).tablets)
        identity = TabletIdentity(partition, ownership.epoch, ownership.holds, ownership.must_hold)
        yield Held(storage.path, identity)
        with _Changed(Layout(storage.path)) as changed:
            ownership.renew()
            storage.attach(changed, ownership.must_hold)
            storage.make_durable(changed)
    ownership.leave()


class _Renewed(Closing):
    """A lease that is renewed for as long as something is done with the tablet."""

    def __init__(self, ownership: Ownership) -> None:
        self._ownership = ownership
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._renew, name="lease", daemon=True)
        self._thread.start()

    def _renew(self) -> None:
        while not self._over.wait(_LEASE_SECONDS / _RENEWALS_PER_LEASE):
            with suppress(StoreFault):  # while the lease lasts it may be tried again
                try:
                    self._ownership.renew()
                except Fenced:
                    return  # whoever writes is told by the lease

    def close(self) -> None:
        self._over.set()
        self._thread.join()


class _Changed(Closing):
    """A tablet that a command has changed."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._table = RocksTable(layout.table)

    def checkpoint(self, into: Path) -> None:
        self._table.checkpoint(into)

    def archive_ends(self) -> dict[str, int]:
        return written_ends(self._table)

    def sync(self) -> None:
        self._table.sync()

    def close(self) -> None:
        self._table.close()
