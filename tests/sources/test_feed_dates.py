"""Dates of feeds, standard and otherwise."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.sources.feed_dates import iso_utc, when


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thu, 01 Jan 2004 19:48:21 GMT", "2004-01-01T19:48:21Z"),
        ("Thu, 1 Jan 04 19:48 EST", "2004-01-02T00:48:00Z"),
        ("01 Jan 2004 19:48:21 +0530", "2004-01-01T14:18:21Z"),
        ("Thursday, 01 January 2004 19:48:21 -0800", "2004-01-02T03:48:21Z"),
        ("Thu,01 Jan 2004 19:48:21 +01:00", "2004-01-01T18:48:21Z"),
        ("Thu, 01 Jan 2004 19:48:21 GMT+2", "2004-01-01T17:48:21Z"),
        ("Thu, 01 Jan 2004 19:48:21 Etc/GMT", "2004-01-01T19:48:21Z"),
        ("Thu, 01 Jan 2004 19:48:21 XYZ", "2004-01-01T19:48:21Z"),
        ("Thu, 01 Jan 2004", "2004-01-01T00:00:00Z"),
        ("Jan 1, 2004 at 19:48", "2004-01-01T19:48:00Z"),
        ("January 1st, 2004", ""),
        ("Thu Jan  1 19:48:21 2004", "2004-01-01T19:48:21Z"),
        ("Thu Jan  1 19:48:21 PST 2004", "2004-01-02T03:48:21Z"),
        ("  Thu,  01\n Jan 2004\t19:48:21  GMT ", "2004-01-01T19:48:21Z"),
        ("2003-12-31T10:14:55Z", "2003-12-31T10:14:55Z"),
        ("2003-12-31T10:14:55.123456789-08:00", "2003-12-31T18:14:55Z"),
        ("2003-12-31T10:14:55+0530", "2003-12-31T04:44:55Z"),
        ("2003-12-31t10:14z", "2003-12-31T10:14:00Z"),
        ("2003-12-31 10:14:55", "2003-12-31T10:14:55Z"),
        ("2003-12-31", "2003-12-31T00:00:00Z"),
        ("20031231", "2003-12-31T00:00:00Z"),
        ("2003-12", "2003-12-01T00:00:00Z"),
        ("2003", "2003-01-01T00:00:00Z"),
        ("2003/12/31 10:14", "2003-12-31T10:14:00Z"),
        ("2003-12-31T24:00:00Z", "2004-01-01T00:00:00Z"),
        ("2003-12-31T23:59:60Z", "2004-01-01T00:00:00Z"),
        ("Fri, 31 Dec 99 23:00:00 GMT", "1999-12-31T23:00:00Z"),
        ("0001-01-01T00:00:00+10:00", ""),
        ("9999-12-31T23:59:59-10:00", ""),
        ("2003-02-30", ""),
        ("2003-12-31T25:00:00Z", ""),
        ("2003-12-31T10:14:55+99:00", ""),
        ("31 Foo 2003", ""),
        ("yesterday", ""),
        ("", ""),
        ("0" * 10_000, ""),
        ("1 " * 10_000, ""),
        ("２００３-12-31", ""),
    ],
)
def test_a_date(text: str, expected: str) -> None:
    assert iso_utc(text) == expected


def test_seconds() -> None:
    assert when("1970-01-02T00:00:00+01:00") == 82_800
    assert when("no date") is None


@settings(max_examples=200)
@given(st.text(alphabet="0123456789-:+., tTzZMonJanGMTat/", max_size=40))
def test_no_text_raises(text: str) -> None:
    found = iso_utc(text)
    assert found == "" or iso_utc(found) == found
