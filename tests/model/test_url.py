"""W5: one name per document. Every rule by example, and the two invariants by property."""

import socket
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.model.urls import url as url_module
from shoal.model.urls.params import looks_like_id
from shoal.model.urls.url import (
    MAX_RAW,
    MAX_URL,
    ParamRules,
    Site,
    canonical,
    extension_of,
    is_ip,
    path_segments,
    registered_domain,
    resolve,
    robots_url,
    seen_key,
    site_of,
    twin,
)

BASE = "https://example.org/dir/page.html?q=1#top"
HEX_ID = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("other.html", "https://example.org/dir/other.html"),
        ("../up", "https://example.org/up"),
        ("/root", "https://example.org/root"),
        ("//cdn.example.net/x", "https://cdn.example.net/x"),
        ("?page=2", "https://example.org/dir/page.html?page=2"),
        ("#part", "https://example.org/dir/page.html?q=1"),
        ("", "https://example.org/dir/page.html?q=1"),
        ("  \n other.html\t ", "https://example.org/dir/other.html"),
        ("http://other.example/", "http://other.example/"),
        (b"caf\xc3\xa9", "https://example.org/dir/caf%C3%A9"),
        (b"caf\xe9", "https://example.org/dir/caf%EF%BF%BD"),
        ("a\ud800b", "https://example.org/dir/a%EF%BF%BDb"),
        ("\ud83d\udc1f", "https://example.org/dir/%F0%9F%90%9F"),
    ],
)
def test_relative_forms_are_resolved(raw: str | bytes, expected: str) -> None:
    assert canonical(raw, BASE) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("HTTP://EXAMPLE.Org/Path", "http://example.org/Path"),
        ("http://example.org:80", "http://example.org/"),
        ("https://example.org:443/", "https://example.org/"),
        ("http://example.org:/", "http://example.org/"),
        ("http://example.org:8080/", "http://example.org:8080/"),
        ("http://example.org/a/./b/../c", "http://example.org/a/c"),
        ("http://example.org/a/%2e%2E/c", "http://example.org/c"),
        ("http://example.org/a?x=1#part?y", "http://example.org/a?x=1"),
        ("http://example.org/a?", "http://example.org/a"),
        ("http://example.org/a?#", "http://example.org/a"),
        ("http://user:secret@example.org:81/", "http://example.org:81/"),
        ("gopher://user@example.org/1/x", "gopher://example.org/1/x"),
        ("http://example.org./a", "http://example.org/a"),
        ("http://example.org.:81/a", "http://example.org:81/a"),
        ("http://example.org../a", "http://example.org/a"),
        ("http://1.2.3../", "http://1.2.0.3/"),  # an address appears with the dots gone
        ("file://localhost./x", "file:///x"),
        ("http://b\u00fccher.example/", "http://xn--bcher-kva.example/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[::0001]/", "http://[::1]/"),
        ("mailto:someone@example.org?subject=x#y", "mailto:someone@example.org?subject=x"),
        ("data:text/plain,%41  #x", "data:text/plain,%41 %20"),
        ("mail:account/inbox/1", "mail:account/inbox/1"),
    ],
)
def test_host_port_path_and_fragment(raw: str, expected: str) -> None:
    assert canonical(raw) == expected


@pytest.mark.parametrize("path", ["/a/", "/a", "/a/?x=1", "/a?x=1"])
def test_trailing_slash_is_kept_as_served(path: str) -> None:
    assert canonical(f"http://example.org{path}") == f"http://example.org{path}"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/%7euser/%41%2D%2e%5F", "/~user/A-._"),
        ("/caf%c3%a9", "/caf%C3%A9"),
        ("/a%2fb%3f", "/a%2Fb%3F"),  # reserved characters stay escaped
        ("/100%zz", "/100%zz"),
        ("/%2541", "/%2541"),
        # What stands escaped behind a stray % stays so: decoded, it would become a new escape.
        ("/%%34%31", "/%%341"),
        ("/%4%31", "/%4%31"),
        ("/%%341", "/%%341"),
        ("/%%2e", "/%%2E"),
        ("/?q=%7e%3d", "/?q=~%3D"),
        ("/?q=100%&r=%%37%65", "/?q=100%&r=%%37e"),
    ],
)
def test_percent_escapes(path: str, expected: str) -> None:
    assert canonical(f"http://example.org{path}") == f"http://example.org{expected}"


