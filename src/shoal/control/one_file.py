"""How is one file of a site had, outside of a crawl? As politely: robots.txt first, and delays."""

import asyncio

from shoal.access.opening import is_there, open_collection
from shoal.clock import SystemClock
from shoal.config import Config
from shoal.control.commands import Place
from shoal.control.site_map import Findings, Walk, left_alone
from shoal.errors import UsageError
from shoal.loop import run
from shoal.model.urls.url import site_of
from shoal.worker.fetchers import http_fetcher, resolver


def body_of(
    url: str, place: Place, config: Config, max_seconds: float, *, is_sitemap: bool = False
) -> bytes:
    """Its bytes, their content encoding undone; UsageError when they can't be had, or the site must
    not be asked now. A sitemap that robots.txt names may be read whatever else it forbids."""
    if is_there(place):
        with open_collection(place) as collection:
            if reason := left_alone(collection, site_of(url)):
                raise UsageError(reason)
    body, problem = run(_ask(url, config, max_seconds, is_sitemap=is_sitemap))
    if problem:
        raise UsageError(f"{url} can't be had: {problem}")
    return body


async def _ask(
    url: str, config: Config, max_seconds: float, *, is_sitemap: bool
) -> tuple[bytes, str]:
    clock = SystemClock()
    names = resolver(config, clock)
    fetcher = http_fetcher(config, names, clock)
    walk = Walk(Findings(site_of(url), config), config, fetcher, clock)
    try:
        async with asyncio.timeout(max_seconds):
            is_named = is_sitemap and await walk.names(url)
            return await walk.body(url, is_named=is_named)
    except TimeoutError:
        return b"", f"it took longer than {max_seconds:g} s (--max-time)"
    finally:
        await fetcher.close()
        await names.close()
