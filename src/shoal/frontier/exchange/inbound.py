"""What do other tablets tell this frontier? Links, credit, robots.txt that are asked for or known.

Everything goes into the batch of the delivery, together with its position (cluster/exchange.py), so
that it has its effect once.
"""

from shoal.frontier.background.requeue_duplicates import DuplicateRequeuer
from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.schedule.workbench import Workbench
from shoal.frontier.sources.robots_cache import RobotsCache
from shoal.frontier.sources.sitemap_metadata import MetadataWriter
from shoal.frontier.state.frontier_state import FrontierState
from shoal.frontier.state.provenance import Provenance
from shoal.model.messages import Described, Errand, Handed, Linked, RobotsAnswer
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Batch


class Inbound:
    def __init__(
        self,
        state: FrontierState,
        discovery: Discovery,
        robots: RobotsCache,
        bench: Workbench,
        requeuer: DuplicateRequeuer,
    ) -> None:
        self._metadata = MetadataWriter(state, None)
        self._urls = state.urls
        self._sites = state.sites
        self._discovery = discovery
        self._robots = robots
        self._bench = bench
        self.reassign = requeuer.reassign

    def take_linked(self, batch: Batch, item: Linked, now: float) -> list[bytes]:
        """Returns the row of each link's target."""
        if item.private and not item.readers:
            for site in {site_of_key(link.row) for link in item.links if not link.excluded}:
                self._sites.admit_private(site)
        known = (item.history, item.again, item.readers, item.told)
        origin = Provenance(item.depth, item.hops, item.source, *known)
        targets = self._discovery.take_in(batch, item.links, origin, now)
        self._discovery.succeed(batch, targets, origin, now)
        return targets

    def take(
        self, batch: Batch, item: Handed | Errand | RobotsAnswer | Described, now: float
    ) -> None:
        match item:
            case Described():
                self._metadata.take_in(batch, item)
            case Handed():
                self._sites.credit.receive(item.site, item.pages)
                if item.site not in self._sites.active:
                    self._discovery.places.place_again(batch, item.site)
            case Errand():
                self._run(batch, item, now)
            case RobotsAnswer():
                self._robots.take(batch, item)
                self._bench.end_request(batch, item.asker, now)

    def row_of(self, row: bytes) -> bytes:
        """The row under which a link's target is kept here."""
        return self._urls.row_of(row)

    def _run(self, batch: Batch, asked: Errand, now: float) -> None:
        errand = self._robots.errand_for(batch, asked, now)
        if errand is not None and not self._bench.run_errand(batch, errand, now):
            self._robots.put_off(batch, errand)
