"""`shoal plan`: the textbook's example, and what is missing."""

from tests.cli.command import Shoal

EXAMPLE = ("--bandwidth=10MB", "--page-size=10KB", "--latency=500ms", "--delay=10s")


def test_the_example_needs_500_connections_and_10000_hosts(shoal: Shoal) -> None:
    assert shoal.ok("plan", *EXAMPLE, "--json").json == {
        "pages_per_second": 1000.0,
        "connections": 500,
        "hosts": 10_000,
    }
    assert shoal.ok("plan", *EXAMPLE).lines == [
        "10.0 MB/s ÷ 10.0 KB a page = 1,000 pages/s",
        "1,000 pages/s × 0.5 s = 500 connections at once",
        "1,000 pages/s × 10 s = 10,000 hosts with work at any time",
    ]


def test_half_a_plan_is_refused(shoal: Shoal) -> None:
    assert "also needs --delay" in shoal.refuses("plan", *EXAMPLE[:3])
    assert "--latency must be a number of seconds" in shoal.refuses(
        "plan", *EXAMPLE[:2], "--latency=slow", EXAMPLE[3]
    )
    assert "page size must be more than 0" in shoal.refuses(
        "plan", EXAMPLE[0], "--page-size=0", *EXAMPLE[2:]
    )
