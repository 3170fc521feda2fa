"""What is a URL worth by the links to it, and when does it move in its queue? By importance only.

Each new link to a URL that waits is a vote, taken in the batch of the page it stands on: the vote
goes into the URL's row and its queue entry to where its value is now. A page's vote counts once. By
`shares` a page that names many says less of each, by one over the root of their number; by `links`
every vote is one. A vote of a site whose domain stands further behind than its target's
(schedule/credit.py) counts a quarter for each step: hosts that link to each other lift nobody
but themselves.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from math import sqrt

from shoal.frontier.outcome.queue_order import FIRST, Arrivals, behind, moved
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.provenance import Provenance
from shoal.frontier.state.rows import REVISIT, UrlRow, entry_key, entry_of
from shoal.frontier.state.urls import UrlState
from shoal.frontier.state.worth import LinkFacts, Scale, Worth, add_evidence, add_vote
from shoal.model.cell import to_ms
from shoal.model.document import Understood
from shoal.model.link import NO_VOTE, Link, LinkSource
from shoal.model.outcome import State
from shoal.model.urls.rowkey import site_of_key, url_of
from shoal.model.visit import Visit, VisitKind
from shoal.ports import Batch

_STEP = 0.25
"""What a vote is worth from one standing further behind."""
_USUAL_SHARE = 0.1
"""Of a page whose links were not counted: as if it had a hundred."""
_MOST_COUNTED = 1_000
_LEAST_SENT = 0.001
"""Of a page's worth: less is not worth a message to another tablet."""
_NAMED = (LinkSource.SEED, LinkSource.SUBMIT)


