"""What can be set about a frontier, and which seams are open to later parts?"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from shoal.frontier.credit import SEED_CREDIT
from shoal.frontier.discovery import Reach
from shoal.frontier.politeness import Politeness
from shoal.model.visit import Keep, Visit
from shoal.ports import LinksOf, Owns, Refresher


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
    reach: Reach = Reach()
    politeness: Politeness = Politeness()
    keep: Keep = Keep.RAW
    seed: int | None = None


@dataclass(frozen=True)
class Seams:
    """What later parts plug in; each has a working default for one machine and one pass."""

    owns: Owns | None = None
    """None: every site."""
    links_of: LinksOf = lambda _row: ()
    refresher: Refresher | None = None
    prefetch: Callable[[Iterable[str]], None] = lambda _urls: None
    """Told the URLs of sites that will be asked soon, to look up their names in time."""
    seed_moved: Callable[[str], None] = lambda _url: None
    """A seed was redirected: the crawl's scope goes with it."""
    learned: Callable[[Visit], str] = lambda _visit: ""
    """Why a page would say nothing new, as its site has taught; empty when it may."""


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
    asking: list[str]
    """The first few URLs in flight."""
