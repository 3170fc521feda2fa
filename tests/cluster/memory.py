"""A table in memory, for tests that need thousands of them; tests/contract has what one must do."""

from collections.abc import Iterable, Iterator, Sequence

from shoal.ports import Batch


class MemoryBatch:
    def __init__(self) -> None:
        self.changes: list[tuple[str, bytes, bytes | None]] = []

    def put(self, family: str, key: bytes, value: bytes) -> None:
        self.changes.append((family, key, value))

    def put_many(self, family: str, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        self.changes.extend((family, key, value) for key, value in pairs)

    def delete(self, family: str, key: bytes) -> None:
        self.changes.append((family, key, None))


class MemoryTable:
    def __init__(self, cells: dict[tuple[str, bytes], bytes] | None = None) -> None:
        self.cells = {} if cells is None else dict(cells)

    def get(self, family: str, key: bytes) -> bytes | None:
        return self.cells.get((family, key))

    def get_many(self, family: str, keys: Sequence[bytes]) -> list[bytes | None]:
        return [self.get(family, key) for key in keys]

    def scan(
        self, family: str, start: bytes, end: bytes | None = None
    ) -> Iterator[tuple[bytes, bytes]]:
        found = sorted(
            key
            for of, key in self.cells
            if of == family and start <= key and (end is None or key < end)
        )
        return iter([(key, self.cells[family, key]) for key in found])

    def batch(self) -> MemoryBatch:
        return MemoryBatch()

    def write(self, batch: Batch) -> None:
        if not isinstance(batch, MemoryBatch):
            raise TypeError("a table writes only batches that it made")
        for family, key, value in batch.changes:
            if value is None:
                self.cells.pop((family, key), None)
            else:
                self.cells[family, key] = value

    def sync(self) -> None: ...
