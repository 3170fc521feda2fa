"""How near does the crawl's rule of revisits come to the optimum? A year, 100,000 pages.

    python -m benchmarks.policies                      two populations, plain and weighted; minutes
    python -m benchmarks.policies --pictures docs/images
    python -m benchmarks.policies --pages 2000         the same, roughly, in half a minute

Each row is one budget. `known` and `learned` are the online rule with rates that are known and with
rates that it learns from its visits, from a prior that it learns as well; `uniform` has the same
budget. All are measured over the whole year, as above the exact optimum for known rates, and again
over its second half. `closed` is the share of the way from uniform to the optimum that learning
goes. What is promised is checked at the end; a promise that is not kept is an exit code of 1. The
lines are mean ages in days, learned beside uniform.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.report import line, table
from shoal.analysis.policy_plot import svg
from shoal.analysis.simulation import Asked, Outcome, Simulation, simulation
from shoal.freshness.waiting import Policy

_POLICIES: tuple[Policy, ...] = ("uniform", "age")
_WIDE_GAP = 0.05
_COLUMNS = (
    "budget",
    "optimum",
    "uniform",
    "known",
    "learned",
    "closed",
    "known, 2nd half",
    "learned, 2nd half",
    "closed, 2nd half",
)


class Row(NamedTuple):
    """Shares are above the optimum."""

    budget: float
    optimum_days: float
    uniform: float
    known: float
    learned: float
    closed: float
    later_known: float
    later_learned: float
    later_closed: float

    def cells(self) -> tuple[str, ...]:
        shares = (self.uniform, self.known, self.learned)
        later = (self.later_known, self.later_learned)
        return (
            f"{self.budget:g}",
            f"{self.optimum_days:.3f} d",
            *(f"{share:+.1%}" for share in shares),
            f"{self.closed:.0%}",
            *(f"{share:+.1%}" for share in later),
            f"{self.later_closed:.0%}",
        )

    def line(self, kind: str) -> str:
        learned, uniform = (
            self.optimum_days * (1 + share) for share in (self.learned, self.uniform)
        )
        return line(f"age-{kind}-{self.budget:g}", learned, uniform)


def rows_of(found: Simulation) -> list[Row]:
    rows = []
    for budget in dict.fromkeys(each.budget for each in found.outcomes):
        at = {(each.policy, each.rates): each for each in found.outcomes if each.budget == budget}
        known, learned = at["age", "known"], at["age", "learned"]
        rows.append(
            Row(
                budget,
                at["age", "exact"].age_days or 0.0,
                at["uniform", "any"].over_optimum or 0.0,
                *_whole(known, learned),
                *_later(known, learned),
            )
        )
    return rows


def _whole(known: Outcome, learned: Outcome) -> tuple[float, float, float]:
    return known.over_optimum or 0.0, learned.over_optimum or 0.0, learned.gap_closed or 0.0


def _later(known: Outcome, learned: Outcome) -> tuple[float, float, float]:
    return (
        known.later_over_optimum or 0.0,
        learned.later_over_optimum or 0.0,
        learned.later_gap_closed or 0.0,
    )


def broken(rows: list[Row]) -> Iterator[str]:
    """The promises that are not kept, over the whole time."""
    for row in rows:
        at = f"at {row.budget:g} visits per page and week"
        if abs(row.known) > 0.03:
            yield f"{at} known rates are {row.known:+.1%} from the optimum, not within 3%"
        if row.budget >= 1 and row.learned > 0.10:
            yield f"{at} learned rates are {row.learned:+.1%} above the optimum, not within 10%"
        if row.uniform > _WIDE_GAP and row.closed < 0.5:
            yield f"{at} {row.closed:.0%} of the way from uniform is gone, not half"
        if (1 + row.learned) / (1 + row.uniform) > 1.02:
            yield f"{at} it is worse than uniform by more than 2%"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pictures", type=Path, default=None)
    given = parser.parse_args()
    asked = Asked(pages=given.pages, policies=_POLICIES, seed=given.seed)
    faults, lines = [], []
    for population in ("lognormal", "daily"):
        for weighted in (False, True):
            each = asked._replace(population=population, weighted=weighted)
            found = simulation(each)
            rows = rows_of(found)
            kind = f"{population}{', weighted' if weighted else ''}"
            print(f"\n{kind}, {given.pages:,} pages, a year\n")
            print(table(_COLUMNS, [row.cells() for row in rows]), flush=True)
            faults += [f"{kind}: {fault}" for fault in broken(rows)]
            lines += [row.line(kind.replace(", ", "-")) for row in rows]
            if given.pictures is not None:
                _draw(found, given.pictures, kind.replace(", ", "-"))
    print("\n" + "\n".join(lines))
    print("\n" + ("\n".join(faults) or "Every promise is kept."))
    return 1 if faults else 0


def _draw(found: Simulation, folder: Path, kind: str) -> None:
    (folder / f"policies-{kind}.svg").write_text(svg(found))
    weekly = [each for each in found.outcomes if each.budget == 1.0]
    if weekly:
        found.outcomes = weekly
        (folder / f"learning-{kind}.svg").write_text(svg(found))


if __name__ == "__main__":
    sys.exit(main())
