"""Is what docs/lab.md shows what the lab's programs print, with the standard library alone?"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
LAB = sorted((PROJECT / "examples/lab").glob("*.py"))
SHOWN: list[tuple[str, str]] = re.findall(
    r"```sh\npython (examples/lab/[^\n]*)\n```\n\n```\n(.*?)```",
    (PROJECT / "docs/lab.md").read_text("utf-8"),
    re.DOTALL,
)
SLOW = {"examples/lab/unicode_codecs.py check"}


def printed(*arguments: str) -> str:
    """By a Python that knows of no package beside its own library."""
    command = [sys.executable, "-I", "-S", "-X", "utf8", *arguments]
    done = subprocess.run(command, capture_output=True, cwd=PROJECT, timeout=300, check=True)
    return done.stdout.decode("utf-8")


@pytest.mark.parametrize(
    ("command", "output"),
    [
        pytest.param(*each, id=each[0], marks=[pytest.mark.slow] if each[0] in SLOW else [])
        for each in SHOWN
    ],
)
def test_the_page_shows_what_the_program_prints(command: str, output: str) -> None:
    assert printed(*command.split()) == output


def test_every_program_is_on_the_page_and_all_but_one_with_its_output() -> None:
    with_output = {Path(command.split()[0]).name for command, _ in SHOWN}
    assert {path.name for path in LAB} - with_output == {"tag_codec.py"}  # its speeds differ
    page = (PROJECT / "docs/lab.md").read_text("utf-8")
    assert [path.name for path in LAB if f"| `lab/{path.name}` |" not in page] == []


@pytest.mark.parametrize("program", LAB, ids=lambda path: path.stem)
def test_help_says_what_the_exercise_is_and_how_to_run_it(program: Path) -> None:
    said = printed(str(program), "--help")
    question = program.read_text("utf-8").removeprefix('"""').splitlines()[0]
    assert question in said
    assert f"python {program.name}" in said
