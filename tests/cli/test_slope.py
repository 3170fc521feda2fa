"""`shoal slope`: the curve of a stored page or a file, drawn and as data."""

import os
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.command import Shoal
from tests.cli.conftest import ReadReef

CLOWNFISH = "http://www.reef.example/species/clownfish.html"
MENU = "<ul>" + "<li><a href='/'>Menu</a></li>" * 9 + "</ul>"
SAID = "A ray is a flat fish that lives on the sand and eats what it finds there"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "rays.html"
    path.write_text(f"<title>Rays</title>{MENU}<p>{SAID}<br>R\u00f6chen</p>{MENU}", "latin-1")
    return path


def test_a_file_is_drawn_and_counted(shoal: Shoal, page: Path) -> None:
    done = shoal.ok("slope", "rays.html")
    assert done.err == ""
    assert re.search("[\u2801-\u28ff]", done.text)
    assert max(map(len, done.lines)) <= 100
    words = len(SAID.split())
    assert f"content    {words + 1} words" in done.text
    assert "  first    A ray is a flat fish that lives" in done.lines
    assert done.lines[-1].endswith("eats what it finds there Röchen")
    found = re.search(r"i = (\d+), j = (\d+)", done.text)
    assert found
    assert int(found[2]) - int(found[1]) == words + 1  # the br too


def test_the_same_as_json_with_pictures(shoal: Shoal, page: Path, tmp_path: Path) -> None:
    done = shoal.ok(
        *("slope", "rays.html", "--json", "--method=window", "--svg=a.svg", "--png=a.png")
    )
    curve = done.json
    assert curve["method"] == "window"
    assert curve["points"][0] == [0, 0]
    assert curve["points"][-1] == [curve["tokens"], curve["tags"]]
    [block] = curve["blocks"]
    start, end = block["source"]
    assert SAID in page.read_text("latin-1")[start:end]
    assert curve["share"] == block["words"] / curve["words"]
    drawn = ET.fromstring((tmp_path / "a.svg").read_text())  # noqa: S314 - our own
    assert drawn.tag.endswith("svg")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_a_terminal_without_utf_8_gets_stars(shoal: Shoal, page: Path) -> None:
    done = shoal("slope", "rays.html", PYTHONIOENCODING="ascii", COLUMNS="60")
    assert done.code == 0
    assert done.out.isascii()
    assert "*" in done.text
    assert "=" in done.text
    assert max(map(len, done.lines[:18])) < 60


def test_a_stored_page(read: ReadReef) -> None:
    curve = read("slope", CLOWNFISH, "--json").json
    assert curve["words"] > 50
    assert curve["blocks"]
    raw = read("show", CLOWNFISH, "--raw").text
    start, end = curve["blocks"][0]["source"]
    assert raw[start:end].split()[0].startswith(curve["blocks"][0]["first"].split()[0])


def test_what_has_no_curve_is_refused_in_one_sentence(
    shoal: Shoal, read: ReadReef, page: Path
) -> None:
    unknown = "http://www.reef.example/never-heard-of.html"
    assert f"{unknown} is not stored" in read.refuses("slope", unknown)
    assert "no file here" in shoal.refuses("slope", "none.html")
    assert "can't be read" in shoal.refuses("slope", os.curdir)
    assert "There is no collection" in shoal.refuses("slope", "http://a.example/")
    assert "--svg" in shoal.refuses("slope", "rays.html", "--svg=none/a.svg")
    assert "--method" in shoal.refuses("slope", "rays.html", "--method=magic")


def test_a_stored_page_that_is_no_html_is_refused(read: ReadReef) -> None:
    listed = read("export", "jsonl").json_lines
    other = next(each for each in listed if each["media_type"] == "application/pdf")
    assert "application/pdf, and no HTML" in read.refuses("slope", other["url"])


def test_an_empty_file_is_drawn(shoal: Shoal, tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_bytes(b"")
    done = shoal.ok("slope", "empty.html")
    assert "0 tokens" in done.text
    assert "0 words (0.0%) in 0 blocks" in done.text
