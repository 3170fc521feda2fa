"""`shoal topic`: what is said back, and what is refused."""

import json

import pytest

from tests.cli.command import Shoal


def test_a_topic_is_made_shown_and_removed(shoal: Shoal) -> None:
    for name, text in (("on", "trout and salmon "), ("off", "motors and trains ")):
        folder = shoal.directory / name
        folder.mkdir()
        (folder / "a.txt").write_text(text * 5)
    made = shoal.ok("topic", "make", "fish", "--folder", "on", "off", "--json")
    told = json.loads(made.out)
    assert (told["yes"], told["no"], told["running"]) == (1, 1, False)
    listed = json.loads(shoal.ok("topic", "list", "--json").out)
    assert [(each["name"], each["yes"], each["no"]) for each in listed] == [("fish", 1, 1)]
    assert "trout" in shoal.ok("topic", "show", "fish").text
    shoal.ok("topic", "remove", "fish")
    assert json.loads(shoal.ok("topic", "list", "--json").out) == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["make", "fish"], "needs something to begin with"),
        (["make", "Two Words", "--words", "x"], "can't be the name of a topic"),
        (["make", "fish", "--folder", "nowhere", "nowhere"], "is not a folder"),
    ],
)
def test_a_mistake_is_one_sentence(shoal: Shoal, words: list[str], says: str) -> None:
    assert says in shoal.refuses("topic", *words)
