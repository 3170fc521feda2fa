"""Which cluster is read? The one that is served, held open over requests of many threads.

On a shared file system each of its tablets is held open as a collection is (served.py), so that one
that moves to another owner is found in its new directory. In an object store the owners of the
tablets are asked while it runs, and its last checkpoints are read while it rests
(access/opening.py): it is opened anew when the one becomes the other.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from shoal.access.opening import open_cluster
from shoal.collection.collection import Collection
from shoal.collection.whole import Whole
from shoal.layout.cluster_file import directories, is_object_store
from shoal.layout.cluster_file import read as read_cluster
from shoal.layout.cluster_status import ClusterStatus
from shoal.layout.tablet_place import current, tablet_name
from shoal.model.principal import Principal
from shoal.web.server.cluster_watching import Cluster
from shoal.web.server.served import Served

_REFRESH_SECONDS = 1.0
_ASKED_AT_ONCE = 8

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class ServedCluster(Protocol):
    def reading(self) -> AbstractContextManager[Whole]:
        """`with cluster.reading() as whole:` the cluster as it is now."""
        ...

    def expire(self) -> None:
        """Something was changed: the next reader looks anew."""
        ...

    def close(self) -> None: ...


def served_cluster(cluster: Cluster, principal: Principal) -> ServedCluster:
    if is_object_store(cluster.place):
        return RemoteCluster(cluster, principal)
    return SharedCluster(cluster.place, principal)


class SharedCluster:
    """One on a file system that this machine shares."""

    def __init__(self, place: str, principal: Principal) -> None:
        self._tablets = ServedTablets(Path(place), read_cluster(place).tablets, principal)
        self._whole = Whole(self._tablets, place)

    @contextmanager
    def reading(self) -> Iterator[Whole]:
        self._tablets.must_be_there()
        yield self._whole

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
    def reading(self) -> Iterator[Whole]:
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
                self._held = _Open(run, open_cluster(self._cluster.place, self._principal))
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

    def __init__(self, run: tuple[bool, float], whole: Whole) -> None:
        self.run = run
        self.whole = whole
        self.readers = 0
        self.refreshed = time.monotonic()


def _run_of(status: ClusterStatus) -> tuple[bool, float]:
    """Changes when the cluster is started, and when it comes to rest."""
    return status.running, status.started if status.running else status.written


class ServedTablets:
    """The tablets of a cluster on a shared file system, each no more than a second old."""

    def __init__(self, place: Path, count: int, principal: Principal) -> None:
        self._place = place
        self._each = [ServedTablet(place, number, principal) for number in range(count)]
        self._threads = ThreadPoolExecutor(_ASKED_AT_ONCE, "tablet")
        self._are_there = False

    @property
    def count(self) -> int:
        return len(self._each)

    def must_be_there(self) -> None:
        """Says so when nobody has started the cluster yet; what was there once stays there."""
        if not self._are_there:
            directories(self._place, self.count)
            self._are_there = True

    def ask(
        self,
        tablet: int,
        question: Callable[Concatenate[Collection, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer:
        with self._each[tablet].reading() as collection:
            return question(collection, *given, **named)

    def ask_all(
        self,
        question: Callable[Concatenate[Collection, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> list[Answer]:
        def ask(tablet: int) -> Answer:
            return self.ask(tablet, question, *given, **named)

        return list(self._threads.map(ask, range(self.count)))

    def ask_each(
        self, question: Callable[..., Answer], given: Sequence[tuple[Any, ...]]
    ) -> list[Answer]:
        def ask(tablet: int) -> Answer:
            return self.ask(tablet, question, *given[tablet])

        return list(self._threads.map(ask, range(self.count)))

    def refresh(self) -> None:
        for each in self._each:
            each.expire()

    def close(self) -> None:
        self._threads.shutdown()
        for each in self._each:
            each.close()


class ServedTablet(Served):
    def __init__(self, place: Path, number: int, principal: Principal) -> None:
        super().__init__(place, principal)
        self._tablet = place / "tablets" / tablet_name(number)

    def _where(self) -> Path:
        """Where its owner has it now."""
        return current(self._tablet) or self._tablet
