"""When are links ranked again, and what does a running crawl do with it?

Ranking goes on in a process of its own, at the lowest priority, beside a crawl or `shoal serve`;
again when there are half as many pages more than the last time. A crawl in priority order, or by
importance where ranks say how popular a page is, then raises the URLs that wait for it: those that
had few links when they were found may have many now.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from shoal.config import Config
from shoal.focus.priority import FixedPriority, PrioritySettings, location_value
from shoal.frontier.state.worth import LearnedContent, LinkFacts
from shoal.graph.generations import summary_of
from shoal.graph.scores import NewestRanks
from shoal.layout.ranks import graph_of
from shoal.model.link import LinkSource
from shoal.model.urls.rowkey import url_of
from shoal.store.linking import Linking

GROWTH = 1.5
LEAST_PAGES = 100
"""Before that there is little to rank."""
_RAISED_AT_ONCE = 200


def is_due(directory: Path, pages: int) -> bool:
    """Whether links should be ranked again, now that so many pages were fetched."""
    summary = summary_of(graph_of(directory))
    least = LEAST_PAGES if summary is None else max(LEAST_PAGES, GROWTH * summary.fetched)
    return pages >= least


class BackgroundRanking:
    """At most one process that ranks; `look` now and then, `close` in the end."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def look(self, pages: int) -> bool:
        """Start when it is due; `pages` is how many were fetched, redirects with them. Whether it
        was started."""
        if self.is_running or not is_due(self._directory, pages):
            return False
        self._process = subprocess.Popen(  # noqa: S603 - our own module, and no shell
            [sys.executable, "-P", "-m", "shoal.analysis.rank_process", str(self._directory)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the crawl, which closes it
        )
        return True

    def wait(self, timeout_seconds: float | None = None) -> int | None:
        """Its exit code; None when none was started."""
        return None if self._process is None else self._process.wait(timeout_seconds)

    def close(self) -> None:
        """Stop it: ranks that hold stay, half of the new ones are cleared away the next time."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait()


def link_facts(
    config: Config,
    linking: Linking,
    graph_directory: Path,
    learned: LearnedContent | None = None,
) -> LinkFacts:
    """What the frontier values URLs by: stored links, and ranks where they are wanted."""
    ranks = NewestRanks(graph_directory)
    by_rank = config.crawl.popularity == "rank"

    def rank_of(row: bytes) -> float:
        if by_rank:
            ranks.refresh()
        return ranks.page(row)

    return LinkFacts(rank_of, linking.is_told, linking.linking_to, location_value, learned)


class QueueByRank:
    """Raises what waits in a crawl's queue when its links were ranked again."""

    def __init__(
        self,
        raise_url: Callable[[bytes, float], bool],
        graph_directory: Path,
        order: PrioritySettings,
        *,
        by_rank: bool = False,
    ) -> None:
        """`by_rank`: by importance, and ranks say how popular a page is."""
        self._raise_url = raise_url
        self._ranks = NewestRanks(graph_directory)
        self._counts = order.order == "priority" or (order.order == "importance" and by_rank)
        self._prioritizer = FixedPriority(order, self._ranks.page)
        self._waiting: list[bytes] = []

    def look(self) -> int:
        """Some at a time, so that the crawl goes on meanwhile; how many were raised."""
        if not self._counts:
            return 0
        if self._ranks.refresh():
            self._waiting = self._ranks.file.unfetched() if self._ranks.file is not None else []
        now, self._waiting = self._waiting[:_RAISED_AT_ONCE], self._waiting[_RAISED_AT_ONCE:]
        return sum(
            self._raise_url(row, self._prioritizer.priority(url_of(row), LinkSource.LINK, ""))
            for row in now
        )
