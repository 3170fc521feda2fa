"""How is a cluster started? `shoal cluster start` from Python.

Settings and seeds go to every tablet; limits on pages, bytes and time are for all together, so they
stay with the coordinator, which grants pages to tablets (page_grants.py). Ray is imported here, and
only when this is called.
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from shoal import cycles
from shoal.cluster.exchange import Pipe
from shoal.cluster.objects import open_objects
from shoal.config import Config
from shoal.engine.local_files import keep_to_owner
from shoal.engine.recovery import Recovered
from shoal.engine.summary import Summary
from shoal.errors import UsageError
from shoal.fleet.cluster_claim import Claimed
from shoal.fleet.coordinator import Coordinator, Watch
from shoal.fleet.tablet import Tablet
from shoal.fleet.tablet_spec import TabletSpec
from shoal.frontier.background.revisit_dates import Selection
from shoal.layout.cluster_file import SETTINGS, ClusterFile
from shoal.layout.cluster_file import read as read_cluster
from shoal.layout.cluster_status import ClusterStatus, next_status
from shoal.layout.layout import Layout
from shoal.layout.snapshot import Status
from shoal.model.link import Link
from shoal.model.record import changed
from shoal.model.urls.params import ParamRules
from shoal.sources.seeds import read_seeds, read_sitemaps
from shoal.worker.fetchers import require_schemes

_FENCED_EXIT = 3
_SHORTEST_LEASE_SECONDS = 1.0


@dataclass(frozen=True)
class Running:
    """How a cluster is run."""

    address: str = ""
    """Of a Ray cluster; empty: nodes on this machine, for trying it out."""
    nodes: int = 1
    lease: float = 15.0
    checkpoint: float = 60.0
    work: str = ""


_HERE = Running()


def run_cluster(  # noqa: PLR0913 - what to crawl, how, and who is told
    place: str,
    config: Config,
    seeds: Sequence[Link],
    how: Running = _HERE,
    *,
    watch: Watch | None = None,
    started: Callable[[Coordinator, Any], None] | None = None,
    selection: Selection | None = None,
) -> ClusterStatus:
    """Run until nothing is left to do. `started` is handed the coordinator, which can be stopped,
    and the fleet. With a selection these stored pages are asked for again, and nothing else is."""
    if how.nodes < 1:
        raise UsageError("a cluster on this machine needs at least 1 node")
    if how.lease < _SHORTEST_LEASE_SECONDS or how.checkpoint < _SHORTEST_LEASE_SECONDS:
        raise UsageError("a lease and the time between checkpoints must be 1 second or more")
    objects = open_objects(place)
    file = read_cluster(place, objects)
    must_have_ray()
    if "://" not in place:
        keep_to_owner(Layout(Path(place)), config, [seed.url for seed in seeds])
    with Claimed(place, objects) as claimed:
        remember_settings(place, config)
        own = per_tablet(config, file.tablets)
        spec = _spec(place, file, how, selection)
        spec = changed(spec, are_pages_granted=config.crawl.max_pages is not None)
        make = partial(make_tablet, spec, own, list(seeds))
        fleet = ray_fleet(file, make, how)
        try:
            status = next_status(objects, file.name, place, file.tablets)
            status.ray_address = fleet.address
            coordinator = Coordinator(fleet, objects, status, config, watch)
            claimed.on_lost = partial(coordinator.stop, "another start has taken its place")
            if started is not None:
                started(coordinator, fleet)
            return coordinator.run()
        finally:
            fleet.close()


def must_have_ray() -> None:
    if find_spec("ray") is None or find_spec("obstore") is None:
        raise UsageError(
            "A cluster needs Ray, which is not installed; get it with: pip install 'shoal[ray]' "
            "(in a checkout: .venv/bin/pip install --editable '.[ray]')"
        )


def ray_fleet(file: ClusterFile, make: Any, how: Running) -> Any:
    from shoal.cluster.ray_fleet import RayFleet  # noqa: PLC0415 - Ray is an extra

    return RayFleet(file.name, file.tablets, make, address=how.address, nodes=how.nodes)


def make_tablet(  # noqa: PLR0913 - the last three are an actor's
    spec: TabletSpec, config: Config, seeds: Sequence[Link], number: int, who: str, pipe: Pipe
) -> Tablet:
    """On the machine where it will be. A process that has lost its tablet ends at once."""
    cycles.look_rarely()
    own = changed(spec, number=number, who=who)
    return Tablet(own, config, seeds, pipe, on_fenced=partial(os._exit, _FENCED_EXIT))


def _spec(place: str, file: ClusterFile, how: Running, selection: Selection | None) -> TabletSpec:
    where = place if "://" in place else os.path.abspath(place)  # noqa: PTH100 - a URL is no Path
    return TabletSpec(where, 0, file.tablets, "", how.lease, how.checkpoint, how.work, selection)


def per_tablet(config: Config, tablets: int) -> Config:
    """The settings of one tablet among many: what is for all together is divided."""
    crawl = replace(config.crawl, max_pages=None, max_bytes=None, max_time=None)
    crawl = replace(crawl, stop_when=None)
    if config.origin_of("crawl.children") == "default":
        crawl = replace(crawl, children=1)  # several tablets share a machine
    polite = replace(config.politeness, rate=config.politeness.rate / tablets)
    refresh = config.refresh
    if refresh.budget is not None:
        refresh = replace(refresh, budget=refresh.budget / tablets)
    return replace(config, crawl=crawl, politeness=polite, refresh=refresh)


def remember_settings(place: str, config: Config) -> None:
    """What a person said on the command line of the first start becomes the cluster's own."""
    objects = open_objects(place)
    said = config.from_flags_as_toml()
    stored = objects.get(SETTINGS).decode() if objects.exists(SETTINGS) else ""
    is_untouched = all(line.startswith("#") or not line.strip() for line in stored.splitlines())
    if said and is_untouched:
        objects.put(SETTINGS, (stored + said).encode())


def seeds_for(
    place: str, given: Iterable[str], config: Config, sitemaps: Sequence[str] = ()
) -> list[Link]:
    """The seeds on the command line, else those of the settings; none are needed to go on."""
    names = list(given) or list(config.crawl.seeds)
    if (
        not names
        and not sitemaps
        and not any(name for name, _ in open_objects(place).names("tablets"))
    ):
        raise UsageError(
            f"Nothing to crawl: name at least one URL, as in: "
            f"shoal cluster start {place} https://example.org/"
        )
    params = ParamRules.from_names(config.url.strip, config.url.keep)
    links = [*read_sitemaps(sitemaps, params), *read_seeds(names, sys.stdin, params)]
    require_schemes(link.url for link in links)
    return links


def summary_of(status: ClusterStatus, counts: Status, seconds: float) -> Summary:
    """How a run of all tablets ended, in the words of a crawl. What tablets put right at their
    start, and which hosts did not answer, stand with them."""
    return Summary(
        status=counts,
        seconds=seconds,
        reason=status.ended,
        waiting_later=0,
        recovered=Recovered(),
        reconsidered=0,
        trouble=[],
        unanswered=False,
        again=status.again.pages,
        changed=status.again.changed,
        missing=status.again.missing,
        again_failed=status.again.failed,
    )
