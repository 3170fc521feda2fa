"""The benchmark of ranking, on a few thousand links."""

from benchmarks.rank import compare, decode_ns, measure, pages


def test_what_is_drawn_is_a_web_of_that_size() -> None:
    drawn = list(pages(20_000))
    assert len(drawn) == 2000
    assert 17_000 < sum(found.links for _, found in drawn) < 23_000
    assert 0.5 < sum(bool(found.targets) for _, found in drawn) / 2000 < 0.7


def test_everything_is_measured_and_the_ways_agree() -> None:
    found = measure(5000)
    assert found.iterations > 5
    assert found.disk_mb > 0
    assert all(seconds > 0 for seconds in compare(5000))  # raises when their ranks differ
    assert decode_ns() > 0
