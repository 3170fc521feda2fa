"""Which URLs does a page need to look as it did? Its requisites as links, settled like others.

What a page names is at level 1, what a style sheet of that level names at level 2, the style sheets
that it imports among it. Those are the last that are read: what they import is not taken.
"""

from collections.abc import Iterable

from shoal.converters.html.requisites import of_css, of_page
from shoal.converters.links import LinkMaker
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.urls.url import resolve, seen_key
from shoal.model.visit import Fetched, Visit

_WEB = ("http://", "https://")
_IMPORTING_LEVEL = 1
_LAST_LEVEL = 2
_PRIORITY = 1.0
"""Behind its page and before the next: they are to be of one time."""


class RequisiteLinks:
    def __init__(self, links: LinkMaker, most: int) -> None:
        """`links` judges by a scope of their own; `most` are taken of one page or style sheet."""
        self._links = links
        self._most = most

    def of_page(self, html: str, url: str) -> list[Link]:
        base, references = of_page(html)
        return self._settled(references, url, resolve(base, url) if base else url)

    def of_style(self, visit: Visit, fetched: Fetched, body: bytes) -> list[Link]:
        """Nothing, of what is no style sheet."""
        kind = fetched.header("content-type").partition(";")[0].strip().lower()
        if kind != "text/css" or visit.depth > _LAST_LEVEL:
            return []
        css = body.decode("utf-8", "replace")
        references = of_css(css, imports=visit.depth <= _IMPORTING_LEVEL)
        return self._settled(references, visit.url, visit.url)

    def moved(self, links: Iterable[Link]) -> list[Link]:
        """Where a redirect of one leads."""
        return [self._link(link.url, int(Rel.REDIRECT)) for link in links]

    def _settled(self, references: Iterable[str], url: str, base: str | None) -> list[Link]:
        found = {seen_key(url): ""}
        for reference in references:
            needed = self._links.url(reference, base or url)
            if needed.startswith(_WEB):
                found.setdefault(seen_key(needed), needed)
            if len(found) > self._most:
                break
        return [self._link(needed) for needed in found.values() if needed]

    def _link(self, url: str, rel: int = 0) -> Link:
        link = self._links.link(url, LinkSource.REQUISITE, rel)
        link.priority = _PRIORITY
        return link
