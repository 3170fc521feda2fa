"""How near words are to a query, and what a page shows of its links."""

import pytest

from shoal.errors import UsageError
from shoal.focus.likeness import QueryLikeness, words_of
from shoal.focus.rules import parse_rules
from shoal.focus.weighing import Weigher
from shoal.model.link import Link, Rel
from shoal.model.urls.rowkey import row_key

NOTHING = b"\0\0"


def test_the_words_of_a_query() -> None:
    assert words_of("Coral  reefs, CORAL") == ("coral", "reefs")
    assert words_of("") == ()
    assert words_of("Größe 鯨") == ("grösse", "鯨")
    for wrong in ("!!", " ".join(map(str, range(17))), "x" * 41):
        with pytest.raises(UsageError, match="--about"):
            words_of(wrong)


def test_a_page_says_more_the_more_often_and_in_its_title() -> None:
    near = QueryLikeness(("reef", "tide"))
    once, often = near.page("", "A reef."), near.page("", "A reef, reefs, and the reef.")
    assert NOTHING < once < often < near.page("Reef", "A reef, reefs, and the reef.")
    assert once[1] == 0
    assert near.page("", "Beefy reefkeepers retide") == NOTHING
    assert near.page("", "A reef. " + "word " * 5_000) < once
    assert near.page("", "") == NOTHING


def test_where_a_link_says_it_counts() -> None:
    near = QueryLikeness(("reef", "鯨"))
    anchor = near.link("Reefs", "", "http://a.test/x", b"")
    address = near.link("", "", "http://a.test/coral_reef", b"")
    around = near.link("", "of a reef here", "http://a.test/x", b"")
    page = near.link("", "", "http://a.test/x", bytes([255, 0]))
    assert anchor[0] > address[0] > around[0] > page[0] > 0
    assert near.link("", "", "http://reef.test/", b"")[0] == 0  # the site is not its pages
    assert near.link("白鯨記", "", "http://a.test/", b"")[1] == anchor[0]
    everything = near.link("reef", "reef", "http://a.test/reef", bytes([255, 0]))
    assert anchor[0] < everything[0] < 255


def page_link(path: str, text: str, **fields: object) -> Link:
    url = f"http://a.test{path}"
    return Link(url, row_key(url), text, **fields)  # type: ignore[arg-type]  # a test names its fields


def test_each_link_is_weighed_by_the_words_at_its_own_place() -> None:
    rules = parse_rules("priority 0.9 regex /ruled\n")
    weigher = Weigher(rules, QueryLikeness(("reef",)))
    far = "word " * 40
    text = f"more {far} about the reef more {far} more of nothing"
    links = [
        page_link("/1", "more"),
        page_link("/2", "more"),
        page_link("/3", "more"),
        page_link("/ruled", "x"),
        page_link("/sold", "x", rel=int(Rel.SPONSORED)),
        page_link("/out", "x", excluded="scope: not wanted"),
        page_link("/none", ""),
    ]
    page = weigher.weigh("", text, links)
    evidence = [link.evidence for link in links]
    assert page[0] > 0
    assert evidence[5] is None
    found = [each for each in evidence if each is not None]
    assert {each.among for each in found} == {5}
    first, second, third = (each.about for each in found[:3])
    assert second > first == third == found[-1].about > b"\0"
    assert [each.ruled for each in found] == [False] * 3 + [True] + [False] * 2


def test_without_a_query_links_are_only_counted() -> None:
    links = [page_link("/1", "a"), page_link("/2", "b")]
    assert Weigher(parse_rules(""), None).weigh("", "a b", links) == b""
    assert [link.evidence.among for link in links if link.evidence] == [2, 2]
