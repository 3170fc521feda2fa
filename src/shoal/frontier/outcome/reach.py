"""How far does a crawl go, whatever its scope says? Depth, redirects, and what a page forbids."""

from dataclasses import dataclass

from shoal.frontier.state.provenance import Provenance
from shoal.model.link import Link, LinkSource, Rel

TOO_DEEP = "depth"
_NOFOLLOW = int(Rel.NOFOLLOW)  # a plain integer: an enum's `&` costs more than the question


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
