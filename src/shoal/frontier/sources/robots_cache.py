"""What do a site's robots.txt and its redirects come to? (RFC 9309) And its tdmrep.json?

Robots.txt is the first entry of a site's queue, not a special path: the cache says when it is due,
and what its answer means. While it is on its way, nothing else is asked of the site. A redirect to
another host is an *errand* of that host: it is fetched in that host's own turn, on that host's own
clock, and if it is that host's own robots.txt it counts for both (http redirects to https,
mostly).

A tdmrep.json is asked for only where the settings want it, behind the robots.txt that allows it
and before the first page, once a day. Nothing waits for what it says, and it is not followed
elsewhere: a site that moves to another has that one's.
"""

from shoal.frontier.outcome.settling import Ending
from shoal.frontier.schedule.sites import ActiveSite, Sites
from shoal.frontier.state.rows import Robots, RobotsRow, is_web, robots_row_key
from shoal.model.cell import to_ms
from shoal.model.messages import Errand, RobotsAnswer
from shoal.model.outcome import TREATMENT, Outcome
from shoal.model.record import changed
from shoal.model.robots.patterns import path_of
from shoal.model.robots.robots import (
    ALLOW_ALL,
    MAX_AGE_SECONDS,
    MAX_REDIRECTS,
    Access,
    RobotsRules,
    meaning,
)
from shoal.model.robots.site_signals import TDMREP_PATH
from shoal.model.urls.rowkey import row_key, site_of_key, url_of
from shoal.model.visit import Keep, Visit, VisitKind
from shoal.ports import Batch, RemoteTablets

_CANT_BE_ASKED = (Outcome.PRIVATE, Outcome.NO_SCHEME)


def refusal(rules: RobotsRules, url: str) -> str:
    """The line that forbids a URL, in words."""
    verdict = rules.verdict(path_of(url))
    if verdict.allowed:
        return ""
    return f"robots: Disallow: {verdict.pattern} (line {verdict.line} of robots.txt)"


