"""A cluster on real Ray, several nodes on this machine, and what happens to it by a plan.

Run as a program, with a JSON file: `python -m tests.cluster.ray_run PLAN.json`. It starts the
cluster as `shoal cluster start` does, and when so many pages are fetched does the next thing of its
plan: kill a node, stop one for a while, add one, drain one. It prints what it did, then the status
of the end, one JSON object a line.
"""

import json
import os
import random
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from shoal.control.cluster_commands import Drain, Rebalance, post
from shoal.fleet.cluster_run import Running, run_cluster, seeds_for
from shoal.layout.cluster_file import config_of
from shoal.layout.cluster_status import ClusterStatus
from shoal.model.record import to_json


class Happening:
    """Carries out the plan, between two looks of the coordinator."""

    def __init__(self, place: str, plan: list[dict[str, Any]], seed: int) -> None:
        self._place = place
        self._plan = plan
        self._draw = random.Random(seed)
        self._fleet: Any = None
        self._status: ClusterStatus | None = None
        self._timers: list[threading.Timer] = []
        self._is_spreading = False
        self._killed: dict[int, int] = {}
        """Tablets, with the epochs that were ended."""

    def started(self, coordinator: object, fleet: Any) -> None:
        del coordinator
        self._fleet = fleet

    def watch(self, status: ClusterStatus) -> None:
        self._status = status
        is_due = self._plan and self._pages() >= self._plan[0]["pages"]
        if is_due and not status.ended and self._is_settled() and self._has_tablets_to_lose():
            step = self._plan.pop(0)
            did = getattr(self, f"_{step['do']}")(**step.get("with", {}))
            say({"did": step["do"], "pages": self._pages(), "when": time.time(), **did})

    def end(self) -> None:
        for timer in self._timers:
            timer.cancel()

    def _is_settled(self) -> bool:
        """Whether the tablets that were killed last are at work again."""
        reports = [] if self._status is None else self._status.reports
        return all(
            reports[number].epoch > epoch and reports[number].state == "running"
            for number, epoch in self._killed.items()
        )

    def _has_tablets_to_lose(self) -> bool:
        """Tablets of a killed node go to those that are there: the one that comes after it is empty
        until somebody spreads them."""
        if any(self._processes_of(node) for node in self._workers()):
            self._is_spreading = False
            return True
        if not self._is_spreading:
            self._is_spreading = True
            post(self._place, Rebalance())
        return False

    def _pages(self) -> int:
        if self._status is None:
            return 0
        counts = self._status.counts
        return counts.total("fetched/") + counts["unchanged"]

    def _workers(self) -> list[Any]:
        return sorted(self._fleet.local.worker_nodes, key=lambda node: str(node.node_id))

    def _processes_of(self, node: Any) -> list[int]:
        """Of the tablets on a node, as they said themselves."""
        name = node.node_id[:8]
        reports = [] if self._status is None else self._status.reports
        whos = [each.who.partition("/") for each in reports]
        return [int(process) for machine, _, process in whos if machine == name and process]

    def _kill(self) -> dict[str, Any]:
        """A machine is gone from one moment to the next, and another takes its place."""
        node = self._draw.choice([each for each in self._workers() if self._processes_of(each)])
        tablets = self._processes_of(node)
        reports = [] if self._status is None else self._status.reports
        self._killed = {
            each.number: each.epoch for each in reports if each.who.startswith(node.node_id[:8])
        }
        for process in tablets:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._fleet.local.remove_node(node, allow_graceful=False)
        self._fleet.local.add_node(num_cpus=1, object_store_memory=80 << 20)
        return {"machine": node.node_id[:8], "tablets": len(tablets)}

    def _stop(self, seconds: float) -> dict[str, Any]:
        """A machine that says nothing for a while, and then goes on as if nothing had been."""
        node = self._draw.choice(self._workers())
        tablets = self._processes_of(node)
        every = [info.process.pid for infos in node.all_processes.values() for info in infos]
        for process in (*every, *tablets):
            os.kill(process, signal.SIGSTOP)

        def go_on() -> None:
            for process in (*tablets, *every):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGCONT)
            say({"did": "go on", "when": time.time()})

        self._timers.append(threading.Timer(seconds, go_on))
        self._timers[-1].start()
        return {"machine": node.node_id[:8], "tablets": len(tablets)}

    def _add(self) -> dict[str, Any]:
        node = self._fleet.local.add_node(num_cpus=1, object_store_memory=80 << 20)
        return {"machine": node.node_id[:8]}

    def _drain(self) -> dict[str, Any]:
        node = self._draw.choice(self._workers())
        post(self._place, Drain(node.node_id[:8]))
        return {"machine": node.node_id[:8], "tablets": len(self._processes_of(node))}

    def _rebalance(self) -> dict[str, Any]:
        post(self._place, Rebalance())
        return {}


def say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main(path: str) -> None:
    given = json.loads(Path(path).read_text())
    place = given["place"]
    config = config_of(place, given["settings"], {})
    links = seeds_for(place, given["seeds"], config)
    how = Running(**given["how"])
    happening = Happening(place, given.get("plan", []), given.get("seed", 1))
    try:
        status = run_cluster(
            place, config, links, how, watch=happening.watch, started=happening.started
        )
    finally:
        happening.end()
    say({"status": json.loads(to_json(status))})


if __name__ == "__main__":
    main(sys.argv[1])
