"""Does everything hold for cases that were never drawn before? `./check --fuzz MINUTES [TARGET…]`.

The property tests in this process, the modules in C built with the sanitizers of the compiler.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from tests.fuzz.properties import Properties

PROJECT = Path(__file__).resolve().parent.parent.parent
MODULES = ("scan", "references", "content", "prints", "simhash", "pairs", "stems", "learn", "names")
_HELP = """Draws new cases: for MINUTES in all for the property tests (each has its share, and is
run once at least), and for MINUTES each for the modules in C, which are built with sanitizers and
held against their Python forms. What fails is told with the @example to keep, or is kept in
fuzz-failures/; moved to tests/fuzz/found/, ./check tries it every time. Ends with 1 if anything
failed."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"check: {message}.\n")


def _minutes(word: str) -> float:
    try:
        minutes = float(word)
    except ValueError:
        minutes = 0.0
    if not 0 < minutes <= 100_000:
        raise argparse.ArgumentTypeError(f"{word!r} is no number of minutes")
    return minutes


def _target(word: str) -> str:
    path = PROJECT / word.partition("::")[0]
    if word in ("properties", *MODULES) or (word.startswith("tests/") and path.exists()):
        return word
    known = ", ".join(("properties", *MODULES))
    raise argparse.ArgumentTypeError(
        f"{word!r} is no target: there are {known}, and paths in tests/"
    )


def parsed(words: list[str]) -> argparse.Namespace:
    parser = _Parser(
        prog="./check --fuzz", description=_HELP, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("minutes", metavar="MINUTES", type=_minutes, help="such as 10 or 0.5")
    known = f"properties, {', '.join(MODULES)},\nor a path of property tests; all if none is named"
    parser.add_argument(
        "targets", metavar="TARGET", type=_target, nargs="*", default=[], help=known
    )
    return parser.parse_args(words)


def try_properties(minutes: float, paths: list[str]) -> str:
    os.environ["SHOAL_FUZZ"] = "1"  # tests/conftest.py asks for it
    plugin = Properties(minutes)
    arguments = ["-q", "-rs", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    arguments += ["-m", "hypothesis", *paths]
    is_fine = pytest.main(arguments, plugins=[plugin]) == 0
    how = "" if is_fine else "FAILED as told above, "
    return f"properties: {how}{plugin.cases} cases of {plugin.properties} tests"


def try_modules(minutes: float, names: list[str]) -> Iterator[str]:
    """What hammer.py says of each, as it says it."""
    command = [
        str(PROJECT / "scripts/sanitize.bash"),
        "-m",
        "tests.fuzz.hammer",
        str(minutes),
        *names,
    ]
    said = 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            if line.startswith("fuzz: "):
                said += 1
                yield line.removeprefix("fuzz: ").strip()
    if said < len(names):
        yield f"{names[said]}: FAILED, for the reason above"


def main(words: list[str]) -> int:
    asked, started = parsed(words), time.monotonic()
    os.chdir(PROJECT)
    targets = asked.targets or ["properties", *MODULES]
    paths = [] if "properties" in targets else [each for each in targets if "/" in each]
    names = [each for each in MODULES if each in targets]
    said = []
    if paths or "properties" in targets:
        said.append(try_properties(asked.minutes, paths))
    if names:
        said += try_modules(asked.minutes, names)
    failed = any("FAILED" in each for each in said)
    word, took = "failed" if failed else "passed", (time.monotonic() - started) / 60
    print(f"check: fuzzing {word} in {took:.1f} minutes. {'; '.join(said)}.", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
