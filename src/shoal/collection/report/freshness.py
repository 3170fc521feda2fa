"""How fresh is a collection, and how old? Now, over time, by site and by page.

By definition, not by the date of the last fetch: what matters is whether a page has changed since,
and since when (freshness/measures.py). Each page's rate of change is estimated from its visits and
from what is known of pages like it. Times that have passed are looked at with what is known now.
Of a large collection an even share of the pages is measured, and whoever shows it says so.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, islice
from math import inf

from shoal.clock import iso
from shoal.collection.collection import Collection
from shoal.collection.report.measuring import (
    Copy,
    Even,
    Figures,
    Known,
    copies_of,
    means,
    means_of,
    measure_all,
)
from shoal.collection.report.sampling import MOST_URLS, some_urls
from shoal.collection.tablets import owner_of
from shoal.collection.view import ONLY_THE_OWNER, TabletView
from shoal.config.values import Setting, SettingKind, described, read_value
from shoal.errors import UsageError
from shoal.freshness.measures import (
    Look,
    Measure,
    at_time,
    expected,
    mean_age,
    mean_freshness,
    of_missing,
)
from shoal.model.change_history import Change
from shoal.model.outcome import Outcome
from shoal.model.record import Struct
from shoal.model.urls.rowkey import row_key, site_key, url_of
from shoal.model.urls.url import site_of
from shoal.store.rows import VisitRow

_MOST_PAGES = 20_000
_MOST_HISTORIES = 1_000
_MOMENTS = 48
_DAY_SECONDS = 86_400.0
DEFAULT_DAYS = 30.0
DEFAULT_SITES = 20


class SiteFreshness(Figures):
    """`pages` are those that were measured."""

    site: str = ""
    stored: int = 0
    """Pages of the site with a copy, all of them."""


class Moment(Figures):
    at: str = ""


class PageFreshness(Struct):
    url: str
    freshness: float
    age_days: float
    days_since_fetch: float
    changes_per_day: float
    """The median of what the rate may be; in nine of ten cases it is between these:"""
    low: float
    high: float
    visits: int
    """Visits that showed whether it had changed."""
    changes: int
    """Visits that found that it had changed."""
    is_missing: bool
    """The last visits did not find it, and its copy is still kept."""
    due: str
    """When it is visited next; empty when that is not planned."""


class Freshness(Struct):
    at: str
    now: Figures
    stored: int
    """Pages with a copy, all of them; `now` is about a share of them if they are many."""
    by_prior: int
    """Of those measured, the ones that were not yet looked at twice: their rate is that of pages
    like them."""
    weighted_age_days: float
    """As `now`, each page by what it is worth to the crawl."""
    planned_age_days: float | None
    """What the intervals that are planned give in the long run; None when nothing is planned."""
    sites: list[SiteFreshness]
    """The largest ones."""
    over_time: list[Moment]
    """Oldest first; of at most 1,000 pages, and of the visits that are remembered."""
    others: SiteFreshness | None = None
    """All other sites together, so that the sum over sites is the collection's; None: there are
    none."""
    other_sites: int = 0


def freshness(
    collection: Collection,
    where: str = "",
    *,
    sites: int = DEFAULT_SITES,
    since: float | str | None = None,
) -> Freshness:
    """Of the pages of a part; over time since a time (unix seconds) or for so long (a text such as
    '12h'), by default for thirty days."""
    if not collection.sees_everything():
        raise UsageError(ONLY_THE_OWNER)  # how pages change is learned from all of them
    start = None if since is None else _start(since)
    return report(collection, copies_of(collection.urls(where)), sites=sites, since=start)


def _start(since: object) -> float:
    age: object = None
    if isinstance(since, str):
        with suppress(UsageError):  # its sentence would ask for a number of seconds
            setting = Setting("since", SettingKind.SECONDS, default=None, help="")
            age = read_value(setting, since, setting.key)
    elif isinstance(since, int | float) and not isinstance(since, bool) and abs(since) < inf:
        return float(since)
    if not isinstance(age, float):
        raise UsageError(
            "since must be a time in unix seconds, or a text that says how long ago it was, such "
            f"as '12h' or '7d', not {described(since)}"
        )
    return time.time() - age


def report(
    collection: Collection,
    copies: Iterable[Copy],
    *,
    sites: int = DEFAULT_SITES,
    since: float | None = None,
) -> Freshness:
    now, found, by_site = time.time(), Even(_MOST_PAGES), Counter[str]()
    for copy in copies:
        found.take(copy)
        by_site[_site_name(copy.url)] += 1
    known = list(measure_all(collection.tablets, found.kept, now))
    weights = [max(each.copy.history.weight, 0.0) for each in known]
    aged = sum(weight * each.now.age_seconds for weight, each in zip(weights, known, strict=True))
    largest = sorted(by_site, key=lambda site: (-by_site[site], site))[:sites]
    listed, others = _by_site(known, by_site, largest, now)
    return Freshness(
        at=iso(now),
        now=Figures(*means_of(known, now)),
        stored=found.seen,
        by_prior=sum(not each.copy.history.observed for each in known),
        weighted_age_days=aged / (sum(weights) or 1.0) / _DAY_SECONDS,
        planned_age_days=_planned(known),
        sites=listed,
        over_time=_over_time(collection, known, since, now),
        others=others,
        other_sites=len(by_site) - len(listed),
    )


def sampled(collection: Collection) -> Freshness:
    """Of the URLs that the dashboard samples: in about a second, however many there are."""
    tablets = collection.tablets
    found = report(collection, chain.from_iterable(tablets.ask_all(some_copies, tablets.count)))
    stored = tablets.ask_all(stored_pages, tablets.count)
    if any(each is not None for each in stored):
        found.stored = max(found.stored, sum(filter(None, stored)))
        for each in found.sites:
            owner = owner_of(tablets, row_key(f"{each.site}/"))
            each.stored = max(each.pages, tablets.ask(owner, stored_at, each.site))
        rest = max(0, found.stored - sum(each.stored for each in found.sites))
        if found.others is None and rest:
            found.others = SiteFreshness()
        if found.others is not None:
            found.others.stored, found.other_sites = rest, 0  # how many was not looked at
    return found


def stored_pages(view: TabletView, tablets: int) -> int | None:
    """All of a tablet's, if it is one of those of which only some are sampled; None: it is not."""
    counts = view.frontier.counts()
    if counts.discovered <= -(-MOST_URLS // tablets):
        return None
    return counts.total("fetched/") + counts["unchanged"]


def stored_at(view: TabletView, site: str) -> int:
    known = view.frontier.site(site_key(site_of(f"{site}/")))
    return 0 if known is None else known.row.fetched


def some_copies(view: TabletView, tablets: int) -> list[Copy]:
    """Its share, as one of so many tablets."""
    view.must_see_all()
    most = -(-MOST_URLS // tablets)
    some = islice(some_urls(view, view.frontier.counts().discovered, most), most)
    return list(copies_of((url_of(row), url) for row, url in some))


def page_lines(collection: Collection, where: str = "") -> Iterator[PageFreshness]:
    """Every page, in row order."""
    now = time.time()
    for copy, rate, measure in measure_all(
        collection.tablets, copies_of(collection.urls(where)), now
    ):
        yield PageFreshness(
            url=copy.url,
            freshness=measure.freshness,
            age_days=measure.age_seconds / _DAY_SECONDS,
            days_since_fetch=max(now - copy.seen_at, 0.0) / _DAY_SECONDS,
            changes_per_day=rate.median * _DAY_SECONDS,
            low=rate.low * _DAY_SECONDS,
            high=rate.high * _DAY_SECONDS,
            visits=copy.history.observed,
            changes=copy.history.changes,
            is_missing=copy.missing_at > 0,
            due=iso(copy.due_at) if copy.due_at else "",
        )


def _by_site(
    known: list[Known], stored: Mapping[str, int], largest: Sequence[str], now: float
) -> tuple[list[SiteFreshness], SiteFreshness | None]:
    """The largest, and all others together."""
    measured: dict[str, list[Known]] = {site: [] for site in largest}
    rest: list[Known] = []
    for each in known:
        measured.get(_site_name(each.copy.url), rest).append(each)
    listed = [
        SiteFreshness(*means_of(its, now), site=site, stored=stored[site])
        for site, its in measured.items()
    ]
    left = sum(stored.values()) - sum(each.stored for each in listed)
    return listed, SiteFreshness(*means_of(rest, now), stored=left) if left else None


@lru_cache(maxsize=4096)
def _origin(start: str) -> str:
    return site_of(f"{start}/").origin


def _site_name(url: str) -> str:
    """Most URLs of a report are of the same site as the one before."""
    scheme, _, rest = url.partition("://")
    return _origin(f"{scheme}://{rest.partition('/')[0]}")


def _planned(known: list[Known]) -> float | None:
    ages = [
        expected(each.rate.nodes, mean_age, each.copy.history.interval_seconds)
        for each in known
        if each.copy.history.interval_seconds > 0
    ]
    return sum(ages) / len(ages) / _DAY_SECONDS if ages else None


def _over_time(
    collection: Collection, known: list[Known], since: float | None, now: float
) -> list[Moment]:
    step = -(-len(known) // _MOST_HISTORIES) or 1
    histories = list(zip(some := known[::step], _looks(collection, some), strict=True))
    begun = min((looks[0].at for _, looks in histories), default=now)
    start = max(begun, now - DEFAULT_DAYS * _DAY_SECONDS if since is None else since)
    if not histories or start >= now:
        return []
    found = []
    for number in range(_MOMENTS):
        at = start + (now - start) * number / (_MOMENTS - 1)
        measures = [each for page in histories if (each := _then(*page, at)) is not None]
        found.append(Moment(*means(measures), at=iso(at)))
    return found


def _looks(collection: Collection, known: list[Known]) -> Iterator[list[Look]]:
    """What the visits of each page said, oldest first; at least the last one is known."""
    tablets = collection.tablets
    owners = [owner_of(tablets, row_key(each.copy.url)) for each in known]
    urls: list[list[str]] = [[] for _ in range(tablets.count)]
    for each, owner in zip(known, owners, strict=True):
        urls[owner].append(each.copy.url)
    answers = [iter(each) for each in tablets.ask_each(looks_of, [(its,) for its in urls])]
    for each, owner in zip(known, owners, strict=True):
        yield next(answers[owner]) or [Look(each.copy.seen_at, changed=None)]


def looks_of(view: TabletView, urls: Sequence[str]) -> list[list[Look]]:
    minor_counts = view.config.refresh.minor == "yes"
    return [_looks_at(view.history(url), minor_counts=minor_counts) for url in urls]


def _looks_at(visits: list[tuple[float, VisitRow]], *, minor_counts: bool) -> list[Look]:
    looks = []
    for when, visit in reversed(visits):
        if visit.outcome is Outcome.UNCHANGED or visit.change is Change.NONE:
            looks.append(Look(when, changed=False))
        elif visit.outcome is Outcome.OK:
            changed = visit.change is Change.MAJOR or minor_counts
            looks.append(Look(when, changed if visit.change is not Change.UNKNOWN else None))
    return looks


def _then(known: Known, looks: list[Look], at: float) -> tuple[Measure, float] | None:
    copy, nodes = known.copy, known.rate.nodes
    if copy.missing_at and at >= copy.missing_at:
        return of_missing(nodes, copy.seen_at, copy.missing_at, at), at - copy.seen_at
    measure = at_time(nodes, looks[0].at, looks[1:], at)
    if measure is not None:
        return measure, at - next(look.at for look in reversed(looks) if look.at <= at)
    if at < copy.found_at or copy.history.observed <= len(looks) or len(looks) < 2:
        return None
    # Its first visits are forgotten: what its usual interval gives in the mean.
    gap = (looks[-1].at - looks[0].at) / (len(looks) - 1)
    usual = Measure(expected(nodes, mean_freshness, gap), expected(nodes, mean_age, gap))
    return usual, gap / 2
