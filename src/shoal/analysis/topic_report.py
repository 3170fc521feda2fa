"""How much of what was fetched is on topic, and how soon? `shoal topic report`.

The harvest is the share of the fetched pages that are on topic, by the marks that they have now. It
is held against breadth first, replayed on the same links (replay.py). What that would have brought
besides, from pages that this crawl never fetched, nobody knows: most of it is off topic, or the
crawl would have gone there, so breadth first is rather flattered.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from shoal.access.opening import open_collection
from shoal.analysis import replay
from shoal.analysis.cluster_ranking import SLICE_BYTES, vote_slice
from shoal.analysis.order_report import MOST_PAGES, Web, came_slice
from shoal.analysis.ranking import seed_rows
from shoal.collection.collection import Collection
from shoal.collection.report.topics import topic_line
from shoal.collection.slices import Slice, cut, in_order
from shoal.collection.view import TabletView
from shoal.errors import UsageError
from shoal.graph.hits import hubs_of
from shoal.layout.layout import place_of
from shoal.model.principal import PUBLIC
from shoal.model.record import Struct
from shoal.model.urls.partition import Partition
from shoal.model.urls.rowkey import url_of
from shoal.model.urls.url import registered_domain, site_of
from shoal.model.words.marks import TOPIC, values

_FIRST_ROW = b"\x01"
_BYTES = 16
_POINTS = 100
_SHOWN = 10
_FEWEST_NAMED = 2
"""A page that names fewer pages of the topic is no list of them."""


class Harvest(Struct):
    name: str
    at_tenth: float
    """The share on topic of the first tenth of the pages; of the first half; of all."""
    at_half: float
    in_all: float
    points: list[tuple[int, float]]
    """After so many pages, the share that is on topic."""


class DomainLine(Struct):
    domain: str
    pages: int
    on_topic: int


class HubLine(Struct):
    url: str
    hub: float
    """Of the best one it is 1 (Kleinberg's hubs and authorities, of the pages on topic)."""
    named: int
    """Pages of the topic that it links to."""


class TopicReport(Struct):
    topic: str
    pages: int
    on_topic: int
    waiting: int
    """URLs that wait to be fetched."""
    recall: float | None
    """Of the pages that were given as a yardstick, the share that was fetched."""
    curves: list[Harvest]
    domains: list[DomainLine]
    hubs: list[HubLine]

    def __repr__(self) -> str:
        return f"<{self.topic}: {self.on_topic:,} of {self.pages:,} pages on topic>"


def topic_report(
    name: str,
    dir: str | Path | None = None,  # noqa: A002 - the flag's own name
    truth: Iterable[str] | None = None,
) -> TopicReport:
    """`shoal.topic_report`."""
    place = place_of(dir)
    with open_collection(place) as collection:
        name = topic_line(collection, name).name
        tablets = collection.tablets
        came = dict(islice(in_order(tablets, came_slice, _FIRST_ROW), MOST_PAGES + 1))
        if not came:
            raise UsageError(f"nothing was fetched yet: shoal crawl --topic {name}")
        if len(came) > MOST_PAGES:
            raise UsageError(f"a topic can be reported of {MOST_PAGES:,} pages at most")
        marked = in_order(tablets, marked_slice, _FIRST_ROW)
        on = {row for row, names in marked if name in names and row in came}
        web = Web(came, dict.fromkeys(came, 0.0), tablets.ask(0, seed_rows))
        whole = Partition(0, tablets.count)
        web.take(in_order(tablets, vote_slice, _FIRST_ROW, whole, SLICE_BYTES))
        waiting = collection.status().queued
        recall = None if truth is None else _recall(collection, list(truth))
    wanted = frozenset(number for number, row in enumerate(web.rows) if row in on)
    breadth = replay.breadth_first(web.links, web.seeds)
    reached = set(breadth)
    own = [number for number in web.by_time if number in reached]
    curves = [_harvest("this crawl", own, wanted), _harvest("breadth first", breadth, wanted)]
    domains = _domains(web.rows, on)
    return TopicReport(
        name, len(web.rows), len(wanted), waiting, recall, curves, domains, _hubs(web, wanted)
    )


def marked_slice(view: TabletView, start: bytes) -> Slice[list[str]]:
    """The topics of each page that everyone may read: a question (tablets.py)."""
    if not start:
        return Slice([], b"")

    def found() -> Iterator[tuple[bytes, list[str], int]]:
        for page in view.store.stream(start, None, PUBLIC):
            text = view.store.marks(page.row, PUBLIC).get(TOPIC, "")
            if text:
                yield page.row, [each.text for each in values(text)], _BYTES

    return cut(found())


def _recall(collection: Collection, truth: Sequence[str]) -> float:
    if not truth:
        raise UsageError("the yardstick names no page")
    return sum(collection.page(url) is not None for url in truth) / len(truth)


def _harvest(name: str, order: Sequence[int], wanted: frozenset[int]) -> Harvest:
    total, shares = 0, list[float]()
    for count, page in enumerate(order, 1):
        total += page in wanted
        shares.append(total / count)
    if not shares:
        return Harvest(name, 0.0, 0.0, 0.0, [])
    pages = len(shares)
    places = sorted({max(1, round(pages * point / _POINTS)) for point in range(1, _POINTS + 1)})
    points = [(place, shares[place - 1]) for place in places]
    tenth, half = shares[max(1, pages // 10) - 1], shares[max(1, pages // 2) - 1]
    return Harvest(name, tenth, half, shares[-1], points)


def _domains(rows: Sequence[bytes], on: set[bytes]) -> list[DomainLine]:
    pages, good = Counter[str](), Counter[str]()
    for row in rows:
        host = site_of(url_of(row)).host
        domain = registered_domain(host) or host
        pages[domain] += 1
        good[domain] += row in on
    lines = [DomainLine(domain, count, good[domain]) for domain, count in pages.items()]
    lines.sort(key=lambda line: (-line.on_topic, -line.pages, line.domain))
    return lines[:_SHOWN]


def _hubs(web: Web, wanted: frozenset[int]) -> list[HubLine]:
    """Hubs and authorities of the links to pages on topic; links within a site count, since a list
    of a site's own pages leads a crawl as well as another."""
    pairs = [(page, to) for page, links in enumerate(web.links) for to in links if to in wanted]
    if not pairs:
        return []
    hubs = hubs_of(pairs, len(web.rows))
    named = Counter(page for page, _ in pairs)
    best = sorted(named, key=lambda page: (-hubs[page], page))
    most = max(hubs) or 1.0
    lists = (page for page in best if named[page] >= _FEWEST_NAMED)
    return [
        HubLine(url_of(web.rows[page]), hubs[page] / most, named[page])
        for page in islice(lists, _SHOWN)
    ]
