"""Does the owner see what another person would find? And who has a token?"""

import os
import pwd
from pathlib import Path

import pytest

import shoal
from tests.cli.test_cluster_reading import Captured, InProcess
from tests.collection.test_searching import Shelf


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    made = Shelf(tmp_path / "corpus")
    made.put("http://open.example/", "Open", "The tides of the seagrass.")
    made.put("http://closed.example/", "Closed", "The tides of the staff.", readers=["r:staff"])
    (made.directory / "shoal.toml").write_text('[access]\nroles = ["staff: ann", "none: bob"]\n')
    return made.directory


def found(run: InProcess, place: Path, *more: str) -> set[str]:
    answer = run.ok("search", "tides", *more, "--json", "--dir", str(place)).json
    return {each["url"] for each in answer["results"]}


def test_search_as_somebody(capsysbinary: Captured, shelf: Path) -> None:
    run = InProcess(capsysbinary)
    everything = {"http://open.example/", "http://closed.example/"}
    assert found(run, shelf) == everything
    assert found(run, shelf, "--as=ann") == everything
    assert found(run, shelf, "--as=bob") == {"http://open.example/"}
    refused = run.refuses("search", "tides", "--as=nobody-here", "--dir", str(shelf))
    assert "nobody-here is no user of this machine" in refused
    with shoal.open(shelf, "bob") as collection:
        assert collection.search("tides").total == 1


def test_tokens_are_made_listed_and_taken_back(capsysbinary: Captured, shelf: Path) -> None:
    run, place = InProcess(capsysbinary), ("--dir", str(shelf))
    assert "Nobody but the owner" in run.ok("user", "list", *place).text
    made = run.ok("user", "add", "ann", *place)
    assert "No user of this machine has this name; ann finds only" in made.err
    token = made.text.split()[0]
    assert len(token) >= 32
    assert run.ok("user", "list", "--json", *place).json == ["ann"]
    assert all(
        token not in file.read_text("latin-1") for file in shelf.rglob("*") if file.is_file()
    )
    run.ok("user", "remove", "ann", *place)
    told = run.ok("user", "add", pwd.getpwuid(os.getuid()).pw_name, *place).err
    assert told.endswith("with ?token=… in place of the token in it.\n")
    assert "bob has no token here" in run.refuses("user", "remove", "bob", *place)
