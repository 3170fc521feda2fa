"""A crawl in processes of its own, and how much memory they take together."""

import json
import subprocess
import sys
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
    most, looks = 0, 0
    with subprocess.Popen([sys.executable, "-m", "tests.hostile.watch", job]) as process:
        while True:
            try:
                code = process.wait(_LOOK_SECONDS)
                break
            except subprocess.TimeoutExpired:
                most = max(most, sum(memory_of(pid) for pid in list(tree(process.pid))))
                looks += 1
                if looks * _LOOK_SECONDS > most_seconds:
                    process.kill()
                    raise
    assert code == 0, f"the crawl ended with {code}"
    return most


if __name__ == "__main__":
    where, urls, chosen = json.loads(sys.argv[1])
    crawl(Path(where), urls, chosen)
