"""When was a page published, and when changed? What its meta elements say."""

import pytest

from shoal.worker.converting import convert


@pytest.mark.parametrize(
    ("meta", "published"),
    [
        ("property='article:published_time' content='2026-05-01T10:20:30+02:00'",) * 2,
        ("name='date' content='2026-05-01 10:20'", "2026-05-01T10:20"),
        ("name='DC.date.issued' content='2026-05'", "2026-05"),
        ("name='pubdate' content='2026-05-01, by Ann'", "2026-05-01"),
        ("name='date' content='last week'", ""),
        ("name='author' content='2026-05-01'", ""),
    ],
)
def test_published(meta: str, published: str) -> None:
    found = convert(f"<title>x</title><meta {meta}><p>Text".encode(), media_type="text/html")
    expected = "2026-05-01T10:20:30+02:00" if published == meta else published
    assert found.document.published == expected


def test_the_more_exact_name_counts_whatever_the_order() -> None:
    html = """<meta name=date content=2020-01-01><meta name=last-modified content=2026-02-02>
        <meta property=article:published_time content=2026-01-01>
        <meta property=article:published_time content=2027-01-01><p>Text"""
    found = convert(html.encode(), media_type="text/html").document
    assert (found.published, found.modified) == ("2026-01-01", "2026-02-02")


@pytest.mark.parametrize(
    ("meta", "modified"),
    [
        ("http-equiv='Last-Modified' content='Mon, 02 Nov 2026 10:00:00 GMT'", "2026-11-02T10:00"),
        ("http-equiv='last-modified' content='2026-11-02 10:00'", "2026-11-02T10:00"),
        ("name='last-modified' content='Mon, 02 Nov 2026 10:00:00 -0000'", "2026-11-02T10:00"),
        ("property='og:updated_time' content='2026-11-02T10:00Z'", "2026-11-02T10:00Z"),
        ("name='dateModified' content='2026-11-02'", "2026-11-02"),
        ("name='last-updated' content='2026-11-02'", "2026-11-02"),
        ("http-equiv='expires' content='Mon, 02 Nov 2026 10:00:00 GMT'", ""),
        ("http-equiv='last-modified' content='Mon, 99 Nov 2026 10:00:00 GMT'", ""),
        ("http-equiv='last-modified' content='yesterday'", ""),
        ("http-equiv='last-modified' content='1'", ""),
        ("http-equiv='last-modified'", ""),
    ],
)
def test_modified(meta: str, modified: str) -> None:
    found = convert(f"<title>x</title><meta {meta}><p>Text".encode(), media_type="text/html")
    assert found.document.modified.removesuffix(":00+00:00") == modified


@pytest.mark.parametrize(
    ("metas", "author"),
    [
        ("<meta name=Author content=' Ann  Diver '>", "Ann Diver"),
        ("<meta name=DC.creator content=Ann>", "Ann"),
        (
            "<meta property=article:author content=http://x.test/a><meta name=author content=A>",
            "A",
        ),
        ("<meta property=article:author content=https://x.example/ann>", ""),
        (f"<meta name=author content={'a' * 5000}>", "a" * 300),
        ("", ""),
    ],
)
def test_who_wrote_it(metas: str, author: str) -> None:
    html = f"<title>x</title>{metas}<p>Text"
    assert convert(html.encode(), media_type="text/html").document.author == author
