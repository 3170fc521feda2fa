"""What can be set about a frontier, and which seams are open to later parts?"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from shoal.frontier.outcome.missing import MissingSettings
from shoal.frontier.outcome.reach import Reach
from shoal.frontier.schedule.allowance import RevisitSettings
from shoal.frontier.schedule.credit import SEED_CREDIT
from shoal.frontier.schedule.politeness import Politeness
from shoal.frontier.schedule.shares import Borrower
from shoal.frontier.state.worth import Importance, LinkFacts
from shoal.model.visit import Keep, Visit
from shoal.ports import LinksOf, Refresher, RemoteTablets, SourceSchedule

DEAF_AFTER = 2
"""Conditions not heeded, before HEAD is tried."""
MOST_LIES = 2
"""Answers to HEAD that were worth nothing, before it is no longer tried."""


@dataclass(frozen=True)
class FrontierSettings:
    levels: int = 8
    bias: float = 2.0
    capacity: int = 192
    """Active sites: three per worker, and wanted rate x (delay + fetch time)."""
    quantum: int = 32
    patience: float = 600.0
    max_pages: int | None = None
    """The crawl ends after so many: a share of them is all that is asked out of turn (turns.py)."""
    credit: float = SEED_CREDIT
    """Pages that the domain of a seed may have before it stands behind others."""
    seen_cache: int = 200_000
    site_cache: int = 50_000
    depth_first: bool = False
    importance: Importance | None = None
    """What decides in a crawl by importance; None: it goes in another order."""
    reach: Reach = Reach()
    politeness: Politeness = Politeness()
    keep: Keep = Keep.RAW
    revisits: RevisitSettings = RevisitSettings()
    missing: MissingSettings = MissingSettings()
    head: bool = False
    """Whether HEAD may be asked first."""
    guess_sitemaps: bool = False
    """Whether sitemaps are looked for where they usually are, at sites that name none."""
    sitemap_urls: int = 1_000_000
    """At most, of one site."""
    sitemap_depth: int = 2
    """An index may name an index so often."""
    tdmrep: bool = False
    """Whether a site's tdmrep.json is asked for behind its robots.txt."""
    requisites: int = 100
    """What a page may need to look as it did, in all."""
    by_priority: bool = False
    """Whether the priority that a sitemap tells counts."""
    seed: int | None = None
    requested_by_others: float = 0.0
    """Until then another owner may have asked any host: it counts as asked just then."""


@dataclass(frozen=True)
class Seams:
    """What later parts plug in; each has a working default for one machine and one pass."""

    remote: RemoteTablets | None = None
    """The other tablets. None: every site is ours."""
    borrower: Borrower | None = None
    """What is ours of each address. None: all of it."""
    links_of: LinksOf = lambda _row: ()
    may_name: Callable[[bytes, bytes], bool] = lambda _source, _target: False
    """Whether a page that only some may read leads to another, both by their rows."""
    fate_of: Callable[[bytes], str] = lambda _row: ""
    """Of the copy that is stored of a page; empty when there is none."""
    refresher: Refresher | None = None
    source_schedule: SourceSchedule | None = None
    prefetch: Callable[[Iterable[str]], None] = lambda _urls: None
    """Told the URLs of sites that will be asked soon, to look up their names in time."""
    seed_moved: Callable[[str], None] = lambda _url: None
    """A seed was redirected: the crawl's scope goes with it."""
    learned: Callable[[Visit], str] = lambda _visit: ""
    """Why a page would say nothing new, as its site has taught; empty when it may."""
    links: LinkFacts = LinkFacts()


@dataclass(frozen=True)
class Report:
    """What the frontier is doing, for people."""

    in_flight: int
    unfinished: int
    """Answered, and not committed yet."""
    active_sites: int
    ready_sites: int
    next_ready_seconds: float | None
    sites_with_work: int
    halted: bool
    in_flight_urls: list[str]
    """The first few URLs in flight."""
