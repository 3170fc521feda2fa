"""The reader: one visit in, everything known about it out, whatever the server sent."""

import gzip
import hashlib
from base64 import b32encode
from importlib.metadata import EntryPoint
from unittest.mock import patch

import pytest
import xxhash
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters import registry
from shoal.converters.context import Context, Converted
from shoal.converters.limits import Limits
from shoal.converters.reader import Reader, ReaderSettings
from shoal.converters.registry import Registry
from shoal.errors import UsageError
from shoal.model.compression import unzstd
from shoal.model.document import Document, Fate, Signals, Understood
from shoal.model.link import LinkSource, Rel
from shoal.model.outcome import Outcome
from shoal.model.page import Page
from shoal.model.record import pack, unpack
from shoal.model.visit import Fetched, VisitKind
from tests.converters.parts import URL, LengthPrioritizer, WordScope, page, reader, visit

HTML = b"""<html lang=en><title>Reef</title><meta name=description content="About reefs">
<p>Fish swim. <a href="/a">A</a> <a href="/b" rel=nofollow>B</a></p>"""
TYPE = ("content-type", "text/html; charset=utf-8")


def document(understood: Understood) -> Document:
    (only,) = understood.documents
    return only


def test_a_page() -> None:
    body = gzip.compress(HTML)
    understood = reader().read(visit(), page(body, TYPE, ("content-encoding", "gzip")))
    found = document(understood)
    assert unzstd(found.text).decode() == "Fish swim. A B"
    assert found.text_chars == len("Fish swim. A B")
    assert found.text_digest == xxhash.xxh3_128_hexdigest(b"Fish swim. A B")
    assert found.body_digest == "sha1:" + b32encode(hashlib.sha1(body).digest()).decode()  # noqa: S324
    assert (found.body_bytes, found.decoded_bytes) == (len(body), len(HTML))
    assert (found.title, found.language, found.description) == ("Reef", "en", "About reefs")
    assert (found.media_type, found.charset, found.charset_from) == ("text/html", "utf-8", "http")
    assert (found.name, found.fate, found.problem) == ("", Fate.WAITING, "")
    assert [(link.url, link.text, link.rel, link.source) for link in understood.links] == [
        ("https://reef.example/a", "A", 0, LinkSource.LINK),
        ("https://reef.example/b", "B", Rel.NOFOLLOW, LinkSource.LINK),
    ]
    assert understood.robots is None


def test_an_injected_document_is_read_like_a_page() -> None:
    understood = reader().read(visit(kind=VisitKind.INJECTED), page(HTML))
    assert document(understood).title == "Reef"


@pytest.mark.parametrize("location", ["/new", "https://reef.example/new", "../new#part", "/n\tew"])
def test_a_redirect_is_one_link(location: str) -> None:
    answer = Fetched(Outcome.REDIRECT, 301, headers=[("location", location)], body=HTML)
    understood = reader().read(visit(), answer)
    assert understood.documents == []
    (link,) = understood.links
    assert (link.url, link.rel) == ("https://reef.example/new", Rel.REDIRECT)
    assert (link.source, link.priority) == (LinkSource.REDIRECT, 1.0)


def test_a_redirect_to_the_twin_with_a_slash_is_a_link() -> None:
    answer = Fetched(Outcome.REDIRECT, 301, headers=[("location", "/fish/")])
    (link,) = reader().read(visit("https://reef.example/fish"), answer).links
    assert link.url == "https://reef.example/fish/"


def test_a_redirect_in_utf_8_bytes() -> None:
    location = "/ö".encode().decode("latin-1")
    answer = Fetched(Outcome.REDIRECT, 301, headers=[("location", location)])
    assert reader().read(visit(), answer).links[0].url == "https://reef.example/%C3%B6"


@pytest.mark.parametrize("location", [URL, "", "javascript:1", "http://[", "#x"])
def test_a_redirect_to_nowhere_is_no_link(location: str) -> None:
    answer = Fetched(Outcome.REDIRECT, 302, headers=[("location", location)])
    assert reader().read(visit(), answer) == Understood()


