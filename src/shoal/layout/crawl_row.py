"""What was the last crawl of a collection told? One row, beside the settings file."""

from pathlib import Path

from shoal.config import Config
from shoal.errors import CollectionError
from shoal.focus.scope import ScopeSettings
from shoal.focus.traps import latest_year
from shoal.model.record import VERSION as SCHEMA
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


def stored_crawl(table: Table, directory: Path) -> CrawlRow:
    """What a collection is a crawl of; nothing yet, of a new one."""
    stored = table.get("site", CRAWL_KEY)
    row = CrawlRow(SCHEMA, [], b"") if stored is None else unpack(CrawlRow, stored)
    if row.schema != SCHEMA:
        raise CollectionError(
            f"The collection in {directory} is of another release of Shoal (rows of version "
            f"{row.schema}, this one writes {SCHEMA}); use that release."
        )
    return row
