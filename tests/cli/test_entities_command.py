"""People, places and organisations of a collection: marked while crawling or afterwards, searched,
counted and shown, and for each reader only of what they may read."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("shoal.naming._names", reason="no compiled module")

import shoal as library
from shoal.access.opening import open_collection
from shoal.collection.report.marks_told import MarkLine, as_json, computed_lines
from shoal.errors import Busy, UsageError
from shoal.layout.layout import Layout, WriteLock
from shoal.maintenance import naming
from shoal.model.principal import PUBLIC
from shoal.model.words.marks import values
from tests.cli.command import Shoal

TEXTS = {
    "a.txt": "Ann Smith met Barack Obama in Paris on Monday. Smith said that she liked it there, "
    "and the two talked about the weather and the news of the day.",
    "b.txt": "The committee of the United Nations met in London, where Barack Obama spoke about "
    "the weather and about the news of the day.",
    "c.txt": "Angela Merkel und Helmut Kohl sprachen in Berlin mit der Regierung über die neuen "
    "Gesetze und die Lage der Wirtschaft im ganzen Land.",
}
OFF = "understand.entities"


def folder_in(place: Path) -> Path:
    folder = place / "texts"
    folder.mkdir()
    for name, text in TEXTS.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For reading only, and by its owner alone."""
    place = tmp_path_factory.mktemp("marked")
    folder = folder_in(place)
    folder.chmod(0o700)
    library.add(folder, dir=place / "own")
    library.update_index(place / "own")
    return place


@pytest.fixture
def unmarked(tmp_path: Path) -> Path:
    library.add(folder_in(tmp_path), dir=tmp_path / "own", settings={OFF: "no"})
    return tmp_path / "own"


def test_names_are_marked_as_documents_come(marked: Path) -> None:
    with library.open(marked / "own") as collection:
        found = collection.search('person:"Barack Obama"', facets=True)
        assert {each.title for each in found} == {"a.txt", "b.txt"}
        assert found.facets["person"] == [("Barack Obama", 2), ("Ann Smith", 1)]
        assert found.facets["place"] == [("London", 1), ("Paris", 1)]
        assert found.facets["org"] == [("United Nations", 1)]
        assert [each.title for each in collection.search("person:smith")] == ["a.txt"]
        assert collection.search("place:berlin").total == 0  # it stands in a German text


def test_marks_are_shown(shoal: Shoal, marked: Path) -> None:
    place, url = ("--dir", str(marked / "own")), (marked / "texts" / "a.txt").as_uri()
    marks = shoal.ok("show", url, "--marks", "--json", *place).json["marks"]
    assert [(each["value"], each["count"]) for each in marks["person"]] == [
        ("Ann Smith", 2),
        ("Barack Obama", 1),
    ]
    assert shoal.ok("show", url, "--marks", *place).text.count("Ann Smith (") == 1
    assert "Ann Smith (" in shoal.ok("explain", url, *place).text
    exported = shoal.ok("export", "jsonl", *place).json_lines
    assert {each["url"].rpartition("/")[2]: sorted(each["marks"]) for each in exported} == {
        "a.txt": ["person", "place"],
        "b.txt": ["org", "person", "place"],
        "c.txt": [],
    }


def test_nobody_sees_names_in_what_they_may_not_read(marked: Path) -> None:
    url = (marked / "texts" / "a.txt").as_uri()
    with open_collection(marked / "own", PUBLIC) as collection:
        assert collection.marks(url) == {}
        found = collection.search("weather", facets=True)
        assert found.total == 0
        assert found.facets["person"] == []
        assert collection.search("person:smith").total == 0


def test_names_are_marked_afterwards(shoal: Shoal, unmarked: Path) -> None:
    with library.open(unmarked) as collection:
        assert collection.search("person:obama").total == 0
    done = shoal.ok("entities", "--json", "--dir", str(unmarked)).json
    assert done == {"documents": 3, "read": 2, "named": 2, "changed": 2}
    library.update_index(unmarked)
    with library.open(unmarked) as collection:
        assert collection.search("person:obama").total == 2
    assert library.mark_entities(unmarked).changed == 0


def test_a_page_that_names_others_has_the_marks_of_these(tmp_path: Path) -> None:
    folder, own = folder_in(tmp_path), tmp_path / "own"
    library.add(folder, dir=own)
    (folder / "a.txt").write_text(TEXTS["b.txt"].replace("London", "Chicago"))
    library.add(folder, dir=own)
    with library.open(own) as collection:
        cells = collection.marks((folder / "a.txt").as_uri())
    marks = {name: values(cell) for name, cell in cells.items()}
    found = {name: [each.text for each in lines] for name, lines in marks.items() if lines}
    assert found == {
        "org": ["United Nations"],
        "person": ["Barack Obama"],
        "place": ["Chicago"],
    }


PROGRAM = """
import os, sys
from pathlib import Path
from shoal.config import load
from shoal.maintenance import naming
naming._ROWS_AT_ONCE = 1
place = Path(sys.argv[1])
naming.mark_names(place, load(place, {}, {}), lambda _: None)
"""


def test_a_kill_loses_a_slice(unmarked: Path) -> None:
    own = unmarked
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(own)],
        env={**os.environ, "SHOAL_FAULT": "entities.slice"},
        capture_output=True,
        check=False,
    )
    assert done.returncode == -9, done.stderr
    after = library.mark_entities(own)
    assert (after.named, after.changed) == (2, 1)  # the first slice was kept
    assert library.verify(own).ok


def test_one_writer_at_a_time(shoal: Shoal, unmarked: Path, tmp_path: Path) -> None:
    with WriteLock(Layout(unmarked)), pytest.raises(Busy):
        library.mark_entities(unmarked)
    refused = shoal.refuses("entities", "--dir", str(tmp_path / "none"))
    assert "There is no collection" in refused


def test_without_the_compiled_module_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shoal.naming.names.native", None)
    with pytest.raises(UsageError, match="not compiled"):
        library.mark_entities(tmp_path)
    assert library.entities("Ann Smith met Barack Obama in Paris.") == []


def test_marks_are_told_for_people_and_programs() -> None:
    marks = {"person": "Ann Smith\t0.91\t3\nBob Hill\t0.60", "topic": "reef", "org": ""}
    assert as_json(marks) == {
        "person": [MarkLine("Ann Smith", 0.91, 3), MarkLine("Bob Hill", 0.6, 0)],
        "topic": "reef",
    }
    many = "\n".join(f"Name{number}\t1.00\t1" for number in range(15))
    assert next(iter(computed_lines({"place": many})))[1].endswith(", and 3 more")
    assert naming.NamesMarked().documents == 0
