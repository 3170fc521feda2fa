"""Numbers, sizes and times as people read and write them."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.cli.terminal.wording import count, duration, harmless, one_line, parts, size, to_time
from shoal.errors import UsageError

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC).timestamp()


def test_numbers() -> None:
    assert [size(n) for n in (0, 999, 1_000, 1_500_000, 2e9, 3e12, 4e15)] == [
        "0 bytes",
        "999 bytes",
        "1.0 KB",
        "1.5 MB",
        "2.0 GB",
        "3.0 TB",
        "4,000.0 TB",
    ]
    assert [duration(s) for s in (0, 9.94, 45, 200, 3600, 7500, 90_000)] == [
        "0.0 s",
        "9.9 s",
        "45 s",
        "3 min 20 s",
        "1 h",
        "2 h 5 min",
        "1 d 1 h",
    ]
    assert (count(1, "page"), count(2, "page"), count(2, "body", "bodies")) == (
        "1 page",
        "2 pages",
        "2 bodies",
    )
    assert parts({"a": 1, "b": 0, "c": 2000}) == "a 1 + c 2,000"


@pytest.mark.parametrize(
    ("text", "seconds_ago"),
    [
        ("2026-11-15", 12 * 3600),
        ("2026-11-15T11:00", 3600),
        ("2026-11-15T11:00:00Z", 3600),
        ("2026-11-15T12:00:00+01:00", 3600),
        ("2h", 7200),
        ("7d", 7 * 86400),
        ("0.5h", 1800),
    ],
)
def test_times(text: str, seconds_ago: float) -> None:
    assert to_time(text, "--at", NOW) == NOW - seconds_ago


def test_a_time_that_is_none() -> None:
    with pytest.raises(UsageError, match="--at must be a date such as"):
        to_time("soon", "--at", NOW)


@given(st.text())
def test_a_time_is_read_or_refused(text: str) -> None:
    with suppress(UsageError):
        assert isinstance(to_time(text, "--at", NOW), float)


@given(st.text())
def test_nothing_that_a_terminal_obeys_is_shown(text: str) -> None:
    assert not [c for c in harmless(text) if ord(c) < 32 and c not in "\n\t"]
    assert "\x1b" not in harmless(text)
    assert "\n" not in one_line(text)
