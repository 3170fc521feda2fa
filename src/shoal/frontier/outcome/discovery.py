"""What does a link add? New URLs enter the queue, known ones may come nearer or sooner.

Everything here writes into the batch of the visit that found the links. A URL is queued at most
once. Its depth is the least known: when a page that was already fetched turns out to be nearer,
its own links are told later, from the table (`relax`), so that a page first refused as too deep is
still taken.
"""

from collections.abc import Iterator, Sequence
from itertools import islice

from shoal.counters import Counts
from shoal.frontier.exchange.outbound import Outbound
from shoal.frontier.outcome import requisites
from shoal.frontier.outcome.front_places import FrontPlaces
from shoal.frontier.outcome.queue_order import URGENT, Arrivals, Order
from shoal.frontier.outcome.reach import TOO_DEEP
from shoal.frontier.outcome.valuing import Valuing
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.provenance import Provenance
from shoal.frontier.state.rows import (
    BY_HAND,
    RELAX_MARK,
    REVISIT,
    UrlRow,
    after_mark,
    entry_key,
    entry_of,
)
from shoal.frontier.state.settings import FrontierSettings, Seams
from shoal.frontier.state.urls import Seen, UrlState
from shoal.frontier.state.worth import Scale
from shoal.model.cell import to_ms
from shoal.model.change_history import ChangeHistory
from shoal.model.link import Link, LinkSource, Rel
from shoal.model.outcome import ANSWERED, State
from shoal.model.record import changed
from shoal.model.urls.rowkey import site_of_key
from shoal.model.urls.spelling import seen_row
from shoal.model.visit import SOURCES, VisitKind
from shoal.ports import Batch, LinksOf

_RELAX_AT_ONCE = 16
_SOME = "some"
"""Who may read a page, where it is only known that not everyone may."""
_TURNED_AWAY = f"{BY_HAND}: its host is excluded (shoal include HOST takes it back)"


