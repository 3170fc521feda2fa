"""Row keys: reversible for every href, and ordered so that sites and domains are ranges."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.model.urls.rowkey import (
    KeyRange,
    domain_range,
    prefix_range,
    row_key,
    site_key,
    site_of_key,
    suffix_range,
    url_of,
)
from shoal.model.urls.url import resolve, site_of


@pytest.mark.parametrize(
    ("href", "key"),
    [
        ("https://en.wikipedia.org/wiki/Fish", b"org,wikipedia,en)443:https/wiki/Fish"),
        ("http://localhost/", b"localhost)80:http/"),
        ("http://127.0.0.1:8080/x", b"127.0.0.1)8080:http/x"),
        ("http://[::1]/", b"[::1])80:http/"),
        ("https://[2001:db8::1]:8443/x?y#z", b"[2001:db8::1])8443:https/x?y#z"),
        ("gopher://host/1/x", b"host):gopher/1/x"),
        ("gopher://a.host:70", b"host,a)70:gopher"),
        ("gopher://host?x", b"host):gopher?x"),
        ("http://u:p@h.org/x@y", b"org,h)80:http@u:p@/x@y"),
        ("http://:p@h.org/", b"org,h)80:http@:p@/"),
        ("http://h.org./", b",org,h)80:http/"),
        ("http://./", b",)80:http/"),
        ("http://h:0/", b"h)0:http/"),
        ("foo://1.2.3.999/", b"1.2.3.999):foo/"),
        ("file:///data/x", b"file:/data/x"),
        ("file:///", b"file:/"),
        ("file:////x", b"file:////x"),
        ("file://host/x", b"file://host/x"),
        ("mailto:a@b.org", b"mailto:a@b.org"),
        ("data:text/html,<p>)", b"data:text/html,<p>)"),
        ("mail:account/inbox/1", b"mail:account/inbox/1"),
        ("foo:///x", b"foo:///x"),
        ("foo:/.//x", b"foo:/.//x"),
        ("http://a,b.org/", b"http://a,b.org/"),
        ("http://a)b.org:81/", b"http://a)b.org:81/"),
        ("foo://wiki*/", b"foo://wiki*/"),
    ],
)
def test_form(href: str, key: bytes) -> None:
    assert resolve(href) == href, "the example is an href"
    assert row_key(href) == key
    assert url_of(key) == href


_pieces = st.sampled_from(
    (
        *("http:", "https:", "file:", "foo:", "git+ssh:", "mailto:", "//", "/", ".", "..", ","),
        *(")", "(", "*", "+", "@", ":", ":80", ":0", "[::1]", "?", "#", "%", "%00", "\x00", "a"),
        *("B", "h.org", "1.2.3.4", "-", "_", "!", "|", "\u00e9", " "),
    )
)
_shaped = st.lists(_pieces, max_size=12).map("".join)
_hrefs = st.one_of(
    _shaped,
    st.builds("".join, st.tuples(st.sampled_from(["http://", "foo://", "file://"]), _shaped)),
    st.builds("http://{}/{}".format, st.text(max_size=8), st.text(max_size=8)),
    st.builds("foo://{}/{}".format, st.text(max_size=8), st.text(max_size=8)),
    st.builds("foo:{}".format, st.text(max_size=8)),
).map(resolve)


@settings(max_examples=200, deadline=None)
@given(_hrefs)
def test_every_href_comes_back_and_knows_its_site(href: str | None) -> None:
    if href is None:
        return
    key = row_key(href)
    assert url_of(key) == href
    assert b"\0" not in key
    site = site_of(href)
    if site.port or ":0" not in href:  # an explicit port 0 is one with none, outside the web
        assert site_of_key(key) == site_key(site)
        if "@" not in href:
            assert key.startswith(site_key(site))


@given(st.lists(_hrefs.filter(bool), min_size=2, max_size=2, unique=True))
def test_two_hrefs_have_two_keys(hrefs: list[str]) -> None:
    assert row_key(hrefs[0]) != row_key(hrefs[1])


@pytest.mark.parametrize(
    ("key", "site"),
    [
        (b"org,wikipedia,en)443:https/wiki", b"org,wikipedia,en)443:https"),
        (b"org,h)80:http@u:p@/x", b"org,h)80:http"),
        (b"[::1])80:http/", b"[::1])80:http"),
        (b"host):gopher", b"host):gopher"),
        (b"file:/data/x", b"file:"),
        (b"file:////x", b"file:"),
        (b"file://host/x", b"file://host"),
        (b"mailto:a@b.org", b"mailto:"),
        (b"http://a,b.org:81/x", b"http://a,b.org:81"),
        (b"http://u:p@a,b.org/x", b"http://a,b.org"),
    ],
)
def test_the_site_of_a_key(key: bytes, site: bytes) -> None:
    assert site_of_key(key) == site


@pytest.mark.parametrize("key", [b"", b"nothing", b")443:https/"])
def test_what_is_no_row_key(key: bytes) -> None:
    with pytest.raises(ValueError, match="is not a row key"):
        site_of_key(key)


def _within(key: bytes, span: KeyRange) -> bool:
    return span[0] <= key < span[1]


def _found(hrefs: list[str], span: KeyRange) -> set[str]:
    """A scan as the table does it: keys in byte order, cut at both ends."""
    keys = sorted(map(row_key, hrefs))
    return {url_of(key) for key in keys if _within(key, span)}


WIKIPEDIA = [
    "http://wikipedia.org/",
    "https://wikipedia.org/a?b",
    "https://wikipedia.org:8443/",
    "https://en.wikipedia.org/wiki/Fish",
    "https://a.b.wikipedia.org/~x",
    "gopher://en.wikipedia.org",
    "http://!.wikipedia.org/",
    "http://u:p@wikipedia.org/",
]
NEIGHBOURS = [
    "http://org/",
    "http://wikipedi.org/",
    "http://wikipedia-fans.org/",
    "http://wikipedia!.org/",
    "http://wikipedia*.org/",
    "http://wikipedia+.org/",
    "http://wikipedia2.org/",
    "http://wikipediaa.org/",
    "http://wikipedia.org.example/",
    "http://wikipedia.com/",
    "http://mywikipedia.org/",
    "file:///org,wikipedia)80:http/",
    "mailto:wikipedia.org",
]


def test_a_domain_is_a_range_without_its_neighbours() -> None:
    for domain in ("wikipedia.org", "Wikipedia.ORG", "wikipedia.org."):
        assert _found(WIKIPEDIA + NEIGHBOURS, domain_range(domain)) == set(WIKIPEDIA)


def test_a_suffix_is_a_range() -> None:
    edu = ["http://mit.edu/", "https://www.cs.umass.edu/x", "http://a-b.edu/", "ftp://ftp.x.edu/"]
    other = ["http://edu.org/", "http://x.edu-x/", "http://x.edux/", "http://mit.edu.au/"]
    assert _found(edu + other, suffix_range(".edu")) == set(edu)
    assert _found(edu + other, suffix_range(".edu.au")) == {"http://mit.edu.au/"}


def test_an_address_is_a_range_of_its_own() -> None:
    hosts = ["http://127.0.0.1/", "http://127.0.0.1:81/x", "http://127.0.0.10/", "http://[::1]/"]
    assert _found(hosts, domain_range("127.0.0.1")) == set(hosts[:2])
    assert _found(hosts, domain_range("[::1]")) == set(hosts[3:])


@pytest.mark.parametrize(
    ("prefix", "inside", "outside"),
    [
        (
            "https://en.wikipedia.org/wiki/",
            ["https://en.wikipedia.org/wiki/", "https://en.wikipedia.org/wiki/~?x"],
            ["https://en.wikipedia.org/wiki", "https://en.wikipedia.org/wiki0", "http://x/"],
        ),
        ("http://h/a", ["http://h/a", "http://h/ab", "http://h/a/b"], ["http://h/b", "http://h/"]),
        ("http://h", ["http://h/", "http://h/x"], ["https://h/", "http://h:81/", "http://hh/"]),
        ("file:///data/", ["file:///data/x"], ["file:///data", "file://data/x"]),
        ("mailto:a", ["mailto:a@b"], ["mailto:b@a"]),
    ],
)
def test_a_prefix_is_a_range(prefix: str, inside: list[str], outside: list[str]) -> None:
    assert _found(inside + outside, prefix_range(prefix)) == set(inside)
