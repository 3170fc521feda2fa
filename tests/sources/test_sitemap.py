"""Sitemaps of every form, and of every malice."""

import gzip
import itertools
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.model.listings.sitemap_metadata import Alternate, Image, News, Video
from shoal.sources.sitemap import (
    MAX_BYTES,
    MAX_ENTRIES,
    Entry,
    Form,
    SitemapReader,
    read_sitemap,
)
from shoal.sources.sitemap_entries import MAX_PARTS

URLSET = b"""<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://x/image">
 <!-- <url><loc>http://a.test/commented</loc></url> -->
 <url><loc> http://a.test/1?a=1&amp;b=2 </loc><lastmod>2026-01-02</lastmod>
   <image:image><image:loc>http://a.test/picture.png</image:loc></image:image></url>
 <url><loc><![CDATA[http://a.test/2]]></loc></url>
 <url><loc>http://a.test/caf&#xE9;</loc><lastmod>2026-01-03</lastmod></url>
</urlset>"""
WANTED = [
    Entry("http://a.test/1?a=1&b=2", "2026-01-02", images=[Image("http://a.test/picture.png")]),
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
        gzip.compress(URLSET[:200]) + gzip.compress(URLSET[200:]) + b"\0\0\0",
        URLSET.decode().encode("utf-16-le"),
        URLSET.replace(b"<url>", b"").replace(b"</url>", b""),
        URLSET[: URLSET.index(b"</urlset")],
        b"<!-- <urlset> -->" + URLSET,
    ],
    ids=[
        *("plain", "gzip", "BOM", "UTF-16", "name space", "gzip members"),
        *("UTF-16 without a mark", "no <url>", "no end", "comment"),
    ],
)
def test_a_list_of_urls(body: bytes) -> None:
    assert read_sitemap(body) == (Form.URLS, WANTED, "")


EXTENDED = """<?xml version="1.0"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:i="http://www.google.com/schemas/sitemap-image/1.1"
  xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"
  xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"
  xmlns:x="http://www.w3.org/1999/xhtml" xmlns:other="http://other.test/">
<url>
  <loc>http://a.test/1</loc><lastmod>2026-01-02T03:04:05Z</lastmod>
  <changefreq> Daily </changefreq><priority>0.8</priority>
  <i:image><i:loc>http://a.test/1.png</i:loc><i:title>No page title</i:title></i:image>
  <i:image><i:loc>http://a.test/2.png</i:loc></i:image>
  <video:video><video:thumbnail_loc>http://a.test/t.png</video:thumbnail_loc>
    <video:title>Cats &amp; dogs</video:title><video:player_loc>http://a.test/p</video:player_loc>
    <video:content_loc>http://a.test/v.mp4</video:content_loc></video:video>
  <n:news><n:publication><n:name>The Example</n:name><n:language>en</n:language></n:publication>
    <n:publication_date>2026-01-01</n:publication_date><n:title>It happened</n:title></n:news>
  <x:link rel="alternate" hreflang="de" href="http://a.test/de?a=1&amp;b=2"/>
  <x:link rel='alternate' hreflang='x-default' href='http://a.test/'/>
  <other:loc>http://other.test/</other:loc>
</url>
<url><loc>http://a.test/2</loc><changefreq>often</changefreq><priority>7</priority></url>
</urlset>"""


def test_what_is_said_of_a_page_is_kept() -> None:
    first, second = read_sitemap(EXTENDED.encode()).entries
    assert first == Entry(
        "http://a.test/1",
        "2026-01-02T03:04:05Z",
        "daily",
        0.8,
        images=[Image("http://a.test/1.png", "No page title"), Image("http://a.test/2.png")],
        videos=[Video("http://a.test/v.mp4", "Cats & dogs", "http://a.test/t.png")],
        news=News("It happened", "2026-01-01", "The Example", "en"),
        alternates=[
            Alternate("de", "http://a.test/de?a=1&b=2"),
            Alternate("x-default", "http://a.test/"),
        ],
    )
    assert second == Entry("http://a.test/2")


