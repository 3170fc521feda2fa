"""Runs of a cluster on real Ray, for tests, and what must hold after any of them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.collection.collection import Collection
from shoal.collection.tablets import LocalTablets
from shoal.layout.cluster_file import create, directories
from shoal.layout.layout import Layout
from shoal.maintenance.verify import verifying
from shoal.model.outcome import State
from tests.crawl.run import QUICK
from tests.world import Request, Running, gaps, overlaps, repeats

DELAY_SECONDS = 0.4
SETTINGS: Mapping[str, object] = {
    **QUICK,
    "politeness.delay": DELAY_SECONDS,
    "agent.contact": "tests@example.org",
    "crawl.workers": 16,
    "dedupe.learn": "no",  # what is learned depends on the order of the visits
}
_PATIENCE_SECONDS = 900.0


@dataclass
class Run:
    """What one start of a cluster said."""

    status: dict[str, Any]
    did: list[dict[str, Any]]

    @property
    def moved(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.status["moves"]
        return found


@dataclass
class OnRay:
    """A cluster in a place; `start` as often as a test likes."""

    place: str
    folder: Path
    seeds: Sequence[str]
    tablets: int = 4
    nodes: int = 2
    lease: float = 4.0
    checkpoint: float = 4.0
    settings: Mapping[str, object] = field(default_factory=lambda: SETTINGS)
    environment: Mapping[str, str] = field(default_factory=dict)
    _starts: int = 0

    def create(self) -> None:
        create(self.place, self.tablets)

    def start(self, *plan: Mapping[str, Any]) -> "subprocess.Popen[str]":
        """In a process of its own, with all that Ray starts as its children."""
        self._starts += 1
        path = self.folder / f"plan-{self._starts}.json"
        how = {
            "nodes": self.nodes,
            "lease": self.lease,
            "checkpoint": self.checkpoint,
            "work": str(self.folder / "work"),
        }
        given = {
            "place": self.place,
            "seeds": list(self.seeds),
            "settings": dict(self.settings),
            "how": how,
            "plan": list(plan),
        }
        path.write_text(json.dumps(given))
        return subprocess.Popen(
            [sys.executable, "-m", "tests.cluster.ray_run", str(path)],
            env={
                **os.environ,
                **self.environment,
                "PYTHONPATH": os.pathsep.join(sys.path),
                "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *plan: Mapping[str, Any]) -> Run:
        process = self.start(*plan)
        try:
            out, errors = process.communicate(timeout=_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            kill_tree(process.pid)
            raise
        assert process.returncode == 0, errors[-4000:]
        lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        status = lines.pop()["status"]
        return Run(status, lines)

    def whole(self) -> Collection:
        """To read what is on the shared file system."""
        places = directories(Path(self.place), self.tablets)
        return Collection(LocalTablets([Layout(path) for path in places]), self.place)

    def faults(self) -> list[str]:
        found = []
        for path in directories(Path(self.place), self.tablets):
            with verifying(Layout(path), lambda _: None) as verifier:
                found += [f"{path}: {finding}" for finding in verifier.findings()]
        return found


def kill_tree(process: int) -> None:
    """A machine with all that runs on it, from one moment to the next."""
    for each in (process, *descendants(process)):
        try:
            os.kill(each, signal.SIGKILL)
        except ProcessLookupError:
            continue


def descendants(process: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, waiting = [], [process]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def fetched(reading: Any) -> set[str]:
    return {url for url, row in reading.urls() if row.state is State.FETCHED}


def anchors(reading: Any, urls: Sequence[str]) -> dict[str, set[tuple[str, str]]]:
    return {url: set(reading.anchors(url)) for url in urls}


def is_complete(world: Running, cluster: OnRay) -> None:
    """Everything that can be reached was fetched, once, and the books agree."""
    whole = cluster.whole()
    assert fetched(whole) == set(world.web.crawlable())
    assert cluster.faults() == []
    assert whole.status().queued == 0


def is_polite(log: Sequence[Request], delay_seconds: float = DELAY_SECONDS) -> None:
    """One request at a time to a host, and the delay after each, whoever asked."""
    assert overlaps(log) == []
    shortest = min((gap for every in gaps(log).values() for gap in every), default=delay_seconds)
    assert shortest >= delay_seconds - 0.001


def repeated(log: Sequence[Request]) -> int:
    return sum(len(group) - 1 for group in repeats(log).values())
