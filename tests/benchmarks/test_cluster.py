"""Workers that saturate a tablet, and fractions of linear."""

import pytest

from benchmarks.cluster import Middle, Round, saturating


@pytest.mark.parametrize(
    ("most_per_second", "workers"), [(30.0, 8), (150.0, 32), (300.0, 64), (10_000.0, 512)]
)
def test_workers_are_doubled_until_it_brings_little(most_per_second: float, workers: int) -> None:
    asked = []

    def rate(each: int) -> float:
        asked.append(each)
        return min(each * 5.0, most_per_second)

    assert saturating(rate, 512) == workers
    assert asked == sorted(set(asked)), "each is measured once"


def test_fractions_of_linear() -> None:
    alone = Middle(100.0, 4.0, 2.0, 0.4, 0.5)
    tablets = {
        1: Middle(100.0, 5.0, 2.5, 0.5, 0.6),
        2: Middle(190.0, 4.4, 2.1, 0.9, 1.0),
        8: Middle(360.0, 5.0, 2.5, 1.8, 2.0),
    }
    found = Round(alone, tablets)
    assert found.of_linear(2) == pytest.approx(0.95)
    assert found.of_full(2, cores=2) == pytest.approx(0.95)
    assert found.of_linear(8) == pytest.approx(0.45)
    assert found.of_full(8, cores=2) == pytest.approx(0.9), "of the 400 that two cores can do"
    assert found.cpu(2) == pytest.approx(1.1)
    assert found.units(2) == pytest.approx(1.05)
