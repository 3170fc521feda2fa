"""Dates as sitemaps write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.sources.w3c_date import when

NOON = 1_767_355_200.0
"""2026-01-02T12:00Z"""


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026", 1_767_225_600.0),
        ("2026-01", 1_767_225_600.0),
        ("2026-01-02", NOON - 12 * 3600),
        ("2026-01-02T12:00Z", NOON),
        ("2026-01-02T12:00:00Z", NOON),
        ("2026-01-02T12:00:00.25Z", NOON + 0.25),
        ("2026-01-02T12:00:00.1234567891234Z", NOON + 0.123456789),
        ("2026-01-02T13:30:00+01:30", NOON),
        ("2026-01-02T04:00:00-08:00", NOON),
        ("2026-01-02T13:00:00+0100", NOON),
        ("2026-01-02T13:00:00+01", NOON),
        ("2026-01-02 12:00:00", NOON),
        ("2026-01-02t12:00:00z", NOON),
        (" 2026-01-02T12:00:00 Z ", NOON),
        ("2026-01-01T24:00:00Z", NOON - 12 * 3600),
        ("2026-01-02T11:59:60Z", NOON - 1),
    ],
)
def test_dates(text: str, seconds: float) -> None:
    assert when(text) == pytest.approx(seconds, abs=1e-6)


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "02.01.2026", "2" * 100),
        *("2026-13-01", "2026-02-30", "2026-01-02T25:00Z", "2026-01-02T12:61Z", "1969-01-01"),
        *("0000-01-01", "0001-01-01T00:00+23:59", "9999-12-31T23:59-99:99"),
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert when(text) == 0.0


@given(st.text(alphabet="0123456789-:TZ+. ") | st.text())
def test_nothing_raises(text: str) -> None:
    assert when(text) >= 0.0