class Valuing:
    def __init__(
        self,
        state: FrontierState,
        arrivals: Arrivals,
        scale: Scale,
        links: LinkFacts,
        place: Callable[[Batch, bytes, int, int], None],
    ) -> None:
        self._urls, self._sites, self._in_flight = state.urls, state.sites, state.in_flight
        self._arrivals = arrivals
        self._links = links
        self._place = place
        self.scale = scale

    def begin(self, row: bytes, url: UrlRow, link: Link, origin: Provenance) -> None:
        """A URL is found, or wanted after all: what is known of it."""
        if link.source in _NAMED:
            url.priority = max(FIRST, url.priority)
            return
        evidence = link.evidence
        ruled = evidence is not None and evidence.ruled
        worth = url.worth = Worth(link.priority, ruled)
        self._vote(row, worth, link, origin)
        url.priority = self.scale.value(row, worth)

    def vote(self, batch: Batch, row: bytes, link: Link, origin: Provenance, now: float) -> None:
        """A page links to a URL that is known and waits."""
        if link.source is not LinkSource.LINK or link.excluded or link.rel & NO_VOTE:
            return
        if origin.told and self._links.is_told(row, origin.found_from):
            return
        state = self._urls.state_of(row)
        if state is None or not state.url.waiting:
            return
        worth = state.url.worth or Worth(link.priority)
        self._vote(row, worth, link, origin)
        self._move(batch, state, worth, now)

    def revalue(self, batch: Batch, row: bytes, now: float) -> bool:
        """Something else than its links may have changed its value; whether it moved."""
        state = self._urls.state_of(row)
        if state is None or not state.url.waiting or state.url.worth is None:
            return False
        return self._move(batch, state, state.url.worth, now, may_fall=True)

    def weigh_again(
        self, batch: Batch, row: bytes, change: Callable[[Worth], None], now: float
    ) -> None:
        """What is known of a URL is otherwise now."""
        state = self._urls.state_of(row)
        if state is not None and state.url.waiting and state.url.worth is not None:
            change(state.url.worth)
            self._move(batch, state, state.url.worth, now, may_fall=True)

    def value_anew(self, row: bytes, url: UrlRow) -> None:
        """The order is another than when it was queued: what is known of it, and its value. Votes
        of a crawl that counted none are those of stored links."""
        if url.source in _NAMED:
            url.priority = FIRST
            return
        worth = url.worth
        if worth is None:
            worth = url.worth = Worth(self._links.location_of(url_of(row)))
            amount = _USUAL_SHARE if self.scale.wanted.votes == "shares" else 1.0
            for page in self._links.linking_to(row, _MOST_COUNTED):
                add_vote(worth, site_of_key(page), amount)
        url.priority = self.scale.value(row, worth)

    def fetched(self, visit: Visit, understood: Understood, *, restricted: bool) -> None:
        """A page was read: its own words count from now on, and what it came to be worth stays in
        its row, which is written by whoever settles the visit."""
        url = self._urls.read(visit.row)
        if url is None or visit.kind is not VisitKind.PAGE or visit.level >= REVISIT:
            return
        worth = url.worth = url.worth or Worth()
        if understood.about and not restricted:
            self.scale.note_read(understood.about)
            if self.scale.learned is not None and visit.is_first:
                self.scale.learned.judged(visit.row, worth, understood)
            add_evidence(worth, understood.about)
        url.priority = self.scale.value(visit.row, worth)

    def note(self, url: UrlRow) -> None:
        """A page was fetched for the first time, if it was: its value may be one that counts."""
        if url.state is State.FETCHED and url.worth is not None and not url.restricted:
            self.scale.note_value(url.priority)

    def share_out(
        self, links: Sequence[Link], page: bytes, owns: Callable[[bytes], bool] | None
    ) -> tuple[list[bytes], dict[bytes, float]]:
        """The page's site hands on credit over its links. Returns the idle sites that stand better
        for it, and what is owed to sites of other tablets."""
        finder, credit = site_of_key(page), self._sites.credit
        votes = [link for link in links if not (link.excluded or link.rel & NO_VOTE)]
        sites = Counter(
            link.row[: link.site_length] if link.site_length else site_of_key(link.row)
            for link in votes
        )
        del sites[finder]
        better, owed = list[bytes](), dict[bytes, float]()
        for site, pages in credit.share_out(finder, sites, len(votes)).items():
            if owns is not None and not owns(site):
                if pages >= _LEAST_SENT:
                    owed[site] = pages
                continue
            before = credit.standing(site)
            credit.receive(site, pages)
            if credit.standing(site) < before:
                if site in self._sites.active:
                    self._sites.improved.add(site)
                else:
                    better.append(site)
        return better, owed

    def _vote(self, row: bytes, worth: Worth, link: Link, origin: Provenance) -> None:
        evidence, finder = link.evidence, origin.found_from
        if evidence is not None:
            add_evidence(worth, evidence.about)
        if not finder or link.source is not LinkSource.LINK or link.rel & NO_VOTE:
            return
        if evidence is not None and self.scale.learned is not None:
            self.scale.learned.linked(row, worth, finder, evidence.about)
        amount = 1.0
        if evidence is not None and self.scale.wanted.votes == "shares":
            amount = 1 / sqrt(evidence.among)
        site = site_of_key(finder)
        own = site_of_key(row)
        if own != site:
            credit = self._sites.credit
            further = credit.standing(site) - credit.standing(own)
            amount *= _STEP ** max(0, further)
        add_vote(worth, site, amount)

    def _move(
        self, batch: Batch, state: UrlState, worth: Worth, now: float, *, may_fall: bool = False
    ) -> bool:
        """Its row is written anew, and its entry goes where it belongs now: never back by a vote,
        which would cost as much and change nothing soon."""
        row, url, _ = state
        url.worth = worth
        value = self.scale.value(row, worth)
        is_queued = url.state is State.QUEUED and 0 < url.level < REVISIT
        further = behind(value) - behind(url.priority)
        is_there = further == 0 or (further > 0 and not may_fall and self.scale.learned is None)
        if row in self._in_flight or not is_queued or is_there:
            self._urls.write(batch, state, now)
            return False
        site, before = site_of_key(row), entry_of(row, url)
        url.priority, url.level = value, self._arrivals.order.level_of(value)
        url.order = moved(url.order, value)
        after = entry_of(row, url)
        self._urls.write(batch, state, now)
        batch.delete("queue", entry_key(site, before))
        batch.put("queue", entry_key(site, after), b"")
        active = self._sites.active.get(site)
        if active is not None:
            active.queue.withdraw(before)
            active.queue.offer(after)
        elif after.level < before.level:
            self._place(batch, site, after.level, max(after.due_ms, to_ms(now)))
        return True
