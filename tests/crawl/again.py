"""Crawls that look again: a refresh of what is stored, and a steady crawl that is stopped."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from shoal.engine.running import RunningCrawl
from shoal.engine.summary import Summary
from shoal.frontier.background.revisit_dates import Selection
from tests.crawl.run import crawl

_LOOK_SECONDS = 0.1


def refresh(directory: Path, settings: Mapping[str, object] | None = None) -> Summary:
    """Everything that is stored is asked for again, once."""
    return crawl(directory, [], settings, selection=Selection())


def crawl_until(
    directory: Path,
    seeds: Iterable[str],
    settings: Mapping[str, object],
    enough: Callable[[], bool],
    patience_seconds: float = 60.0,
) -> Summary:
    """A crawl that would go on for ever, until something is seen (looked for ten times a second).
    It fails when that never comes."""
    watchers: list[asyncio.Task[bool]] = []

    def started(running: RunningCrawl) -> None:
        watchers.append(asyncio.get_running_loop().create_task(watch(running)))

    async def watch(running: RunningCrawl) -> bool:
        try:
            async with asyncio.timeout(patience_seconds):
                while not await asyncio.to_thread(enough):  # noqa: ASYNC110 - it has no event
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            return False
        finally:
            running.stop("enough")
        return True

    summary = crawl(directory, seeds, settings, started, forever=True)
    assert watchers[0].result(), f"it did not come in {patience_seconds:g} s"
    return summary
