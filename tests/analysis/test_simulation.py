"""Policies beside each other: on made-up pages, on a collection's own, and drawn."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from msgspec import structs

from shoal.analysis.policy_plot import png, svg
from shoal.analysis.simulation import Asked, Outcome, Simulation, policies, simulation
from shoal.errors import CollectionError, UsageError
from shoal.frontier.state.rows import UrlRow, pack_url, url_key
from shoal.layout.layout import Layout
from shoal.model.change_history import ChangeHistory
from shoal.model.outcome import State
from shoal.model.record import from_json, to_json
from shoal.model.urls.rowkey import row_key
from shoal.store.table import RocksTable

QUICK = Asked(pages=200, budgets=(0.5, 1.0), years=0.1)


@pytest.fixture(scope="module")
def found() -> Simulation:
    return simulation(QUICK)


def outcome(found: Simulation, policy: str, rates: str, budget: float = 1.0) -> Outcome:
    return next(
        each
        for each in found.outcomes
        if (each.policy, each.rates, each.budget) == (policy, rates, budget)
    )


def test_every_policy_is_measured_with_every_budget(found: Simulation) -> None:
    assert len(found.outcomes) == 2 * (2 + 1 + 2 + 2 + 2)
    assert {each.budget for each in found.outcomes} == {0.5, 1.0}
    best, known = outcome(found, "age", "exact"), outcome(found, "age", "known")
    assert known.age_days == pytest.approx(best.age_days, rel=0.06)
    assert abs(known.over_optimum or 1) < 0.06
    uniform = outcome(found, "uniform", "any")
    assert (uniform.over_optimum or 0) > 0.3
    assert uniform.gap_closed == 0
    for each in found.outcomes:
        if each.over_time:
            assert each.spent <= each.budget * 1.001
            assert each.over_time[-1].day == pytest.approx(0.1 * 365.25)
    assert outcome(found, "freshness", "exact").freshness > best.freshness
    assert from_json(Simulation, to_json(found)) == found


def test_more_budget_less_age(found: Simulation) -> None:
    for policy, rates in (("uniform", "any"), ("age", "known"), ("age", "learned")):
        little, more = (outcome(found, policy, rates, budget) for budget in (0.5, 1.0))
        assert (little.age_days or 0) > (more.age_days or 0)


def test_pictures_by_budget_and_over_time(found: Simulation) -> None:
    by_budget = svg(found)
    assert "by budget" in by_budget
    assert by_budget.count("<polyline") >= 2
    assert "proportional, rates known (beyond: arrows)" in by_budget
    week = Simulation("lognormal", 200, False, 0.1, 1, [*found.outcomes[9:]])
    over_time = svg(week)
    assert "Age over time, budget 1 per page" in over_time
    assert "optimum" in over_time
    for each in (by_budget, over_time):
        ET.fromstring(each)  # noqa: S314 - our own
    assert png(found)[:4] == png(week)[:4] == b"\x89PNG"


def test_what_is_beyond_the_picture_has_an_arrow(found: Simulation) -> None:
    purple = '#7a3fa0"'  # proportional, rates known: all of it is beyond
    over = [each.over_optimum or 0 for each in found.outcomes if each.policy == "proportional"]
    assert min(over) > 1
    by_budget = svg(found)
    lines = [line for line in by_budget.splitlines() if "<polyline" in line]
    assert len([line for line in lines if purple in line]) == 2 * 3, "an arrow for each budget"
    within = Simulation("lognormal", 200, False, 0.1, 1, [outcome(found, "age", "known")])
    assert "beyond" not in svg(within)
    for line in lines:
        points = line.partition('points="')[2].partition('"')[0].split()
        assert all(60 <= float(point.partition(",")[2]) <= 480 for point in points)


def test_a_line_ends_where_it_leaves_the_picture(found: Simulation) -> None:
    known = outcome(found, "age", "known")
    rises = [
        structs.replace(known, budget=budget, over_optimum=over)
        for budget, over in ((0.5, 0.4), (1.0, 1.5), (2.0, 0.4))
    ]
    drawn = svg(Simulation("lognormal", 200, False, 0.1, 1, rises))
    first, second = [line for line in drawn.splitlines() if "<polyline" in line][:2]
    assert first.count(",60.0") == second.count(",60.0") == 1, "cut at the upper edge"
    assert drawn.count("<polyline") == 2 + 3


def collection(directory: Path, lives: list[ChangeHistory]) -> str:
    layout = Layout(directory)
    layout.create("")
    with RocksTable(layout.table) as table:
        batch = table.batch()
        for number, life in enumerate(lives):
            row = row_key(f"https://www.example.org/{number}")
            batch.put("page", url_key(row), pack_url(UrlRow(State.FETCHED, history=life), 1.0))
        table.write(batch)
    return str(directory)


def test_pages_of_a_collection(tmp_path: Path) -> None:
    lives = [
        ChangeHistory(log_rate=-14 - number % 3, log_rate_sd=0.3, weight=1 + number % 2)
        for number in range(30)
    ]
    directory = collection(tmp_path / "corpus", [*lives, ChangeHistory()])
    asked = QUICK._replace(directory=directory, recorded=True, weighted=True, budgets=(1.0,))
    found = simulation(asked._replace(policies=("age",)))
    assert (found.population, found.pages) == ("recorded", 30)
    assert abs(outcome(found, "age", "known").over_optimum or 1) < 0.05
    assert simulation(asked._replace(pages=10, policies=("uniform",))).pages == 10
    empty = collection(tmp_path / "empty", [ChangeHistory()])
    with pytest.raises(CollectionError, match="no page whose rate of change is estimated") as said:
        simulation(asked._replace(directory=empty))
    assert f"shoal crawl --forever --dir {empty}" in str(said.value)
    assert "a refresh does not" in str(said.value)
    few = collection(tmp_path / "few", lives[:4])
    each = outcome(simulation(asked._replace(directory=few, policies=("age",))), "age", "known")
    assert 0.9 < each.spent <= 1.0001


@pytest.mark.parametrize(
    "wrong",
    [
        {"pages": 0},
        {"pages": 10**9},
        {"years": float("nan")},
        {"budgets": ()},
        {"budgets": (0.0,)},
        {"budgets": (float("nan"),)},
        {"budgets": (1000.0,), "pages": 1_000_000, "years": 100.0},
        {"population": "nobody's"},
    ],
)
def test_what_cannot_be_simulated_is_said(wrong: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        simulation(Asked(**wrong))  # type: ignore[arg-type]  # by name, as a caller might


def test_policies_by_name() -> None:
    assert policies(["uniform", "age", "age"]) == ["age", "uniform"]
    with pytest.raises(UsageError, match="no policy"):
        policies(["often"])
