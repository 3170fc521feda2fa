"""What do the settings say to the parts of a crawl? To its frontier, and to children that read."""

import math

from shoal.config import VERSION, Config
from shoal.converters.limits import Limits
from shoal.engine.revisit_settings import missing_settings, revisit_settings
from shoal.errors import UsageError
from shoal.focus.scope import ScopeSettings
from shoal.frontier.outcome.reach import Reach
from shoal.frontier.schedule.allowance import Mode
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.state.settings import FrontierSettings
from shoal.layout.layout import Layout
from shoal.layout.order import importance_of, order_of
from shoal.layout.ranks import GRAPH
from shoal.layout.topics import TOPICS
from shoal.model.record import pack
from shoal.model.visit import Keep
from shoal.understand.pool import ChildLimits
from shoal.worker.child_config import ChildConfig

_TYPICAL_FETCH_SECONDS = 0.5
_SITES_PER_WORKER = 3


def frontier_settings(
    config: Config, mode: Mode, max_depth: int | None, requested_by_others: float
) -> FrontierSettings:
    """`asked_by_others`: until then another owner of a tablet may have asked any host."""
    polite = config.politeness
    if config.crawl.stop_when is not None and config.crawl.order != "importance":
        raise UsageError("only a crawl by importance stops by value: add --order importance")
    wanted = polite.rate * (polite.delay + _TYPICAL_FETCH_SECONDS)
    return FrontierSettings(
        levels=config.frontier.levels,
        bias=config.frontier.bias,
        capacity=max(_SITES_PER_WORKER * config.crawl.workers, math.ceil(wanted)),
        quantum=config.frontier.quantum,
        patience=config.crawl.patience,
        max_pages=config.crawl.max_pages,
        credit=config.frontier.credit,
        seen_cache=config.frontier.seen_cache,
        site_cache=config.frontier.site_cache,
        depth_first=config.crawl.order == "depth",
        importance=importance_of(config),
        reach=Reach(max_depth=max_depth, sitemaps=config.sitemaps.use != "no"),
        revisits=revisit_settings(config, mode),
        missing=missing_settings(config, mode),
        head=config.refresh.head == "yes",
        guess_sitemaps=config.sitemaps.use == "guess",
        tdmrep=polite.tdmrep == "yes",
        requisites=config.archive.max_requisites,
        sitemap_urls=config.sitemaps.max_urls,
        sitemap_depth=config.sitemaps.max_depth,
        by_priority=config.crawl.order == "priority",
        politeness=Politeness(
            delay=polite.delay,
            delay_factor=polite.delay_factor,
            slow_site_cap=polite.slow_site_cap,
            crawl_delay_cap=polite.crawl_delay_cap,
            address_share=polite.address_share,
            backoff_base=polite.backoff_base,
            backoff_cap=polite.backoff_cap,
            retry_after_cap=polite.retry_after_cap,
        ),
        keep=Keep(config.crawl.keep),
        requested_by_others=requested_by_others,
    )


def wants_requisites(config: Config) -> bool:
    """Where nothing is archived there is nothing to look as it did."""
    return config.archive.requisites == "yes" and config.crawl.keep == "raw"


def child_limits(config: Config) -> ChildLimits:
    how = config.understand
    return ChildLimits(page_seconds=how.timeout, memory_bytes=how.memory)


def child_config(config: Config, rules: str, scope: ScopeSettings, layout: Layout) -> bytes:
    return pack(
        ChildConfig(
            scope=scope,
            priority=order_of(config, rules),
            product_token=config.agent.product_token,
            strip=config.url.strip,
            keep=config.url.keep,
            limits=Limits(
                decoded_bytes=config.understand.max_decoded, links=config.understand.max_links
            ),
            warc_directory=str(layout.warc),
            warc_max_bytes=config.archive.max_file,
            software=f"Shoal/{VERSION}",
            content=config.understand.content,
            prints=config.dedupe.near == "yes",
            names=config.understand.entities == "yes" and config.understand.content != "none",
            feeds_anywhere=config.feeds.scope == "any",
            requisites=config.archive.max_requisites if wants_requisites(config) else 0,
            topics_directory=str(layout.directory / TOPICS),
            graph_directory=str(layout.data / GRAPH),
            classes_directory=str(layout.directory),
        )
    )


def signature_of(config: Config, scope: ScopeSettings, max_depth: int | None) -> bytes:
    """Of all that URLs are judged and valued by."""
    feeds = () if config.feeds.scope == "any" else (config.feeds.scope,)
    crawl, by_value = config.crawl, tuple[str, ...]()
    if crawl.order == "importance":
        by_value = (crawl.order, crawl.weights, crawl.about, crawl.popularity)
        by_value += (crawl.topic,) if crawl.topic else ()
    return pack((scope, max_depth, *feeds, *by_value))
