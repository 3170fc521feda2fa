"""What does a site say of its own page, beside its text? Pictures, videos, news, translations.

A sitemap's extensions tell it, and a crawl keeps it in the page's row, a cell for each sitemap:
`page:told:<hash of the sitemap's row>`. It comes from anyone, so what is kept is bounded: so many
parts of each kind, only addresses of the web, texts of one short line. None of it is fetched.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Protocol, TypeVar

from shoal.model.cell import newest_key
from shoal.model.digest import stable_number
from shoal.model.record import Struct

MOST_PARTS = 50
"""Pictures, videos or translations that are kept of one page, by one sitemap."""
MOST_SITEMAPS = 8
"""Sitemaps that are listened to about one page."""

_MAX_URL_CHARS = 2_000
_MAX_TEXT_CHARS = 300
_WEB = ("http://", "https://")
_PREFIX = b"told:"
_END = b"told;"

Kept = TypeVar("Kept")


class Image(Struct):
    url: str
    title: str = ""


class Video(Struct):
    url: str = ""
    """Of the video itself, else of its player."""
    title: str = ""
    thumbnail: str = ""


class News(Struct):
    title: str = ""
    date: str = ""
    """As written: a W3C date."""
    publication: str = ""
    language: str = ""


class Alternate(Struct):
    """The same page in another language (hreflang)."""

    language: str
    url: str


class SitemapMetadata(Struct):
    """What one sitemap says of one page."""

    sitemap: str
    """Its URL."""
    images: list[Image] = []
    videos: list[Video] = []
    news: News | None = None
    alternates: list[Alternate] = []
    left_out: int = 0
    """Parts that were too many, or no addresses of the web."""

    @property
    def chars(self) -> int:
        """About how long it is."""
        pictures = sum(len(each.url) + len(each.title) for each in self.images)
        films = sum(len(each.url) + len(each.title) + len(each.thumbnail) for each in self.videos)
        return pictures + films + sum(len(each.url) for each in self.alternates) + _MAX_TEXT_CHARS


class Said(Protocol):
    """The same in an entry of a sitemap, as written."""

    images: list[Image]
    videos: list[Video]
    news: News | None
    alternates: list[Alternate]


def metadata_of(sitemap: str, said: Said) -> SitemapMetadata | None:
    """What is kept of it; None when that is nothing."""
    images = _some(
        Image(url, _line(each.title)) for each in said.images if (url := _address(each.url))
    )
    videos = _some(
        Video(url, _line(each.title), _address(each.thumbnail))
        for each in said.videos
        if (url := _address(each.url)) or _address(each.thumbnail)
    )
    alternates = _some(
        Alternate(_line(each.language), url)
        for each in said.alternates
        if (url := _address(each.url))
    )
    news = None
    if said.news is not None:
        told = (said.news.title, said.news.date, said.news.publication, said.news.language)
        news = News(*map(_line, told))
    given = len(said.images) + len(said.videos) + len(said.alternates)
    kept = len(images) + len(videos) + len(alternates)
    if not kept and (news is None or not news.title):
        return None
    return SitemapMetadata(sitemap, images, videos, news, alternates, given - kept)


def metadata_key(row: bytes, finder: bytes) -> bytes:
    """Of the cell in the family `page`: what the sitemap of the row `finder` says of a page."""
    return newest_key(row, _PREFIX + f"{stable_number(finder):016x}".encode())


def metadata_range(row: bytes) -> tuple[bytes, bytes]:
    return newest_key(row, _PREFIX), newest_key(row, _END)


def is_metadata(qualifier: bytes) -> bool:
    return qualifier.startswith(_PREFIX)


def _some(parts: Iterable[Kept]) -> list[Kept]:
    return list(islice(parts, MOST_PARTS))


def _address(url: str) -> str:
    """As written, if it is an address of the web that can be shown as one."""
    is_good = url.startswith(_WEB) and len(url) <= _MAX_URL_CHARS and url.isprintable()
    return url if is_good and " " not in url else ""


def _line(text: str) -> str:
    """One line, and nothing in it that a terminal would obey."""
    shown = "".join(each if each.isprintable() else " " for each in text[: 2 * _MAX_TEXT_CHARS])
    return " ".join(shown.split())[:_MAX_TEXT_CHARS]
