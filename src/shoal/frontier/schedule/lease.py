"""What does a worker hold? A site that nobody else can ask, and the one URL to ask it for."""

from collections.abc import Callable
from dataclasses import dataclass, field

from shoal.frontier.schedule.addresses import Turn
from shoal.frontier.schedule.sites import ActiveSite
from shoal.frontier.sources.robots_cache import refusal
from shoal.model.robots.robots import RobotsRules
from shoal.model.urls.rowkey import is_inside
from shoal.model.urls.url import canonical
from shoal.model.visit import Visit, VisitKind


@dataclass(eq=False)
class SiteLease:
    """A site that is ours alone, with the visit chosen for it."""

    active: ActiveSite
    visit: Visit
    turn: Turn = field(default=Turn())
    learned: Callable[[Visit], str] = lambda _visit: ""
    released: bool = False

    def next_url(self) -> Visit:
        return self.visit

    def refusal(self, visit: Visit) -> str:
        if visit.requested_for and self.active.gate.closed:
            return "paused: the host that this robots.txt is redirected to is paused or excluded"
        if is_inside(visit.row):
            return "inside: it is read with the file that holds it"  # see settling.py
        rules = self.active.rules
        if visit.kind is VisitKind.ROBOTS or (
            visit.kind is VisitKind.SITEMAP and _names(rules, visit.url)
        ):
            return ""  # a robots.txt that names a sitemap means it to be read
        forbidden = "" if rules is None else refusal(rules, visit.url)
        return forbidden or (self.learned(visit) if visit.kind is VisitKind.PAGE else "")


def _names(rules: RobotsRules | None, sitemap: str) -> bool:
    """As it is asked for, however robots.txt spells it."""
    if rules is None:
        return False
    return any(canonical(each, sitemap) == sitemap for each in rules.sitemaps)
