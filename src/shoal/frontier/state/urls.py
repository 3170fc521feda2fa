"""Have we seen this URL? The seen test, the state of each URL, and the counts of both.

The seen test ignores a trailing slash, while the row keeps the URL as it was first met: so a URL is
looked up under both spellings, after a cache that answers most of it. Where a server redirects one
spelling to the other, both have rows, and the one that is not a redirect answers for both. Every
change of a row goes through `write`, which moves it from one count to another: the counts add up by
construction.
"""

from collections.abc import Sequence
from typing import NamedTuple

from shoal.counters import Counts
from shoal.frontier.state.rows import UrlRow, pack_url, unpack_url, url_key
from shoal.model.outcome import State
from shoal.model.urls.spelling import seen_row, spellings
from shoal.ports import Batch, Table

_MOST_VALUED = 10_000


class Seen(NamedTuple):
    """What the cache knows of a URL: enough to tell whether a link says anything new of it."""

    row: bytes
    depth: int
    can_reopen: bool
    waits: bool = False
    """For its first visit."""


class UrlState(NamedTuple):
    """A URL's row, taken out to be changed, with what it was counted as: None when it is new."""

    row: bytes
    url: UrlRow
    counted_as: str | None


class Urls:
    """Rows are read through the changes of the batch at hand; `begin` opens the next one."""

    def __init__(self, table: Table, counts: Counts, cache_size: int) -> None:
        self._table = table
        self._counts = counts
        self._half = max(1, cache_size // 2)
        self._young: dict[bytes, Seen] = {}
        self._old: dict[bytes, Seen] = {}
        self._changed: dict[bytes, UrlRow] = {}
        self._valued: dict[bytes, UrlRow] = {}
        """Rows that wait and have a value, those written lately: each vote changes one of them."""
        self._held: dict[bytes, UrlRow] = {}
        """Rows of visits in flight: read when they are handed out, and again at their commit."""

    @property
    def known(self) -> int:
        """How many there are, in any state."""
        return self._counts.discovered

    def begin(self) -> None:
        self._changed.clear()

    def read(self, row: bytes) -> UrlRow | None:
        url = self._changed.get(row) or self._held.get(row) or self._valued.get(row)
        if url is None and (stored := self._table.get("page", url_key(row))) is not None:
            url = unpack_url(stored)
        return url

    def hold(self, row: bytes, url: UrlRow) -> None:
        """Its visit is handed out: keep it at hand until `let_go`."""
        self._held[row] = url

    def let_go(self, row: bytes) -> None:
        self._held.pop(row, None)

    def state_of(self, row: bytes) -> UrlState | None:
        url = self.read(row)
        return None if url is None else UrlState(row, url, url.counted_as)

    def write(self, batch: Batch, state: UrlState, now: float) -> None:
        row, url, counted_as = state
        batch.put("page", url_key(row), pack_url(url, now))
        self._counts.move(counted_as, url.counted_as)
        self._changed[row] = url
        if row in self._held:
            self._held[row] = url
        if url.worth is not None or row in self._valued:
            self._keep_valued(row, url)
        self._remember(row, url)

    def _keep_valued(self, row: bytes, url: UrlRow) -> None:
        if not url.waiting or url.worth is None:
            self._valued.pop(row, None)
            return
        if len(self._valued) >= min(_MOST_VALUED, self._half):
            self._valued.clear()
        self._valued[row] = url

    def find(self, rows: Sequence[bytes], keys: Sequence[bytes]) -> list[Seen | None]:
        """What is known of each (`keys` are theirs in the seen test), None when it is new: one
        read for all that the cache can't answer."""
        young = self._young
        found = [young.get(key) or self._recall(key) for key in keys]
        if all(found):
            return found
        missing = [i for i, seen in enumerate(found) if seen is None]
        twins = [spellings(rows[i]) for i in missing]
        asked = [url_key(row) for both in twins for row in both]
        stored = iter(self._table.get_many("page", asked))
        for i, both in zip(missing, twins, strict=True):
            best: UrlRow | None = None
            for row in both:
                value = next(stored)
                if value is None or not (best is None or _has_moved(best)):
                    continue
                url = unpack_url(value)
                if url.restricted and row != rows[i]:
                    continue
                if best is None or not _has_moved(url):
                    best, found[i] = url, self._remember(row, url)
        return found

    def met_in_batch(self, row: bytes) -> Seen | None:
        """What an earlier link of this very batch said of a URL that `find` did not know."""
        for spelling in spellings(row):
            url = self._changed.get(spelling)
            if url is not None and (spelling == row or not url.restricted):
                return _seen(spelling, url)
        return None

    def row_of(self, row: bytes) -> bytes:
        """The row under which a URL is kept, whichever way its trailing slash is spelled."""
        seen = self.find([row], [seen_row(row)])[0]
        return row if seen is None else seen.row

    def _recall(self, key: bytes) -> Seen | None:
        seen = self._old.get(key)
        if seen is not None:
            self._young[key] = seen
        return seen

    def _forget(self, key: bytes) -> None:
        self._young.pop(key, None)
        self._old.pop(key, None)

    def _remember(self, row: bytes, url: UrlRow) -> Seen:
        key = seen_row(row)
        seen = _seen(row, url)
        if url.restricted:
            self._forget(key)
            return seen
        if _has_moved(url):
            twin = self._young.get(key) or self._old.get(key)
            if twin is not None and twin.row != row:
                seen = twin
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[key] = seen
        return seen


def _seen(row: bytes, url: UrlRow) -> Seen:
    return Seen(row, url.depth, url.can_reopen, url.waiting and url.state is State.QUEUED)


def _has_moved(url: UrlRow) -> bool:
    return url.state is State.REDIRECT
