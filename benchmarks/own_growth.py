"""Does following one's own files stay light as they become many?

    python -m benchmarks.own_growth
    python -m benchmarks.own_growth 10000 100000 1000000

So many small files are written, a hundred in a folder; they are read, looked at again, and followed
while nothing happens. Memory is what each process has for itself (anonymous pages), at its most:
pages of files are the system's to take back.
"""

import argparse
import os
import random
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple

from benchmarks import process_tree, report
from benchmarks.own import compiled, idle_share
from benchmarks.own_peers import bytes_on_disk, shoal_of

_PER_FOLDER = 100
_WORDS = 5_000
_WORDS_OF_FILE = 60
_LOOK_SECONDS = 0.2
_INDEX = b"shoal.indexer.index_process"


class Grown(NamedTuple):
    files: int
    first_ms: float
    """CPU for each file."""
    again_ms: float
    main: int
    index: int
    watching: int
    """Memory of the process that follows them, at rest."""
    idle: float
    bytes: int


def write_files(root: Path, count: int) -> None:
    chance = random.Random(22)
    words = [f"word{number}" for number in range(_WORDS)]
    for number in range(count):
        if number % _PER_FOLDER == 0:
            folder = root / f"{number // 10_000:03}" / f"{number // _PER_FOLDER % 100:02}"
            folder.mkdir(parents=True)
        text = " ".join(chance.choices(words, k=_WORDS_OF_FILE))
        (folder / f"{number:07}.txt").write_text(f"number{number} {text}\n")


class _Anonymous(threading.Thread):
    """The most that a process, and the one that writes its index, have for themselves."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self.ended = threading.Event()
        self.main = self.index = 0

    def run(self) -> None:
        while not self.ended.wait(_LOOK_SECONDS):
            self.main = max(self.main, anonymous(self._pid))
            for each in list(process_tree.tree(self._pid))[1:]:
                if _INDEX in _read(each, "cmdline"):
                    self.index = max(self.index, anonymous(each))


def anonymous(pid: int) -> int:
    for line in _read(pid, "status").splitlines():
        if line.startswith(b"RssAnon:"):
            return int(line.split()[1]) << 10
    return 0


def _read(pid: int, name: str) -> bytes:
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""  # it has ended


def watched(command: list[str], log: Path) -> tuple[float, int, int]:
    """CPU of a run, and the most memory of the process and of its index's."""
    before = os.times()
    with log.open("wb") as output:
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    memory = _Anonymous(program.pid)
    memory.start()
    if program.wait():
        raise SystemExit(log.read_text(errors="replace"))
    memory.ended.set()
    memory.join()
    after = os.times()
    cpu = after.children_user + after.children_system
    return cpu - before.children_user - before.children_system, memory.main, memory.index


def grow(work: Path, count: int, idle_seconds: float) -> Grown:
    root = work / "files"
    write_files(root, count)
    indexer, log = shoal_of(work, root), work / "log"
    first, main, index = watched(indexer.look, log)
    again, _, _ = watched(indexer.look, log)
    held: list[int] = []
    idle = idle_share(indexer.watch, log, idle_seconds, lambda pid: held.append(anonymous(pid)))
    size = bytes_on_disk(indexer.index)
    each = 1000 / count
    return Grown(count, first * each, again * each, main, index, held[-1], idle, size)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own_growth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("counts", type=int, nargs="*", default=[10_000, 100_000])
    parser.add_argument("--work", type=Path, help="where everything is built (on a disk)")
    parser.add_argument("--idle", type=float, default=60.0, help="seconds")
    options = parser.parse_args()
    compiled()
    found = []
    for count in options.counts:
        with tempfile.TemporaryDirectory(prefix="own-", dir=options.work) as directory:
            found.append(grow(Path(directory), count, options.idle))
            print(f"{count} files: done at {time.strftime('%H:%M:%S')}", flush=True)
    head = ["files", "first ms", "again ms", "main MB", "index MB", "watch MB", "idle %", "B/file"]
    rows: list[list[object]] = [
        [
            str(each.files),
            each.first_ms,
            each.again_ms,
            each.main / 1e6,
            each.index / 1e6,
            each.watching / 1e6,
            f"{100 * each.idle:.3f}",
            each.bytes / each.files,
        ]
        for each in found
    ]
    print(report.table(head, rows), end="\n\n")
    few = found[0]
    for each in found[1:]:
        name = f"own_growth.{each.files}"
        print(report.line(f"{name}.main_bytes", each.main, few.main))
        print(report.line(f"{name}.index_bytes", each.index, few.index))
        print(report.line(f"{name}.watching_bytes", each.watching, few.watching))
        print(report.line(f"{name}.first_ms", each.first_ms, few.first_ms))
        print(report.line(f"{name}.again_ms", each.again_ms, few.again_ms))


if __name__ == "__main__":
    main()
