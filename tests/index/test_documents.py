"""What a document answers to: types, domains, dates, marks; and what its vector keeps of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.index.documents import domains_of, mark_words, url_words, year_of
from shoal.index.fields import Vector, key_of, milliseconds
from shoal.index.file_types import asked_type, type_words
from shoal.index.text_stems import PlainPieces, Stems, hash_of
from shoal.index.vector import (
    MOST_CONTENT_STEMS,
    content_hashes,
    count,
    count_in,
    plain_count,
    vector_of,
)
from shoal.model.candidate import Count, Where


@pytest.mark.parametrize(
    ("site", "domains"),
    [
        ("en.example.org", ["en.example.org", "example.org", "org"]),
        ("example.org:81", ["example.org:81", "example.org", "org"]),
        ("localhost", ["localhost"]),
        ("127.0.0.1:8080", ["127.0.0.1:8080", "127.0.0.1"]),
        ("[::1]:80", ["[::1]:80", "[::1]"]),
        ("[::1]", ["[::1]"]),
        ("", []),
    ],
)
def test_domains(site: str, domains: list[str]) -> None:
    assert domains_of(site) == domains


@pytest.mark.parametrize(
    ("media_type", "url", "asked"),
    [
        ("text/html", "https://example.org/", "html"),
        ("application/xhtml+xml", "https://example.org/", "html"),
        ("text/plain", "https://example.org/README.rst?x=.zip", "rst"),
        ("text/plain", "https://example.org/notes", "txt"),
        ("image/svg+xml", "https://example.org/x", "image/*"),
        ("application/vnd.ms-excel", "https://example.org/x", "xls"),
        ("application/x-tar", "https://example.org/x", "tar"),
        ("application/atom+xml", "https://example.org/x", "xml"),
    ],
)
def test_types(media_type: str, url: str, asked: str) -> None:
    assert asked_type(asked) in type_words(media_type, url)


def test_a_host_is_no_ending() -> None:
    assert "org" not in type_words("text/html", "https://example.org")
    assert "zip" not in type_words("text/html", "https://example.org/a?x=b.zip")


def test_words_of_urls_and_marks() -> None:
    assert url_words("https://www.example.org/a%20b/c.html") == "example.org/a b/c.html"
    assert url_words("mail:box/1") == "mail:box/1"
    assert mark_words("topic=a=b") == ("topic=a=b", "topic")
    assert (mark_words("plain"), mark_words("=x")) == (("plain",), ("=x",))


def test_times_of_any_size() -> None:
    assert (year_of(1e9), year_of(0.0), year_of(1e300), year_of(float("nan"))) == (
        "2001",
        "",
        "",
        "",
    )
    assert milliseconds(1.5) == 1500
    assert milliseconds(-1.7e308) == -milliseconds(float("inf")) < 0
    assert milliseconds(float("nan")) == 0


def test_keys_tell_rows_apart() -> None:
    rows = [b"a", b"\xff", "é".encode(), "é".encode("latin-1"), b"x" * 5000, b"x" * 5001]
    assert len({key_of(row) for row in rows}) == len(rows)


def stems(text: str) -> Stems:
    return Stems(*PlainPieces(str.lower, 1000).stems(text))


def test_a_vector_has_counts_and_fields() -> None:
    vector = vector_of(
        stems("fish fish sea"),
        stems("menu sea"),
        {Where.TITLE: stems("fish"), Where.URL: stems("fish page")},
        {hash_of("fish"): 300, hash_of("reef"): 2},
    )
    title_and_more = Where.TITLE | Where.URL | Where.ANCHOR | Where.CONTENT
    assert count_in(vector, hash_of("fish")) == Count(2, 255, int(title_and_more))
    assert count_in(vector, hash_of("sea")) == Count(1, 0, int(Where.CONTENT | Where.REST))
    assert count_in(vector, hash_of("reef")) == Count(0, 2, int(Where.ANCHOR))
    assert count_in(vector, hash_of("menu")) == Count(0, 0, int(Where.REST))
    assert count_in(vector, hash_of("shark")) == count_in(vector, b"") == Count(0, 0, 0)
    assert count_in(vector, hash_of("sea") + hash_of("reef")).content == 1
    assert content_hashes(vector) == hash_of("fish") + hash_of("sea")


def test_a_long_document_keeps_its_commonest_stems() -> None:
    rare = " ".join(f"w{number}" for number in range(MOST_CONTENT_STEMS + 500))
    vector = vector_of(stems(rare + " last last"), stems(""), {}, {})
    assert len(vector.content) == MOST_CONTENT_STEMS
    assert count_in(vector, hash_of("last")).content == 2
    assert count_in(vector, hash_of("w0")).content == 1
    assert count_in(vector, hash_of(f"w{MOST_CONTENT_STEMS + 400}")).content == 0


FEW = st.sampled_from([b"\0\0\0\0", b"\0\0\0\1", b"\1\0\0\0", b"\0\1\0\0", b"abcd", b"bcda"])
HASHES = st.lists(FEW, max_size=6)


@given(HASHES, HASHES, HASHES, st.lists(FEW, max_size=3))
def test_the_compiled_form_counts_as_the_plain_one(
    content: list[bytes], short: list[bytes], rest: list[bytes], wanted: list[bytes]
) -> None:
    """Though hashes may be found where one ends and the next begins."""
    where = bytes(range(1, len(short) + 1))
    vector = Vector(b"".join(content + short + rest), b"\x07" * len(content), where, where)
    asked = (vector.hashes, vector.content, vector.where, vector.anchors, b"".join(wanted))
    assert count(*asked) == plain_count(*asked)
