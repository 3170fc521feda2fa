"""May this crawl start? What is refused before the first request, in one sentence each."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from shoal.clock import SystemClock
from shoal.collection.view import TabletView
from shoal.config import Config
from shoal.errors import UsageError
from shoal.fetch.dns import Resolver
from shoal.fetch.guard import NAMELESS
from shoal.fetch.settings import DnsSettings
from shoal.frontier.schedule.politeness import PUBLIC_MINIMUM_SECONDS, is_public
from shoal.layout.crawl_row import roots_of
from shoal.layout.layout import Layout
from shoal.model.link import Link
from shoal.model.urls.rowkey import row_key
from shoal.model.urls.url import registered_domain, site_of

_MOST_HOSTS_ASKED = 50


async def check(config: Config, given: Sequence[Link], directory: Path | None = None) -> None:
    """Raises UsageError when the crawl would be impolite: to what is named now, and to what the
    collection in that directory started from."""
    if config.refresh.shortest > config.refresh.longest:
        raise UsageError(
            f"refresh.shortest ({config.refresh.shortest:g} s) must not be more than "
            f"refresh.longest ({config.refresh.longest:g} s)"
        )
    seeds = [*given, *_roots(directory)]
    too_fast = config.politeness.delay < PUBLIC_MINIMUM_SECONDS
    nameless = is_nameless(config, [seed.url for seed in seeds])
    if not (too_fast or nameless):
        return
    public = await _first_public_host(config, seeds)
    if public is None:
        return
    if too_fast:
        raise UsageError(
            f"A delay of {config.politeness.delay:g} s is too short for {public}, "
            f"which is at a public address; use --delay {PUBLIC_MINIMUM_SECONDS:g} or more."
        )
    raise UsageError(NAMELESS)


def _roots(directory: Path | None) -> list[Link]:
    if directory is None or not Layout(directory).exists():
        return []
    with TabletView(directory) as collection:
        return [Link(url, row_key(url)) for url in roots_of(collection.table)]


def is_nameless(config: Config, roots: Sequence[str]) -> bool:
    """Whether nobody says who asks, though the crawl goes beyond one site."""
    if config.agent.contact or config.agent.agent:
        return False
    if config.crawl.scope == "any":
        return True
    return len({registered_domain(site_of(url).host) for url in roots}) > 1


async def private_hosts(config: Config, seeds: Sequence[Link]) -> list[str]:
    """The hosts that a person named and that are at private addresses: they are asked there."""
    found = await _addresses_of(config, seeds)
    return [
        host for host, known in found if known and not any(is_public(f"{each}:0") for each in known)
    ]


async def _first_public_host(config: Config, seeds: Sequence[Link]) -> str | None:
    """A host that is, or may be, on the public internet: an unknown address counts as public."""
    for host, known in await _addresses_of(config, seeds):
        if not known or any(is_public(f"{address}:0") for address in known):
            return host
    return None


async def _addresses_of(config: Config, seeds: Sequence[Link]) -> list[tuple[str, tuple[str, ...]]]:
    """Some hosts of the seeds, with their addresses as far as they are known."""
    web = [site for seed in seeds if (site := site_of(seed.url)).scheme != "file"]
    hosts = list(dict.fromkeys(site.host for site in web))[:_MOST_HOSTS_ASKED]
    resolver = Resolver(
        config.resolve,
        SystemClock(),
        DnsSettings(nameservers=config.fetch.nameservers, tries=1, timeout=2.0),
    )
    try:
        found = await asyncio.gather(*(resolver.resolve(host) for host in hosts))
    finally:
        await resolver.close()
    return [(host, each.addresses) for host, each in zip(hosts, found, strict=True)]
