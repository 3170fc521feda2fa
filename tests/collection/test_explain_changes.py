"""Why a page is asked for again when it is, in words."""

from math import log

import pytest

from shoal.collection.report.explain_changes import history_lines, span
from shoal.frontier.state.rows import UrlRow
from shoal.model.change_history import ChangeHistory
from shoal.model.outcome import State

NOW_MS = 1_793_577_600_000
DAY = 86_400.0


def said(state: State = State.FETCHED, **fields: object) -> list[str]:
    return list(history_lines(UrlRow(state, **fields)))  # type: ignore[arg-type]


def test_of_a_page_that_was_never_seen_there_is_nothing_to_say() -> None:
    assert said() == []
    assert said(history=ChangeHistory(dated=0.5, quiet_seconds=DAY)) == [], (
        "only its sitemap spoke of it"
    )


def test_after_the_first_visit() -> None:
    assert said(history=ChangeHistory(seen_ms=NOW_MS)) == [
        "Last seen 2026-11-02T00:00:00Z; whether it changes, a second visit will show."
    ]


def test_a_rate_and_a_plan() -> None:
    life = ChangeHistory(
        seen_ms=NOW_MS,
        observed=9,
        changes=3,
        log_rate=log(1 / (2 * DAY)),
        log_rate_sd=0.5,
        interval_seconds=7_200.0,
        weight=2.5,
    )
    seen, rate, plan = said(history=life)
    assert "of 9 later visits 3 with a change" in seen
    assert "once in 2 days (between 21.1 hours and 4.55 days, nine times out of ten)" in rate
    assert plan == ("A steady crawl visits it every 2 hours as things are, at a weight of 2.5.")
    life.changes = 0
    assert "no change" in said(history=life)[0]
    life.observed = 1
    assert "of 1 later visit no change" in said(history=life)[0]


@pytest.mark.parametrize(
    ("misses", "lost", "words"),
    [(1, False, "once since"), (3, False, "3 times in a row since"), (9, True, "given up")],
)
def test_a_page_that_is_missing(misses: int, lost: bool, words: str) -> None:
    line = said(misses=misses, missing_ms=NOW_MS, lost=lost, fetched_ms=1)[-1]
    assert words in line
    assert ("kept for now" in line) is not lost
    never = said(misses=misses, missing_ms=NOW_MS, lost=lost)[-1]
    assert "nothing is stored" in never


def test_a_page_that_moved() -> None:
    moved = said(misses=1, lost=True, fetched_ms=1, state=State.REDIRECT)
    assert moved == ["It has moved; what is stored is given up."]


def test_what_its_sitemap_says() -> None:
    assert said(hinted_ms=NOW_MS) == [
        "Its sitemap or feed says that it changed 2026-11-02T00:00:00Z."
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.5, "0.5 seconds"),
        (90, "1.5 minutes"),
        (3_600, "1 hour"),
        (10 * DAY, "10 days"),
        (1e300, "3.17e+292 years"),
    ],
)
def test_lengths_of_time(seconds: float, words: str) -> None:
    assert span(seconds) == words
