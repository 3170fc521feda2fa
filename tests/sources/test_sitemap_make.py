"""Sitemaps that are written: valid by the schema's rules, split at the limits, put with care."""

import gzip
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import UsageError
from shoal.sources.sitemap import Entry, read_sitemap
from shoal.sources.sitemap_make import Line, Target, is_sitemap_of_ours, w3c_date, write_sitemaps
from tests.sources.sitemap_schema import faults

BASE = "http://www.example.com/"
WHEN = 1_790_000_000.0
LINES = [Line(f"{BASE}{number}.html", WHEN + number, "daily") for number in range(7)]


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
LOC = f"<loc>{BASE}a</loc>"


@pytest.mark.parametrize(
    "entries",
    [
        "",
        "<url><lastmod>2026-01-02</lastmod></url>",
        f"<url><lastmod>2026-01-02</lastmod>{LOC}</url>",
        f"<url>{LOC}{LOC}</url>",
        f"<url>{LOC}<lastmod>2026-01-02 12:00</lastmod></url>",
        f"<url>{LOC}<changefreq>often</changefreq></url>",
        f"<url>{LOC}<priority>1.5</priority></url>",
        f"<url>{LOC}<other/></url>",
        f"<sitemap>{LOC}</sitemap>",
        "<url><loc>http://elsewhere.example/a</loc></url>",
        f"<url><loc>{BASE}a b</loc></url>",
        f"<url><loc>{BASE}{'a' * 2048}</loc></url>",
    ],
)
def test_the_checker_finds_what_is_wrong(tmp_path: Path, entries: str) -> None:
    path = tmp_path / "sitemap.xml"
    path.write_text(f'<urlset xmlns="{SPACE}"><url>{LOC}</url></urlset>')
    assert faults(path, BASE) == []
    path.write_text(f'<urlset xmlns="{SPACE}">{entries}</urlset>')
    assert faults(path, BASE) != []


def test_one_file_is_enough_for_a_few_pages(tmp_path: Path) -> None:
    written = write_sitemaps(LINES, Target(tmp_path, BASE))
    assert written == [("sitemap.xml", 7)]
    assert names(tmp_path) == {"sitemap.xml"}
    assert faults(tmp_path / "sitemap.xml", BASE) == []
    entries = read_sitemap((tmp_path / "sitemap.xml").read_bytes()).entries
    assert entries[1] == Entry(f"{BASE}1.html", "2026-09-21T14:13:21Z", "daily")


@pytest.mark.parametrize("is_gzip", [False, True])
def test_more_are_split_below_an_index(tmp_path: Path, is_gzip: bool) -> None:
    target = Target(tmp_path, BASE, is_gzip, max_urls=3)
    written = write_sitemaps(LINES, target)
    end = ".xml.gz" if is_gzip else ".xml"
    parts = [(f"sitemap-{number}{end}", urls) for number, urls in ((1, 3), (2, 3), (3, 1))]
    assert written == [(f"sitemap{end}", 3), *parts]
    assert names(tmp_path) == {name for name, _ in written}
    for name, _ in written:
        assert faults(tmp_path / name, BASE) == []
    index = read_sitemap((tmp_path / f"sitemap{end}").read_bytes())
    assert [entry.url for entry in index.entries] == [BASE + name for name, _ in parts]
    below = [read_sitemap((tmp_path / name).read_bytes()).entries for name, _ in parts]
    assert [entry.url for part in below for entry in part] == [line.url for line in LINES]


def test_a_file_ends_before_it_gets_too_long(tmp_path: Path) -> None:
    written = write_sitemaps(LINES, Target(tmp_path, BASE, max_bytes=500))
    assert len(written) > 2
    assert sum(each.urls for each in written[1:]) == 7
    for each in written[1:]:
        assert (tmp_path / each.name).stat().st_size <= 500


def test_what_no_longer_belongs_to_it_goes_and_foreign_files_stay(tmp_path: Path) -> None:
    (tmp_path / "sitemap-news.xml").write_text("<urlset/>")
    write_sitemaps(LINES, Target(tmp_path, BASE, max_urls=2))
    write_sitemaps(LINES, Target(tmp_path, BASE, is_gzip=True))
    assert names(tmp_path) == {"sitemap.xml.gz", "sitemap-news.xml"}


def test_a_sitemap_of_somebody_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "sitemap.xml").write_text("<urlset/>")
    with pytest.raises(UsageError, match="somebody else"):
        write_sitemaps(LINES, Target(tmp_path, BASE, max_urls=3))
    assert names(tmp_path) == {"sitemap.xml"}
    assert (tmp_path / "sitemap.xml").read_text() == "<urlset/>"


def test_a_part_that_did_not_change_keeps_its_date(tmp_path: Path) -> None:
    target = Target(tmp_path, BASE, max_urls=4)
    write_sitemaps(LINES, target)
    for path in tmp_path.iterdir():
        os.utime(path, (WHEN, WHEN))
    write_sitemaps([*LINES[:-1], LINES[-1]._replace(change_frequency="never")], target)
    index = read_sitemap((tmp_path / "sitemap.xml").read_bytes()).entries
    assert index[0].last_modified == w3c_date(WHEN)
    assert index[1].last_modified > w3c_date(WHEN)


def test_nothing_to_name(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no page"):
        write_sitemaps([], Target(tmp_path, BASE))
    assert names(tmp_path) == set()


def test_dates_that_cannot_be_written_are_left_out(tmp_path: Path) -> None:
    lines = [Line(f"{BASE}{when}", when) for when in (-1.0, 0.0, 1e12, 1.0)]
    write_sitemaps(lines, Target(tmp_path, BASE))
    entries = read_sitemap((tmp_path / "sitemap.xml").read_bytes()).entries
    assert [entry.last_modified for entry in entries] == ["", "", "", "1970-01-01T00:00:01Z"]


def test_ours_are_told_by_their_mark(tmp_path: Path) -> None:
    write_sitemaps(LINES, Target(tmp_path, BASE))
    ours = tmp_path / "sitemap.xml"
    assert is_sitemap_of_ours(ours)
    for name, body in (
        ("sitemap-1.xml", b""),
        ("sitemap-2.xml.gz", b"\x1f\x8b\x08 damaged"),
        ("sitemap-3.xml.gz", gzip.compress(b"<urlset/>")),
        ("other.xml", ours.read_bytes()),
    ):
        (tmp_path / name).write_bytes(body)
        assert not is_sitemap_of_ours(tmp_path / name)
    assert not is_sitemap_of_ours(tmp_path / "sitemap-none.xml")


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"])))
def test_whatever_a_url_holds_is_escaped(text: str) -> None:
    """Characters that XML has none of never get here: a path is percent-encoded before."""
    from shoal.sources.sitemap_make import _element  # noqa: PLC0415 - no file for each example

    body = b"<urlset>" + _element("url", Line(f"{BASE}x{text}x")) + b"</urlset>"
    assert read_sitemap(body).entries == [Entry(f"{BASE}x{text}x")]


def test_fifty_thousand_fit_and_one_more_does_not(tmp_path: Path) -> None:
    lines = (Line(f"{BASE}{number}") for number in range(50_001))
    written = write_sitemaps(lines, Target(tmp_path, BASE))
    assert written == [("sitemap.xml", 2), ("sitemap-1.xml", 50_000), ("sitemap-2.xml", 1)]
