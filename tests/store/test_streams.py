"""Streams of pages: by site, domain, suffix and prefix, by time, by status."""

import pytest

from shoal.model.document import Understood
from shoal.model.outcome import Outcome
from shoal.model.principal import OWNER
from shoal.model.urls.rowkey import domain_range, prefix_range, row_key, suffix_range
from shoal.store.pages import EVERYTHING, Filter
from tests.store.parts import HOUR, NOON, Desk, answer, visit_to

REEF = "https://reef.example/"
WEB = [
    "http://127.0.0.1:8080/",
    "https://edu.example/",
    "https://fish.example/",
    "https://fish.example/a",
    "https://fish.example/a/b",
    "https://fish.example/ab",
    "http://fish.example/a",
    "https://blog.fish.example/a",
    "https://fish-market.example/",
    "https://bay.edu/",
    "https://marine.bay.edu/fish",
    "https://education/",
]


@pytest.fixture
def web(source_schedule: Desk) -> Desk:
    for hours, url in enumerate(WEB):
        source_schedule.keep(url, url, NOON + hours * HOUR, status=200 if hours % 2 else 203)
        lost = answer(b"", NOON, status=404, outcome=Outcome.MISSING)
        source_schedule.commit(visit_to(f"{url}lost"), lost, Understood())
    return source_schedule


@pytest.mark.parametrize(
    ("bounds", "urls"),
    [
        (prefix_range("https://fish.example/"), ["", "a", "a/b", "ab"]),
        (prefix_range("https://fish.example/a"), ["a", "a/b", "ab"]),
        (prefix_range("https://fish.example/a/"), ["a/b"]),
        (prefix_range("https://none.example/"), []),
    ],
)
def test_a_stream_of_a_site_or_prefix(
    web: Desk, bounds: tuple[bytes, bytes], urls: list[str]
) -> None:
    found = [page.url for page in web.store.stream(*bounds, OWNER)]
    assert found == [f"https://fish.example/{path}" for path in urls]


def test_a_stream_of_a_domain_has_its_subdomains_and_no_neighbour(web: Desk) -> None:
    found = {page.url for page in web.store.stream(*domain_range("fish.example"), OWNER)}
    assert found == {url for url in WEB if "fish.example" in url}
    assert len(found) == 6


def test_a_stream_of_a_suffix(web: Desk) -> None:
    found = [page.url for page in web.store.stream(*suffix_range(".edu"), OWNER)]
    assert found == ["https://bay.edu/", "https://marine.bay.edu/fish"]


def test_a_stream_of_everything_is_in_row_order_without_what_is_no_page(web: Desk) -> None:
    found = [page.row for page in web.store.stream(b"", None, OWNER, EVERYTHING)]
    assert found == sorted(row_key(url) for url in WEB)


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        (Filter(since=NOON + 10 * HOUR), {10, 11}),
        (Filter(until=NOON + 2 * HOUR), {0, 1}),
        (Filter(since=NOON + 3 * HOUR, until=NOON + 5 * HOUR), {3, 4}),
        (Filter(status=203), {0, 2, 4, 6, 8, 10}),
        (Filter(since=NOON + 8 * HOUR, status=200), {9, 11}),
        (Filter(status=404), set()),
    ],
)
def test_a_stream_by_time_and_status(web: Desk, wanted: Filter, numbers: set[int]) -> None:
    found = {page.url for page in web.store.stream(b"", None, OWNER, wanted)}
    assert found == {WEB[number] for number in numbers}


def test_a_stream_gives_the_newest_version_once(source_schedule: Desk) -> None:
    for hours in range(3):
        source_schedule.keep(REEF, f"{hours}", NOON + hours * HOUR)
    assert [page.when for page in source_schedule.store.stream(b"", None, OWNER)] == [
        NOON + 2 * HOUR
    ]
