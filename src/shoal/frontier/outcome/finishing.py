"""What does a visit lead to? Its URL is settled, and what it names is offered: links, the target of
a redirect, the pages of a sitemap or a feed."""

from collections.abc import Callable, Sequence

from shoal.frontier.background.requeue_duplicates import DuplicateRequeuer
from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.outcome.settling import Ending, Settler, has_own_text
from shoal.frontier.schedule.credit import Credit
from shoal.frontier.sources.guessed_sitemaps import may_lead_on
from shoal.frontier.sources.injections import done
from shoal.frontier.sources.listings import Listings
from shoal.frontier.state.provenance import Provenance
from shoal.frontier.state.rows import REVISIT, UrlRow, is_web
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.outcome import Outcome
from shoal.model.urls.rowkey import site_of_key
from shoal.model.verdict import Finished
from shoal.model.visit import Visit, VisitKind
from shoal.ports import Batch

Offered = tuple[Sequence[Link], Sequence[bytes]]


class Finisher:
    def __init__(
        self,
        settler: Settler,
        discovery: Discovery,
        credit: Credit,
        takers: tuple[DuplicateRequeuer, Listings],
        seed_moved: Callable[[str], None],
    ) -> None:
        self._settler = settler
        self._discovery = discovery
        self._credit = credit
        self._requeuer, self._listings = takers
        self._seed_moved = seed_moved

    def finish(self, batch: Batch, ending: Ending) -> Finished:
        visit, now = ending.visit, ending.now
        # The row's depth, not the visit's: a nearer link may have come while it was in flight.
        values, documents = self._discovery.valuing, ending.verdict.documents
        if values is not None:
            is_restricted = bool(visit.readers or (documents and documents[0].readers))
            values.fetched(visit, ending.understood, restricted=is_restricted)
        settled = self._settler.settle(batch, ending)
        if values is not None and visit.kind is VisitKind.PAGE and settled.url.visits == 1:
            values.note(settled.url)
        self._requeuer.take(batch, settled.verdict, now)
        self._listings.take_below(batch, visit, ending.understood.below, now)
        self._listings.take(batch, visit.row, settled.named, now)
        if visit.kind is VisitKind.INJECTED and visit.order:
            done(batch, visit.order)
        if visit.kind is VisitKind.PAGE and ending.fetched.requested and visit.level < REVISIT:
            self._credit.charge(visit.site, own_text=has_own_text(settled.verdict.documents))
        links, targets = self._offer(batch, ending, settled.url)
        if needed := ending.understood.requisites:
            self._listings.requisites.take(batch, visit, needed, now)
        self._listings.guesses.consider(batch, visit, settled.url.state, now)
        change, removed, is_back = settled.change, settled.removed, settled.is_back
        return Finished(settled.verdict, links, targets, change, removed, is_back)

    def _offer(self, batch: Batch, ending: Ending, url: UrlRow) -> Offered:
        """The links of a page, or where a redirect leads, with the row of each one's target."""
        visit, links, documents = ending.visit, ending.understood.links, ending.verdict.documents
        if ending.fetched.outcome is Outcome.REDIRECT:
            return self._move(batch, ending, url)
        if ending.verdict.links_known or visit.readers:
            return links, [b""] * len(links)  # nobody is asked because of what not all may read
        page = documents[0] if documents else None
        readers, told = page.readers if page else [], not visit.is_first
        origin = Provenance(url.depth + 1, 0, visit.row, readers=readers, told=told)
        return links, self._discovery.offer(batch, links, origin, ending.now)

    def _move(self, batch: Batch, ending: Ending, url: UrlRow) -> Offered:
        visit, now = ending.visit, ending.now
        moved_to = [link for link in ending.understood.links if link.row != visit.row]
        if visit.source is LinkSource.GUESS:
            moved_to = may_lead_on(moved_to)
        for link in moved_to:
            if visit.source is LinkSource.SEED and _may_move(visit, link):
                # The site that a person named has moved: where it went is what they meant. Never
                # a local file: a server has no say in what is read of this machine.
                link.excluded, link.source = "", LinkSource.SEED
                self._seed_moved(link.url)
            if visit.kind is VisitKind.SITEMAP:
                link.rel |= int(Rel.SITEMAP)
                link.source = LinkSource.GUESS if visit.source is LinkSource.GUESS else link.source
            elif visit.kind is VisitKind.FEED:
                is_named = visit.source is LinkSource.NAMED_FEED
                link.excluded = ""
                link.source = LinkSource.NAMED_FEED if is_named else LinkSource.FEED
                link.rel |= int(Rel.FEED)
        history = url.history if url.lost else None
        origin = Provenance(url.depth, visit.hops + 1, visit.row, history, visit.level >= REVISIT)
        targets = self._discovery.offer(batch, moved_to, origin, now)
        self._discovery.succeed(batch, targets, origin, now)
        return moved_to, targets


def _may_move(visit: Visit, link: Link) -> bool:
    """Where a seed may go: to the web, or on with its own scheme."""
    same_scheme = visit.url.partition(":")[0] == link.url.partition(":")[0]
    return same_scheme or is_web(site_of_key(link.row))
