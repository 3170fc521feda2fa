"""Which stored links count, and that they are read as the store writes them."""

import pytest

from shoal.graph.votes import votes
from shoal.model.link import Link, Rel
from shoal.model.record import pack
from shoal.store.rows import OutLink

HERE, THERE, ELSEWHERE = b"org,a)443:https/", b"org,b)443:https/x", b"org,c)443:https/y"


def stored(*links: tuple[bytes, Rel]) -> bytes:
    return pack(
        [OutLink(Link("https://b.org/x", row, "text", int(rel)), row) for row, rel in links]
    )


def test_plain_links_are_votes() -> None:
    found = votes(HERE, stored((THERE, Rel.PLAIN), (ELSEWHERE, Rel.EMBED)))
    assert found.targets == [THERE, ELSEWHERE]
    assert found.links == 2


@pytest.mark.parametrize("rel", [Rel.NOFOLLOW, Rel.UGC, Rel.SPONSORED, Rel.FEED, Rel.SITEMAP])
def test_some_are_not(rel: Rel) -> None:
    found = votes(HERE, stored((THERE, rel), (ELSEWHERE, Rel.PLAIN)))
    assert found.targets == [ELSEWHERE]
    assert found.links == 2


def test_nobody_votes_for_itself_or_for_what_is_kept_elsewhere() -> None:
    assert votes(HERE, stored((HERE, Rel.PLAIN), (b"", Rel.PLAIN))).targets == []


def test_a_redirect_passes_on_what_it_gets() -> None:
    assert votes(HERE, stored((THERE, Rel.REDIRECT))).targets == [THERE]


def test_a_page_with_another_canonical_page_passes_on_what_it_gets() -> None:
    links = stored((ELSEWHERE, Rel.PLAIN), (THERE, Rel.CANONICAL))
    assert votes(HERE, links).targets == [THERE]


def test_a_page_that_is_its_own_canonical_page_votes_as_others() -> None:
    assert votes(HERE, stored((HERE, Rel.CANONICAL), (THERE, Rel.PLAIN))).targets == [THERE]


def test_links_of_a_later_release_are_read_too() -> None:
    """Fields are only ever appended."""
    link = ["https://b.org/x", THERE, "text", 0, "", 0.5, "link", b"", 3, "new"]
    assert votes(HERE, pack([[link, THERE, "newer"]])).targets == [THERE]
