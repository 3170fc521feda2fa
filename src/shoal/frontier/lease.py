"""What does a worker hold? A site that nobody else can ask, and the one URL to ask it for."""

from dataclasses import dataclass, field

from shoal.frontier.addresses import Turn
from shoal.frontier.robots_desk import refusal
from shoal.frontier.sites import ActiveSite
from shoal.model.visit import Kind, Visit


@dataclass(eq=False)
class SiteLease:
    """A site that is ours alone, with the visit chosen for it."""

    active: ActiveSite
    visit: Visit
    turn: Turn = field(default=Turn())
    released: bool = False

    @property
    def site(self) -> bytes:
        return self.active.site

    def next_url(self) -> Visit:
        return self.visit

    def refusal(self, visit: Visit) -> str:
        if visit.asked_for and self.active.gate.row.paused:
            return "paused: the host that this robots.txt is redirected to is paused"
        if visit.kind is not Kind.PAGE or self.active.rules is None:
            return ""
        return refusal(self.active.rules, visit.url)
