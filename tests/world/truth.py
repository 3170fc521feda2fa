"""How old were the crawler's copies really?

The server decided which version it sent when the request arrived, so the log and the pages' own
histories give the exact age of every copy at any time: 0 while the page is as it was sent, else the
seconds since its first change after that (Cho and Garcia-Molina's definition). A 304 of an honest
server sends nothing and changes nothing, and one of a liar renews no copy: only whole answers
count. All times are Unix seconds. What has vanished or moved has no age here.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable

from tests.world.client import Running
from tests.world.log import Request


class Copies:
    """When the crawler got which page."""

    def __init__(self, running: Running, log: Iterable[Request]) -> None:
        if not running.clock.runs:
            raise ValueError("the world's clock stands: its changes have no time in seconds")
        self._running = running
        self._got: defaultdict[str, list[float]] = defaultdict(list)
        for request in log:
            whole = request.method == "GET" and request.status == 200 and request.complete
            if whole and running.web.locate(request.url) is not None:
                self._got[request.url].append(request.start)

    def urls(self, at: float) -> list[str]:
        """The pages of which there was a copy at this time."""
        return [url for url, got in self._got.items() if got[0] <= at]

    def age(self, url: str, at: float) -> float:
        """How long the copy had been out of date at this time."""
        got = self._got[url]
        copied = got[bisect_right(got, at) - 1]
        changed = self._first_change(url, copied, at)
        return 0.0 if changed is None else at - changed

    def mean_age(self, at: float) -> float:
        urls = self.urls(at)
        return sum(self.age(url, at) for url in urls) / len(urls)

    def freshness(self, at: float) -> float:
        """The share of the copies that were as the page was."""
        urls = self.urls(at)
        return sum(self.age(url, at) == 0.0 for url in urls) / len(urls)

    def mean_age_between(self, after: float, until: float) -> float:
        """The exact mean over this time, and over the pages that had a copy when it began."""
        urls = self.urls(after)
        return sum(self._area(url, after, until) for url in urls) / (until - after) / len(urls)

    def _area(self, url: str, after: float, until: float) -> float:
        """The integral of the age over this time: a triangle for each copy that got old."""
        got = self._got[url]
        total = 0.0
        for copied, following in zip(got, [*got[1:], until], strict=True):
            begin, end = max(copied, after), min(following, until)
            changed = self._first_change(url, copied, end) if begin < end else None
            if changed is not None:
                total += ((end - changed) ** 2 - max(0.0, begin - changed) ** 2) / 2
        return total

    def _first_change(self, url: str, copied: float, until: float) -> float | None:
        clock = self._running.clock
        changed = self._running.web.first_change(url, clock.at(copied), clock.at(until))
        return None if changed is None else clock.unix_at(changed)
