"""What does a visit lead to? Its URL is settled, and what it names is offered: links, the target of
a redirect, the pages of a sitemap or a feed."""

from collections.abc import Callable, Sequence

from shoal.frontier.background.requeue_duplicates import SecondThoughts
from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.outcome.settling import Ending, Settler, has_own_text
from shoal.frontier.schedule.credit import Credit
from shoal.frontier.sources.guessed_sitemaps import may_lead_on
from shoal.frontier.sources.injections import done
from shoal.frontier.sources.listings import Namings
from shoal.frontier.state.provenance import Trail
from shoal.frontier.state.rows import AGAIN, UrlRow, is_web
from shoal.model.link import Link, Rel, Source
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import site_of_key
from shoal.model.verdict import Finished
from shoal.model.visit import Kind, Visit
from shoal.ports import Batch

Offered = tuple[Sequence[Link], Sequence[bytes]]


class Finisher:
    def __init__(
        self,
        settler: Settler,
        discovery: Discovery,
        credit: Credit,
        takers: tuple[SecondThoughts, Namings],
        seed_moved: Callable[[str], None],
    ) -> None:
        self._settler = settler
        self._discovery = discovery
        self._credit = credit
        self._thoughts, self._namings = takers
        self._seed_moved = seed_moved

    def finish(self, batch: Batch, ending: Ending) -> Finished:
        visit, now = ending.visit, ending.now
        # The row's depth, not the visit's: a nearer link may have come while it was in flight.
        settled = self._settler.settle(batch, ending)
        self._thoughts.take(batch, settled.verdict, now)
        self._namings.take_below(batch, visit, ending.understood.below, now)
        self._namings.take(batch, visit.row, settled.named, now)
        if visit.kind is Kind.INJECTED and visit.order:
            done(batch, visit.order)
        if visit.kind is Kind.PAGE and ending.fetched.asked and visit.level < AGAIN:
            self._credit.charge(visit.site, own_text=has_own_text(settled.verdict.documents))
        links, targets = self._offer(batch, ending, settled.url)
        self._namings.guesses.consider(batch, visit, settled.url.state, now)
        return Finished(settled.verdict, links, targets, settled.change)

    def _offer(self, batch: Batch, ending: Ending, url: UrlRow) -> Offered:
        """The links of a page, or where a redirect leads, with the row of each one's target."""
        visit, links, documents = ending.visit, ending.understood.links, ending.verdict.documents
        if ending.fetched.outcome is Outcome.REDIRECT:
            return self._move(batch, ending, url)
        if ending.verdict.links_known:
            return links, [b""] * len(links)
        page = documents[0] if documents else None
        trail = Trail(url.depth + 1, 0, visit.row, readers=page.readers if page else [])
        return links, self._discovery.offer(batch, links, trail, ending.now)

    def _move(self, batch: Batch, ending: Ending, url: UrlRow) -> Offered:
        visit, now = ending.visit, ending.now
        moved_to = [link for link in ending.understood.links if link.row != visit.row]
        if visit.source is Source.GUESS:
            moved_to = may_lead_on(moved_to)
        for link in moved_to:
            if visit.source is Source.SEED and _may_move(visit, link):
                # The site that a person named has moved: where it went is what they meant. Never
                # a local file: a server has no say in what is read of this machine.
                link.excluded, link.source = "", Source.SEED
                self._seed_moved(link.url)
            if visit.kind is Kind.SITEMAP:
                link.rel |= int(Rel.SITEMAP)
                link.source = Source.GUESS if visit.source is Source.GUESS else link.source
            elif visit.kind is Kind.FEED:
                link.excluded, link.source = "", Source.FEED
                link.rel |= int(Rel.FEED)
        life = url.life if url.lost else None
        trail = Trail(url.depth, visit.hops + 1, visit.row, life, visit.level >= AGAIN)
        targets = self._discovery.offer(batch, moved_to, trail, now)
        self._discovery.succeed(batch, targets, trail, now)
        return moved_to, targets


def _may_move(visit: Visit, link: Link) -> bool:
    """Where a seed may go: to the web, or on with its own scheme."""
    same_scheme = visit.url.partition(":")[0] == link.url.partition(":")[0]
    return same_scheme or is_web(site_of_key(link.row))
