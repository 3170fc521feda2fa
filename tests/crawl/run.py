"""Crawls for tests: the real engine, in this process, on the world or any loopback server."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from shoal.config import load
from shoal.engine.running import RunningCrawl, crawl_into
from shoal.engine.summary import Summary
from shoal.frontier.background.revisit_dates import Selection
from shoal.model.link import Link, LinkSource
from shoal.model.urls.rowkey import row_key

QUICK: Mapping[str, object] = {
    "politeness.delay": 0.2,
    "politeness.delay_factor": 0.0,
    "politeness.backoff_base": 0.3,
    "crawl.patience": 5.0,
    "crawl.scope": "any",
    "crawl.children": 1,
    "index.follow": "no",
    "sitemaps.use": "listed",
}
"""Loopback hosts may be asked sooner than public ones, who wants the index asks for it, and nothing
is looked for that nobody names, so that requests can be held against the pages of a web; the rest
is as a person would have it."""


def crawl(
    directory: Path,
    seeds: Iterable[str],
    settings: Mapping[str, object] | None = None,
    started: Callable[[RunningCrawl], None] | None = None,
    *,
    forever: bool = False,
    selection: Selection | None = None,
) -> Summary:
    """With `forever` until it is stopped (`crawl.max_time`, or by what `started` is handed); with a
    selection, those stored pages again."""
    steady = {"crawl.forever": "yes"} if forever else {}
    config = load(directory, {**QUICK, **steady, **(settings or {})}, {})
    links = [Link(url, row_key(url), source=LinkSource.SEED) for url in seeds]
    return asyncio.run(crawl_into(directory, config, links, started=started, selection=selection))
