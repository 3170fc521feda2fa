"""Which documents came past the fetch, and are not read yet? Articles that a feed carries whole.

They are found in the commit of the feed's visit, which can't wait for a child process to read them:
it puts each into the table, and whoever runs the crawl has them read (`Crawl.inject`). The commit
of an article deletes its entry, so a kill costs nothing.

    queue  07 number              an article
"""

from collections.abc import Iterator

from shoal.frontier.state.rows import INJECT_MARK, after_mark
from shoal.model.record import Struct, pack, unpack
from shoal.ports import Batch, Table


class Injection(Struct, array_like=True):
    url: str
    row: bytes
    html: bytes
    when: float
    """When it came, unix seconds."""
    depth: int = 2


class Injections:
    def __init__(self, table: Table) -> None:
        self._table = table
        self._number = 0

    def put(self, batch: Batch, injection: Injection) -> None:
        self._number = max(self._number + 1, round(injection.when * 1_000_000))
        batch.put("queue", _key(self._number), pack(injection))

    def waiting(self) -> Iterator[tuple[int, Injection]]:
        """Each with its number, the first that came first."""
        for key, stored in self._table.scan("queue", INJECT_MARK, after_mark(INJECT_MARK)):
            yield int.from_bytes(key[1:]), unpack(Injection, stored)


def done(batch: Batch, number: int) -> None:
    """It was read, in this batch."""
    batch.delete("queue", _key(number))


def _key(number: int) -> bytes:
    return INJECT_MARK + number.to_bytes(8, "big")
