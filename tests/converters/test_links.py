"""Links: the shortcuts that make them cheap give what the long way gives."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.converters import links
from shoal.converters.links import Hrefs
from shoal.model.link import Rel
from shoal.model.urls.rowkey import row_key
from shoal.model.urls.url import canonical
from tests.converters.parts import link_maker

BASES = st.sampled_from(
    [
        "https://reef.example/fish/index.html",
        "http://reef.example:8080/",
        "https://user:pw@reef.example./a/b?c",
        "http://127.0.0.1/x",
        "http://[::1]:81/x",
        "https://xn--nxasmq6b.example/",
        "ftp://files.example/pub/",
        "file:///tank/fish/a.html",
    ]
)
PATHS = st.text("abZ09_~.-/%?;=&@:#( \\\u00e9", min_size=1, max_size=25)


@given(BASES, st.lists(PATHS, max_size=5))
def test_links_are_what_canonical_and_row_key_say(base: str, raws: list[str]) -> None:
    hrefs = Hrefs(100)
    for raw in raws:
        hrefs.add(raw, "", 0)
    links = link_maker().links("https://elsewhere.example/", base, hrefs)
    assert {link.url for link in links} <= {canonical(raw, base) for raw in raws}
    for link in links:
        assert canonical(link.url) == link.url
        assert link.row == row_key(link.url)


@given(BASES, st.text("abZ09_~.-/", min_size=1, max_size=30))
def test_a_plain_path_is_taken_as_canonical_takes_it(base: str, path: str) -> None:
    hrefs = Hrefs(100)
    hrefs.add("/" + path, "", 0)
    links = link_maker().links("https://elsewhere.example/", base, hrefs)
    expected = canonical("/" + path, base)
    assert [link.url for link in links] == ([expected] if expected else [])


@given(
    BASES
    | st.sampled_from(["http://a.example/x;jsessionid=1/y", "http://a.example/" + "x/" * 2040]),
    st.lists(
        st.builds(
            str.__add__,
            st.sampled_from(["", "", "http://b.example/", "http://B.example:80/", "//c.example/"]),
            st.text("abZ09_~.-/", min_size=1, max_size=30),
        ),
        max_size=4,
    ),
)
def test_plain_names_and_plain_urls_are_taken_as_canonical_takes_them(
    base: str, raws: list[str]
) -> None:
    maker = link_maker()
    for raw in raws:
        hrefs = Hrefs(100)
        hrefs.add(raw, "", 0)
        links = maker.links("https://elsewhere.example/", base, hrefs)
        expected = canonical(raw, base)
        assert [link.url for link in links] == ([expected] if expected else [])


def test_a_reference_is_folded_before_it_is_parsed() -> None:
    hrefs = Hrefs(2)
    hrefs.add(" /a\n", "", 1)
    hrefs.add("/a#x", "text", 1)
    hrefs.add("#x", "no", 0)
    hrefs.add("", "no", 0)
    hrefs.add("/b", "b", 0)
    hrefs.add("/c", "too many", 0)
    hrefs.add("/b", "later", 4)
    assert list(hrefs) == [("/a", ("text", 1)), ("/b", ("b", 0))]


def said_of(*said: tuple[str, str, int]) -> list[tuple[str, str, tuple[str, ...]]]:
    hrefs = Hrefs(100)
    for raw, text, rel in said:
        hrefs.add(raw, text, rel)
    found = link_maker().links("https://reef.example/", "https://reef.example/", hrefs)
    return [(link.url, link.text, link.more) for link in found]


def test_one_link_has_every_text_of_a_target() -> None:
    """Each once, whichever way the reference is written; none for what only has a picture."""
    assert said_of(
        ("/a", "", 0),
        ("/a", "Home", 0),
        ("/b", "b", 0),
        ("/a#top", "Start", 0),
        ("/a", "Home", 0),
        ("https://reef.example/a", "Start", 0),
        ("https://reef.example/a", "The reef", 0),
    ) == [
        ("https://reef.example/a", "Home", ("Start", "The reef")),
        ("https://reef.example/b", "b", ()),
    ]


@pytest.mark.parametrize("rel", [int(Rel.NOFOLLOW), int(Rel.UGC), int(Rel.SPONSORED)])
def test_a_link_that_is_no_vote_adds_no_text_to_one_that_is(rel: int) -> None:
    spam = (("/a", "Home", 0), ("/a", "casino", rel), ("https://reef.example/a", "pills", rel))
    assert said_of(*spam) == [("https://reef.example/a", "Home", ())]
    both = (("/a", "Home", rel), ("/a", "casino", rel))
    assert said_of(*both) == [("https://reef.example/a", "Home", ("casino",))]


def test_texts_of_a_target_are_bounded() -> None:
    many = [("/a" if number % 2 else "/a#x", f"text {number}", 0) for number in range(1_000)]
    [(_, text, more)] = said_of(*many)
    assert (text, more) == ("text 0", tuple(f"text {number}" for number in range(1, 8)))
    long = [(raw, f"{number}" + "\u00fc" * 199, 0) for number in range(9) for raw in ("/a", "a")]
    [(_, _, more)] = said_of(*long)
    assert len(more) == 2  # of 399 bytes each


def test_what_can_never_be_fetched_is_no_link() -> None:
    hrefs = Hrefs(100)
    for raw in (
        *("mailto:a@b.example", "JavaScript:alert(1)", "java\nscript:1", "data:text/html,x"),
        *(
            "tel:+1",
            "about:blank",
            "http://[bad",
            "https://" + "x" * 5000,
            "gopher://hole.example/1",
        ),
    ):
        hrefs.add(raw, "", 0)
    links = link_maker().links("https://reef.example/", "https://reef.example/", hrefs)
    assert [link.url for link in links] == ["gopher://hole.example/1"]


RAWS = st.lists(st.text("ab/?:.;=%#@", min_size=1, max_size=6), min_size=1, max_size=6)


@given(st.lists(st.tuples(BASES, RAWS), min_size=2, max_size=6))
@settings(max_examples=100)
def test_what_is_remembered_of_a_target_changes_nothing(pages: list[tuple[str, list[str]]]) -> None:
    """One maker, page after page, gives what a new maker gives for each; and so do the very
    URLs that were found, when they are named whole, by path, or by their end."""
    remembers = link_maker()
    for base, raws in pages:
        hrefs = Hrefs(100)
        for raw in raws:
            hrefs.add(raw, "text", 0)
        found = link_maker().links("https://elsewhere.example/", base, hrefs)
        assert remembers.links("https://elsewhere.example/", base, hrefs) == found
        others = Hrefs(100)
        for link in found:
            _, _, path = link.url.partition("://")
            for raw in (link.url, "/" + path.partition("/")[2], path.rpartition("/")[2], path):
                others.add(raw, "", 0)
        fresh = link_maker().links("https://elsewhere.example/", base, others)
        assert remembers.links("https://elsewhere.example/", base, others) == fresh


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(links, "_MAX_REMEMBERED", 10)
    maker = link_maker()
    for number in range(25):
        hrefs = Hrefs(100)
        hrefs.add(f"/{number}", "", 0)
        hrefs.add("/" + "x" * 2_000, "", 0)
        maker.links("https://reef.example/", "https://reef.example/", hrefs)
        assert len(maker._targets) <= 10
        assert all(len(url) < 1_500 for url in maker._targets)