def test_a_redirect_out_of_scope_says_so() -> None:
    answer = Fetched(Outcome.REDIRECT, 302, headers=[("location", "/secret")])
    assert reader().read(visit(), answer).links[0].excluded == "a rule against secrets"


def test_robots() -> None:
    body = gzip.compress(b"User-agent: shoalbot\nDisallow: /private\nSitemap: /map.xml")
    answer = page(body, ("content-encoding", "gzip"))
    understood = reader().read(visit("https://reef.example/robots.txt", VisitKind.ROBOTS), answer)
    assert understood.documents == []
    assert understood.links == []
    assert understood.robots is not None
    assert not understood.robots.verdict("/private/x").allowed
    assert understood.robots.sitemaps == ("/map.xml",)


def test_a_missing_robots_says_nothing() -> None:
    answer = page(b"User-agent: *\nDisallow: /", outcome=Outcome.MISSING)
    assert reader().read(visit(kind=VisitKind.ROBOTS), answer) == Understood()


@pytest.mark.parametrize(
    "outcome",
    [outcome for outcome in Outcome if outcome not in (Outcome.OK, Outcome.EMPTY_ANSWER)],
)
def test_links_of_an_error_page_are_not_followed(outcome: Outcome) -> None:
    assert reader().read(visit(), page(HTML, outcome=outcome)) == Understood()


def test_an_answer_without_content_is_an_empty_document() -> None:
    found = document(reader().read(visit(), Fetched(Outcome.EMPTY_ANSWER, 204)))
    assert (found.fate, found.problem, found.text_digest) == (Fate.EMPTY, "", "")


def test_a_page_without_text_is_empty() -> None:
    understood = reader().read(visit(), page(b"<a href=/a><img src=x></a>"))
    assert document(understood).fate is Fate.EMPTY
    assert document(understood).text_digest == ""
    assert len(understood.links) == 1


def test_noindex_and_nofollow_by_the_page() -> None:
    understood = reader().read(visit(), page(b'<meta name="robots" content="none">' + HTML))
    assert document(understood).fate is Fate.NOINDEX
    assert document(understood).rules.noindex
    assert [link.rel for link in understood.links] == [Rel.NOFOLLOW, Rel.NOFOLLOW]


def test_rules_by_header_for_our_name_only() -> None:
    others = page(HTML, TYPE, ("x-robots-tag", "otherbot: noindex"))
    assert document(reader().read(visit(), others)).fate is Fate.WAITING
    ours = page(
        HTML, TYPE, ("x-robots-tag", "otherbot: nofollow"), ("x-robots-tag", "shoalbot: noindex")
    )
    found = document(reader().read(visit(), ours))
    assert found.fate is Fate.NOINDEX
    assert not found.rules.nofollow


def test_what_the_owner_says_about_ai_use() -> None:
    answer = page(
        b'<meta name="tdm-policy" content="https://reef.example/tdm">'
        b"<meta name=robots content=noai>x",
        TYPE,
        ("content-usage", "train-ai=n"),
        ("content-signal", "search=yes"),
        ("content-signal", "ai-train=no"),
        ("tdm-reservation", "1"),
    )
    assert document(reader().read(visit(), answer)).signals == Signals(
        "train-ai=n", "search=yes, ai-train=no", "1", "https://reef.example/tdm", noai=True
    )


def test_a_dropped_document_keeps_its_links_and_loses_its_text() -> None:
    understood = reader().read(visit(), page(b"<title>Off topic</title><a href=/a>cars</a>"))
    found = document(understood)
    assert (found.fate, found.problem) == (Fate.DROPPED, "not about fish")
    assert (found.text, found.text_chars) == (b"", 0)
    assert [link.text for link in understood.links] == ["cars"]


def test_a_format_without_a_converter() -> None:
    answer = page(b"\x00\x01\x02...", ("content-type", "application/x-unheard-of"))
    found = document(reader().read(visit(), answer))
    assert found.fate is Fate.UNCONVERTIBLE
    assert found.problem == "no converter for application/x-unheard-of"
    assert found.media_type == "application/x-unheard-of"
    assert found.body_digest.startswith("sha1:")


