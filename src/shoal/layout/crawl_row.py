"""What was the last crawl of a collection told? One row, beside the settings file."""

from shoal.config import Config
from shoal.focus.scope import ScopeSettings
from shoal.focus.traps import latest_year
from shoal.model.record import Struct, unpack
from shoal.ports import Table

CRAWL_KEY = b"\x00crawl"


class CrawlRow(Struct):
    """What the last crawl of a collection was told, beside its settings file."""

    schema: int
    roots: list[str]
    """Its seeds, and where seeds moved to."""
    signature: bytes
    """Of its scope: when it differs, what was refused is judged again."""


def roots_of(table: Table) -> list[str]:
    """What a collection's last crawl started from, read without opening it for writing."""
    stored = table.get("site", CRAWL_KEY)
    return [] if stored is None else unpack(CrawlRow, stored).roots


def scope_settings(config: Config, rules: str, roots: list[str], now: float) -> ScopeSettings:
    crawl = config.crawl
    return ScopeSettings(
        kind=crawl.scope,
        roots=roots,
        include=list(crawl.include),
        exclude=list(crawl.exclude),
        rules=rules,
        max_url_length=config.url.max_length,
        max_segments=config.url.max_segments,
        max_parameters=config.url.max_parameters,
        latest_year=latest_year(now),
    )
