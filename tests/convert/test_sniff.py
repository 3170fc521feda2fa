"""Media types: what is declared, what the bytes are, and who is believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.convert.sniff import declared_charset, declared_type, looks_like_text, media_type

HTML = b"<!doctype html><p>fish"
PDF = b"%PDF-1.7\n\x00\x01"
PNG = b"\x89PNG\r\n\x1a\n\x00"
ZIP = b"PK\x03\x04\x00"


@pytest.mark.parametrize(
    ("declared", "body", "kind"),
    [
        ("text/html; charset=utf-8", HTML, "text/html"),
        ("Text/HTML", b"no tags at all", "text/html"),
        ("text/plain", HTML, "text/plain"),  # as browsers do: somebody shows source code
        ("text/html", PDF, "application/pdf"),
        ("text/plain", PNG, "image/png"),
        ("application/pdf", HTML, "text/html"),  # an error page
        ("application/pdf", PDF, "application/pdf"),
        ("application/epub+zip", ZIP, "application/epub+zip"),
        ("application/octet-stream", HTML, "text/html"),
        ("", HTML, "text/html"),
        ("", b"\xef\xbb\xbf \n<HTML lang=en>", "text/html"),
        ("", b"<!-- a -->\n<?xml version='1.0'?>", "text/plain"),
        ("", b'<?xml version="1.0"?><html xmlns="x">', "text/html"),
        ("", b"<!-- a --><!-- b --> <body>", "text/html"),
        ("", b"plain words\n", "text/plain"),
        ("", "\ufeffwide".encode("utf-16"), "text/plain"),
        ("", b"\x00\x01\x02", "application/octet-stream"),
        ("", b"\x1f\x8b\x08\x00", "application/gzip"),
        ("", b"GIF89a", "image/gif"),
        ("nonsense", b"words", "text/plain"),
        ("application/json", b"{}", "application/json"),
        ("video/mp4", b"\x00\x00\x00\x18ftyp", "video/mp4"),
    ],
)
def test_media_type(declared: str, body: bytes, kind: str) -> None:
    assert media_type(declared, body) == kind


@pytest.mark.parametrize(
    ("content_type", "charset"),
    [
        ("text/html; charset=utf-8", "utf-8"),
        ('text/html;charset="KOI8-R"; x=y', "KOI8-R"),
        ("text/html; foo=bar; Charset = 'x'", "x"),
        ("text/html", ""),
        ("text/html; charset=", ""),
        ("", ""),
    ],
)
def test_declared_charset(content_type: str, charset: str) -> None:
    assert declared_charset(content_type) == charset


@given(st.text(max_size=60), st.binary(max_size=60))
def test_nothing_raises(content_type: str, body: bytes) -> None:
    assert "/" in media_type(content_type, body)
    assert isinstance(declared_charset(content_type), str)
    assert declared_type(content_type) == declared_type(content_type).lower()
    assert isinstance(looks_like_text(body), bool)


def test_endless_comments_take_no_time() -> None:
    assert media_type("", b"<!--" * 300_000) == "text/plain"
    assert media_type("", b"<!---->" * 300_000) == "text/plain"
