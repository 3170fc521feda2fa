"""The fuzzer itself: each target bears some hundred cases, and a fault that is there is found."""

import ast
import html
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

from hatch_build import SOURCES
from shoal.cleaners import cleaners
from tests.fuzz import hammer, targets
from tests.fuzz.__main__ import MODULES, parsed
from tests.fuzz.targets import TARGETS, Target

needs_native = pytest.mark.skipif(
    cleaners.native is None, reason="not compiled: no C compiler when Shoal was installed"
)
forks = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
"""Newer Pythons warn of it where there are threads; none of them has a lock that is asked for."""


def test_every_module_in_c_has_a_target() -> None:
    assert tuple(TARGETS) == MODULES
    assert {f"src.{each.module}".replace(".", "/") for each in TARGETS.values()} == {
        str(source.with_suffix("")) for source in SOURCES
    }


@needs_native
@pytest.mark.parametrize("name", MODULES)
def test_some_hundred_cases(name: str) -> None:
    """The same every time, after all that were ever found."""
    found = len(list(hammer.FOUND.glob(f"{name}-*.txt")))
    for number, case in zip(range(found + 200), hammer.cases(name, "check"), strict=False):
        assert TARGETS[name].holds(*case), f"{name}, case {number}: {case!r}"


@pytest.mark.parametrize("name", MODULES)
def test_a_case_can_be_kept_and_read_again(name: str) -> None:
    for number in range(20):
        case = TARGETS[name].draw(Random(number))
        assert ast.literal_eval(repr(case)) == case


def _differs(number: int) -> bool:
    return number < 90


def _raises(number: int) -> bool:
    return 1 / (90 - number) > 0


def _dies(number: int) -> bool:
    if number == 90:
        os._exit(9)
    return True


def _hangs(number: int) -> bool:
    if number == 90:
        time.sleep(600)
    return True


@forks
@pytest.mark.parametrize(
    ("planted", "said"),
    [
        (_differs, "C and Python differ"),
        (_raises, "ZeroDivisionError"),
        (_dies, "its process died"),
        (_hangs, "it did not end"),
    ],
)
def test_a_planted_fault_is_found(
    planted: Callable[[int], bool], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    target = Target("shoal", lambda random: (random.randrange(91),), planted)
    monkeypatch.setitem(TARGETS, "planted", target)
    monkeypatch.setattr(hammer, "_PATIENCE_SECONDS", 1.0 if planted is _hangs else 60.0)
    told = hammer.hammer("planted", 0.01, tmp_path, most=10_000)
    (kept,) = tmp_path.iterdir()
    assert told == f"planted: FAILED, {said}; the case is in {kept}"
    assert kept.read_text() == "(90,)"


@forks
@needs_native
def test_a_form_in_python_that_says_something_else_is_found(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(targets, "unescape", lambda text: html.unescape(text.replace("&#x", "&")))
    told = hammer.hammer("references", 1, tmp_path, most=2000)
    assert told.startswith("references: FAILED, C and Python differ; the case is in ")


@forks
@needs_native
def test_what_bears_all_leaves_nothing(tmp_path: Path) -> None:
    assert hammer.hammer("simhash", 1, tmp_path, most=20) == "simhash: 20 cases"
    assert list(tmp_path.iterdir()) == []


PROPERTY = """
import pytest
from hypothesis import given, strategies as st

class TestIt:
    @given(st.integers(), st.text(max_size=0))
    def test_planted(self, number, text):
        assert number < 1000

    @pytest.mark.skip
    @given(st.integers())
    def test_skipped(self, number): ...

    @given(st.integers())
    def test_sound(self, number): ...

    def test_plain(self): ...
"""
ASKED = (
    "from tests.fuzz.__main__ import try_properties; print(try_properties(0.01, ['test_it.py']))"
)


@pytest.mark.slow
def test_a_property_that_does_not_hold_is_told_with_its_example(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(PROPERTY)
    run = subprocess.run(
        [sys.executable, "-c", ASKED],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "test_planted failed" in run.stdout
    assert "@example(\n    number=1000,\n    text='',\n)" in run.stdout
    last = re.fullmatch(
        r"properties: FAILED as told above, (\d+) cases of 3 tests", run.stdout.splitlines()[-1]
    )
    assert last is not None
    assert int(last[1]) > 100


def test_only_a_fuzzer_draws_new_cases() -> None:
    assert settings.get_profile("shoal").derandomize
    assert not settings.get_profile("fuzz").derandomize


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "check: the following arguments are required: MINUTES.\n"),
        (["ten"], "check: argument MINUTES: 'ten' is no number of minutes.\n"),
        (["0"], "check: argument MINUTES: '0' is no number of minutes.\n"),
        (["nan"], "check: argument MINUTES: 'nan' is no number of minutes.\n"),
        (
            ["1", "src/shoal"],
            (
                "check: argument TARGET: 'src/shoal' is no target: there are properties, scan, "
                "references, content, prints, simhash, pairs, stems, learn, names, and paths "
                "in tests/.\n"
            ),
        ),
    ],
)
def test_wrong_words_are_told_in_one_sentence(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parsed(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err == said
