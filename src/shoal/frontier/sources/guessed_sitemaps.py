"""Where is the sitemap of a site whose robots.txt names none? In one of the usual places.

A look costs the site a request and its pages a delay, and most sites have nothing there. So it is
made late and seldom: at the site of a seed once its first page is stored, behind what that page
links to; at any other after its twentieth page; for the next of the names after twenty pages more.
Each place is looked at once, also by later crawls. What is not there is no page that failed: it is
excluded, and counted as that.
"""

from collections.abc import Sequence

from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.outcome.queue_order import DEFAULT_PRIORITY
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.provenance import Provenance
from shoal.frontier.state.rows import NO_SITEMAP, REVISIT, SiteRow, is_web
from shoal.frontier.state.settings import FrontierSettings
from shoal.model.document import Understood
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.outcome import Outcome, State
from shoal.model.urls.rowkey import row_key, url_of
from shoal.model.urls.url import canonical
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.ports import Batch

USUAL = ("/sitemap.xml", "/sitemap_index.xml", "/sitemap.xml.gz")
_PAGES_A_LOOK = 20
_LEAST_DEPTH = 2
"""Of what a sitemap names: a crawl that does not go so far has no use for one."""
_ENDINGS = (".xml", ".gz", ".txt")


class Guesses:
    def __init__(
        self, state: FrontierState, discovery: Discovery, settings: FrontierSettings
    ) -> None:
        self._state = state
        self._discovery = discovery
        deepest = settings.reach.max_depth
        self._may_look = settings.guess_sitemaps and (deepest is None or deepest >= _LEAST_DEPTH)

    def consider(self, batch: Batch, visit: Visit, state: State, now: float) -> None:
        """A visit has ended: it may be time to look. Also when a look was in vain, or the pages
        that the next one waits for may have come before it."""
        is_page = visit.kind is VisitKind.PAGE and state is State.FETCHED
        is_miss = visit.source is LinkSource.GUESS and state is State.EXCLUDED
        if not self._may_look or not (is_page or is_miss):
            return
        site = self._state.sites.row(visit.site)
        if site.looks < len(USUAL) and _is_due(site, visit) and is_web(visit.site):
            self._look(batch, visit, site, now)

    def _look(self, batch: Batch, visit: Visit, site: SiteRow, now: float) -> None:
        last = None
        if site.looks:
            last = self._state.urls.read(visit.site + USUAL[site.looks - 1].encode())
        if last is not None and last.waiting:
            return
        is_known = last is not None and last.category != NO_SITEMAP
        if is_known or self._are_named(visit.site):
            site.looks = len(USUAL)
        else:
            url = url_of(visit.site + USUAL[site.looks].encode())
            link = Link(url, row_key(url), rel=int(Rel.SITEMAP), source=LinkSource.GUESS)
            link.priority = DEFAULT_PRIORITY
            self._discovery.offer(batch, [link], Provenance(1, 0, visit.row), now)
            site.looks += 1
        self._state.sites.touch(visit.site)

    def _are_named(self, site: bytes) -> bool:
        robots = self._state.sites.robots_of(site)
        return robots is not None and bool(listed(robots.rules.sitemaps, site))

    def name(self, batch: Batch, links: Sequence[Link], finder: bytes, now: float) -> None:
        """Somebody names sitemaps; where we had looked in vain, it is asked for after all."""
        for link in links:
            state = self._state.urls.state_of(link.row)
            if state is None or state.url.category != NO_SITEMAP:
                continue
            state.url.state, state.url.reason = State.QUEUED, ""
            state.url.source, state.url.found_from = link.source, finder
            self._discovery.enqueue(batch, state, 0, now)


def why_missed(fetched: Fetched, understood: Understood) -> str:
    """Why no sitemap was found at one of the usual places; empty when there is one. Some sites
    answer what they do not have with a page that says so, or lead to their first page."""
    if fetched.outcome is Outcome.UNCHANGED:
        return ""
    if fetched.outcome is Outcome.OK:
        is_one = understood.listed or understood.below
        return "" if is_one else f"{NO_SITEMAP}: what stands at this usual place names no pages"
    if fetched.outcome is Outcome.REDIRECT:
        is_one = may_lead_on(understood.links)
        return "" if is_one else f"{NO_SITEMAP}: this usual place leads to a page"
    return f"{NO_SITEMAP}: {fetched.note or fetched.status or fetched.outcome} at this usual place"


def may_lead_on(links: Sequence[Link]) -> list[Link]:
    """Of the targets of a redirect, those that may be a sitemap."""
    names = [(link, link.url.partition("?")[0].rpartition("/")[2].lower()) for link in links]
    return [link for link, name in names if "sitemap" in name or name.endswith(_ENDINGS)]


def listed(sitemaps: Sequence[str], site: bytes) -> list[str]:
    """The sitemaps that a robots.txt names, canonical."""
    base = url_of(site + b"/robots.txt")
    urls = [canonical(each, base) for each in sitemaps]
    return [url for url in urls if url is not None and url.startswith("http")]


def _is_due(site: SiteRow, visit: Visit) -> bool:
    """A page that a person wanted beside the crawl says nothing of its site, nor does a revisit."""
    if visit.source is LinkSource.SUBMIT or visit.level >= REVISIT:
        return False
    if visit.source is LinkSource.SEED and not site.looks:
        return True
    return site.fetched >= _PAGES_A_LOOK * (site.looks + 1)
