"""Which policy would do best here? Simulated, on made-up pages or on those of a collection.

Every policy gets the same pages, the same budget and the same time. With known rates it shows what
the online rule loses against the optimum that is solved for all pages at once; with learned ones
also what it costs to find them out. Uniform does not look at rates, so there is one of it.
"""

import shlex
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import NamedTuple, get_args

from shoal.access.opening import open_collection
from shoal.collection.collection import Collection
from shoal.errors import CollectionError, UsageError
from shoal.freshness.optimum import Optimum, optimum
from shoal.freshness.population import (
    DAY_SECONDS,
    POPULATIONS,
    WEEK_SECONDS,
    Population,
    population,
    recorded,
)
from shoal.freshness.simulation import Course, Run, simulate
from shoal.freshness.waiting import Policy
from shoal.model.record import Struct

DEFAULT_BUDGETS = (0.1, 0.3, 1.0, 3.0)
DEFAULT_PAGES = 10_000
WARM_UP = 0.5
"""Of the time: what comes after is shown beside the whole."""
_MOST_PAGES = 1_000_000
_MOST_VISITS = 2e9
_BUDGETS = 1e-3, 1e3

Progress = Callable[[str, int, int], None]


class Asked(NamedTuple):
    """What to simulate."""

    pages: int = DEFAULT_PAGES
    population: str = "lognormal"
    budgets: Sequence[float] = DEFAULT_BUDGETS
    """Visits per page and week."""
    policies: Sequence[Policy] = ("uniform", "proportional", "freshness", "age")
    weighted: bool = False
    years: float = 1.0
    seed: int = 1
    directory: str | None = None
    """Of a collection whose pages are taken."""
    recorded: bool = False
    """Whether they are: without a directory those of the usual one."""


class Moment(Struct):
    day: float
    age_days: float
    freshness: float


class Outcome(Struct):
    """How a policy did, with a budget. All means are weighted by importance, if that was asked."""

    budget: float
    """Visits per page and week."""
    policy: Policy
    rates: str
    """exact: the optimum, solved at once for a time without end; known; learned; any: it does not
    look at them."""
    spent: float
    """Visits per page and week that were made."""
    age_days: float | None
    """The mean over the whole time; None: without end, of pages that are never visited again."""
    freshness: float
    later_age_days: float | None
    """Over its second half."""
    later_freshness: float
    over_optimum: float | None
    """By which share the age, over the whole time, is above that of the optimum."""
    later_over_optimum: float | None
    gap_closed: float | None
    """Which share of the distance from uniform to the optimum it is below uniform."""
    later_gap_closed: float | None
    over_time: list[Moment] = []


class Simulation(Struct):
    population: str
    pages: int
    weighted: bool
    years: float
    seed: int
    outcomes: list[Outcome]


def simulation(asked: Asked, progress: Progress | None = None) -> Simulation:
    _check(asked)
    pages = _population(asked)
    outcomes: list[Outcome] = []
    for budget in asked.budgets:
        best = _optimum(pages, budget, "age").age_seconds
        # the yardstick is always run: it has the same beginning and end as all others
        uniform = simulate(pages, Run("uniform", False, budget, asked.years, asked.seed))
        outcomes += [
            _exact(_optimum(pages, budget, policy), budget, policy)
            for policy in asked.policies
            if policy in ("age", "freshness")
        ]
        for policy in asked.policies:
            for learns in (False,) if policy == "uniform" else (False, True):
                run = Run(policy, learns, budget, asked.years, asked.seed)
                is_yardstick = policy == "uniform"
                course = uniform if is_yardstick else simulate(pages, run, _teller(progress, run))
                outcomes.append(_outcome(course, best, uniform))
    count = len(pages.rates)
    return Simulation(pages.name, count, asked.weighted, asked.years, asked.seed, outcomes)


def policies(names: Sequence[str]) -> list[Policy]:
    """Those of these names, each once."""
    known: tuple[Policy, ...] = get_args(Policy)
    if wrong := [name for name in names if name not in known]:
        raise UsageError(f"there is no policy {wrong[0]!r:.60}; it is one of {', '.join(known)}")
    return [policy for policy in known if policy in names]


