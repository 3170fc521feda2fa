"""Which files of a folder are pages, and under which URL."""

import os
from pathlib import Path

import pytest

from shoal.sources.web_folder import MAX_URL_CHARS, WebFolder

BASE = "http://www.example.com/"


def put(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def urls(folder: WebFolder) -> list[str]:
    return [found.url.removeprefix(BASE) for found in folder.files(lambda _: False)]


def test_an_index_is_the_folder_itself(tmp_path: Path) -> None:
    put(tmp_path, "index.html", "a/index.htm", "b/index.html", "b/index.htm", "c/other.html")
    assert urls(WebFolder(tmp_path, BASE)) == ["", "a/", "b/index.htm", "b/", "c/other.html"]


def test_hidden_files_and_parts_of_pages_are_left_out(tmp_path: Path) -> None:
    put(tmp_path, ".htaccess", ".git/config", "a/.x/y.html", "style.css", "a/x.PNG", "robots.txt")
    put(tmp_path, "page.html~", "text.txt", "paper.pdf", "README", "feed.xml")
    wanted = ["README", "feed.xml", "paper.pdf", "text.txt"]
    assert urls(WebFolder(tmp_path, BASE)) == wanted
    more = ["a/x.PNG", "page.html~", "robots.txt", "style.css"]
    assert sorted(urls(WebFolder(tmp_path, BASE, takes_all=True))) == sorted(wanted + more)


def test_links_lead_nowhere_outside(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    put(root, "real.html", "folder/page.html")
    put(outside, "secret.html")
    (root / "inside.html").symlink_to("real.html")
    (root / "leak.html").symlink_to(outside / "secret.html")
    (root / "leaks").symlink_to(outside)
    (root / "loop").symlink_to(root)
    (root / "broken.html").symlink_to("nothing")
    (root / "circle.html").symlink_to("circle.html")
    folder = WebFolder(root, BASE)
    assert urls(folder) == ["inside.html", "real.html", "folder/page.html"]


def test_a_folder_that_is_itself_a_link_is_read(tmp_path: Path) -> None:
    put(tmp_path, "real/page.html")
    (tmp_path / "link").symlink_to("real")
    assert urls(WebFolder(tmp_path / "link", BASE)) == ["page.html"]


def test_names_are_escaped(tmp_path: Path) -> None:
    put(tmp_path, "a b/100%.html", "ü?.html", "it's&more#1.html")
    (tmp_path / os.fsdecode(b"\xff.html")).write_text("x")
    found = urls(WebFolder(tmp_path, BASE))
    assert found == ["it's&more%231.html", "%C3%BC%3F.html", "%FF.html", "a%20b/100%25.html"]


def test_what_has_no_place_in_a_sitemap_is_told(tmp_path: Path) -> None:
    deep = "/".join(["d" * 200] * 5)
    put(tmp_path, f"{deep}/{'é' * 100}.html", "page.html")
    folder = WebFolder(tmp_path, BASE + "b" * 1000 + "/")
    assert [found.path for found in folder.files(lambda _: False)] == ["page.html"]
    assert f"more than {MAX_URL_CHARS:,} characters" in folder.left_out[0]


def test_pipes_are_no_pages_and_its_own_sitemaps_neither(tmp_path: Path) -> None:
    put(tmp_path, "page.html", "sitemap.xml")
    os.mkfifo(tmp_path / "pipe.html")
    found = WebFolder(tmp_path, BASE).files(lambda path: path.name == "sitemap.xml")
    assert [each.path for each in found] == ["page.html"]


def test_the_date_is_the_files_own(tmp_path: Path) -> None:
    put(tmp_path, "page.html")
    os.utime(tmp_path / "page.html", (1_000.0, 2_000.5))
    found = list(WebFolder(tmp_path, BASE).files(lambda _: False))
    assert found == [("page.html", f"{BASE}page.html", 2_000.5, 1)]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    put(tmp_path, "closed/page.html", "page.html")
    (tmp_path / "closed").chmod(0)
    folder = WebFolder(tmp_path, BASE)
    assert urls(folder) == ["page.html"]
    assert folder.left_out == ["closed/: Permission denied"]
    (tmp_path / "closed").chmod(0o700)
