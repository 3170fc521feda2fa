"""What do sitemaps say of a page, in words? For `show`, `explain` and the page about a page."""

from collections.abc import Iterator, Sequence

from shoal.model.listings.sitemap_metadata import News, SitemapMetadata

_SHOWN = 3
"""Of each kind; the rest is counted."""


def metadata_facts(metadata: Sequence[SitemapMetadata]) -> Iterator[tuple[str, str]]:
    """A name and what is to be said under it, for each kind that something is said of."""
    for each in metadata:
        if each.news is not None:
            yield "news", _news(each.news)
    pictures = [_titled(image.url, image.title) for each in metadata for image in each.images]
    films = [
        _titled(film.url or film.thumbnail, film.title) for each in metadata for film in each.videos
    ]
    others = [f"{other.language} {other.url}" for each in metadata for other in each.alternates]
    for name, parts in (("images", pictures), ("videos", films), ("languages", others)):
        if parts:
            yield name, _some(list(dict.fromkeys(parts)))


def metadata_lines(metadata: Sequence[SitemapMetadata]) -> Iterator[str]:
    """A sentence for each sitemap and kind."""
    for each in metadata:
        for name, says in metadata_facts([each]):
            yield f"{each.sitemap} says, {name}: {says.rstrip('.')}."
        if each.left_out:
            yield f"{each.sitemap} says more; {each.left_out:,} parts were left out."


def _news(news: News) -> str:
    where = ", ".join(filter(None, (news.publication, news.date, news.language)))
    return f"{news.title} ({where})" if where else news.title


def _titled(url: str, title: str) -> str:
    return f"{url} ({title})" if title else url


def _some(parts: Sequence[str]) -> str:
    more = len(parts) - _SHOWN
    shown = ", ".join(parts[:_SHOWN])
    return f"{shown}, and {more:,} more" if more > 0 else shown