def _check(asked: Asked) -> None:
    if asked.population not in POPULATIONS:
        known = " or ".join(POPULATIONS)
        raise UsageError(f"there is no population {asked.population!r:.60}; it is {known}")
    if not 1 <= asked.pages <= _MOST_PAGES:
        raise UsageError(f"--pages must be between 1 and {_MOST_PAGES:,}")
    if not (isfinite(asked.years) and 0.01 <= asked.years <= 100):
        raise UsageError("--years must be between 0.01 and 100")
    if not asked.budgets or not asked.policies:
        raise UsageError("at least one --budget and one --policy are needed")
    low, high = _BUDGETS
    if not all(low <= budget <= high for budget in asked.budgets):
        raise UsageError(f"--budget must be between {low:g} and {high:g} visits per page and week")
    if asked.pages * asked.years * 52 * max(asked.budgets) > _MOST_VISITS:
        raise UsageError("these are too many visits for one run; take fewer --pages or --years")


def _population(asked: Asked) -> Population:
    if not asked.recorded:
        return population(asked.population, asked.pages, asked.seed, weighted=asked.weighted)
    with open_collection(asked.directory) as collection:
        known = list(_known(collection))
    if not known:
        where = f"--dir {shlex.quote(collection.place)}"
        raise CollectionError(
            f"{collection.place} has no page whose rate of change is estimated yet; a crawl that "
            f"goes on without end estimates them, a refresh does not: shoal crawl --forever {where}"
        )
    return recorded(known, asked.pages, asked.seed, weighted=asked.weighted)


def _known(collection: Collection) -> Iterator[tuple[float, float, float]]:
    for _, row in collection.urls():
        history = row.history
        if history is not None and history.log_rate_sd > 0 and history.weight > 0:
            yield history.log_rate, history.log_rate_sd, history.weight


def _optimum(pages: Population, budget: float, policy: Policy) -> Optimum:
    return optimum(pages, budget * len(pages.rates) / WEEK_SECONDS, policy)


def _exact(best: Optimum, budget: float, policy: Policy) -> Outcome:
    age = best.age_seconds / DAY_SECONDS if isfinite(best.age_seconds) else None
    over, closed = (0.0, 1.0) if policy == "age" else (None, None)
    return Outcome(
        budget=budget,
        policy=policy,
        rates="exact",
        spent=budget,
        age_days=age,
        freshness=best.freshness,
        later_age_days=age,
        later_freshness=best.freshness,
        over_optimum=over,
        later_over_optimum=over,
        gap_closed=closed,
        later_gap_closed=closed,
    )


def _outcome(course: Course, best: float, uniform: Course) -> Outcome:
    run = course.run
    half = WARM_UP * course.points[-1].day
    whole, later = course.mean(), course.mean(half)
    closed = _closed(whole.age_seconds, best, uniform.mean().age_seconds)
    later_closed = _closed(later.age_seconds, best, uniform.mean(half).age_seconds)
    return Outcome(
        budget=run.visits_per_week,
        policy=run.policy,
        rates=_rates(run),
        spent=course.visits_per_week,
        age_days=whole.age_seconds / DAY_SECONDS,
        freshness=whole.freshness,
        later_age_days=later.age_seconds / DAY_SECONDS,
        later_freshness=later.freshness,
        over_optimum=whole.age_seconds / best - 1,
        later_over_optimum=later.age_seconds / best - 1,
        gap_closed=closed,
        later_gap_closed=later_closed,
        over_time=[
            Moment(each.day, each.age_seconds / DAY_SECONDS, each.freshness)
            for each in course.points
        ],
    )


def _rates(run: Run) -> str:
    if run.policy == "uniform":
        return "any"
    return "learned" if run.learns else "known"


def _closed(age: float, best: float, uniform: float) -> float | None:
    return (uniform - age) / (uniform - best) if uniform > best * (1 + 1e-9) else None


def _teller(progress: Progress | None, run: Run) -> Callable[[float], None] | None:
    if progress is None:
        return None
    doing = f"{run.visits_per_week:g} visits, {run.policy}, rates {_rates(run)}, percent done"
    return lambda share: progress(doing, round(100 * share), 100)
