"""./shoal and ./check, with a stand-in for Python that notes what it is asked to do.

The scripts are the real ones, copied with the lock files into a directory of their own: nothing is
downloaded, and what would be installed, when and how often, stands in a log.
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
TOOLS = "bash cat cmp cp dirname env id ls mkdir readlink rm sleep"
STAND_IN = """#!/usr/bin/env bash
case "$1 $2" in
    "-c "*) exec {python} "$@" ;;
    "-m venv")
        echo venv >>{log}
        mkdir -p "${{@: -1}}/bin"
        echo >"${{@: -1}}/pyvenv.cfg"
        cp "$0" "${{@: -1}}/bin/python"
        cp "$0" "${{@: -1}}/bin/ruff"
        ;;
    "-m pip")
        cat >/dev/null # whatever comes in is eaten, as a real program might
        [ "$3" = install ] || exit 0
        sleep "${{SLOW:-0}}"
        echo "pip ${{@: -1}}" >>{log}
        exit "${{PIP_EXIT:-0}}"
        ;;
    "-m mypy" | "-m pytest" | "format --check" | "check .")
        echo "step $*" >>{log}
        [ "$1" != "${{FAILING-}}" ]
        ;;
    *)
        echo "asked for: $*"
        cat
        ;;
esac
"""


@dataclass
class Checkout:
    root: Path
    environ: dict[str, str]
    log_path: Path

    def start(self, *command: str, **environ: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.root.parent,
            env=self.environ | environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str, given: str = "", **environ: str) -> tuple[int, str, str]:
        process = self.start(*command, **environ)
        out, err = process.communicate(given, timeout=60)
        return process.returncode, out, err

    def shoal(self, *arguments: str, given: str = "", **environ: str) -> tuple[int, str, str]:
        return self.run(str(self.root / "shoal"), *arguments, given=given, **environ)

    def log(self) -> list[str]:
        """What was asked of Python since the last look."""
        lines = self.log_path.read_text().splitlines() if self.log_path.exists() else []
        self.log_path.unlink(missing_ok=True)
        return lines

    def installs(self, lock: str) -> list[str]:
        return [f"pip {self.root}/{lock}", f"pip {self.root}"]


COMPILED = "src/shoal/converters/html/_scan.c"
INCLUDED = "src/shoal/cleaners/words.h"
"""Any header, there or not."""
COPIED = [
    *("shoal", "check", "pyproject.toml", "hatch_build.py", COMPILED),
    *("requirements.lock", "requirements-dev.lock"),
]


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    root = tmp_path / "a checkout"
    root.mkdir()
    for name in COPIED:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / name, root / name)
    shutil.copytree(PROJECT / "scripts", root / "scripts")
    programs = tmp_path / "bin"
    programs.mkdir()
    for tool in (*TOOLS.split(), "openssl"):
        found = shutil.which(tool)
        (programs / tool).symlink_to(found or sys.executable)
    log = tmp_path / "log"
    python = programs / "python3.12"
    python.write_text(STAND_IN.format(python=sys.executable, log=log))
    python.chmod(0o755)
    # A version manager's stub comes first, and does not work.
    (programs / "python3.13").write_text("#!/usr/bin/env bash\nexit 127\n")
    (programs / "python3.13").chmod(0o755)
    return Checkout(root, {"PATH": str(programs)}, log)


def test_the_first_start_installs_and_the_second_does_not(checkout: Checkout) -> None:
    code, out, err = checkout.shoal("show", "a b", "--text")
    assert (code, out) == (0, "asked for: -P -m shoal show a b --text\n")
    assert "installing the libraries of requirements.lock" in err.splitlines()[0]
    assert checkout.log() == ["venv", *checkout.installs("requirements.lock")]
    assert checkout.shoal("status") == (0, "asked for: -P -m shoal status\n", "")
    assert checkout.log() == []


def test_the_installation_leaves_standard_input_to_the_command(checkout: Checkout) -> None:
    _, out, _ = checkout.shoal("submit", given="https://example.org/\n")
    assert out == "asked for: -P -m shoal submit\nhttps://example.org/\n"


def test_it_is_found_through_symbolic_links_from_anywhere(checkout: Checkout) -> None:
    elsewhere = checkout.root.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "absolute").symlink_to(checkout.root / "shoal")
    (elsewhere / "relative").symlink_to("absolute")
    code, out, _ = checkout.run(str(elsewhere / "relative"), "status")
    assert (code, out) == (0, "asked for: -P -m shoal status\n")
    assert (checkout.root / ".venv" / "bin" / "python").exists()


@pytest.mark.parametrize(
    "name", ["requirements.lock", "pyproject.toml", "hatch_build.py", COMPILED, INCLUDED]
)
def test_a_change_of_what_is_needed_installs_again(checkout: Checkout, name: str) -> None:
    checkout.shoal()
    checkout.log()
    (checkout.root / name).parent.mkdir(exist_ok=True)
    with (checkout.root / name).open("a") as file:
        file.write("# changed\n")
    checkout.shoal()
    assert checkout.log() == checkout.installs("requirements.lock")


def test_a_checkout_that_was_moved_installs_itself_again(checkout: Checkout) -> None:
    checkout.shoal()
    checkout.log()
    checkout.root = checkout.root.rename(checkout.root.with_name("moved"))
    checkout.shoal()
    assert checkout.log() == checkout.installs("requirements.lock")


def test_an_installation_that_failed_is_tried_again(checkout: Checkout) -> None:
    code, out, err = checkout.shoal(PIP_EXIT="3")
    assert (code, out) == (1, "")
    assert "the installation did not finish, for the reason above" in err
    checkout.log()
    assert checkout.shoal()[0] == 0
    assert checkout.log() == checkout.installs("requirements.lock")


def test_four_first_starts_at_once_install_once(checkout: Checkout) -> None:
    starts = [checkout.start(str(checkout.root / "shoal"), str(n), SLOW="0.3") for n in range(4)]
    outs = [start.communicate(timeout=60)[0] for start in starts]
    assert outs == [f"asked for: -P -m shoal {n}\n" for n in range(4)]
    assert checkout.log() == ["venv", *checkout.installs("requirements.lock")]


def test_a_directory_of_other_things_is_left_alone(checkout: Checkout) -> None:
    precious = checkout.root.parent / "precious"
    precious.mkdir()
    (precious / "file").write_text("dear")
    code, _, err = checkout.shoal(SHOAL_VENV="precious")
    assert code == 1
    assert "precious has files in it and is no virtual environment" in err
    assert (precious / "file").read_text() == "dear"
    assert checkout.log() == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written_is_named(checkout: Checkout) -> None:
    checkout.root.chmod(0o555)
    code, _, err = checkout.shoal()
    checkout.root.chmod(0o755)
    assert code == 1
    assert "can't be written to; point SHOAL_VENV at a directory of your own" in err


def test_without_a_python_it_says_what_to_install(checkout: Checkout) -> None:
    (checkout.root.parent / "bin" / "python3.12").unlink()
    code, out, err = checkout.shoal()
    assert (code, out) == (1, "")
    assert "no Python 3.11 or newer" in err
    assert "Traceback" not in err


STEPS = [
    "step format --check .",
    "step check .",
    "step -m mypy",
]


def assert_suites(runs: list[str], marked: str) -> None:
    """The three runs of the tests, which go on beside each other: the third takes what is left."""
    begun = f"step -m pytest -q -rs -p no:cacheprovider -m {marked} "
    apart = [run.removeprefix(begun) for run in runs if run.startswith(begun)]
    assert len(apart) == 2
    paths = sorted(apart, key=lambda named: "tests/cli" in named.split())
    assert [(PROJECT / path).exists() for path in " ".join(paths).split()].count(False) == 0
    left_out = " ".join(f"--ignore={path}" for path in " ".join(paths).split())
    rest = f"step -m pytest -q -rs --durations=5 --durations-min=2 -m {marked} {left_out}"
    assert rest in runs


def test_check_installs_and_takes_every_step(checkout: Checkout) -> None:
    code, out, _ = checkout.run(str(checkout.root / "check"))
    assert code == 0
    *before, first, second, third = checkout.log()
    assert before == ["venv", *checkout.installs("requirements-dev.lock"), *STEPS]
    assert_suites([first, second, third], "not slow")
    assert "without the slow tests" in out
    checkout.shoal()
    assert checkout.log() == [], "what ./check installed serves ./shoal too"


def test_check_all_takes_the_slow_tests_too(checkout: Checkout) -> None:
    code, _, _ = checkout.run(str(checkout.root / "check"), "--all")
    assert code == 0
    assert_suites(checkout.log()[-3:], "")


def test_check_stops_at_the_first_failure(checkout: Checkout) -> None:
    code, out, _ = checkout.run(str(checkout.root / "check"), FAILING="check")
    assert code == 1
    assert "lint FAILED" in out
    assert [line for line in checkout.log() if line.startswith("step")] == STEPS[:2]


def test_check_says_what_is_skipped_for_want_of_a_program(checkout: Checkout) -> None:
    (checkout.root.parent / "bin" / "openssl").unlink()
    code, out, _ = checkout.run(str(checkout.root / "check"))
    assert code == 0
    assert "no openssl here: skipped are tests that make a TLS certificate" in out


def test_check_hands_on_what_is_to_be_fuzzed(checkout: Checkout) -> None:
    code, out, _ = checkout.run(str(checkout.root / "check"), "--fuzz", "0.5", "scan", "pairs")
    assert code == 0
    assert out == "asked for: -m tests.fuzz 0.5 scan pairs\n"


def test_check_refuses_an_option_it_does_not_know(checkout: Checkout) -> None:
    code, _, err = checkout.run(str(checkout.root / "check"), "--slow")
    assert code == 2
    assert "'--slow' is not an option" in err
