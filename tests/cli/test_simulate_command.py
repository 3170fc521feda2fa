"""`shoal simulate` as people and programs see it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from shoal.cli.main import _register_commands
from shoal.cli.options import parse_and_run
from shoal.errors import CollectionError, UsageError

Ask = Callable[..., str]


@pytest.fixture
def ask(capsysbinary: pytest.CaptureFixture[bytes]) -> Ask:
    """A command, run in this process; what it prints."""
    _register_commands()

    def run(*words: str) -> str:
        quick = ("--pages", "30", "--years", "0.1", "--budget", "1")
        assert parse_and_run(["simulate", *quick, *words]) == 0
        return capsysbinary.readouterr().out.decode()

    return run


def test_a_table(ask: Ask) -> None:
    said = ask("--weighted", "--population", "daily")
    assert "30 pages (daily), 0.1 simulated years, weighted by importance" in said
    for words in ("uniform", "proportional", "freshness", "learned", "exact", "+0.0%"):
        assert words in said


def test_json(ask: Ask) -> None:
    found = json.loads(ask("--policy", "age", "--seed", "4", "--json"))
    assert (found["pages"], found["seed"], found["weighted"]) == (30, 4, False)
    assert [each["rates"] for each in found["outcomes"]] == ["exact", "known", "learned"]


@pytest.mark.parametrize("ending", ["svg", "png"])
def test_a_drawing(ask: Ask, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"policies.{ending}"
    ask("--policy", "age", "--budget", "2", "--plot", str(file))
    assert file.read_bytes()[:5] in (b"<svg ", b"\x89PNG\r")


def test_mistakes(ask: Ask, tmp_path: Path) -> None:
    for words in (["--plot", "x.gif"], ["--policy", "often"], ["--seed", "-1"], ["--budget", "0"]):
        with pytest.raises(UsageError):
            ask(*words)
    with pytest.raises(CollectionError):
        ask("--dir", str(tmp_path / "nothing"))


def test_one_year_is_one_year(ask: Ask) -> None:
    said = ask("--policy", "uniform", "--pages", "1", "--years", "1")
    assert "1 page (lognormal), 1 simulated year\n" in said
