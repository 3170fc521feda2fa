"""When is a crawl enough? Limits on pages, time, bytes and free disk.

Pages and bytes are counted over the collection's life, so that the same command, run again after a
kill, ends where it would have ended. Time is counted from the start of this run.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

from shoal.clock import Clock
from shoal.config import Config
from shoal.counters import Counts
from shoal.frontier.outcome.requisites import QUEUED as REQUISITES_QUEUED
from shoal.frontier.state.view import FrontierView
from shoal.frontier.state.worth import passed_key
from shoal.model.outcome import State

_DISK_LOOK_SECONDS = 1.0
_TOO_MANY = 0.01
"""Of the pages: so many may be in flight beyond those that are needed."""


def pages_of(counts: Counts) -> int:
    """What is held against the limit on pages: also what came inside of them."""
    return counts.total("fetched/") + counts["unchanged"] + counts.total("inside/fetched/")


def count_passed(view: FrontierView, counts: Counts, value: float) -> None:
    """How many pages of at least that value were fetched, counted anew: earlier runs may have
    counted by another."""
    found = sum(
        url.state is State.FETCHED
        and url.worth is not None
        and not url.restricted
        and url.priority >= value
        for _, url in view.urls(b"\x01", None)
    )
    counts.add(passed_key(value), found - counts[passed_key(value)])


def valuable_enough(wanted: int, value: float) -> str:
    """Why a crawl ends that has found what it was to find."""
    pages = "page" if wanted == 1 else "pages"
    return f"{wanted:,} {pages} of value {value:g} or more are fetched (--stop-when)"


def passed_of(counts: Counts, value: float) -> int:
    """How many pages of at least that value were fetched."""
    return counts[passed_key(value)]


class CrawlLimits:
    def __init__(
        self,
        config: Config,
        counts: Counts,
        directory: Path,
        clock: Clock,
        is_behind: Callable[[], bool] = lambda: False,
    ) -> None:
        """While it `is_behind` with what it found, nothing new is asked for."""
        self._is_behind = is_behind
        self.take_no_pages: Callable[[], None] = lambda: None
        """Called once all pages are there and only what they need is left to ask for."""
        self.met = ""
        self._crawl = config.crawl
        self.granted: int | None = None
        """Of many tablets: how many pages this one may count. Then it waits for more."""
        self._counts = counts
        self._directory = directory
        self._clock = clock
        self._started = clock.now()
        self._looked_at_disk = float("-inf")
        self._disk_full = False

    def reached(self) -> str:
        crawl = self._crawl
        if crawl.max_pages is not None and pages_of(self._counts) >= crawl.max_pages:
            pages = "page" if crawl.max_pages == 1 else "pages"
            reason = f"the limit of {crawl.max_pages:,} {pages} is reached (--max-pages)"
            if not self._counts[REQUISITES_QUEUED]:
                return reason
            if not self.met:
                self.met = reason
                self.take_no_pages()
        if crawl.stop_when is not None and self._passed() >= crawl.stop_when:
            return valuable_enough(crawl.stop_when, crawl.value)
        if crawl.max_bytes is not None and self._counts["total/bytes"] >= crawl.max_bytes:
            return f"the limit of {crawl.max_bytes:,} bytes is reached (--max-bytes)"
        if crawl.max_time is not None and self._clock.now() - self._started >= crawl.max_time:
            return f"the limit of {crawl.max_time:g} seconds is reached (--max-time)"
        if self._is_disk_full():
            return f"less than {crawl.min_free_disk:,} bytes of disk are free (--min-free-disk)"
        return ""

    def room(self, claimed: int) -> bool:
        limit = self._crawl.max_pages if self.granted is None else self.granted
        if self._is_behind():
            return False
        pages = pages_of(self._counts)
        is_room = limit is None or pages + claimed < limit
        if (wanted := self._crawl.stop_when) is not None:
            # As many as it needs at the least, and few more: or it would stop too late.
            missing = wanted - self._passed()
            is_room = is_room and claimed < max(1, missing, int(_TOO_MANY * pages))
        return is_room or bool(self.met)

    def _passed(self) -> int:
        return passed_of(self._counts, self._crawl.value)

    def _is_disk_full(self) -> bool:
        now = self._clock.now()
        if now - self._looked_at_disk >= _DISK_LOOK_SECONDS:
            self._looked_at_disk = now
            self._disk_full = shutil.disk_usage(self._directory).free < self._crawl.min_free_disk
        return self._disk_full
