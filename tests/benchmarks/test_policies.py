"""The benchmark of policies, on few pages; with all of them it is slow."""

import pytest

from benchmarks.policies import Row, broken, rows_of
from shoal.analysis.simulation import Asked, simulation

ASKED = Asked(pages=150, policies=("uniform", "age"), budgets=(0.3,))


def test_a_row_for_each_budget_and_no_promise_broken() -> None:
    (row,) = rows_of(simulation(ASKED))
    assert row.budget == 0.3
    assert len(row.cells()) == 9
    assert row.line("plain").startswith("age-plain-0.3 ")
    assert list(broken([row])) == []


def test_broken_promises_are_told() -> None:
    bad = Row(1.0, 1.0, 0.1, 0.04, 0.2, 0.4, 0.0, 0.0, 0.0)
    assert len(list(broken([bad]))) == 4


@pytest.mark.slow
@pytest.mark.parametrize("population", ["lognormal", "daily"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_promises_are_kept(population: str, *, weighted: bool) -> None:
    asked = Asked(5000, population, policies=("uniform", "age"), weighted=weighted)
    assert list(broken(rows_of(simulation(asked)))) == []
