"""Media types: what is declared, what the bytes are, and who is believed."""

import io
import struct
import time
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.converters.sniff.sniff import (
    declared_charset,
    declared_type,
    file_name,
    looks_like_text,
    media_type,
)
from tests.converters.test_samples import SAMPLES

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


BINARY = "application/octet-stream"
OFFICE = "application/vnd.openxmlformats-officedocument."
WORD = OFFICE + "wordprocessingml.document"
DOC, XLS = "application/msword", "application/vnd.ms-excel"
ODT = "application/vnd.oasis.opendocument.text"


def packed(**members: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name.replace("__", "/").replace("_", "."), text)
    return file.getvalue()


def ole(*names: str) -> bytes:
    """The magic bytes and a directory with these names: as much as is looked at."""
    body = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".ljust(512, b"\0")
    for name in names:
        wide = name.encode("utf-16-le")
        body += (wide.ljust(64, b"\0") + struct.pack("<H", len(wide) + 2)).ljust(128, b"\0")
    return body


@pytest.mark.parametrize(
    "declared", ["", BINARY, "application/zip", "text/html", "text/plain", DOC, "image/png", WORD]
)
@pytest.mark.parametrize("name", ["", "log.docx", "log.zip", "log.pdf"])
def test_a_package_is_what_lies_in_it(declared: str, name: str) -> None:
    body = (SAMPLES / "round-trip.docx").read_bytes()
    assert media_type(declared, body, name) == WORD


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (packed(mimetype=ODT, content_xml="<a/>"), ODT),
        (packed(content_xml="<a/>", mimetype=ODT), ODT),
        (packed(mimetype="application/epub+zip"), "application/epub+zip"),
        (packed(xl__workbook_xml="<a/>"), OFFICE + "spreadsheetml.sheet"),
        (packed(ppt__presentation_xml="<a/>"), OFFICE + "presentationml.presentation"),
        (packed(doc_kml="<kml/>"), "application/vnd.google-earth.kmz"),
        (packed(a_txt="fish"), "application/zip"),
        (packed(), "application/zip"),
    ],
)
def test_kinds_of_packages(body: bytes, kind: str) -> None:
    assert media_type(BINARY, body) == kind
    assert media_type("text/html", body) == kind


def test_a_plain_zip_file_may_be_named_otherwise() -> None:
    body = packed(a_txt="fish")
    assert media_type(BINARY, body, "fish.docx") == WORD
    assert media_type(BINARY, body, "fish.mp3") == "application/zip"
    assert media_type("audio/mpeg", body) == "application/zip"


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (["Root Entry", "WordDocument"], DOC),
        (["Root Entry", "Workbook"], XLS),
        (["Root Entry", "Book"], XLS),
        (["PowerPoint Document"], "application/vnd.ms-powerpoint"),
        (["__properties_version1.0"], "application/vnd.ms-outlook"),
        (["VisioDocument"], "application/vnd.visio"),
        (["EncryptedPackage"], "application/x-ooxml-protected"),
        (["Something else"], "application/x-ole-storage"),
        (["Bookkeeping", "MyWordDocument"], "application/x-ole-storage"),
    ],
)
def test_kinds_of_ole_files(names: list[str], kind: str) -> None:
    assert media_type("", ole(*names)) == kind
    assert media_type("text/plain", ole(*names), "fish.txt") == kind


def test_a_table_that_is_named_and_declared_a_text() -> None:
    assert media_type(DOC, ole("Root Entry", "Workbook"), "prices.doc") == XLS
    assert media_type(DOC, ole("Unknown"), "prices") == DOC
    assert media_type(BINARY, ole("Unknown"), "prices.xls") == XLS


def xml(root: str) -> bytes:
    return f'<?xml version="1.0"?>\n<!-- fish -->\n<!DOCTYPE x [<!ENTITY a "b">]>\n{root}'.encode()


@pytest.mark.parametrize(
    ("root", "kind"),
    [
        ("<rss version='2.0'>", "application/rss+xml"),
        ("<feed xmlns='http://www.w3.org/2005/Atom'>", "application/atom+xml"),
        ("<svg:svg xmlns:svg='x'>", "image/svg+xml"),
        ("<kml>", "application/vnd.google-earth.kml+xml"),
        ("<gpx>", "application/gpx+xml"),
        ("<opml>", "text/x-opml"),
        ("<FictionBook>", "application/x-fictionbook+xml"),
        ("<w:wordDocument>", "application/vnd.ms-wordml"),
        ("<fish>", "application/xml"),
    ],
)
def test_xml_is_told_by_its_root(root: str, kind: str) -> None:
    for declared in ("", BINARY, "application/xml", "text/xml"):
        assert media_type(declared, xml(root)) == kind
    for codec in ("utf-16", "utf-16-le", "utf-16-be"):
        assert media_type("", xml(root).decode().encode(codec)) == kind


