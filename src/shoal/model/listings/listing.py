"""What does a sitemap or a feed name? A URL with what its owner says of it: hints, no commands."""

from shoal.model.link import Link
from shoal.model.listings.sitemap_metadata import SitemapMetadata
from shoal.model.record import Struct

DEFAULT_PRIORITY = 0.5
"""Of a sitemap's entry that tells none (sitemaps.org)."""


class ListedUrl(Struct, array_like=True):
    link: Link
    """Settled like any other: canonical, with its row and the scope's verdict."""
    modified: float = 0.0
    """When it last changed, unix seconds; 0: not told."""
    change_seconds: float = 0.0
    """How often it changes, about; 0: not told."""
    priority: float = DEFAULT_PRIORITY
    metadata: SitemapMetadata | None = None
    """What else a sitemap says of it."""


class SitemapRow(Struct, array_like=True):
    """What is remembered of a sitemap between two readings, in the family `site`."""

    newest: float = 0.0
    """When the youngest of its pages changed, unix seconds; 0: not told."""


def sitemap_key(row: bytes) -> bytes:
    return b"\x00sitemap\x00" + row
