"""A crawl in processes of its own, and how much memory they take together."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tests.crawl.run import crawl

_LOOK_SECONDS = 0.1


def tree(pid: int) -> Iterator[int]:
    """A process and all below it; those that end meanwhile are left out."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text().split()
        except OSError:
            continue
        for child in children:
            yield from tree(int(child))


def memory_of(pid: int) -> int:
    """Bytes of a process, its share of what it shares (PSS)."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


def crawl_watched(
    directory: Path, seeds: Sequence[str], settings: Mapping[str, object], most_seconds: float
) -> int:
    """Crawl, and return the most memory that the process tree took at any look, in bytes."""
    job = json.dumps([str(directory), list(seeds), dict(settings)])
    most, deadline = 0, time.monotonic() + most_seconds
    with subprocess.Popen([sys.executable, "-m", "tests.hostile.watch", job]) as process:
        while process.returncode is None:
            try:
                process.wait(_LOOK_SECONDS)
            except subprocess.TimeoutExpired:
                most = max(most, sum(memory_of(pid) for pid in list(tree(process.pid))))
                if time.monotonic() > deadline:
                    process.kill()
                    raise
    assert process.returncode == 0, f"the crawl ended with {process.returncode}"
    return most


if __name__ == "__main__":
    where, urls, chosen = json.loads(sys.argv[1])
    crawl(Path(where), urls, chosen)