def test_a_drive_letter_that_decoding_reveals_is_read_again() -> None:
    assert canonical("file:///%43|/x") == "file:///C:/x"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("UTM_Source=a&id=5", "id=5"),
        ("utm%5Fsource=a&id=5", "id=5"),
        ("b=2&gclid=x&a=1&fbclid=y&b=3", "b=2&a=1&b=3"),  # the order stays
        ("a=1&amp;utm_source=x", "a=1"),
        ("phpsessid=1&PHPSESSID=2&x", "x"),
        ("ASPSESSIONIDQQRRSSTT=ABC&x=1", "x=1"),
        ("cfid=1&cftoken=2&sessionid=3&session_id=4&x=1", "x=1"),
        (f"sid={HEX_ID}&x=1", "x=1"),
        ("sid=12&x=1", "sid=12&x=1"),
        ("session=keynote-2023-opening-talk", "session=keynote-2023-opening-talk"),
        ("&&a=1&&", "&&a=1&&"),
        ("a=1&utm_source=x&&b", "a=1&&b"),
        ("a=b=c&utm_x==", "a=b=c"),
        ("xutm_source=1&gclidx=2", "xutm_source=1&gclidx=2"),
        ("utm_source&utm_new_one=b", ""),
    ],
)
def test_tracking_and_session_parameters(query: str, expected: str) -> None:
    expected = f"http://example.org/p{'?' if expected else ''}{expected}"
    assert canonical(f"http://example.org/p?{query}") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/a.do;jsessionid=12AB.node1!7?x=1", "/a.do?x=1"),
        ("/a;JSESSIONID=1/b;v=2", "/a/b;v=2"),
        ("/a;jsessionid", "/a"),
        (f"/a;sid={HEX_ID};v=1", "/a;v=1"),
        ("/a;sid=3", "/a;sid=3"),
        ("/a;%6Asessionid=1", "/a"),
        ("/a/b/..;jsessionid=1/c", "/a/c"),  # the dot segment appears with the id gone
        ("/app/(S(lit3py55t21z5v55vlm25s55))/p.aspx", "/app/p.aspx"),
        ("/(A(x1)S(lit3py55t21z5v55vlm25s55)F(y))/(S(abc))/p", "/p"),
        ("/app/(S(lit3py55t21z5v55vlm25s55))", "/app"),
        ("/wiki/(S)/Fish_(food)/(S(x)", "/wiki/(S)/Fish_(food)/(S(x)"),
    ],
)
def test_session_ids_in_the_path(path: str, expected: str) -> None:
    assert canonical(f"http://example.org{path}") == f"http://example.org{expected}"


def test_a_file_name_is_no_session() -> None:
    saved = "file:///saved/page.jsp;jsessionid=1?utm_source=x"
    assert canonical(saved) == saved


def test_the_user_edits_the_list() -> None:
    rules = ParamRules.from_names(
        strip=["Ref", "xx_*"], keep=["utm_id", "jsessionid", "asp.net_sessionid"]
    )
    query = "http://example.org/p?ref=1&xx_a=2&utm_id=3&utm_source=4&a=5"
    assert canonical(query, rules=rules) == "http://example.org/p?utm_id=3&a=5"
    for path in ("http://example.org/p;jsessionid=1", "http://example.org/(S(abc))/p"):
        assert canonical(path, rules=rules) == path
    keep_all = ParamRules.from_names(strip=["a"], keep=["*"])
    assert canonical(query, rules=keep_all) == query
    strip_all = ParamRules.from_names(strip=["*"])
    assert canonical(query, rules=strip_all) == "http://example.org/p"


@pytest.mark.parametrize("name", ["", " ", "a*b", "**", "*x"])
def test_a_name_that_cannot_match_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not a parameter name"):
        ParamRules.from_names(strip=[name])


def test_looks_like_id() -> None:
    ids = [HEX_ID, "A" * 16, "3f2504e0-4f89-11d3-9a0c-0305e82c3301"]
    ids += ["o7hjk3ns0e1mq2vt9xwz4y5u6a", "aB3_xZ-9qLmNoPqRsTuV=="]
    assert [value for value in ids if not looks_like_id(value)] == []
    others = ["", "a" * 15, "internationalization", "python3-for-beginners-and-others"]
    assert [value for value in others if looks_like_id(value)] == []


@pytest.mark.parametrize(
    "raw",
    ["", "no scheme", "http://", "http://a b/", "http://[::1", "http://.../", "http://h:99999/"],
)
def test_not_a_url(raw: str) -> None:
    assert canonical(raw) is None


