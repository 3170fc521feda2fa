"""How often does a page change, and how sure is that?

Changes are taken as a Poisson process of rate r a second (Cho and Garcia-Molina, "Estimating
frequency of change", 2003), and x = ln r as normal before the first visit. A visit that finds no
change after t seconds says exp(-r t), one that finds one says 1 - exp(-r t), and one that was told
when, s seconds ago, says r exp(-r s). The logarithm of their product is concave in x: Newton finds
its top, and nine points around it carry the posterior. The answer is therefore right for a page
that was seen once, that never changed, and that always does. It is asked for at each revisit, in
the process that crawls: plain floats, no arrays.
"""

from math import exp, expm1, isfinite, log, log2, sqrt
from typing import NamedTuple

from shoal.freshness.quantiles import quantiles
from shoal.model.change_history import ChangeHistory

_BINS_PER_OCTAVE = 4
_SHORTEST_SECONDS, _LONGEST_SECONDS = 1e-3, 1e10
_LOWEST, _HIGHEST = -45.0, 15.0
"""Of x: far beyond what any page does, and small enough for every sum below."""
_MOST_QUIET_SECONDS = 1e15
_DATE_RESOLUTION_SECONDS = 1.0
"""Of an HTTP date. A page that changed less than this ago was made for the visit: no date."""
_MANY_BINS = 8
_NODES = 9
_DEPTH = 5.5
"""The points span what is within exp(-5.5) of the top: 3.3 standard deviations of a normal."""
_TAIL = 0.05
_CHANGES_PER_VISIT = 0.45


class LogNormal(NamedTuple):
    """Of a rate: the mean and the standard deviation of its logarithm."""

    mean: float
    sd: float


DEFAULT_PRIOR = LogNormal(mean=-log(30 * 86_400.0), sd=2.0)
"""One change a month, or one in four days, or in eight months: little is known."""


class Estimate(NamedTuple):
    mean: float
    """The mean of ln r, r in changes per second."""
    sd: float
    low: float
    """With what the prior says, r lies between `low` and `high` in nine of ten cases."""
    high: float
    median: float
    nodes: tuple[tuple[float, float], ...]
    """(rate, weight), the weights sum to 1: for expectations over what r may be."""


def bin_of(seconds: float) -> int:
    """The quarter octave that an interval is counted in."""
    if not seconds > _SHORTEST_SECONDS:  # NaN too
        seconds = _SHORTEST_SECONDS
    return round(_BINS_PER_OCTAVE * log2(min(seconds, _LONGEST_SECONDS)))


def interval_of(bin_number: float) -> float:
    """The seconds that a bin stands for: at most 9% from any that is counted in it."""
    return float(2.0 ** (min(max(bin_number, -400), 400) / _BINS_PER_OCTAVE))


def observe(
    history: ChangeHistory,
    interval_seconds: float,
    *,
    changed: bool,
    since_change_seconds: float | None = None,
) -> None:
    """Take in a visit, so long after the one before. A time of change that cannot be is none."""
    if not interval_seconds > 0:
        return
    interval = min(interval_seconds, _LONGEST_SECONDS)
    history.observed += 1
    if not changed:
        history.quiet_seconds += interval
        return
    history.changes += 1
    since = since_change_seconds
    if since is not None and _DATE_RESOLUTION_SECONDS <= since <= interval:
        history.dated += 1.0
        history.quiet_seconds += since
    else:
        number = bin_of(interval)
        history.undated[number] = history.undated.get(number, 0.0) + 1.0


def prior_of_visits(history: ChangeHistory) -> LogNormal:
    """Where nothing is known of other pages: whoever visits a page at some interval expects that
    it changes about as often, give or take a factor of five."""
    seconds = _within(history.quiet_seconds, _MOST_QUIET_SECONDS)
    seconds += sum(count * interval for interval, count in _binned(history.undated))
    if not history.observed or not seconds > 0:
        return DEFAULT_PRIOR
    return LogNormal(log(_CHANGES_PER_VISIT * history.observed / seconds), 1.0)


def estimate(history: ChangeHistory, prior: LogNormal | None = None) -> Estimate:
    """What is known of a page's rate of change; of one without visits what the prior says."""
    posterior = _Posterior(history, prior_of_visits(history) if prior is None else prior)
    heights, start, step = posterior.around(*posterior.top())
    return _summary(heights, start, step)


