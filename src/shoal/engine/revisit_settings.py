"""How is a crawl told to look again? The settings of [refresh], as its parts want them.

Without a budget each stored page may be visited once a day on average, but revisits never have more
than their share of what politeness lets the crawl do: one request per site and delay.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from shoal.config import Config
from shoal.counters import Counts
from shoal.engine.importance import Importance
from shoal.errors import UsageError
from shoal.freshness.price import Limits
from shoal.freshness.refresher import PageRefresher, RefreshSettings
from shoal.frontier.background.revisit_dates import Selection as Selection
from shoal.frontier.outcome.missing import MissingSettings
from shoal.frontier.schedule.allowance import Mode, RevisitSettings
from shoal.layout.ranges import key_range
from shoal.model.cell import to_ms
from shoal.ports import Table

_DAY_SECONDS = 86_400.0
_TYPICAL_FETCH_SECONDS = 0.5
_LEAST_PER_SECOND = 1e-6


def mode_of(config: Config) -> Mode:
    return Mode.STEADY if config.crawl.forever == "yes" else Mode.NEW


def for_refresh(config: Config) -> Config:
    """The settings of a refresh: limits on how much is gathered are no limits on looking again."""
    unlimited = replace(config.crawl, max_pages=None, max_bytes=None, stop_when=None)
    return replace(config, crawl=unlimited)


def budget_per_second(config: Config, counts: Counts, planned: int = 0) -> float:
    """Revisits that may be made, of all pages together: those that are counted, or planned for."""
    refresh, polite = config.refresh, config.politeness
    if refresh.budget is not None:
        return refresh.budget / _DAY_SECONDS
    pages = max(1, planned, counts.total("fetched/") + counts["unchanged"])
    wanted = refresh.per_page * pages / _DAY_SECONDS
    per_site = 1 / (polite.delay + _TYPICAL_FETCH_SECONDS)
    possible = min(polite.rate, max(1, counts["total/sites"]) * per_site)
    share = refresh.share if counts["queued"] else 1.0
    return max(_LEAST_PER_SECOND, min(wanted, share * possible))


def refresher_of(
    table: Table, config: Config, mode: Mode, directory: Path, budget_of: Callable[[int], float]
) -> PageRefresher:
    refresh = config.refresh
    limits = Limits(refresh.policy, refresh.shortest, refresh.longest)
    plans = mode is Mode.STEADY
    settings = RefreshSettings(limits, minor_counts=refresh.minor == "yes", plans=plans)
    if not plans:
        return PageRefresher(table, settings)
    return PageRefresher(table, settings, Importance(directory).weight_of, budget_of)


def revisit_settings(config: Config, mode: Mode) -> RevisitSettings:
    return RevisitSettings(mode, share=config.refresh.share)


def missing_settings(config: Config, mode: Mode) -> MissingSettings:
    refresh = config.refresh
    return MissingSettings(
        keep_seconds=refresh.keep_missing,
        shortest_seconds=refresh.shortest,
        longest_seconds=refresh.longest,
        asks_again=mode is Mode.STEADY,
    )


def selection_of(
    where: str, older_seconds: float | None, now: float, *, changed_first: bool
) -> Selection:
    """The stored pages of a part of a collection that were last visited so long ago."""
    if older_seconds is not None and not older_seconds >= 0:
        raise UsageError(f"the age of pages to refresh must be 0 or more, not {older_seconds:g} s")
    start, end = key_range(where)
    before_ms = 0 if older_seconds is None else max(1, to_ms(now - older_seconds))
    return Selection(start, end or b"\xff", before_ms, changed_first)
