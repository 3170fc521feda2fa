"""How much memory do a command and all that it starts take, each at its most?"""

import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from tests.cli.command import clean_environment

_PAUSE_SECONDS = 0.05


class Watched(NamedTuple):
    code: int
    said: str
    seconds: float
    main: int
    """Bytes in memory, of the command itself."""
    others: int
    """Of the largest process that it started."""


def watched(*words: str, patience: float, **environ: str) -> Watched:
    begun = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "shoal", *words],
        env=clean_environment() | environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        process_group=0,
    )
    most: dict[int, int] = {}
    try:
        while process.poll() is None:
            assert time.monotonic() - begun < patience, "it takes too long"
            for pid in family(process.pid):
                most[pid] = max(most.get(pid, 0), _most_bytes(pid))
            time.sleep(_PAUSE_SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
        said = process.communicate()[0].decode()
    main = most.pop(process.pid, 0)
    seconds = time.monotonic() - begun
    return Watched(process.returncode, said, seconds, main, max(most.values(), default=0))


def family(first: int) -> list[int]:
    """A process, and all that it started and what they did."""
    parents: dict[int, int] = {}
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            told = _read(int(path.name), "stat").rpartition(")")[2].split()
            parents[int(path.name)] = int(told[1]) if told else 0
    found = [first]
    for each in found:
        found += [pid for pid, parent in parents.items() if parent == each and pid not in found]
    return found


def _most_bytes(pid: int) -> int:
    for line in _read(pid, "status").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1_024
    return 0


def _read(pid: int, what: str) -> str:
    try:
        return Path(f"/proc/{pid}/{what}").read_text("utf-8", "replace")
    except OSError:
        return ""
