"""The table of outcomes: a row for each, so that no answer of the world meets a gap."""

from shoal.model.outcome import TREATMENT, Outcome, of_status


def test_every_outcome_has_a_treatment() -> None:
    assert set(TREATMENT) == set(Outcome)


def test_a_status_that_nobody_knows_counts_as_its_class() -> None:
    assert [of_status(status) for status in (299, 399, 499, 599, 999)] == [
        Outcome.OK,
        Outcome.ODD_STATUS,
        Outcome.BAD_REQUEST,
        Outcome.SERVER_ERROR,
        Outcome.ODD_STATUS,
    ]
