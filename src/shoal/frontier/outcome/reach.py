"""How far does a crawl go, whatever its scope says? Depth, redirects, and what a page forbids."""

from dataclasses import dataclass

from shoal.frontier.state.provenance import Provenance
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.visit import VisitKind

TOO_DEEP = "depth"
# Plain integers: an enum's `&` costs more than the question.
_NOFOLLOW, _SITEMAP, _FEED = int(Rel.NOFOLLOW), int(Rel.SITEMAP), int(Rel.FEED)


@dataclass(frozen=True)
class Reach:
    """How far a crawl goes, whatever the scope says."""

    max_depth: int | None = None
    max_hops: int = 10
    sitemaps: bool = False
    """Whether what a page or a robots.txt calls its sitemap is read as one."""

    def refusal(self, link: Link, origin: Provenance) -> str:
        """Why a link is not followed; empty: it is."""
        if link.source is LinkSource.SUBMIT:
            return ""
        if link.excluded:
            return link.excluded
        if link.rel & _NOFOLLOW:
            return "nofollow: the link or its page says so"
        if origin.hops > self.max_hops:
            return f"redirects: more than {self.max_hops} in a chain"
        limit = None if link.source is LinkSource.REQUISITE else self.max_depth
        if limit is not None and origin.depth > limit:
            return f"{TOO_DEEP}: {origin.depth} is beyond the limit of {limit}"
        return ""

    def kind_of(self, link: Link) -> VisitKind:
        """What a page merely announces as a feed is a page until it was seen to be one."""
        if link.source is LinkSource.REQUISITE:
            return VisitKind.REQUISITE
        if link.rel & _SITEMAP and (self.sitemaps or link.source is not LinkSource.LINK):
            return VisitKind.SITEMAP
        is_feed = link.rel & _FEED and link.source in (LinkSource.FEED, LinkSource.NAMED_FEED)
        return VisitKind.FEED if is_feed else VisitKind.PAGE