class RobotsCache:
    def __init__(
        self, sites: Sites, remote: RemoteTablets | None = None, *, tdmrep: bool = False
    ) -> None:
        self._sites = sites
        self._remote = remote
        self._wants_tdmrep = tdmrep

    def next_visit(self, active: ActiveSite, now: float) -> Visit | None:
        """The robots.txt that has to be asked before anything else."""
        if active.errands:
            return active.errands.pop(0)
        now_ms = to_ms(now)
        is_known = active.row.robots_until_ms > now_ms
        is_whole = not self._wants_tdmrep or active.row.tdmrep_until_ms > now_ms
        if (is_known and is_whole) or not is_web(active.site):
            return None
        waiting = active.queue.next(now_ms)
        if waiting is None or waiting[1] > now_ms:
            return None  # it came for an errand alone: nothing is wanted of it
        if is_known:
            active.row.tdmrep_until_ms = to_ms(now + MAX_AGE_SECONDS)
            return _tdmrep_visit(active)
        active.asking_robots = True
        row = robots_row_key(active.site)
        return Visit(
            robots_url(active.site),
            row,
            active.site,
            VisitKind.ROBOTS,
            private_ok=active.may_be_private,
        )

    def give_back(self, active: ActiveSite, visit: Visit) -> None:
        if visit.kind is VisitKind.TDMREP:
            active.row.tdmrep_until_ms = 0
        elif visit.requested_for:
            active.errands.insert(0, visit)
        else:
            active.asking_robots = False

    def finish(self, batch: Batch, ending: Ending) -> Visit | None:
        """Settle the rules of the site that asked; or return the errand to be run first."""
        visit, understood = ending.visit, ending.understood
        moved = meaning(ending.fetched.status) is Access.REDIRECT and understood.links
        if not moved or visit.hops >= MAX_REDIRECTS:
            self._settle(batch, ending)
            return None
        target = understood.links[0]
        asker, runner = visit.requested_for or visit.site, site_of_key(target.row)
        if target.url == robots_url(runner) and self._borrow(batch, asker, runner, ending.now):
            return None
        return Visit(
            target.url,
            visit.row,
            runner,
            VisitKind.ROBOTS,
            hops=visit.hops + 1,
            requested_for=asker,
            private_ok=self._sites.may_be_private(runner, named=self._sites.is_private(visit.site)),
        )

    def finish_tdmrep(self, batch: Batch, ending: Ending) -> None:
        """What it says stands with the site's rules. Of a fault that may pass nothing follows."""
        site, outcome = ending.visit.site, ending.fetched.outcome
        is_cancelled = outcome is Outcome.CANCELLED
        until_ms = 0 if is_cancelled else to_ms(ending.now + MAX_AGE_SECONDS)
        self._sites.row(site).tdmrep_until_ms = until_ms
        self._sites.touch(site)
        robots = self._sites.robots_of(site)
        if robots is not None and not (is_cancelled or TREATMENT[outcome].blames_site):
            robots.reservations = list(ending.understood.reservations)
            self._sites.write_robots(batch, site, robots)

    def errand_for(self, batch: Batch, asked: Errand, now: float) -> Visit | None:
        """A site of another tablet asks for a robots.txt that stands here: how to fetch it. None:
        it is known, and was told."""
        runner = site_of_key(row_key(asked.url))
        if asked.url == robots_url(runner) and self._borrow(batch, asked.asker, runner, now):
            return None
        return Visit(
            asked.url,
            robots_row_key(asked.asker),
            runner,
            VisitKind.ROBOTS,
            hops=asked.hops,
            requested_for=asked.asker,
            private_ok=self._sites.may_be_private(runner, named=asked.private_ok),
        )

    def send(self, batch: Batch, errand: Visit) -> bool:
        """Whether an errand is another tablet's to run: then it is on its way."""
        if self._remote is None or self._remote.owns(errand.site):
            return False
        asked = Errand(errand.url, errand.requested_for, errand.hops, errand.private_ok)
        self._remote.send(batch, errand.site, asked)
        return True

    def put_off(self, batch: Batch, visit: Visit) -> None:
        """Its errand can't be run now: nothing is asked of the site until it can."""
        self._disallow(batch, visit.requested_for or visit.site)

    def take(self, batch: Batch, answer: RobotsAnswer) -> None:
        """What another tablet was told by the site that ours was redirected to."""
        if answer.rules is None:
            self._disallow(batch, answer.asker)
            return
        row = self._sites.row(answer.asker)
        row.robots = Robots.NONE if answer.allows_all else Robots.RULES
        row.robots_until_ms = answer.until_ms
        robots = RobotsRow(answer.rules, answer.requested_ms, answer.status, answer.url)
        self._allow(batch, answer.asker, robots)

    def _settle(self, batch: Batch, ending: Ending) -> None:
        visit, fetched, understood, _, now = ending
        asker = visit.requested_for or visit.site
        access = meaning(fetched.status)
        if fetched.outcome in _CANT_BE_ASKED and not visit.requested_for:
            access = Access.ALLOW  # nor can any page, and each will say so itself
        unread = understood.robots is None or fetched.outcome is not Outcome.OK
        if access is Access.UNREACHABLE or (access is Access.PARSE and unread):
            self._disallow(batch, asker)
            return
        sites = {asker}
        if visit.url == robots_url(visit.site):
            sites.add(visit.site)
        rules = ALLOW_ALL if understood.robots is None else understood.robots
        robots = RobotsRow(rules, to_ms(now), fetched.status, visit.url)
        kind = Robots.RULES if access is Access.PARSE else Robots.NONE
        for site in sites:
            self._give(batch, site, robots, (kind, to_ms(now + MAX_AGE_SECONDS)))

    def _borrow(self, batch: Batch, asker: bytes, owner: bytes, now: float) -> bool:
        """The robots.txt that is redirected to was read already, and is young enough."""
        known = self._sites.row(owner)
        robots = self._sites.robots_of(owner)
        if robots is None or known.robots_until_ms <= to_ms(now):
            return False
        self._give(batch, asker, robots, (known.robots, known.robots_until_ms))
        return True

    def _give(
        self, batch: Batch, site: bytes, robots: RobotsRow, kind_and_end: tuple[Robots, int]
    ) -> None:
        kind, until_ms = kind_and_end
        if self._remote is not None and not self._remote.owns(site):
            answer = RobotsAnswer(
                site,
                robots.rules,
                kind is Robots.NONE,
                robots.requested_ms,
                until_ms,
                robots.status,
                robots.url,
            )
            self._remote.send(batch, site, answer)
            return
        row = self._sites.row(site)
        row.robots, row.robots_until_ms = kind, until_ms
        self._allow(batch, site, robots)

    def _allow(self, batch: Batch, site: bytes, robots: RobotsRow) -> None:
        self._sites.row(site).robots_failures = 0
        known = self._sites.robots_of(site) if self._sites.row(site).tdmrep_until_ms else None
        robots = changed(robots, reservations=[] if known is None else known.reservations)
        self._sites.touch(site)
        self._sites.write_robots(batch, site, robots)
        if (active := self._sites.active.get(site)) is not None:
            active.rules = robots.rules

    def _disallow(self, batch: Batch, site: bytes) -> None:
        """Nothing may be asked; how soon robots.txt is asked again, the host's back-off decides."""
        if self._remote is not None and not self._remote.owns(site):
            self._remote.send(batch, site, RobotsAnswer(site, None))
            return
        row = self._sites.row(site)
        row.robots = Robots.UNREACHABLE
        row.robots_until_ms = 0
        row.robots_failures += 1
        self._sites.touch(site)


def _tdmrep_visit(active: ActiveSite) -> Visit:
    return Visit(
        url_of(active.site + TDMREP_PATH.encode()),
        active.site + b"\x00tdmrep",
        active.site,
        VisitKind.TDMREP,
        keep=Keep.NONE,  # it has no row that its record could be found by
        private_ok=active.may_be_private,
    )


def robots_url(site: bytes) -> str:
    return url_of(site + b"/robots.txt")
