"""`shoal search`: pages found by words, as people and programs see them."""

import shlex
from pathlib import Path

from tests.cli.command import Shoal
from tests.cli.conftest import ReadReef

SEAHORSE = "http://www.reef.example/species/seahorse.html"


def test_results_with_title_url_and_marked_words(read: ReadReef) -> None:
    done = read("search", "seahorse")
    assert done.lines[0].endswith("ms)")
    assert "documents for 'seahorse'" in done.lines[0]
    assert f"     {SEAHORSE}" in done.lines
    at = done.lines.index(f"     {SEAHORSE}")
    assert done.lines[at - 1].strip().partition(". ")[2]
    assert "eahorse" in done.lines[at + 1]


def test_words_need_no_quotes_and_pages_go_on(read: ReadReef, shoal: Shoal) -> None:
    first = read("search", "fish", "of", "the", "reef", "--limit=2", "--json").json
    second = read("search", "fish of the reef", "--limit=2", "--page=2", "--json").json
    assert len(first["results"]) == len(second["results"]) == 2
    assert not {each["url"] for each in first["results"]} & {
        each["url"] for each in second["results"]
    }
    said = read("search", "fish of the reef", "--limit=2").lines[-1]
    again = shlex.split(said.removeprefix("The next page: shoal "))
    assert again[-3:] == ["--dir", str(read.directory), "fish of the reef"]
    more = shoal.ok(*again, "--json").json["results"]
    assert [each["url"] for each in more] == [each["url"] for each in second["results"]]
    unwanted = ("--", "the reef's", "-walrus")
    said = shoal.ok("search", "--limit=2", "--dir", str(read.directory), *unwanted).lines[-1]
    again = shlex.split(said.removeprefix("The next page: shoal "))
    assert tuple(again[-3:]) == unwanted
    assert shoal.ok(*again).lines


def test_explain_facets_and_notes(read: ReadReef) -> None:
    text = read("search", "seahorse colour:red", "--explain", "--facets").text
    assert "colour: is no field" in text
    assert "score " in text
    assert "in the title" in text
    assert "\nsite: " in text


def test_near_duplicates_are_one_result(read: ReadReef) -> None:
    found = read("search", "seahorse", "--json", "--limit=20").json["results"]
    [lead] = [each for each in found if each["url"] == SEAHORSE]
    assert lead["alike"] >= 1
    assert not any("mirror.reef.example/species/seahorse" in each["url"] for each in found)
    assert "more like this" in read("search", "seahorse").text


def test_odd_input_is_no_error(read: ReadReef) -> None:
    done = read("search", '"', "((((", "\x07bell", "a:b:c", "*", "%s", "OR", "--json")
    assert done.json["notes"]
    assert "\x07" not in read("search", "\x07bell (").text


def test_mistakes_are_told(read: ReadReef, shoal: Shoal, tmp_path: Path) -> None:
    assert "say what to look for" in read.refuses("search", " ")
    assert "limit must be from 1 to 100" in read.refuses("search", "fish", "--limit=0")
    assert "no collection" in shoal.refuses("search", "fish", "--dir", str(tmp_path / "none"))
