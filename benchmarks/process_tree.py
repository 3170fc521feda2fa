"""What did a program cost, with all its children? CPU from the kernel's books, memory by looking.

The kernel adds a child's CPU to its parent when it is waited for. So the program is left as a
zombie for a moment when it ends: its own share and its children's then stand in /proc, complete.
Memory is the sum of PSS over the tree, where a page shared by two processes counts once.
"""

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_LOOK_EVERY_SECONDS = 0.2
_TICK = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    seconds: float
    own_cpu_seconds: float
    children_cpu_seconds: float
    peak_bytes: int

    @property
    def cpu_seconds(self) -> float:
        return self.own_cpu_seconds + self.children_cpu_seconds


def run(command: list[str], log: Path, accepted: tuple[int, ...] = (0,)) -> Cost:
    """Run a program to its end; what it says goes to `log`."""
    started = time.monotonic()
    with log.open("wb") as output:
        program = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    watch = _MemoryWatch(program.pid)
    watch.start()
    try:
        os.waitid(os.P_PID, program.pid, os.WEXITED | os.WNOWAIT)
        seconds = time.monotonic() - started
        own, children = _cpu_seconds(program.pid)
    except BaseException:
        program.terminate()
        raise
    finally:
        watch.ended.set()
        watch.join()
        program.wait()
    if program.returncode not in accepted:
        tail = log.read_text(errors="replace").strip()[-1000:]
        raise SystemExit(f"{command[0]} ended with {program.returncode}; it said: {tail}")
    return Cost(seconds, own, children, watch.peak_bytes)


def _cpu_seconds(pid: int) -> tuple[float, float]:
    """Of the process and of the children it has waited for (proc(5): fields 14 to 17)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    own_user, own_system, children_user, children_system = (int(field) for field in fields[11:15])
    return (own_user + own_system) / _TICK, (children_user + children_system) / _TICK


class _MemoryWatch(threading.Thread):
    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self.ended = threading.Event()
        self.peak_bytes = 0

    def run(self) -> None:
        while not self.ended.wait(_LOOK_EVERY_SECONDS):
            now = sum(pss_bytes(pid) for pid in tree(self._pid))
            self.peak_bytes = max(self.peak_bytes, now)


def tree(pid: int) -> Iterator[int]:
    """A process and all below it, itself first."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            listed = children.read_text(encoding="ascii").split()
        except OSError:
            continue  # that thread has ended
        for child in listed:
            yield from tree(int(child))


def pss_bytes(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii")
    except OSError:
        return 0  # it has ended
    return sum(int(line.split()[1]) << 10 for line in text.splitlines() if line.startswith("Pss:"))
