"""For want of what were tests skipped? ./check asks the runs of pytest, and says it at its end.

Each run appends the reasons of its skips, one a line, to the file that CHECK_SKIPS names:
`python -m tests.wanting FILE` counts them.
"""

import os
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

WANTS = {
    "SHOAL_DATA": "SHOAL_DATA",
    "Chromium": "Chromium",
    "playwright": "playwright",
    "compiled": "a C compiler",
    "could not import 'shoal.": "a C compiler",
    "Ray": "Ray",
    "obstore": "obstore",
    "moto": "moto",
    "tesseract": "tesseract",
    "echo module": "nginx's echo module",
    "nginx": "nginx",
    "root may": "a user other than root",
    "only root": "root",
}
"""What a reason says, and what is wanting where it says so; the first that it says counts."""


def wanting(reason: str) -> str:
    """What was wanting: `cksum` of "needs the command cksum", `lz4` of "lz4 is not installed"."""
    for words, want in WANTS.items():
        if words in reason:
            return want
    said = reason.partition(":")[0].partition(";")[0]
    return said.removesuffix(" is not installed").removeprefix("needs ").removeprefix("no ")


def counted(reasons: Iterable[str]) -> str:
    """`skipped for want of: Chromium 12, lz4 1`: the most common first."""
    counts = Counter(map(wanting, reasons))
    if not counts:
        return "nothing was skipped"
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return "skipped for want of: " + ", ".join(f"{want} {count}" for want, count in ordered)


def note_skips(reporter: pytest.TerminalReporter) -> None:
    """Append the reasons of a run that has ended to the file that ./check named, if it did."""
    if path := os.environ.get("CHECK_SKIPS"):
        with Path(path).open("a", encoding="utf-8") as file:
            for report in reporter.stats.get("skipped", []):
                reason = report.longrepr[2].removeprefix("Skipped: ")
                file.write(" ".join(reason.split()) + "\n")


if __name__ == "__main__":
    print(counted(Path(sys.argv[1]).read_text("utf-8").splitlines()))
