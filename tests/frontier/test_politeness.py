"""The arithmetic of waiting."""

from random import Random

import pytest

from shoal.clock import as_datetime
from shoal.frontier.schedule.politeness import Politeness, is_public, retry_after

LOCAL, PUBLIC = "127.0.0.1:80", "93.184.216.34:443"
NOW = 784_111_777.0
"""Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110's examples."""


@pytest.mark.parametrize(
    ("fetch_seconds", "crawl_delay", "seconds"),
    [
        (0.0, None, 3.0),  # the configured delay
        (0.1, None, 3.0),
        (2.0, None, 10.0),  # five times the fetch
        (100.0, None, 60.0),  # capped
        (0.0, 10.0, 10.0),  # the site's own wish
        (0.0, 1.0, 3.0),  # which never shortens ours
        (0.0, 9_999.0, 120.0),  # capped
        (4.0, 10.0, 20.0),  # the largest of all
    ],
)
def test_the_pause_is_the_largest_of_three(
    fetch_seconds: float, crawl_delay: float | None, seconds: float
) -> None:
    assert Politeness().pause(fetch_seconds, crawl_delay, LOCAL) == seconds


def test_a_public_address_is_asked_once_a_second_at_most() -> None:
    hasty = Politeness(delay=0.01, delay_factor=0)
    assert hasty.pause(0.0, None, PUBLIC) == 1.0
    assert hasty.pause(0.0, None, "") == 1.0  # not known: fail closed
    assert hasty.pause(0.0, None, LOCAL) == 0.01
    assert hasty.pause(0.0, 2.0, PUBLIC) == 2.0


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8:80", True),
        ("8.8.8.8", True),
        ("10.1.2.3:80", False),
        ("192.168.1.1:8080", False),
        ("127.4.5.6:80", False),
        ("[::1]:80", False),
        ("[fe80::1]:80", False),
        ("[2606:4700::1111]:443", True),
        ("[::ffff:127.0.0.1]:80", False),
        ("[::ffff:8.8.8.8]:80", True),
        ("", True),
        ("no address", True),
        ("999.1.1.1:80", True),
    ],
)
def test_which_addresses_are_public(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_the_back_off_doubles_and_is_capped() -> None:
    class NoJitter(Random):
        def random(self) -> float:
            return 0.0

    polite = Politeness(backoff_base=10, backoff_cap=100)
    waits = [polite.backoff(n, NoJitter()) for n in range(7)]
    assert waits == [0, 10, 20, 40, 80, 100, 100]
    assert polite.backoff(10_000, NoJitter()) == 100


def test_the_jitter_only_lengthens() -> None:
    polite, random = Politeness(backoff_base=10, backoff_cap=100), Random(3)
    waits = [polite.backoff(2, random) for _ in range(1_000)]
    assert 20 <= min(waits) < 20.1
    assert 24.9 < max(waits) <= 25
    assert max(polite.backoff(50, random) for _ in range(1_000)) <= 125


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("9" * 400, 999_999_999_999.0),
        ("Sun, 06 Nov 1994 08:51:37 GMT", 120.0),
        ("Sunday, 06-Nov-94 08:51:37 GMT", 120.0),  # RFC 850, obsolete
        ("Sun Nov  6 08:51:37 1994", 120.0),  # asctime: no zone, and still GMT
        ("Sun, 06 Nov 1994 09:51:37 +0100", 120.0),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0.0),  # past
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("١٢", None),  # digits, but not ASCII
        ("Sun, 06 Nov 99999 08:51:37 GMT", None),
        ("\x00", None),
        ("x" * 100_000, None),
    ],
)
def test_retry_after_in_both_forms(value: str, seconds: float | None) -> None:
    assert as_datetime(NOW).isoformat() == "1994-11-06T08:49:37+00:00"
    assert retry_after(value, NOW) == seconds


def test_dates_without_a_zone_do_not_depend_on_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    import time  # noqa: PLC0415 - only this test changes the zone

    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert retry_after("Sun Nov  6 08:51:37 1994", NOW) == 120.0
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_gap_between_two_requests_to_an_address() -> None:
    assert Politeness(delay=3, address_share=30).address_gap() == 0.1
    assert Politeness(delay=3, address_share=0).address_gap() == 0.0


def test_no_wait_is_longer_than_the_longest() -> None:
    polite = Politeness(delay=5, backoff_cap=3600, retry_after_cap=60, crawl_delay_cap=120)
    assert polite.longest() >= max(polite.backoff(99, Random(n)) for n in range(50))
    assert Politeness(delay=1_000_000).longest() >= 1_000_000
