"""Which pages have a copy, and how fresh is each? What `shoal freshness` adds up.

A page's rate of change is estimated from its visits and from what was learned of pages like it; the
rest is freshness/measures.py.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

from shoal.collection.tablets import Tablets, owner_of
from shoal.collection.view import TabletView
from shoal.freshness.measures import Measure, measured, of_missing
from shoal.freshness.priors import Priors, groups_of
from shoal.freshness.rate import Estimate, estimate
from shoal.freshness.refresher import stored_group
from shoal.frontier.state.rows import UrlRow
from shoal.model.change_history import ChangeHistory
from shoal.model.outcome import State
from shoal.model.record import Struct
from shoal.model.urls.rowkey import row_key
from shoal.model.visit import VisitKind

_DAY_SECONDS = 86_400.0
_COPIES_AT_ONCE = 5_000


class Figures(Struct):
    """Means over pages."""

    pages: int = 0
    freshness: float = 0.0
    """The share of copies that are as their page is, from 0 to 1."""
    age_days: float = 0.0
    """How long ago their page became another, in days; 0 for those that are fresh."""
    days_since_fetch: float = 0.0


class Copy(NamedTuple):
    """Of a page. Times are unix seconds, 0 for none."""

    url: str
    history: ChangeHistory
    seen_at: float
    missing_at: float = 0.0
    due_at: float = 0.0
    found_at: float = 0.0


class Known(NamedTuple):
    copy: Copy
    rate: Estimate
    now: Measure


class Even:
    """So many of a sequence of unknown length, evenly spread over it."""

    def __init__(self, most: int) -> None:
        self.kept: list[Copy] = []
        self.seen = 0
        self._most, self._step = most, 1

    def take(self, copy: Copy) -> None:
        if self.seen % self._step == 0:
            self.kept.append(copy)
            if len(self.kept) > self._most:
                self.kept = self.kept[::2]
                self._step *= 2
        self.seen += 1


def copies_of(urls: Iterable[tuple[str, UrlRow]]) -> Iterator[Copy]:
    """Pages that are kept: also those whose site is down, and those missing for a while. What is
    inside of them has no visits of its own; what its source said to be gone no visit missed."""
    for url, row in urls:
        history = row.history or ChangeHistory()
        seen_ms = history.seen_ms or row.fetched_ms
        if (
            row.kind is VisitKind.PAGE
            and seen_ms
            and not (row.lost or row.inside or "#" in url)
            and row.state is not State.EXCLUDED
            and (row.state is not State.GONE or row.missing_ms)
        ):
            due_ms = row.due_ms if row.waiting and history.interval_seconds else 0
            times_ms = (seen_ms, row.missing_ms, due_ms, row.found_ms)
            yield Copy(url, history, *(each / 1000 for each in times_ms))


def measure_all(tablets: Tablets, copies: Iterable[Copy], now: float) -> Iterator[Known]:
    """In their order; each tablet knows what was learned of its own pages."""
    rest = iter(copies)
    while some := list(islice(rest, _COPIES_AT_ONCE)):
        owners = [owner_of(tablets, row_key(copy.url)) for copy in some]
        given = [
            ([copy for copy, owner in zip(some, owners, strict=True) if owner == tablet], now)
            for tablet in range(tablets.count)
        ]
        answers = [iter(each) for each in tablets.ask_each(measure_some, given)]
        for owner in owners:
            yield next(answers[owner])


def measure_some(view: TabletView, copies: Sequence[Copy], now: float) -> list[Known]:
    priors = Priors(lambda key: stored_group(view.table, key), lambda *_: None)
    found = []
    for keys, alike in groupby(
        copies, key=lambda copy: groups_of(copy.url, copy.history.media_type)
    ):
        prior = priors.prior_for(keys)
        for copy in alike:
            rate = estimate(copy.history, prior)
            if copy.missing_at:
                measure = of_missing(rate.nodes, copy.seen_at, copy.missing_at, now)
            else:
                measure = measured(rate.nodes, now - copy.seen_at)
            found.append(Known(copy, rate, measure))
    return found


def means_of(known: Sequence[Known], now: float) -> tuple[int, float, float, float]:
    return means([(each.now, now - each.copy.seen_at) for each in known])


def means(measures: Sequence[tuple[Measure, float]]) -> tuple[int, float, float, float]:
    """Of measures and the seconds since the last fetch: the fields of `Figures`."""
    count = len(measures)
    if not count:
        return 0, 0.0, 0.0, 0.0
    return (
        count,
        sum(measure.freshness for measure, _ in measures) / count,
        sum(measure.age_seconds for measure, _ in measures) / count / _DAY_SECONDS,
        sum(max(since, 0.0) for _, since in measures) / count / _DAY_SECONDS,
    )
