"""Which collection is read? The one that is served, held open over requests of many threads.

Each of its tablets is held open by itself (served.py), so that one that moves to another owner is
found in its new directory. Of a cluster in an object store the owners of the tablets are asked
while it runs, and its last checkpoints are read while it rests (access/opening.py): it is opened
again when the one becomes the other.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from shoal.access.opening import open_collection
from shoal.collection.collection import Collection
from shoal.collection.tablets import AskedHere
from shoal.collection.view import TabletView
from shoal.layout.cluster_file import directories, is_object_store
from shoal.layout.cluster_file import read as read_cluster
from shoal.layout.cluster_status import ClusterStatus
from shoal.layout.tablet_place import current, tablet_name
from shoal.model.principal import Principal
from shoal.web.server.cluster_watching import Cluster
from shoal.web.server.served import Served

_REFRESH_SECONDS = 1.0

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class ServedCollection(Protocol):
    def reading(self) -> AbstractContextManager[Collection]:
        """`with served.reading() as collection:` what is there now."""
        ...

    def expire(self) -> None:
        """Something was changed: the next reader looks again."""
        ...

    def close(self) -> None: ...


def served_collection(
    place: str, cluster: Cluster | None, principal: Principal
) -> ServedCollection:
    if cluster is None:
        return LocalCollection(place, [Served(Path(place), principal)])
    if is_object_store(place):
        return RemoteCluster(cluster, principal)
    tablets = range(read_cluster(place).tablets)
    return LocalCollection(
        place,
        [ServedTablet(Path(place), number, principal) for number in tablets],
        lambda: directories(Path(place), len(tablets)),
    )


class LocalCollection:
    """One whose tablets this machine can read."""

    def __init__(
        self,
        place: str,
        tablets: Sequence[Served],
        must_be_there: Callable[[], object] = lambda: None,
    ) -> None:
        """`must_be_there` says so when nobody has made the tablets yet."""
        self._tablets = ServedTablets(tablets)
        self._collection = Collection(self._tablets, place, Path(place))
        self._must_be_there: Callable[[], object] | None = must_be_there

    @contextmanager
    def reading(self) -> Iterator[Collection]:
        if self._must_be_there is not None:
            self._must_be_there()
            self._must_be_there = None  # what was there once stays there
        yield self._collection

    def expire(self) -> None:
        self._tablets.refresh()

    def close(self) -> None:
        self._tablets.close()


class RemoteCluster:
    """One in an object store."""

    def __init__(self, cluster: Cluster, principal: Principal) -> None:
        self._cluster = cluster
        self._principal = principal
        self._lock = threading.Lock()
        self._held: _Open | None = None

    @contextmanager
    def reading(self) -> Iterator[Collection]:
        held = self._take()
        try:
            yield held.whole
        finally:
            self._give_back(held)

    def expire(self) -> None:
        held = self._held
        if held is not None:
            held.refreshed = float("-inf")

    def close(self) -> None:
        with self._lock:
            held, self._held = self._held, None
            if held is not None and held.readers == 0:
                held.whole.close()

    def _take(self) -> "_Open":
        """Whoever comes while it is opened waits: there is nothing else to read."""
        run = _run_of(self._cluster.status())
        with self._lock:
            old = self._held
            if old is None or old.run != run:
                self._held = _Open(run, open_collection(self._cluster.place, self._principal))
                if old is not None and old.readers == 0:
                    old.whole.close()
            held = self._held
            assert held is not None  # noqa: S101 - made above
            if time.monotonic() - held.refreshed > _REFRESH_SECONDS:
                held.refreshed = time.monotonic()
                held.whole.refresh()
            held.readers += 1
            return held

    def _give_back(self, held: "_Open") -> None:
        with self._lock:
            held.readers -= 1
            if held.readers == 0 and held is not self._held:
                held.whole.close()


class _Open:
    """An open cluster and how many are reading it."""

    def __init__(self, run: tuple[bool, float], whole: Collection) -> None:
        self.run = run
        self.whole = whole
        self.readers = 0
        self.refreshed = time.monotonic()


def _run_of(status: ClusterStatus) -> tuple[bool, float]:
    """Changes when the cluster is started, and when it comes to rest."""
    return status.running, status.started if status.running else status.written


class ServedTablets(AskedHere):
    """Tablets that this machine can read, each no more than a second old."""

    def __init__(self, tablets: Sequence[Served]) -> None:
        self.count = len(tablets)
        self._each = tablets

    def ask(
        self,
        tablet: int,
        question: Callable[Concatenate[TabletView, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer:
        with self._each[tablet].reading() as view:
            return question(view, *given, **named)

    def refresh(self) -> None:
        for each in self._each:
            each.expire()

    def close(self) -> None:
        for each in self._each:
            each.close()


class ServedTablet(Served):
    def __init__(self, place: Path, number: int, principal: Principal) -> None:
        super().__init__(place, principal)
        self._tablet = place / "tablets" / tablet_name(number)

    def _where(self) -> Path:
        """Where its owner has it now."""
        return current(self._tablet) or self._tablet
