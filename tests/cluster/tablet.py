"""A tablet in small: a real table, an archive file that grows, and a store that can fail."""

from collections.abc import Callable, Iterable
from pathlib import Path

from shoal.cluster.checkpoint import Checkpointer, Tablet
from shoal.cluster.objects import Objects, StoreFault
from shoal.store.table import RocksTable

PREFIX = "tablets/007"
ARCHIVE_FILE = "shoal-1.warc.gz"


class Place:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.warc = directory / "warc"


class SmallTablet:
    """Its whole state is one number: `write` raises it, in the table and in the archive."""

    def __init__(self, directory: Path) -> None:
        self.place = Place(directory)
        self.place.warc.mkdir(parents=True, exist_ok=True)
        self.table = RocksTable(directory / "table")

    def write(self, number: int, told: bool = True) -> None:
        """`told`: the row comes behind the record, as it always does."""
        with (self.place.warc / ARCHIVE_FILE).open("ab") as file:
            file.write(b"record %06d\n" % number)
        if told:
            batch = self.table.batch()
            batch.put("page", b"%06d" % number, b"x" * 500)
            batch.put("queue", b"%06d" % number, b"")
            self.table.write(batch)

    def ends(self) -> dict[str, int]:
        """One record for each row."""
        rows = len(list(self.table.scan("page", b"")))
        return {ARCHIVE_FILE: 14 * rows} if rows else {}

    def checkpointer(
        self, objects: Objects, epoch: int, guard: Callable[[], None] = lambda: None
    ) -> Checkpointer:
        tablet = Tablet(self.place, self.table.checkpoint, self.ends, guard)
        return Checkpointer(objects, PREFIX, epoch, tablet)

    def close(self) -> None:
        self.table.close()


def state_of(directory: Path) -> int:
    """The number that a restored tablet has, if it is whole: its rows and its records agree."""
    tablet = SmallTablet(directory)
    try:
        rows = [int(key) for key, _ in tablet.table.scan("page", b"")]
        queued = [int(key) for key, _ in tablet.table.scan("queue", b"")]
    finally:
        tablet.close()
    path = tablet.place.warc / ARCHIVE_FILE
    records = path.read_bytes().splitlines() if path.exists() else []
    assert rows == queued == list(range(1, len(rows) + 1))
    assert records[: len(rows)] == [b"record %06d" % number for number in rows]
    assert all(len(record) == 13 for record in records), "a torn record"
    return len(rows)


class Killed(BaseException):
    """The process is gone: nobody handles this."""


class Failing:
    """A store that fails once: at a call, counted from 1, or at the first put of such a key; before
    or after it had its effect."""

    def __init__(self, objects: Objects, fault: BaseException, at: int, after: bool) -> None:
        self._objects = objects
        self._fault = fault
        self._at = at
        self._after = after
        self.calls = 0
        self.fails_at = ""
        self.fetched: list[str] = []
        self.put_keys: list[str] = []

    def put(self, key: str, data: bytes | Path, *, create: bool = False) -> None:
        self.put_keys.append(key)
        if self.fails_at and self.fails_at in key:
            self._at, self.fails_at = self.calls + 1, ""
        self._call(lambda: self._objects.put(key, data, create=create))

    def get(self, key: str) -> bytes:
        self.fetched.append(key)
        found: list[bytes] = []
        self._call(lambda: found.append(self._objects.get(key)))
        return found[0]

    def fetch(self, key: str, path: Path) -> None:
        self.fetched.append(key)
        self._call(lambda: self._objects.fetch(key, path))

    def exists(self, key: str) -> bool:
        return self._objects.exists(key)

    def names(self, prefix: str = "") -> list[tuple[str, int]]:
        found: list[tuple[str, int]] = []
        self._call(lambda: found.extend(self._objects.names(prefix)))
        return found

    def delete(self, keys: Iterable[str]) -> None:
        for key in list(keys):
            self._call(lambda key=key: self._objects.delete([key]))  # type: ignore[misc]

    def _call(self, act: Callable[[], None]) -> None:
        self.calls += 1
        fails = self.calls == self._at
        if fails and not self._after:
            raise self._fault
        act()
        if fails:
            raise self._fault


def outage() -> StoreFault:
    return StoreFault("The store does not answer.")
