"""Power laws and Zipf's law: found where they are, and denied where they are not."""

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.graph.power_law import fit, histogram
from shoal.graph.zeta import zeta
from shoal.graph.zipf import fit_zipf, rank_points, tail_points


def random(seed: int = 3) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize(
    ("exponent", "start", "value"),
    [
        (2.0, 1, np.pi**2 / 6),
        (4.0, 1, np.pi**4 / 90),
        (2.0, 3, np.pi**2 / 6 - 1.25),
        (1.5, 1, 2.612375348685488),
        (1.01, 1, 100.57794333849687),
    ],
)
def test_zeta_is_the_known_value(exponent: float, start: int, value: float) -> None:
    assert float(zeta(exponent, start)) == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize(("exponent", "count"), [(2.1, 4000), (2.5, 20_000), (1.8, 3000)])
def test_a_power_law_is_found(exponent: float, count: int) -> None:
    found = fit(histogram(random().zipf(exponent, count)))
    assert found.fits
    assert found.says.startswith("a power law")
    assert abs(found.exponent - exponent) < max(4 * found.error, 0.03)
    assert found.observations == count


def test_where_it_begins_is_found() -> None:
    """Anything below 20, a power law from there on."""
    draw = random()
    tail = np.floor(19.5 * (1 - draw.random(8000)) ** (-1 / 1.5) + 0.5).astype(np.int64)
    found = fit(histogram(np.concatenate((draw.integers(1, 20, 30_000), tail))))
    assert 15 <= found.x_min <= 40
    assert abs(found.exponent - 2.5) < 0.12


@pytest.mark.parametrize(
    "numbers",
    [
        random().geometric(0.05, 20_000),
        random().poisson(30, 20_000),
        random().integers(1, 1000, 20_000),
    ],
    ids=["exponential", "poisson", "even"],
)
def test_what_is_none_is_denied(numbers: NDArray[np.int64]) -> None:
    found = fit(histogram(numbers))
    assert not found.fits
    assert "no power law" in found.says


def test_the_far_tail_of_something_else_is_said_to_be_that() -> None:
    found = fit(histogram(np.round(random().lognormal(7, 1.2, 20_000)).astype(np.int64)))
    assert not found.fits or "in its far tail only" in found.says


@pytest.mark.parametrize("numbers", [[], [0, 0], [1, 2, 3], [7] * 500])
def test_too_little_to_tell(numbers: list[int]) -> None:
    found = fit(histogram(np.array(numbers, np.int64)))
    assert not found.fits
    assert "too few" in found.says
    assert tail_points(histogram(np.array(numbers, np.int64)), found)[1] == []


def test_zipf_of_words() -> None:
    ranks = np.arange(1, 5001)
    found = fit_zipf(np.round(100_000 / ranks).astype(np.int64))
    assert found.fits
    assert found.exponent == pytest.approx(1, abs=0.02)
    assert found.different == 5000
    even = fit_zipf(np.full(1000, 50))
    assert not even.fits
    assert even.says.startswith("not Zipf's law")
    assert fit_zipf(np.array([3, 2, 1])).says == "too few words to tell"


def test_what_is_drawn_lies_on_the_law() -> None:
    words = np.round(100_000 / np.arange(1, 5001)).astype(np.int64)
    found, law = rank_points(words, fit_zipf(words))
    assert found[0] == (1, 100_000)
    for (rank, times), (same, expected) in zip(found, law, strict=True):
        assert rank == same
        assert times == pytest.approx(expected, rel=0.15)
    numbers = histogram(random().zipf(2.2, 20_000))
    fitted = fit(numbers)
    found, law = tail_points(numbers, fitted)
    assert found[0] == (1, 1.0)
    assert law[0][1] == pytest.approx(fitted.tail / fitted.observations)
    for (_, share), (_, expected) in zip(found[:8], law[:8], strict=True):
        assert share == pytest.approx(expected, rel=0.1)
