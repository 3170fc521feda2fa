"""The benchmark of rates of change, on few pages."""

from random import Random

from benchmarks.rates import VISITS, learned, scores
from shoal.freshness.rate import DEFAULT_PRIOR

WEEK = 7 * 86_400.0


def test_every_number_of_visits_is_scored() -> None:
    found = scores(40, WEEK, 3.0, DEFAULT_PRIOR, Random(1))
    assert tuple(each.visits for each in found) == VISITS
    assert found[-1].alone < found[0].alone
    assert found[-1].learned < found[0].learned
    assert all(0.6 < each.alone_held <= 1 for each in found)


def test_a_prior_is_learned_from_visits_alone() -> None:
    prior = learned(WEEK, 1.0, Random(1), pages=60)
    assert prior.sd < DEFAULT_PRIOR.sd
