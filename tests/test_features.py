"""Do the papers name what exists? Commands with their options, Python names, tests, modules."""

import re
from operator import attrgetter
from pathlib import Path

import pytest

import shoal
from shoal.cli.main import _register_commands
from shoal.cli.options import command_names, parse_and_run

PROJECT = Path(__file__).resolve().parent.parent
PAPERS = ("CONTRIBUTING.md", "SECURITY.md", "docs/compatibility.md", "docs/data.md")
PATH = re.compile(r"(?:src|tests|scripts|docs|examples|training)/[\w./-]*\w(?:::\w+)?")
_register_commands()
COMMANDS = sorted(command_names(), key=len, reverse=True)


def paper(name: str) -> str:
    return (PROJECT / name).read_text(encoding="utf-8")


def spans(text: str) -> list[str]:
    """What stands in it as code, each once, in its order."""
    return list(dict.fromkeys(re.findall(r"`([^`\n]+)`", text)))


FEATURES = spans(paper("docs/features.md"))


def missing(places: list[str]) -> list[str]:
    """Paths that are not there, or have no test of that name."""
    found = [each.partition("::") for each in places if PATH.fullmatch(each)]
    assert found
    return [
        f"{path}::{test}"
        for path, _, test in found
        if not (PROJECT / path).exists() or (test and f"def {test}(" not in paper(path))
    ]


@pytest.mark.parametrize("said", [each for each in FEATURES if each.startswith("shoal ")])
def test_a_command_has_the_options_that_the_page_names(
    capsys: pytest.CaptureFixture[str], said: str
) -> None:
    words = said.removeprefix("shoal ")
    command = next((each for each in COMMANDS if f"{words} ".startswith(f"{each} ")), "")
    assert command, f"there is no command {words!r}"
    assert parse_and_run([*command.split(), "--help"]) == 0
    has = set(re.findall(r"--[a-z-]+", capsys.readouterr().out))
    assert set(re.findall(r"--[a-z-]+", words)) <= has


def test_every_command_is_a_feature() -> None:
    said = [f"{each.removeprefix('shoal ')} " for each in FEATURES]
    assert [each for each in COMMANDS if not any(s.startswith(f"{each} ") for s in said)] == []


TERMINAL_ALONE = {
    *("config path", "config show", "demo", "doctor", "formats"),
    *("cluster drain", "cluster rebalance", "checksum", "simulate"),
    *("shadow status", "shadow apply", "shadow discard"),
}
"""Commands that Python has no name for: for people at a terminal, and for machines. None is to be
added without need."""


def test_every_command_has_a_python_name() -> None:
    rows = [line.split(" | ") for line in paper("docs/features.md").splitlines()]
    mirrored = [
        span.removeprefix("shoal ")
        for row in rows
        if len(row) == 4 and "`shoal." in row[2]
        for span in spans(row[1])
    ]
    lacking = {
        each for each in COMMANDS if not any(f"{m} ".startswith(f"{each} ") for m in mirrored)
    }
    assert lacking == TERMINAL_ALONE


def test_python_names_exist() -> None:
    names = [each.removeprefix("shoal.") for each in FEATURES if each.startswith("shoal.")]
    assert all(attrgetter(name)(shoal) is not None for name in names)
    functions = {
        each for each in shoal.__all__ if callable(getattr(shoal, each)) and each.islower()
    }
    assert functions <= set(names)


@pytest.mark.parametrize("name", ["docs/features.md", *PAPERS])
def test_files_and_tests_exist(name: str) -> None:
    assert missing(spans(paper(name))) == []


def test_modules_of_the_glossary_exist() -> None:
    modules = [each for each in spans(paper("docs/glossary.md")) if each.endswith(".py")]
    assert missing([f"src/shoal/{each}" for each in modules]) == []
