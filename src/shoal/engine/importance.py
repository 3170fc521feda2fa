"""What is it worth that a page is fresh? By the links to it, and by how often people open it.

A page of the highest rank weighs four times one that nobody links to; opening a result counts by
its logarithm. What a sitemap says of priority counts as a hint where there is neither.
"""

from math import log1p
from pathlib import Path

from shoal.clock import Clock, SystemClock
from shoal.layout.clicks import Opened
from shoal.layout.ranks import Ranks
from shoal.model.urls.rowkey import url_of

_BY_RANK = 4.0
_LOOK_SECONDS = 60.0
_MOST_OPENED = 20_000


class Importance:
    def __init__(self, directory: Path, clock: Clock | None = None) -> None:
        self._ranks = Ranks(directory)
        self._opened = Opened(directory)
        self._clock = clock or SystemClock()
        self._counts: dict[str, int] = {}
        self._looked_at = float("-inf")

    def weight_of(self, row: bytes) -> float:
        weight = float(_BY_RANK ** self._ranks.rank_of([row])[0])
        times = self._times_opened(url_of(row))
        return weight * (1 + log1p(times)) if times else weight

    def _times_opened(self, url: str) -> int:
        now = self._clock.now()
        if now - self._looked_at > _LOOK_SECONDS:
            self._looked_at = now
            self._counts = dict(self._opened.most(_MOST_OPENED))
        return self._counts.get(url, 0)
