"""Which room of the house is tested too little? The statements that tests run, by room.

    python -m scripts.covered DIRECTORY    reads the data files of coverage that lie there

./check --all measures the quick tests and asks this. A floor is what a run measured, less a little:
it goes up with the tests of its room, and never down.
"""

import sys
from collections import defaultdict
from pathlib import Path

from coverage import Coverage

from scripts.house import PROJECT, SOURCE, modules, part_of

FLOORS: dict[str, int] = {
    "access": 92,
    "analysis": 95,
    "cleaners": 98,
    "cli": 87,
    "cluster": 89,
    "collection": 97,
    "config": 99,
    "control": 92,
    "converters": 94,
    "demo": 97,
    "duplicates": 96,
    "engine": 95,
    "fetch": 98,
    "files": 96,
    "fleet": 86,
    "focus": 98,
    "freshness": 98,
    "frontier": 97,
    "graph": 98,
    "index": 97,
    "indexer": 92,
    "layout": 94,
    "maintenance": 92,
    "model": 98,
    "plot": 99,
    "repartition": 91,
    "search": 98,
    "shoal": 91,
    "sources": 97,
    "store": 97,
    "understand": 96,
    "web": 96,
    "worker": 98,
}
"""Percent of statements, by the folders of src/shoal; modules beside them are one room, `shoal`."""


def measured(directory: Path) -> dict[str, float]:
    """Percent of statements that were run, by room."""
    coverage = Coverage(
        data_file=str(directory / "data"), config_file=str(PROJECT / "pyproject.toml")
    )
    coverage.combine([str(directory)], keep=True)
    run: dict[str, int] = defaultdict(int)
    written: dict[str, int] = defaultdict(int)
    for file in modules(SOURCE):
        _, statements, _, missing, _ = coverage.analysis2(str(file))
        path = file.relative_to(SOURCE)
        room = part_of(path) if len(path.parts) > 1 else "shoal"
        written[room] += len(statements)
        run[room] += len(statements) - len(missing)
    return {room: 100 * run[room] / written[room] for room in sorted(written) if written[room]}


def too_low(found: dict[str, float], floors: dict[str, int]) -> list[str]:
    """A sentence for each room below its floor, or without one."""
    return [
        f"{room}: the tests run {found.get(room, 0.0):.1f} % of it, its floor is {floors[room]} %."
        if room in floors
        else f"{room}: it has no floor in scripts/covered.py; the tests run {found[room]:.1f} %."
        for room in sorted(found.keys() | floors.keys())
        if room not in floors or found.get(room, 0.0) < floors[room]
    ]


def main(directory: Path) -> int:
    found = measured(directory)
    for room, percent in found.items():
        print(f"{room:<14}{percent:6.1f} %")
    sentences = too_low(found, FLOORS)
    print("\n".join(sentences) or "Every room is above its floor.")
    return int(bool(sentences))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