class Discovery:
    def __init__(
        self,
        state: FrontierState,
        settings: FrontierSettings,
        seams: Seams,
        counts: Counts,
    ) -> None:
        self._table, self._urls, self._sites, front, self._in_flight, allowance = state
        self._doors = allowance.doors
        wanted, remote = settings.importance, seams.remote
        by_links = wanted is not None and wanted.popularity > 0
        order = Order(settings.levels, settings.depth_first, wanted is not None, by_links)
        self._reach = settings.reach
        self._may_name = seams.may_name
        self._away = None if remote is None else Outbound(remote, self._sites.is_private)
        self._order, self._arrivals = order, Arrivals(order)
        self.places = FrontPlaces(self._sites, front, order)
        self.valuing: Valuing | None = None
        """None: the crawl does not go by importance."""
        if wanted is not None:
            scale = Scale(wanted, counts, seams.links.rank_of, seams.links.learned)
            self.valuing = Valuing(state, self._arrivals, scale, seams.links, self.places.place)
        self._named: set[bytes] = set()
        """Sites on which the page at hand named something new."""
        self.relaxing = next(self._to_relax(), None) is not None
        """Whether a page's depth fell and its links were not told yet."""

    def offer(
        self, batch: Batch, links: Sequence[Link], origin: Provenance, now: float
    ) -> list[bytes]:
        """Take note of links; returns the row of each one's target, empty for another tablet's."""
        if self._away is None:
            targets = self._offer_own(batch, links, origin, now)
        else:
            own = self._away.send(batch, links, origin, to_ms(now))
            found = iter(self._offer_own(batch, [links[i] for i in own], origin, now))
            mine = set(own)
            targets = [next(found) if i in mine else b"" for i in range(len(links))]
        if self.valuing is not None:
            self._named.clear()
            if origin.found_from and not (origin.told or origin.readers):
                self._share_out(batch, self.valuing, links, origin.found_from)
        elif self._named or (self._away is not None and self._away.linked):
            self._hand_on(batch, origin)
        return targets

    def take_in(
        self, batch: Batch, links: Sequence[Link], origin: Provenance, now: float
    ) -> list[bytes]:
        """Take note of links of another tablet's page, which hands on the credit itself."""
        targets = self._offer_own(batch, links, origin, now)
        self._named.clear()
        return targets

    def _offer_own(
        self, batch: Batch, links: Sequence[Link], origin: Provenance, now: float
    ) -> list[bytes]:
        # The child works out the key in the seen test with the site's length; a link from elsewhere
        # comes without both.
        keys = [
            link.seen or (link.row if link.site_length else seen_row(link.row)) for link in links
        ]
        known = self._urls.find([link.row for link in links], keys)
        is_some_ones = bool(origin.readers)
        depth, is_plain = origin.depth, not origin.hops
        values = self.valuing if origin.found_from and not is_some_ones else None
        targets = []
        for link, found in zip(links, known, strict=True):
            # Nearly every link is a plain one to a page that is known and no nearer for it.
            if is_some_ones and not self._may_name(origin.found_from, link.row):
                # What it finds, others may see.
                targets.append(link.row if found is None else found.row)
            elif (
                is_plain
                and found is not None
                and depth >= found.depth
                and not found.can_reopen
                and link.source is LinkSource.LINK
            ):
                targets.append(found.row)
            else:
                targets.append(self._offer_one(batch, link, found, origin, now))
            if values is not None and found is not None and found.waits:
                values.vote(batch, targets[-1], link, origin, now)
        return targets

    def _hand_on(self, batch: Batch, origin: Provenance) -> None:
        """Who names something new on other domains gives them of its credit."""
        named, self._named = self._named, set()
        away = set() if self._away is None else self._away.take_linked()
        if not origin.found_from:
            return
        shares = self._sites.credit.hand_on(site_of_key(origin.found_from), named, away)
        if shares is None:
            return
        if self._away is not None:
            self._away.hand_on(batch, shares)
        for site in named:
            if site not in self._sites.active:
                self.places.place_again(batch, site)

    def _share_out(self, batch: Batch, by: Valuing, links: Sequence[Link], on: bytes) -> None:
        """By importance credit goes the way of votes."""
        better, owed = by.share_out(links, on, None if self._away is None else self._away.owns)
        for site in better:
            self.places.place_again(batch, site)
        if self._away is not None:
            self._away.hand_on(batch, owed)
            self._away.take_linked()

    def _offer_one(
        self, batch: Batch, link: Link, found: Seen | None, origin: Provenance, now: float
    ) -> bytes:
        seen = self._other_than(origin, link, found or self._urls.met_in_batch(link.row))
        if seen is None:
            self._discover(batch, link, origin, now)
            return link.row
        if self._says_something_new(link, origin, seen):
            self._meet_again(batch, seen.row, link, origin, now)
        return seen.row

    def _other_than(self, origin: Provenance, link: Link, seen: Seen | None) -> Seen | None:
        """A server that redirects a URL to its other spelling (`/a` to `/a/`) says that only that
        one is the page: then they are two, or the page would never be fetched."""
        if seen is None or seen.row != origin.found_from or link.row == seen.row or not origin.hops:
            return seen
        url = self._urls.read(link.row)
        return None if url is None else Seen(link.row, url.depth, url.can_reopen)

    def _says_something_new(self, link: Link, origin: Provenance, seen: Seen) -> bool:
        if link.source is LinkSource.SUBMIT:
            return True
        if not seen.can_reopen and origin.depth >= seen.depth:
            return False
        refusal = self._reach.refusal(link, origin)
        nearer = origin.depth < seen.depth and refusal.partition(":")[0] in ("", TOO_DEEP)
        return nearer or (seen.can_reopen and not refusal)

    def _discover(self, batch: Batch, link: Link, origin: Provenance, now: float) -> None:
        url = UrlRow(
            State.QUEUED,
            depth=origin.depth,
            source=link.source,
            found_from=origin.found_from,
            found_ms=to_ms(now),
            hops=origin.hops,
            priority=URGENT if link.source is LinkSource.SUBMIT else link.priority,
            kind=self._reach.kind_of(link),
        )
        url.reason = self._reach.refusal(link, origin)
        if self.valuing is not None and not url.reason:
            self.valuing.begin(link.row, url, link, origin)
        state = UrlState(link.row, url, None)
        if url.reason:
            url.state = State.EXCLUDED
            self._urls.write(batch, state, now)
        else:
            self.enqueue(batch, state, 0, now)

    def _meet_again(
        self, batch: Batch, row: bytes, link: Link, origin: Provenance, now: float
    ) -> None:
        state = self._urls.state_of(row)
        if state is None or state.url.source is LinkSource.INJECT:
            return
        url, refusal = state.url, self._reach.refusal(link, origin)
        if link.source is LinkSource.REQUISITE or url.kind is VisitKind.REQUISITE:
            if not refusal and requisites.turn(url, link, origin):
                if row in self._in_flight:  # its commit sees what it has become
                    self._urls.write(batch, state, now)
                else:
                    self.enqueue(batch, state, 0, now)
            return
        if origin.depth < url.depth:
            url.depth = origin.depth
            if url.state in ANSWERED:
                batch.put("queue", RELAX_MARK + row, b"")
                self.relaxing = True
        if link.source in (LinkSource.SEED, LinkSource.SUBMIT):
            url.source = link.source
        if url.can_reopen and not refusal and link.source is not LinkSource.SUBMIT:
            url.state, url.reason = State.QUEUED, ""
            url.hops, url.priority = origin.hops, link.priority
            url.source = link.source if link.source is LinkSource.NAMED_FEED else url.source
            if self.valuing is not None:
                self.valuing.begin(row, url, link, origin)
            self.enqueue(batch, state, 0, now)
            return
        if refusal and url.category == TOO_DEEP:
            url.reason = refusal  # still too deep, but less so
        self._urls.write(batch, state, now)
        if link.source is LinkSource.SUBMIT:
            self.hasten(batch, row, URGENT, now)

    def enqueue(
        self, batch: Batch, state: UrlState, due_ms: int, now: float, *, revisit: bool = False
    ) -> None:
        """Give a URL its queue entry, and its site a place in the front index if it has none. As a
        revisit it waits `again`: crawls of one pass leave it where it is. An entry that it has is
        replaced: what was refused on a later visit waits, too."""
        row, url, _ = state
        self.dequeue(batch, state)
        if url.source is LinkSource.INJECT:  # its source brings it, and says who may read it
            self._urls.write(batch, state, now)
            return
        if url.state is State.QUEUED and self._sites.is_excluded(site_of_key(row)):
            self.turn_away(batch, state, now)
            return
        due_ms = requisites.mark(url, due_ms, now)
        url.waiting = True
        url.level = self._order.level_of(url.priority)
        if revisit:
            url.level = REVISIT if url.kind in SOURCES else REVISIT + 1
        url.due_ms = due_ms
        url.order = self._arrivals.number(url.priority, now)
        self._urls.write(batch, state, now)
        site, entry = site_of_key(row), entry_of(row, url)
        batch.put("queue", entry_key(site, entry), b"")
        self._sites.count_waiting(site, 1)
        finder = url.found_from
        if finder and not finder.startswith(site):
            self._sites.lead_on(site_of_key(finder), site)
            self._named.add(site)
        active = self._sites.active.get(site)
        if active is not None:
            active.queue.offer(entry)
        else:
            opens_ms = self._doors(to_ms(now)).opens_ms(entry)
            self.places.place(batch, site, entry.level, max(opens_ms, to_ms(now)))

    def turn_away(self, batch: Batch, state: UrlState, now: float) -> None:
        """A person wants nothing more of its host: what waits there is excluded, and so counted."""
        self._sites.row(site_of_key(state.row))  # it has one, so that its URLs are found again
        self.dequeue(batch, state)
        state.url.state, state.url.reason, state.url.tries = State.EXCLUDED, _TURNED_AWAY, 0
        self._urls.write(batch, state, now)

    def dequeue(self, batch: Batch, state: UrlState) -> None:
        """Delete a URL's queue entry; the caller writes its row."""
        row, url, _ = state
        if not url.waiting:
            return
        site, entry = site_of_key(row), entry_of(row, url)
        batch.delete("queue", entry_key(site, entry))
        url.waiting = False
        self._sites.count_waiting(site, -1)
        active = self._sites.active.get(site)
        if active is not None and row not in self._in_flight:
            active.queue.withdraw(entry)
        elif active is None and not self._sites.row(site).waiting:
            self.places.displace(batch, site)

    def hasten(self, batch: Batch, row: bytes, priority: float, now: float) -> bool:
        """Fetch a known URL sooner; if that is a person's wish, also again, and whatever the scope
        says (robots.txt is still obeyed)."""
        if self.valuing is not None and priority < URGENT:
            return self.valuing.revalue(batch, row, now)
        state = self._urls.state_of(row)
        if state is None or row in self._in_flight:
            return False
        url = state.url
        if url.waiting and url.level >= REVISIT and priority < URGENT:
            return False  # when it is due again is not for its rank alone to say
        if url.waiting:
            sooner = self._order.level_of(priority) < url.level or url.due_ms > to_ms(now)
        else:
            sooner = priority >= URGENT
        if not sooner:
            return False
        self.dequeue(batch, state)
        if url.state in (State.EXCLUDED, State.FAILED):
            url.state, url.reason = State.QUEUED, ""
        url.priority = max(priority, url.priority)
        url.tries = 0
        self.enqueue(batch, state, 0, now)
        return True

    def succeed(
        self, batch: Batch, targets: Sequence[bytes], origin: Provenance, now: float
    ) -> None:
        """A page has moved to these."""
        for target in filter(None, targets):
            if origin.history is not None:
                self._inherit(batch, target, origin.history, now)
            if origin.again:
                self._bring_on(batch, target, now)

    def _bring_on(self, batch: Batch, row: bytes, now: float) -> None:
        """A stored page has moved here: it is next at its site, also in a refresh, or nobody would
        find it until the next crawl."""
        url = self._urls.read(row)
        if url is not None and url.waiting and url.state is State.QUEUED and not url.visits:
            self.hasten(batch, row, URGENT, now)

    def _inherit(self, batch: Batch, row: bytes, history: ChangeHistory, now: float) -> None:
        """A page has moved here: how it changes is known already."""
        state = self._urls.state_of(row)
        if state is None or state.url.kind in SOURCES:
            return
        if state.url.history is None and not state.url.visits:
            state.url.history = changed(history, undated=dict(history.undated))
            self._urls.write(batch, state, now)

    def relax(self, batch: Batch, links_of: LinksOf, now: float) -> None:
        """Tell the links of some pages whose depth fell."""
        rows = list(islice(self._to_relax(), _RELAX_AT_ONCE))
        self.relaxing = len(rows) == _RELAX_AT_ONCE
        for row in rows:
            batch.delete("queue", RELAX_MARK + row)
            url = self._urls.read(row)
            if url is None:
                continue
            readers = [_SOME] if url.restricted else None
            links = links_of(row)
            moved = [link for link in links if link.rel & Rel.REDIRECT]
            others = [link for link in links if not link.rel & Rel.REDIRECT]
            moved_from = Provenance(url.depth, url.hops + 1, row, readers=readers, told=True)
            named_by = Provenance(url.depth + 1, 0, row, readers=readers, told=True)
            self.offer(batch, moved, moved_from, now)
            self.offer(batch, others, named_by, now)

    def _to_relax(self) -> Iterator[bytes]:
        keys = self._table.scan("queue", RELAX_MARK, after_mark(RELAX_MARK))
        return (key[1:] for key, _ in keys)
