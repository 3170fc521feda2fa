"""What do other tablets tell this frontier? Links, credit, robots.txt that are asked for or known.

Everything goes into the batch of the delivery, together with its position (cluster/exchange.py), so
that it has its effect once.
"""

from shoal.frontier.background.requeue_duplicates import SecondThoughts
from shoal.frontier.outcome.discovery import Discovery
from shoal.frontier.schedule.workbench import Workbench
from shoal.frontier.sources.robots_cache import RobotsDesk
from shoal.frontier.sources.sitemap_metadata import Telling
from shoal.frontier.state.frontier_state import Books
from shoal.frontier.state.provenance import Trail
from shoal.model.messages import Described, Errand, Handed, Named, RobotsAnswer
from shoal.model.urls.rowkey import site_of_key
from shoal.ports import Batch


class Immigration:
    def __init__(
        self,
        books: Books,
        discovery: Discovery,
        desk: RobotsDesk,
        bench: Workbench,
        thoughts: SecondThoughts,
    ) -> None:
        self._telling = Telling(books, None)
        self._urls = books.urls
        self._sites = books.sites
        self._discovery = discovery
        self._desk = desk
        self._bench = bench
        self.regrade = thoughts.regrade

    def take_named(self, batch: Batch, item: Named, now: float) -> list[bytes]:
        """Returns the row of each link's target."""
        if item.private:
            for site in {site_of_key(link.row) for link in item.links if not link.excluded}:
                self._sites.admit_private(site)
        trail = Trail(item.depth, item.hops, item.source, item.life, item.again)
        targets = self._discovery.take_in(batch, item.links, trail, now)
        self._discovery.succeed(batch, targets, trail, now)
        return targets

    def take(
        self, batch: Batch, item: Handed | Errand | RobotsAnswer | Described, now: float
    ) -> None:
        match item:
            case Described():
                self._telling.take_in(batch, item)
            case Handed():
                self._sites.credit.receive(item.site, item.pages)
                if item.site not in self._sites.active:
                    self._discovery.place_again(batch, item.site)
            case Errand():
                self._run(batch, item, now)
            case RobotsAnswer():
                self._desk.take(batch, item)
                self._bench.end_asking(batch, item.asker, now)

    def row_of(self, row: bytes) -> bytes:
        """The row under which a link's target is kept here."""
        return self._urls.row_of(row)

    def _run(self, batch: Batch, asked: Errand, now: float) -> None:
        errand = self._desk.errand_for(batch, asked, now)
        if errand is not None and not self._bench.run_errand(batch, errand, now):
            self._desk.put_off(batch, errand)
