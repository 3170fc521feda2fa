"""Does a collection hold together? Each of its tablets, one after the other (verify.py).

What one tablet says of another is not compared: links on their way are in an outbox, and belong to
neither.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from pathlib import Path

from shoal.access.opening import ProgressReporter, Unheard, graph_place, tablet_directories
from shoal.layout.layout import Layout
from shoal.layout.ranks import graph_of
from shoal.maintenance.group_findings import Finding
from shoal.maintenance.verify import Progress, Verifier, graph_findings, verifying
from shoal.model.record import Struct

MOST_FINDINGS = 10_000
"""After which a check ends: with more of them nobody reads on."""


class Verified(Struct):
    """What a check of a whole collection came to."""

    ok: bool
    findings: list[Finding]
    """What does not agree; the first ten thousand."""
    checked: dict[str, int]
    """How many of what were looked at."""


def verify(place: str, progress: Progress) -> Verified:
    """Check all of it."""
    with verifying_place(place, progress, Unheard()) as verifier:
        found = list(islice(verifier.findings(), MOST_FINDINGS))
        return Verified(not found, found, dict(verifier.checked))


def verifying_place(
    place: str, progress: Progress, opening_progress: ProgressReporter
) -> "AbstractContextManager[Verifier | WholeVerifier]":
    """Open a collection, or a cluster at rest, to be checked."""
    directories = tablet_directories(place, opening_progress)
    if len(directories) == 1:
        return verifying(Layout(directories[0]), progress)
    return nullcontext(WholeVerifier(directories, graph_of(graph_place(place)), progress))


class WholeVerifier:
    def __init__(self, directories: list[Path], graph: Path, progress: Progress) -> None:
        self._directories = directories
        self._graph = graph
        self._progress = progress
        self.checked: dict[str, int] = {}

    def findings(self) -> Iterator[Finding]:
        yield from graph_findings(self._graph)
        for number, directory in enumerate(self._directories):
            self._progress(f"Tablet {number} …")
            with verifying(Layout(directory), self._progress) as verifier:
                for finding in verifier.findings():
                    where = f"tablet {number}" + (f", {finding.where}" if finding.where else "")
                    yield Finding(finding.check, where, finding.says)
                for name, amount in verifier.checked.items():
                    self.checked[name] = self.checked.get(name, 0) + amount
