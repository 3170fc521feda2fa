"""What a crawl came to, however many tablets it had, and what all of them must have in common."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from shoal.collection.view import TabletView
from shoal.counters import Counts
from shoal.layout.cluster_file import directories
from shoal.layout.layout import Layout
from shoal.layout.tablet_place import current, tablet_name
from shoal.maintenance.verify import verifying
from shoal.model.outcome import State
from shoal.model.principal import OWNER
from shoal.model.urls.rowkey import url_of
from tests.world import Latency, Redirect, Request, RobotsMix, Running, Web, gaps, overlaps, serve

DELAY_SECONDS = 0.1
WEB = Web(
    seed=11,
    hosts=12,
    pages=96,
    skew=0,
    mean_bytes=2000,
    cross_site=0.5,
    starts=2,
    robots=RobotsMix(crawl_delay=0, error=0),
)
SETTINGS: dict[str, object] = {
    "politeness.delay": DELAY_SECONDS,
    "politeness.delay_factor": 0.0,
    "crawl.patience": 5.0,
    "crawl.scope": "any",
    "crawl.children": 1,
    "index.follow": "no",
    "sitemaps.use": "listed",
}


@contextmanager
def many_hosts() -> Iterator[Running]:
    """Some of whose hosts send robots.txt and pages on to others."""
    with serve(WEB, {"*": Latency(0.002)}) as running:
        hosts = [running.web.host_name(host) for host in range(4)]
        roots = [f"http://{host}:{running.port}" for host in hosts]
        running.set(f"{hosts[0]}/robots.txt", Redirect(f"{roots[1]}/robots.txt"))
        running.robots(1, "User-agent: *\nDisallow: /nowhere\n")
        running.set(f"{hosts[2]}/moved", Redirect(f"{roots[3]}/here", 301))
        running.put(3, "/here", "<p>Here it is.</p>")
        yield running


def seeds_of(running: Running) -> list[str]:
    host = running.web.host_name(2)
    return [*running.web.seeds(), f"http://{host}:{running.port}/moved"]


class Told(NamedTuple):
    """What is known of the web in the end; which of two copies stands for both may differ."""

    urls: dict[str, tuple[State, int]]
    """With their depths."""
    bodies: dict[str, bytes]
    anchors: set[tuple[str, str, str]]
    """Who says what of whom."""


def told_by(places: Iterable[Path]) -> Told:
    told = Told({}, {}, set())
    for place in places:
        with TabletView(Layout(place)) as collection:
            for url, row in collection.urls():
                assert url not in told.urls, "in two tablets"
                told.urls[url] = (row.state, row.depth)
                anchors = collection.store.anchors(collection.store.find(url), OWNER)
                told.anchors.update((url, url_of(by), each.text) for by, _, each in anchors)
            told.bodies.update((page.url, page.body) for page in collection.pages())
    return told


def places_of(cluster: str | Path, tablets: int) -> list[Path]:
    """Where the tablets lie on this machine: in the cluster, or in a folder of working copies."""
    folder = Path(cluster)
    if (folder / "tablets").is_dir():
        return directories(folder, tablets)
    (place,) = folder.iterdir()
    found = [current(place / tablet_name(number)) for number in range(tablets)]
    return [each for each in found if each is not None]


def must_verify(places: Iterable[Path]) -> None:
    for place in places:
        with verifying(Layout(place), lambda _: None) as verifier:
            assert [str(finding) for finding in verifier.findings()] == []


def must_be_polite(log: Sequence[Request], delay: float = DELAY_SECONDS) -> None:
    """One request at a time to a host, and the delay between two."""
    assert overlaps(log) == []
    assert min(gap for host in gaps(log).values() for gap in host) >= delay


def must_add_up(counts: Iterable[dict[str, int]], told: Told) -> None:
    total = Counts()
    for each in counts:
        for name, amount in each.items():
            total.add(name, amount)
    fetched = [url for url, (state, _) in told.urls.items() if state is State.FETCHED]
    assert total["queued"] == 0
    assert total.total("fetched/") == len(fetched) == len(told.bodies)