def test_a_declared_encoding_is_believed() -> None:
    body = '<?xml version="1.0" encoding="ISO-8859-1"?><urlset><loc>http://a.test/é</loc></urlset>'
    assert read_sitemap(body.encode("latin-1")).entries == [Entry("http://a.test/é")]


def test_only_references_of_xml_are_undone() -> None:
    """`&copy` in a query is a parameter, whatever HTML makes of it."""
    body = (
        "<urlset><loc>http://a.test/?a&copy=1&eacute;&amp;b&#65;&#x42;&#0;&#xD800;</loc></urlset>"
    )
    wanted = "http://a.test/?a&copy=1&eacute;&bAB\ufffd\ufffd"
    assert read_sitemap(body.encode()).entries == [Entry(wanted)]


def test_parts_of_one_page_are_bounded() -> None:
    image = "<image:image><image:loc>http://a.test/i</image:loc></image:image>"
    body = f"<urlset><url><loc>http://a.test/</loc>{image * (MAX_PARTS + 5)}</url></urlset>"
    assert len(read_sitemap(body.encode()).entries[0].images) == MAX_PARTS


def test_a_url_that_is_too_long_is_none() -> None:
    body = f"<urlset><loc>http://a.test/{'a' * 6000}</loc><loc>http://a.test/</loc></urlset>"
    assert read_sitemap(body.encode()).entries == [Entry("http://a.test/")]
    assert read_sitemap(f"http://a.test/{'a' * 6000}\nhttp://a.test/".encode()).entries == [
        Entry("http://a.test/")
    ]


def test_entries_come_while_it_is_read() -> None:
    """So much is asked for as is needed for the next entry, not more."""
    taken = []

    def chunks() -> Iterator[bytes]:
        yield b"<urlset>"
        for number in range(1000):
            taken.append(number)
            yield b"<url><loc>http://a.test/%d</loc></url>" % number + b" " * 1000

    entries = SitemapReader().entries(chunks())
    assert next(entries) == Entry("http://a.test/0")
    assert len(taken) == 1
    assert next(entries) == Entry("http://a.test/1")
    assert len(taken) == 2


@given(st.lists(st.integers(0, len(EXTENDED)), max_size=20), st.booleans())
def test_where_chunks_are_cut_makes_no_difference(cuts: list[int], is_packed: bool) -> None:
    body = gzip.compress(EXTENDED.encode()) if is_packed else EXTENDED.encode()
    places = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]
    chunks = [body[start:end] for start, end in itertools.pairwise(places)]
    reader = SitemapReader()
    assert list(reader.entries(chunks)) == read_sitemap(body).entries
    assert (reader.form, reader.problem) == (Form.URLS, "")


@given(st.integers(0, len(EXTENDED)), st.binary(max_size=3))
def test_what_stands_before_damage_is_read(place: int, damage: bytes) -> None:
    body = EXTENDED.encode()
    whole, end_of_first = read_sitemap(body).entries, body.index(b"</url>") + len(b"</url>")
    for broken in (body[:place], body[:place] + damage + body[place + len(damage) :]):
        entries = read_sitemap(broken).entries
        if place >= end_of_first:
            assert entries[0] == whole[0]


@pytest.mark.parametrize("piece", [b"<!-- x -->", b"<![CDATA[http://a.test/]]>", b"http://a.test/"])
def test_a_text_in_single_bytes(piece: bytes) -> None:
    body = b"<urlset><url><loc>" + piece + b"</loc></url></urlset>"
    chunks = [body[place : place + 1] for place in range(len(body))]
    wanted = [] if b"!--" in piece else [Entry("http://a.test/")]
    assert list(SitemapReader().entries(chunks)) == wanted


def test_an_index() -> None:
    body = b"<sitemapindex><sitemap><loc>http://a.test/s.xml</loc></sitemap></sitemapindex>"
    assert read_sitemap(body) == (Form.INDEX, [Entry("http://a.test/s.xml")], "")


