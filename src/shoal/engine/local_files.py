"""What has become of the files that were crawled before? Each is looked at again, which costs no
more than a look at its date: new files of a folder are seen, and those that were deleted go."""

from collections.abc import Iterable
from functools import partial
from itertools import islice

from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.outcome.queue_order import URGENT
from shoal.frontier.state.rows import row_of_url_key
from shoal.model.link import LinkSource
from shoal.model.urls.rowkey import row_key
from shoal.ports import Batch, Table

_LOCAL = "file:"
_AT_ONCE = 1_000


def look_again(table: Table, frontier: DiskFrontier, roots: Iterable[str]) -> None:
    """Queue all that is known below the local roots of a crawl."""
    for root in roots:
        if not root.startswith(_LOCAL):
            continue
        start = row_key(root)
        keys = (key for key, _ in table.scan("page", start, start + b"\xff"))
        rows = filter(None, map(row_of_url_key, keys))
        while some := list(islice(rows, _AT_ONCE)):
            frontier.change(partial(_hasten, frontier, some))


def _hasten(frontier: DiskFrontier, rows: list[bytes], batch: Batch, now: float) -> None:
    for row in rows:
        known = frontier.urls.read(row)
        if known is None or known.source is LinkSource.INJECT:
            continue  # a document inside another follows it, and is never asked for
        frontier.discovery.hasten(batch, row, URGENT, now)
