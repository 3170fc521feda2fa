"""The ContentScorer port: bytes of one length, more for more, and never a fault."""

from collections.abc import Callable

import pytest

from shoal.focus.likeness import QueryLikeness
from shoal.ports import ContentScorer

SCORERS: dict[str, Callable[[], ContentScorer]] = {
    "QueryLikeness": lambda: QueryLikeness(("reef", "tide", "鯨")),
}
TEXTS = ["", "reef", "Reef and tide " * 1_000, "\0\ud800 鯨", "x" * 100_000]


@pytest.fixture(params=SCORERS)
def scorer(request: pytest.FixtureRequest) -> ContentScorer:
    return SCORERS[request.param]()


def test_every_answer_has_a_byte_for_each_part(scorer: ContentScorer) -> None:
    parts = len(scorer.page("", ""))
    assert parts > 0
    for text in TEXTS:
        page = scorer.page(text[:100], text)
        assert len(page) == parts
        for url in ("", "http://a.test/", f"http://a.test/{text[:50]}?%zz#"):
            assert len(scorer.link(text[:100], text[:100], url, page)) == parts


def test_nothing_is_near_where_nothing_is_said(scorer: ContentScorer) -> None:
    nothing = bytes(len(scorer.page("", "")))
    assert scorer.page("", "") == nothing
    assert scorer.link("", "", "", nothing) == nothing


def test_a_page_that_is_near_speaks_for_its_links(scorer: ContentScorer) -> None:
    parts = len(scorer.page("", ""))
    near = scorer.link("", "", "http://a.test/", b"\xff" * parts)
    assert all(part >= 0 for part in near)
    assert near >= scorer.link("", "", "http://a.test/", bytes(parts))
