"""Sitemaps of every form, and of every malice."""

import gzip
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.sources.sitemap import MAX_BYTES, MAX_ENTRIES, Entry, Form, read_sitemap

URLSET = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://x/image">
 <!-- <url><loc>http://a.test/commented</loc></url> -->
 <url><loc> http://a.test/1?a=1&amp;b=2 </loc><lastmod>2026-01-02</lastmod>
   <image:image><image:loc>http://a.test/picture.png</image:loc></image:image></url>
 <url><loc><![CDATA[http://a.test/2]]></loc></url>
 <url><loc>http://a.test/caf&#xE9;</loc><lastmod>2026-01-03</lastmod></url>
</urlset>"""
WANTED = [
    Entry("http://a.test/1?a=1&b=2", "2026-01-02"),
    Entry("http://a.test/2"),
    Entry("http://a.test/café", "2026-01-03"),
]


@pytest.mark.parametrize(
    "body",
    [
        URLSET,
        gzip.compress(URLSET),
        b"\xef\xbb\xbf" + URLSET,
        URLSET.decode().encode("utf-16"),
        URLSET.replace(b"<url", b"<s:url")
        .replace(b"</url", b"</s:url")
        .replace(b"<loc", b"<s:loc")
        .replace(b"</loc", b"</s:loc")
        .replace(b"<lastmod", b"<s:lastmod")
        .replace(b"</lastmod", b"</s:lastmod"),
    ],
    ids=["plain", "gzip", "BOM", "UTF-16", "name space"],
)
def test_a_list_of_urls(body: bytes) -> None:
    assert read_sitemap(body) == (Form.URLS, WANTED, "")


def test_an_index() -> None:
    body = b"<sitemapindex><sitemap><loc>http://a.test/s.xml</loc></sitemap></sitemapindex>"
    assert read_sitemap(body) == (Form.INDEX, [Entry("http://a.test/s.xml")], "")


def test_plain_text() -> None:
    body = b"http://a.test/1\r\n\n  https://a.test/2  \nnot a url\nhttp://a.test/a b\n"
    wanted = [Entry("http://a.test/1"), Entry("https://a.test/2")]
    assert read_sitemap(body) == (Form.TEXT, wanted, "")


def test_feeds() -> None:
    rss = b"<rss><channel><link>http://a.test/</link><item><link>http://a.test/1</link></item>"
    assert read_sitemap(rss).entries == [Entry("http://a.test/"), Entry("http://a.test/1")]
    atom = b"""<feed><link rel="self" href="http://a.test/feed"/>
      <entry><link rel='alternate' href='http://a.test/1'/></entry>
      <entry><link href="http://a.test/2?a&amp;b"/></entry></feed>"""
    assert read_sitemap(atom).entries == [Entry("http://a.test/1"), Entry("http://a.test/2?a&b")]


@pytest.mark.parametrize("body", [b"", b"<html><body>Not found", b"\x00\xff" * 100, b"\x1f\x8bx"])
def test_what_is_no_sitemap(body: bytes) -> None:
    found = read_sitemap(body)
    assert (found.form, found.entries) == (Form.NONE, [])
    assert found.problem


def test_entities_do_not_explode() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    body = bomb + b"<urlset><url><loc>http://a.test/&b;</loc></url></urlset>"
    assert read_sitemap(body).entries == [Entry("http://a.test/&b;")]


def test_a_gzip_bomb_is_cut() -> None:
    found = read_sitemap(gzip.compress(b"<urlset>" + b" " * (MAX_BYTES + 1000)))
    assert found.problem == "cut at 50 MiB"


def test_a_gzip_that_ends_early_gives_what_it_has() -> None:
    packed = gzip.compress(URLSET * 50, compresslevel=1)
    found = read_sitemap(packed[: len(packed) - 20])
    assert found.problem == "its gzip ends too early"
    assert found.entries


def test_too_many_entries_are_left_out() -> None:
    found = read_sitemap(b"<urlset>" + b"<loc>http://a.test/</loc>" * (MAX_ENTRIES + 5))
    assert len(found.entries) == MAX_ENTRIES
    assert "the rest is left out" in found.problem


@pytest.mark.parametrize("piece", [b"<loc>", b"<!--", b"<loc ", b"<![CDATA[", b"<link ", b"<link>"])
def test_time_grows_with_the_size_and_no_faster(piece: bytes) -> None:
    """Ten times the input may take ten times as long, not a hundred times."""

    def seconds(size: int) -> float:
        body = b"<urlset><rss>" + piece * (size // len(piece))
        started = time.process_time()
        read_sitemap(body)
        return time.process_time() - started

    assert seconds(2_000_000) < 40 * max(seconds(200_000), 0.005)


@given(st.binary())
def test_nothing_raises(body: bytes) -> None:
    for start in (b"", b"<urlset>", b"<rss>", b"<sitemapindex><loc>", b"\x1f\x8b\x08"):
        assert read_sitemap(start + body) is not None
