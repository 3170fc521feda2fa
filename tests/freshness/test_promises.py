"""How long an answer stays good, by its own headers."""

import time
from collections.abc import Iterator

import pytest

from shoal.freshness.promises import promised_seconds
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched

YEAR = 365.25 * 86_400
DATE = "Mon, 02 Nov 2026 10:00:00 GMT"
ENDED = 1_793_613_600.0  # as DATE


def promised(**headers: str) -> float:
    fields = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return promised_seconds(Fetched(Outcome.OK, 200, ended=ENDED, headers=fields))


@pytest.mark.parametrize(
    ("control", "seconds"),
    [
        ("max-age=3600", 3600),
        ("public, MAX-AGE = 60", 60),
        ('private,max-age="120"', 120),
        ("max-age=0", 0),
        ("max-age=999999999", YEAR),
        ("s-maxage=3600", 0),
        ("max-age=3600, no-cache", 0),
        ("no-store, max-age=3600", 0),
        ("max-age=3600, must-revalidate", 0),
        ("max-age=-5", 0),
        ("max-age=soon", 0),
        ("", 0),
        ("x" * 100_000 + ", max-age=60", 0),
    ],
)
def test_cache_control(control: str, seconds: float) -> None:
    assert promised(cache_control=control) == seconds


def test_expires_counts_from_the_servers_own_clock() -> None:
    later = "Mon, 02 Nov 2026 11:00:00 GMT"
    assert promised(expires=later, date=DATE) == 3600
    assert promised(expires=later) == 3600, "without one, from ours"
    assert promised(expires=DATE, date=later) == 0
    assert promised(expires="Mon, 02 Nov 2099 11:00:00 GMT", date=DATE) == YEAR


def test_cache_control_overrules_expires() -> None:
    later = "Mon, 02 Nov 2026 11:00:00 GMT"
    assert promised(cache_control="max-age=60", expires=later, date=DATE) == 60
    assert promised(cache_control="no-cache", expires=later, date=DATE) == 0


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-1",
        "never",
        "Mon, 99 Nov 2026 10:00:00 GMT",
        "Mon, 02 Nov 0000 10:00:00 GMT",
        "Mon, 01 Jan 0001 00:00:00 -0000",
        "Mon, 01 Jan 0001 00:00:00 +2359",
        "Fri, 31 Dec 9999 23:59:59 -2359",
        "Mon, 02 Nov 2026 10:00:00 +99999999",
        "Mon, 02 Nov 99999999999999999999 10:00:00 GMT",
        "\x00\xff",
        "1" * 10_000,
    ],
)
def test_no_date_is_too_strange(text: str) -> None:
    for headers in ({"expires": text}, {"expires": DATE, "date": text}):
        assert 0 <= promised(**headers) <= YEAR


@pytest.fixture
def far_east(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine whose own time is nine hours ahead."""
    monkeypatch.setenv("TZ", "JST-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_east")
def test_a_date_without_a_zone_is_universal_time() -> None:
    """RFC 5322's -0000 says nothing of the zone, and not that it is the reader's own."""
    assert promised(expires="Mon, 02 Nov 2026 11:00:00 -0000", date=DATE) == 3600
