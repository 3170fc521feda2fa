"""Ranks and all pairs of a cluster at rest by tasks of a Ray with two nodes on this machine.

Run as a program: `python -m tests.cluster.ray_tasks PLACE`. It prints one JSON object: the highest
pages with their ranks, all pairs of near-duplicates, the machines that tasks ran on, and what came
of a task whose process died.
"""

import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import ray

from shoal.access.opening import open_collection
from shoal.analysis.ranking import rank
from shoal.api import duplicate_pairs
from shoal.cluster.ray_executor import RayExecutor
from shoal.cluster.ray_nodes import start_machines
from tests.contract.test_hands import must_hold


def dies_once(folder: str) -> list[str]:
    """The second time it finds what the first has left."""
    mark = Path(folder) / "was here"
    if mark.exists():
        return ["done"]
    mark.touch()
    os._exit(1)


def place_of_task(_number: int) -> list[str]:
    time.sleep(0.5)  # so long that one node alone does not do all of them
    return [ray.get_runtime_context().get_node_id()]


def by_executor(address: str) -> dict[str, Any]:
    executor = RayExecutor("test", address)
    try:
        must_hold(executor)
        held = executor.each(place_of_task, ([number] for number in range(6)))
        nodes = {executor.fetch(each) for [each] in held}
        with tempfile.TemporaryDirectory() as folder:
            [[died]] = executor.each(dies_once, [[folder]])
            again = executor.fetch(died)
        return {"nodes": len(nodes), "at_once": executor.at_once, "again": again}
    finally:
        executor.close()


def main(place: str) -> None:
    machines = start_machines(2)
    address = str(machines.address)
    try:
        found = by_executor(address)
        ranking = rank(place, top=1000, address=address)
        found["ranks"] = {each.url: each.rank for each in ranking.pages}
        found["sites"] = {each.url: each.rank for each in ranking.sites}
        with open_collection(place) as whole:
            found["pairs"] = list(duplicate_pairs(whole, address=address))
    finally:
        machines.shutdown()
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
