"""Does a module in C bear what nobody thought of? New cases until the time is over.

`python -m tests.fuzz.hammer MINUTES TARGET…` hammers one module after the other, each in a process
of its own that may die. First come the cases in `found/`, on which a module has failed before.
What fails is kept in a file from before it is tried.
"""

import ast
import sys
import time
import traceback
from collections.abc import Iterator
from importlib import import_module
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random

from tests.fuzz.targets import TARGETS, Case

FOUND = Path(__file__).with_name("found")
FAILURES = Path("fuzz-failures")
_PATIENCE_SECONDS = 120.0
"""For the last case: it may be a slow one, but it has to end."""


def hammer(name: str, minutes: float, place: Path = FAILURES, most: int | None = None) -> str:
    """What there is to say of this target: how many cases it bore, or where it failed."""
    place.mkdir(exist_ok=True)
    seed = time.time_ns()
    kept = place / f"{name}-{seed}.txt"
    context = get_context("fork")
    heard, told = context.Pipe(duplex=False)
    process = context.Process(target=_bear, args=(told, name, minutes, kept, most))
    process.start()
    told.close()
    said = "it did not end"
    try:
        if heard.poll(60 * minutes + _PATIENCE_SECONDS):
            said = heard.recv()
    except EOFError:
        said = "its process died"
    finally:
        process.kill()
        process.join()
        heard.close()
    if said.isdigit():
        kept.unlink(missing_ok=True)
        return f"{name}: {said} cases"
    return f"{name}: FAILED, {said}; the case is in {kept}"


def cases(name: str, seed: str) -> Iterator[Case]:
    """Those on which it failed before, then new ones without end."""
    for file in sorted(FOUND.glob(f"{name}-*.txt")):
        yield ast.literal_eval(file.read_text("utf-8"))
    number = 0
    while True:
        yield TARGETS[name].draw(Random(f"{seed} {number}"))
        number += 1


def _bear(told: Connection, name: str, minutes: float, kept: Path, most: int | None) -> None:
    until, done = time.monotonic() + 60 * minutes, 0
    try:
        import_module(TARGETS[name].module)
        for case in cases(name, kept.name):
            kept.write_text(repr(case), "utf-8")
            if not TARGETS[name].holds(*case):
                told.send("C and Python differ")
                return
            done += 1
            if time.monotonic() > until or done == most:
                break
        told.send(f"{done}")
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        traceback.print_exc()
        told.send(type(error).__name__)


def main(minutes: float, names: list[str]) -> int:
    said = []
    for name in names:
        said.append(hammer(name, minutes))
        print(f"fuzz: {said[-1]}", flush=True)
    return int(any("FAILED" in each for each in said))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