def test_an_unusable_base_gives_nothing() -> None:
    assert canonical("x", "mailto:someone") is None
    assert canonical("x", "\ud800") is None
    assert canonical("x", "http://example.org/" + "a" * MAX_RAW) is None


def test_length_limits() -> None:
    stem = "http://example.org/"
    fits = stem + "a" * (MAX_URL - len(stem))
    assert canonical(fits) == fits
    assert canonical(fits + "a") is None
    assert canonical(fits + "%61#" + "b" * 9000) is None
    assert canonical(fits[:-1] + "%61#" + "b" * 9000) == fits  # measured when canonical
    assert canonical("x" * (MAX_RAW + 1), stem) is None
    assert canonical(b" " * MAX_RAW + b"x", stem) is None


@pytest.mark.parametrize(
    "raw",
    [
        *("http://h/" + "%%33" * 16000, "http://h/" + "%" * 65000, "http://h/" + "%3" * 32000),
        *("http://h/" + ";jsessionid" * 5900, "http://h/" + "..;jsessionid/" * 4600),
        *("http://h/" + "/(S(" * 16000, "http://h/" + "/(S(a)A(" * 8000),
        *("http://h/?" + "&" * 65000, "http://h/?sid=" + "aA0-" * 16000 + "!"),
        *("foo://" + "." * 65000 + "x", "foo://" + "@" * 65000, "a:" * 32000),
        "http://" + "\u4e00" * 60000,
    ],
)
def test_hostile_input_takes_linear_time(raw: str) -> None:
    started = time.process_time()
    canonical(raw)
    seen_key(raw)
    assert time.process_time() - started < 10  # a quadratic step takes much longer


# Shapes that reach every rule: separators, escapes, dots and session ids in any order.
_pieces = st.sampled_from(
    (
        *("http:", "https:", "file:", "foo:", "//", "/", "\\", ".", "..", "%2e", "%", "%4", "%34"),
        *("%31", "%25", "%%34%31", "%7e", "%c3%a9", "%2f", "?", "#", "&", "=", ";", "@", ":"),
        *(":80", "[::1]", "a", "C", "|", " ", "\t", "\x00", "\u00e9", "\ud800", "1", "0x7f"),
        *("h.", "example.org", "xn--", ";jsessionid=1", f";sid={HEX_ID}", "/(S(abc))"),
        *("utm_x=1", "amp;", f"sid={HEX_ID}"),
    )
)
_shaped = st.lists(_pieces, max_size=14).map("".join)
_raw = st.one_of(
    _shaped,
    *(_shaped.map(start.__add__) for start in ("http://h/", "http://", "foo://", "file:///")),
    *(st.text(st.characters()).map(start.__add__) for start in ("", "http://h/")),
    *(st.binary().map(start.__add__) for start in (b"", b"http://h/")),
)


@settings(max_examples=200, deadline=None)
@given(_raw, st.one_of(st.none(), st.just(BASE), _shaped))
@example("http://h/%%34%31", None)
@example("http://1.2.3../", None)
@example("foo:/..;jsessionid=1//x", None)
def test_canonical_never_raises_and_is_idempotent(raw: str | bytes, base: str | None) -> None:
    url = canonical(raw, base)
    if url is not None:
        assert canonical(url) == url
        assert canonical(url, BASE) == url
        assert canonical(url.encode()) == url
        assert resolve(url) == url  # still the standard's own form
        assert url.isascii()
        assert not {"#", "\0"} & set(url)
        assert len(url) <= MAX_URL


@settings(max_examples=100, deadline=None)
@given(_raw)
def test_an_href_has_a_site_a_seen_key_and_a_mutual_twin(raw: str | bytes) -> None:
    url = canonical(raw)
    if url is None:
        return
    site = site_of(url)
    assert "/" not in site.host
    assert not any("/" in segment for segment in path_segments(url))
    assert extension_of(url).isalnum() or extension_of(url) == ""
    assert registered_domain(site.host) == "" or site.host.endswith(registered_domain(site.host))
    other = twin(url)
    assert other is not None or seen_key(url) == url
    if other is not None:
        assert twin(other) == url
        assert seen_key(other) == seen_key(url)
        assert canonical(other) in (other, None)  # None: one character too long