@pytest.mark.parametrize(
    ("declared", "name", "kind"),
    [
        ("text/plain", "read.me", "text/plain"),
        ("text/plain", "README.md", "text/markdown"),
        ("text/plain; charset=x", "fish.CSV", "text/csv"),
        ("text/plain", "page.html", "text/plain"),  # somebody shows source code
        ("text/plain", "fish.pdf", "text/plain"),
        ("", "README.md", "text/markdown"),
        (BINARY, "fish.csv", "text/csv"),
        (BINARY, "fish.pdf", "text/plain"),  # a text that is called a PDF is a text
        (BINARY, "fish.602", "application/x-t602"),
        ("text/html", "README.md", "text/html"),
        ("text/csv", "README.md", "text/csv"),
    ],
)
def test_the_name_comes_last(declared: str, name: str, kind: str) -> None:
    assert media_type(declared, b"fish, ray\n", name) == kind


def test_a_text_by_its_name_must_be_text() -> None:
    assert media_type("", b"\x00\x01\x02", "README.md") == BINARY


MAIL = b"Received: from reef\r\n by sea\r\nFrom: a@reef.example\r\nSubject: fish\r\n\r\nHello."


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (MAIL, "message/rfc822"),
        (b"From a@reef.example Mon Jan  1 00:00:00 2024\n" + MAIL, "application/mbox"),
        (b"Subject: what I think of fish\n\nThey swim.", "text/plain"),
        (b"From: here\nto there is a long way: swim.\n", "text/plain"),
        (b"BEGIN:VCARD\r\nFN:Ray\r\n", "text/vcard"),
        (b"BEGIN:VCALENDAR\r\n", "text/calendar"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nfish", "text/vtt"),
        (b"1\n00:00:01,000 --> 00:00:02,000\nfish", "application/x-subrip"),
        (b"{\\rtf1\\ansi fish}", "application/rtf"),
        (b'{"cells": [], "nbformat": 4}', "application/x-ipynb+json"),
    ],
)
def test_texts_without_a_name(body: bytes, kind: str) -> None:
    assert media_type("", body) == kind
    assert media_type("text/plain", body) == kind


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("attachment; filename=fish.pdf", "fish.pdf"),
        ('inline; filename="a; b.pdf"; size=3', "a; b.pdf"),
        ('attachment; filename="a \\"b\\".txt"', 'a "b".txt'),
        ("attachment; filename*=UTF-8''%E6%B5%B7.txt; filename=sea.txt", "海.txt"),
        ('attachment; FileName = "x.doc"', "x.doc"),
        ('attachment; filename="../../etc/passwd"', "passwd"),
        ("attachment; filename*=UTF-8''..%2F..%2Fpasswd", "passwd"),
        ("attachment", ""),
        ("", ""),
        ('attachment; filename="', ""),
    ],
)
def test_the_name_of_a_download(header: str, name: str) -> None:
    assert file_name(header) == name


@given(st.text(max_size=80), st.text(max_size=30), st.binary(max_size=60))
def test_no_name_raises(header: str, name: str, body: bytes) -> None:
    assert "/" not in file_name(f"attachment; filename{header}")
    assert "/" in media_type("", body, name)


@pytest.mark.parametrize(
    "start",
    [
        *(b"<?xml ", b"<!DOCTYPE [", b"<!DOCTYPE a [<!", b"<a:" * 3, b"<?xml ?>", b" ", b"<"),
        *(b"From: ", b"From a 2024", b"a:", b"1\n", b"[{", b"\xff\xfe<\0?\0", b"PK\x03\x04"),
        *(b"Content-Type: multipart/related\n", b"%", b"ID3", b"\x1f\x8b"),
    ],
)
def test_hostile_beginnings_take_no_time(start: bytes) -> None:
    started = time.process_time()
    assert "/" in media_type("", start + start * (1_000_000 // len(start)))
    assert "/" in media_type("text/xml", start + b"<!-- " * 200_000)
    assert time.process_time() - started < 20  # quadratic would be minutes


def test_hostile_headers_take_no_time() -> None:
    started = time.process_time()
    file_name("filename=" * 100_000)
    file_name('filename="' + "\\\\" * 100_000)
    declared_charset("; charset" * 100_000)
    declared_type("a/" * 100_000)
    assert time.process_time() - started < 10  # quadratic would be minutes
