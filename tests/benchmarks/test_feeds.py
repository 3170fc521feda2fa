"""The benchmark of feeds, on few items."""

import pytest

from benchmarks.feeds import URL, by_feedparser, cost, feed
from shoal.sources.feed import read_feed


@pytest.mark.parametrize("broken", [False, True])
def test_both_find_the_same_items(broken: bool) -> None:
    body = feed(3, 2, broken=broken)
    ours = read_feed(body, URL)
    assert len(ours.items) == by_feedparser(body) == 3
    assert bool(ours.problem) is broken
    assert '<a href="https://example.org/rel/1">' in ours.items[0].content


def test_who_finds_too_little_is_not_timed() -> None:
    assert cost(lambda: 3, 3) >= 0
    with pytest.raises(AssertionError):
        cost(lambda: 2, 3)
