"""What does one sitemap say? A file, or a URL that is asked for as politely as a crawl would.

Of a site, robots.txt is asked first: what it forbids is not read, unless it names it as a sitemap.
A host that a running crawl is asking, or that is paused, is not asked here too.
"""

from collections.abc import Iterator
from pathlib import Path

from shoal.config import Config
from shoal.control.commands import Place
from shoal.control.one_file import body_of
from shoal.errors import UsageError
from shoal.model.record import Struct
from shoal.model.urls.url import canonical
from shoal.sources.sitemap import Entry, SitemapReader, chunks_of

__all__ = ["Entry", "SitemapView", "view_file", "view_url"]

_WEB = ("http://", "https://")
_CHUNK_BYTES = 65_536


class SitemapView(Struct):
    url: str
    """Or the file's name."""
    form: str
    """`sitemap`, `index`, `text`, `feed`; `none`: it is no sitemap."""
    problem: str
    entries: list[Entry]

    def urls(self) -> Iterator[str]:
        """Canonical, and each once: what a crawl would take."""
        base = self.url if self.url.startswith(_WEB) else None
        found = (canonical(entry.url, base) for entry in self.entries)
        return iter(dict.fromkeys(url for url in found if url and url.startswith(_WEB)))


def view_file(path: Path) -> SitemapView:
    """Read in chunks: whatever the file's size is, no more of it is held than its entries."""
    reader = SitemapReader()
    try:
        with path.open("rb") as file:
            entries = list(reader.entries(iter(lambda: file.read(_CHUNK_BYTES), b"")))
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror or error}") from None
    return SitemapView(str(path), reader.form, reader.problem, entries)


def view_url(asked: str, place: Place, config: Config, max_seconds: float) -> SitemapView:
    url = canonical(asked)
    if url is None or not url.startswith(_WEB):
        raise UsageError(f"{asked!r} is no URL of the web")
    body = body_of(url, place, config, max_seconds, is_sitemap=True)
    reader = SitemapReader()
    entries = list(reader.entries(chunks_of(body)))
    return SitemapView(url, reader.form, reader.problem, entries)