def test_plain_text() -> None:
    body = b"http://a.test/1\r\n\n  https://a.test/2  \nnot a url\nhttp://a.test/a b\n"
    wanted = [Entry("http://a.test/1"), Entry("https://a.test/2")]
    assert read_sitemap(body) == (Form.TEXT, wanted, "")


def test_feeds() -> None:
    rss = b"""<rss><channel><link>http://a.test/</link><item><link>http://a.test/1</link>
      <pubDate>Fri, 02 Jan 2026 13:00:00 +0100</pubDate></item>"""
    wanted = [Entry("http://a.test/"), Entry("http://a.test/1", "2026-01-02T12:00:00+00:00")]
    assert read_sitemap(rss).entries == wanted
    atom = b"""<feed><link rel="self" href="http://a.test/feed"/>
      <entry><updated>2026-01-02</updated><link rel='alternate' href='http://a.test/1'/></entry>
      <entry><link href="http://a.test/2?a&amp;b"/></entry></feed>"""
    assert read_sitemap(atom).entries == [
        Entry("http://a.test/1", "2026-01-02"),
        Entry("http://a.test/2?a&b"),
    ]


@pytest.mark.parametrize("body", [b"", b"<html><body>Not found", b"\x00\xff" * 100, b"\x1f\x8bx"])
def test_what_is_no_sitemap(body: bytes) -> None:
    found = read_sitemap(body)
    assert (found.form, found.entries) == (Form.NONE, [])
    assert found.problem


def test_entities_do_not_explode() -> None:
    bomb = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]>'
    body = bomb + b"<urlset><url><loc>http://a.test/&b;</loc></url></urlset>"
    assert read_sitemap(body).entries == [Entry("http://a.test/&b;")]


def test_a_gzip_bomb_is_refused() -> None:
    found = read_sitemap(gzip.compress(b"<urlset>" + b" " * (MAX_BYTES + 1000)))
    assert found == (Form.URLS, [], "it unpacks to more than 500 times its size: refused")


def test_a_long_file_is_cut() -> None:
    found = read_sitemap(b"<urlset>" + b" " * MAX_BYTES + b"<url><loc>http://a.test/</loc></url>")
    assert found == (Form.URLS, [], "cut at 50 MiB")


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

    assert seconds(300_000) < 40 * max(seconds(30_000), 0.005)


@given(st.binary())
def test_nothing_raises(body: bytes) -> None:
    for start in (b"", b"<urlset>", b"<rss>", b"<sitemapindex><loc>", b"\x1f\x8b\x08"):
        assert read_sitemap(start + body) is not None


_LONG = r"""
import re, zlib
from pathlib import Path
from shoal.sources.sitemap import MAX_ENTRIES, SitemapReader

IMAGE = b"<image:image><image:loc>http://a.test/%d/%d.png</image:loc></image:image>"

def chunks():
    packer = zlib.compressobj(1, wbits=31)
    yield packer.compress(b"<urlset>")
    for number in range(MAX_ENTRIES):
        images = b"".join(IMAGE % (number, image) for image in range(12))
        yield packer.compress(b"<url><loc>http://a.test/%d</loc>%s</url>\n" % (number, images))
    yield packer.flush()

def most_kib():
    # Not getrusage: what it says of a new process begins with the size of its parent.
    return int(re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1])

before, reader = most_kib(), SitemapReader()
number = sum(len(entry.images) == 12 for entry in reader.entries(chunks()))
print(number, reader.form, reader.problem or "whole", (most_kib() - before) // 1024)
"""


@pytest.mark.slow
def test_fifty_megabytes_are_read_in_a_few() -> None:
    """50,000 URLs of a kilobyte each, compressed: no more than a few chunks are ever held."""
    command = [sys.executable, "-c", _LONG]
    done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=300)
    number, form, problem, grown_mib = done.stdout.split()
    assert (number, form, problem) == ("50000", "sitemap", "whole")
    assert int(grown_mib) <= 10
