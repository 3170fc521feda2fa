"""Do the lab's newer programs print what the page shows, and is it right?"""

import math
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.lab import (
    collection_size,
    crawl_arithmetic,
    folder_sitemap,
    simhash_sizes,
    unicode_bytes,
    url_orders,
)
from shoal.demo.server import WEB

PAGE = (Path(__file__).parents[2] / "docs" / "lab.md").read_text(encoding="utf-8")
MUSEUM = [str(WEB / "museum.tide.example"), "http://museum.tide.example/"]
PROGRAMS: list[tuple[ModuleType, list[str]]] = [
    (crawl_arithmetic, []),
    (folder_sitemap, MUSEUM),
    (simhash_sizes, []),
    (url_orders, []),
    (collection_size, []),
    (unicode_bytes, []),
]


@pytest.mark.parametrize(
    ("program", "words"), PROGRAMS, ids=lambda each: getattr(each, "__name__", "")
)
def test_the_page_shows_what_it_prints(
    capsys: pytest.CaptureFixture[str], program: ModuleType, words: list[str]
) -> None:
    assert program.main(words) == 0
    assert f"```\n{capsys.readouterr().out}```" in PAGE


@pytest.mark.parametrize(
    ("program", "words"),
    [
        (crawl_arithmetic, ["1", "2"]),
        (crawl_arithmetic, ["1", "2", "nan", "4"]),
        (folder_sitemap, []),
        (folder_sitemap, ["nowhere", "http://a.test/"]),
        (folder_sitemap, [MUSEUM[0], "ftp://a.test/"]),
        (simhash_sizes, ["64"]),
        (url_orders, ["3"]),
        (url_orders, ["many"]),
        (collection_size, ["1", "2", "3"]),
        (collection_size, ["10", "10", "0"]),
        (unicode_bytes, ["\udcff"]),
    ],
)
def test_what_makes_no_sense_is_refused(
    capsys: pytest.CaptureFixture[str], program: ModuleType, words: list[str]
) -> None:
    assert program.main(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1


def test_the_textbooks_crawler_needs_500_connections_and_10_000_hosts() -> None:
    found = crawl_arithmetic.needs(*crawl_arithmetic.TEXTBOOK)
    assert (found.connections, found.hosts) == (500, 10_000)


def test_a_sitemap_is_xml_with_every_page_once(tmp_path: Path) -> None:
    for name in ("a & b.html", "größe.HTM", "sub/index.html", "sub/no.txt"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text("page")
    found = "\n".join(folder_sitemap.sitemap(tmp_path, "http://a.test", dates=True))
    places = [each.text for each in ET.fromstring(found).iter() if each.tag.endswith("loc")]  # noqa: S314 - our own
    assert sorted(map(str, places)) == [
        "http://a.test/a%20%26%20b.html",
        "http://a.test/gr%C3%B6%C3%9Fe.HTM",
        "http://a.test/sub/",
    ]
    assert found.count("<lastmod>") == 3


def test_a_simhash_agrees_with_itself_and_half_with_its_opposite() -> None:
    words = ["fish"] * 3
    one = simhash_sizes.simhash(words, 64)
    assert one == simhash_sizes.bits_of("fish") & (1 << 64) - 1
    assert simhash_sizes.agreement(one, one, 64) == 1
    assert simhash_sizes.agreement(0, (1 << 32) - 1, 64) == 0.5


def test_every_order_fetches_every_page_once() -> None:
    links = url_orders.web(60)
    for order in url_orders.orders(links).values():
        assert sorted(order) == list(range(60))
    assert url_orders.orders(links)["breadth"][0] == 0


def test_independent_words_give_the_size() -> None:
    a, b, both = collection_size.made(0.0, Random(3))
    found = collection_size.estimate(a, b, both)
    assert math.isclose(found, collection_size.DOCUMENTS, rel_tol=0.3)


@given(st.characters(exclude_categories=["Cs"]))
def test_the_bytes_are_those_of_python(letter: str) -> None:
    assert unicode_bytes.utf8(ord(letter)) == letter.encode()
    assert unicode_bytes.utf16(ord(letter)) == letter.encode("utf-16-be")


@pytest.mark.parametrize("code", [-1, 0xD800, 0xDFFF, sys.maxunicode + 1])
def test_what_is_no_character_has_no_bytes(code: int) -> None:
    for encode in (unicode_bytes.utf8, unicode_bytes.utf16):
        with pytest.raises(ValueError, match="is no character"):
            encode(code)