@pytest.mark.parametrize(
    ("url", "key", "other"),
    [
        ("http://h/", "http://h/", None),
        ("http://h/?x/", "http://h/?x/", None),
        ("http://h/a", "http://h/a", "http://h/a/"),
        ("http://h/a/", "http://h/a", "http://h/a"),
        ("http://h/a/?x=1/", "http://h/a?x=1/", "http://h/a?x=1/"),
        ("http://h/a?x=1/", "http://h/a?x=1/", "http://h/a/?x=1/"),
        ("http://h//", "http://h//", None),
        ("http://h/a//", "http://h/a//", None),
        ("mailto:a/", "mailto:a/", None),
        ("gopher://h", "gopher://h", None),
    ],
)
def test_seen_key_and_twin(url: str, key: str, other: str | None) -> None:
    assert seen_key(url) == key
    assert twin(url) == other


@pytest.mark.parametrize(
    ("url", "site", "label", "origin"),
    [
        ("https://h.org/x", ("https", "h.org", 443), "h.org", "https://h.org"),
        ("http://h.org/x", ("http", "h.org", 80), "h.org", "http://h.org"),
        ("http://h.org:443/", ("http", "h.org", 443), "h.org:443", "http://h.org:443"),
        ("http://u:p@h.org:81/", ("http", "h.org", 81), "h.org:81", "http://h.org:81"),
        ("http://h.org:0/", ("http", "h.org", 0), "h.org:0", "http://h.org:0"),
        ("http://[::1]:81/", ("http", "[::1]", 81), "[::1]:81", "http://[::1]:81"),
        ("ftp://h.org/", ("ftp", "h.org", 21), "h.org", "ftp://h.org"),
        ("gopher://h.org/1", ("gopher", "h.org", 0), "h.org", "gopher://h.org"),
        ("gopher://h.org:70/1", ("gopher", "h.org", 70), "h.org:70", "gopher://h.org:70"),
        ("file:///x", ("file", "", 0), "", "file://"),
        ("mailto:a@b", ("mailto", "", 0), "", "mailto://"),
    ],
)
def test_site(url: str, site: tuple[str, str, int], label: str, origin: str) -> None:
    assert site_of(url) == Site(*site)
    assert site_of(url).host_label == label
    assert site_of(url).origin == origin


def test_site_of_what_is_no_url() -> None:
    with pytest.raises(ValueError, match="is not a URL"):
        site_of("/relative")


def test_robots_url() -> None:
    assert robots_url(Site("https", "h.org", 443)) == "https://h.org/robots.txt"
    assert robots_url(Site("http", "[::1]", 8080)) == "http://[::1]:8080/robots.txt"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("en.wikipedia.org", "wikipedia.org"),
        ("www.cs.ox.ac.uk", "ox.ac.uk"),
        ("alice.github.io", "alice.github.io"),
        ("www.alice.github.io", "alice.github.io"),
        ("a.b.unlisted-suffix", "b.unlisted-suffix"),
        *((alone, alone) for alone in ("co.uk", "localhost", "127.0.0.1", "[2001:db8::1]", "")),
    ],
)
def test_registered_domain(host: str, expected: str) -> None:
    assert registered_domain(host) == expected


def test_the_suffix_list_is_the_bundled_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def no_network(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    for variable in ("HOME", "XDG_CACHE_HOME", "TLDEXTRACT_CACHE"):
        monkeypatch.setenv(variable, str(tmp_path))
    url_module._suffix_list.cache_clear()  # construct it again, under watch
    assert registered_domain("a.b.co.uk") == "b.co.uk"
    assert list(tmp_path.iterdir()) == []


def test_is_ip() -> None:
    assert all(map(is_ip, ["127.0.0.1", "[::1]", "::1"]))
    assert not any(map(is_ip, ["example.org", "1.2.3", "[x]", "[", ""]))


@pytest.mark.parametrize(
    ("url", "segments", "extension"),
    [
        ("http://h/", [], ""),
        ("http://h/a/b.HTML?x.y/z.pdf", ["a", "b.HTML"], "html"),
        ("http://h/a/b.html/", ["a", "b.html"], ""),
        ("http://h/a//b", ["a", "", "b"], ""),
        ("http://h/x.tar.gz", ["x.tar.gz"], "gz"),
        ("http://h/p.jsp;v=1.2", ["p.jsp;v=1.2"], "jsp"),
        ("http://h/.htaccess", [".htaccess"], ""),
        ("http://h/St._Louis", ["St._Louis"], ""),
        ("file:///a/b.txt", ["a", "b.txt"], "txt"),
        ("mailto:a@b.org", [], ""),
    ],
)
def test_path_segments_and_extension(url: str, segments: list[str], extension: str) -> None:
    assert path_segments(url) == segments
    assert extension_of(url) == extension
