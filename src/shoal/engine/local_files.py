"""What has become of the files that were crawled before? Each is looked at again, which costs no
more than a look at its date: new files of a folder are seen, and those that were deleted go."""

from collections.abc import Iterable
from functools import partial
from itertools import islice

from shoal.frontier.frontier import DiskFrontier
from shoal.frontier.outcome.queue_order import URGENT
from shoal.frontier.state.rows import row_of_url_key
from shoal.model.urls.rowkey import row_key
from shoal.ports import Batch, Table

_LOCAL = "file:"
_PART = b"#"
"""Stands in the rows of documents inside others, which follow them, and in no other."""
_AT_ONCE = 1_000


def look_again(table: Table, frontier: DiskFrontier, roots: Iterable[str]) -> None:
    """Queue all that is known below the local roots of a crawl."""
    for root in roots:
        if not root.startswith(_LOCAL):
            continue
        start = row_key(root)
        keys = (key for key, _ in table.scan("page", start, start + b"\xff"))
        found = (row_of_url_key(key) for key in keys)
        rows = (row for row in found if row is not None and _PART not in row)
        while some := list(islice(rows, _AT_ONCE)):
            frontier.change(partial(_hasten, frontier, some))


def _hasten(frontier: DiskFrontier, rows: list[bytes], batch: Batch, now: float) -> None:
    for row in rows:
        frontier.discovery.hasten(batch, row, URGENT, now)
