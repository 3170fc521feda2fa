"""`shoal mark`: what a person found out about a page is kept, shown, and found by search."""

import shutil
from pathlib import Path

from tests.cli.command import Shoal

SEAHORSE = "http://www.reef.example/species/seahorse.html"


def test_a_mark_is_written_found_and_taken_back(shoal: Shoal, reef: Path, tmp_path: Path) -> None:
    place = ("--dir", str(shutil.copytree(reef, tmp_path / "own")))
    assert shoal.ok("mark", SEAHORSE, "topic=fish", "seen=yes", "--json", *place).json == {
        "topic": "fish",
        "seen": "yes",
    }
    found = shoal.ok("search", "mark:topic=fish", "--json", *place).json["results"]
    assert [each["url"] for each in found] == [SEAHORSE]
    shoal.ok("mark", SEAHORSE, "topic=", *place)
    assert shoal.ok("mark", SEAHORSE, *place).lines == ["seen=yes"]
    assert "write a mark as NAME=VALUE" in shoal.refuses("mark", SEAHORSE, "fish", *place)