@pytest.mark.parametrize("kind", ["text/plain", "text/x-unheard-of", "application/x-new+json"])
def test_text_is_its_own_text(kind: str) -> None:
    answer = page(' a\n  b,"ü" \n'.encode(), ("content-type", f"{kind}; charset=utf-8"))
    found = document(reader().read(visit(), answer))
    assert unzstd(found.text).decode() == 'a\n  b,"ü"'
    assert (found.title, found.fate) == ("", Fate.WAITING)


def test_a_body_that_is_still_wrapped_is_no_page() -> None:
    answer = page(bytes(range(256)), TYPE, ("content-encoding", "compress"))
    found = document(reader().read(visit(), answer))
    assert found.fate is Fate.UNCONVERTIBLE
    assert "unknown content encoding 'compress'" in found.problem


def test_a_cut_body_is_read_and_told() -> None:
    body = gzip.compress(HTML + b"".join(b"<p>%d</p>" % (i**7) for i in range(999)))[:-100]
    answer = page(body, TYPE, ("content-encoding", "gzip"))
    answer.cut = True
    found = document(reader().read(visit(), answer))
    assert found.fate is Fate.WAITING
    assert found.problem == (
        f"the body was cut after {len(body)} bytes; the gzip stream ends too early"
    )


def test_a_refresh_header_is_a_link() -> None:
    understood = reader().read(visit(), page(HTML, TYPE, ("refresh", "0; url=/moved")))
    assert understood.links[-1].url == "https://reef.example/moved"
    understood = reader().read(visit(), page(HTML, TYPE, ("refresh", "0; url=/a")))
    assert len(understood.links) == 2


def test_the_limits_reach_the_converters() -> None:
    limits = Limits(links=1, text_chars=4, decoded_bytes=120)
    understood = reader(limits).read(visit(), page(HTML))
    assert document(understood).decoded_bytes == 120
    assert document(understood).text_chars == 4
    assert len(understood.links) <= 1


def two_documents(body: bytes, context: Context) -> list[Converted]:
    first, second = body.decode().split("|")
    return [
        Converted(Page(text=first)),
        Converted(Page(text=second), name="#2", meta=[("robots", "noindex")]),
    ]


def test_one_visit_may_be_many_documents() -> None:
    settings = ReaderSettings(WordScope(), LengthPrioritizer(), "shoalbot")
    understood = Reader(settings, Registry({"text/pair": two_documents})).read(
        visit(), page(b"one|two", ("content-type", "text/pair"))
    )
    assert [(found.name, found.fate) for found in understood.documents] == [
        ("", Fate.WAITING),
        ("#2", Fate.NOINDEX),
    ]


def test_a_converter_by_entry_point() -> None:
    point = EntryPoint("Text/Pair", f"{__name__}:two_documents", registry.GROUP)
    with patch.object(registry, "entry_points", lambda group: [point]):
        converter = Registry.installed().converter("text/pair")
    assert converter is not None
    assert converter.__name__ == "two_documents"


def test_a_broken_entry_point_is_named() -> None:
    point = EntryPoint("text/pair", "no_such_module:f", registry.GROUP)
    with (
        patch.object(registry, "entry_points", lambda group: [point]),
        pytest.raises(UsageError, match=r"text/pair .*no_such_module"),
    ):
        Registry.installed()


HEADERS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "content-type",
                "content-encoding",
                "location",
                "x-robots-tag",
                "refresh",
                "tdm-policy",
            ]
        ),
        st.text(st.characters(max_codepoint=255), max_size=30)
        | st.sampled_from(
            ["gzip", "text/html", "text/plain", "none", "0;url=/x", "application/json"]
        ),
    ),
    max_size=4,
)


@given(
    st.sampled_from(list(Outcome)),
    st.sampled_from(list(VisitKind)),
    HEADERS,
    st.binary(max_size=200),
)
def test_whatever_was_sent_is_answered(
    outcome: Outcome, kind: VisitKind, headers: list[tuple[str, str]], body: bytes
) -> None:
    understood = reader().read(visit(kind=kind), Fetched(outcome, 200, headers=headers, body=body))
    assert unpack(Understood, pack(understood)) == understood