class _Posterior:
    """The logarithm of the posterior density of x, but for a constant."""

    __slots__ = ("bins", "dated", "mean", "precision", "quiet")

    def __init__(self, history: ChangeHistory, prior: LogNormal) -> None:
        if not (isfinite(prior.mean) and 1e-6 < prior.sd < 1e6):
            prior = DEFAULT_PRIOR
        self.mean = min(max(prior.mean, _LOWEST), _HIGHEST)
        self.precision = prior.sd**-2
        self.quiet = _within(history.quiet_seconds, _MOST_QUIET_SECONDS)
        self.dated = _within(history.dated, 1e12)
        self.bins = _binned(history.undated)

    def top(self) -> tuple[float, float]:
        """Where it is highest, and the curvature; nearly: they say where to put the points."""
        changes, seconds = self.dated + 0.5, self.quiet + 1e-9
        for interval, count in self.bins:
            changes += count
            seconds += count * interval * 0.5
        weight = changes + self.precision
        x = (changes * log(changes / seconds) + self.precision * self.mean) / weight
        x = min(max(x, _LOWEST), _HIGHEST)
        slope, curvature = self._bend(x)
        for _ in range(40):
            move = min(max(slope / curvature, -2.0), 2.0)
            x = min(max(x + move, _LOWEST), _HIGHEST)
            if move * move * curvature < 0.1:
                break
            slope, curvature = self._bend(x)
        return x, curvature

    def around(
        self, top: float, curvature: float
    ) -> tuple[list[tuple[float, float]], float, float]:
        """(logarithm, its slope) at points that span all that counts, the first, and their step."""
        wanted = self._height(top)[0] - _DEPTH
        reach = sqrt(2 * _DEPTH / curvature)
        low, first = self._edge(max(top - reach, _LOWEST - 1.0), -1.0, wanted)
        high, last = self._edge(min(top + reach, _HIGHEST + 1.0), 1.0, wanted)
        step = max(high - low, 1e-6) / (_NODES - 1)
        inner = [self._height(low + number * step) for number in range(1, _NODES - 1)]
        return [first, *inner, last], low, step

    def _edge(self, x: float, out: float, wanted: float) -> tuple[float, tuple[float, float]]:
        """Where it has fallen so far, and what it is there. Tangents of a concave function lie
        above it: from anywhere the steps come in from outside."""
        found = self._height(x)
        for _ in range(12):
            height, slope = found
            if -1.0 < wanted - height < 1.5 or slope * out >= 0.0:
                break
            x = min(max(x + (wanted - height) / slope, _LOWEST - 1.0), _HIGHEST + 1.0)
            found = self._height(x)
        return x, found

    def _height(self, x: float) -> tuple[float, float]:
        rate, off = exp(x), x - self.mean
        height = self.dated * x - rate * self.quiet - 0.5 * self.precision * off * off
        slope = self.dated - rate * self.quiet - self.precision * off
        for interval, count in self.bins:
            y = rate * interval
            unchanged_less_1 = expm1(-y)
            height += count * log(-unchanged_less_1)
            slope -= count * y * (1.0 + unchanged_less_1) / unchanged_less_1
        return height, slope

    def _bend(self, x: float) -> tuple[float, float]:
        """The slope, and how fast it falls."""
        rate = exp(x)
        expected = rate * self.quiet
        slope = self.dated - expected - self.precision * (x - self.mean)
        curvature = expected + self.precision
        for interval, count in self.bins:
            y = rate * interval
            unchanged_less_1 = expm1(-y)
            pull = -y * (1.0 + unchanged_less_1) / unchanged_less_1
            slope += count * pull
            curvature += count * pull * max(y + pull - 1.0, 0.0)
        return slope, curvature


def _summary(heights: list[tuple[float, float]], start: float, step: float) -> Estimate:
    """The trapezoid rule: for a smooth density that vanishes at both ends nothing is better."""
    highest = max(heights)[0]
    densities, slopes = [], []
    total = first = second = 0.0
    for number, (height, slope) in enumerate(heights):
        density = exp(height - highest)
        densities.append(density)
        slopes.append(density * slope * step)
        total += density
        first += number * density
        second += number * number * density
    middle = first / total
    variance = max(second / total - middle * middle, 0.0)
    low, median, high = (
        exp(start + step * each) for each in quantiles(densities, slopes, (_TAIL, 0.5, 1 - _TAIL))
    )
    rate, ratio = exp(start), exp(step)
    nodes = []
    for density in densities:
        nodes.append((rate, density / total))
        rate *= ratio
    return Estimate(
        mean=start + step * middle,
        sd=max(step * sqrt(variance), 1e-6),
        low=low,
        high=high,
        median=median,
        nodes=tuple(nodes),
    )


def _binned(undated: dict[int, float]) -> list[tuple[float, float]]:
    """(interval, changes). Many bins are taken two and two, at the middle of their changes: each
    costs time at every point, and half octaves tell hardly less."""
    if len(undated) <= _MANY_BINS:
        return [(interval_of(number), _within(count, 1e12)) for number, count in undated.items()]
    merged: dict[int, tuple[float, float]] = {}
    for number, count in undated.items():
        some = _within(count, 1e12)
        so_far, middle = merged.get(number // 2, (0.0, 0.0))
        merged[number // 2] = (so_far + some, middle + some * number)
    return [(interval_of(total / count), count) for count, total in merged.values() if count > 0]


def _within(value: float, most: float) -> float:
    return min(value, most) if value > 0 else 0.0  # NaN: nothing
