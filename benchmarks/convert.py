"""What does reading a document cost, and how much of it is found? Shoal beside its peers.

    python -m benchmarks.convert                     the documents of SHOAL_DATA/tika-sample
    python -m benchmarks.convert --files DIR         any folder, without phrases

Shoal, markitdown, kreuzberg and extractous (Tika, compiled) read the same files one after the
other, each in processes of its own that are warm: what is timed is the reading, not the start. A
file may take 30 s and may kill its reader; then the next file gets a new one. The peers live in an
environment of their own (made on first use, in --work). Found is a document whose text, with those
of the documents inside it, holds all phrases that its expectation names; white space is equal.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from typing import NamedTuple

from benchmarks import report

PEERS = {"markitdown": "markitdown[all]", "kreuzberg": "kreuzberg", "extractous": "extractous"}
_SECONDS = 30.0
_PROJECT = Path(__file__).resolve().parent.parent
_SPACE = re.compile(r"\s+")


class Read(NamedTuple):
    text: str
    cpu_seconds: float
    wall_seconds: float
    fault: str = ""


class Case(NamedTuple):
    path: Path
    phrases: list[str]


def cases(folder: Path) -> list[Case]:
    expected = folder / "expect.jsonl"
    if expected.is_file():
        lines = map(json.loads, expected.read_text("utf-8").splitlines())
        return [Case(folder / "files" / each["file"], each["expect"]) for each in lines]
    return [Case(path, []) for path in sorted(folder.rglob("*")) if path.is_file()]


class Worker:
    """A process that reads files one by one: a path a line in, the text as a line of JSON out."""

    def __init__(self, python: Path, reader: str) -> None:
        self._command = [str(python), str(_PROJECT / "benchmarks" / "converters.py"), reader]
        self._process: subprocess.Popen[str] | None = None

    def read(self, path: Path) -> Read:
        process = self._process or self._start()
        started = time.perf_counter()
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("a worker without pipes")
        timer = _kill_after(process, _SECONDS)
        try:
            process.stdin.write(f"{path}\n")
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = ""
        finally:
            timer.cancel()
        wall = time.perf_counter() - started
        if not line:
            process.kill()
            process.wait()
            self._process = None
            return Read("", wall, wall, "hung or died")
        found = json.loads(line)
        return Read(found["text"], found["cpu"], wall, found.get("fault", ""))

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
            cwd=_PROJECT,
        )
        if self._process.stdout is not None:
            self._process.stdout.readline()  # it says when it has loaded its library
        return self._process


def _kill_after(process: "subprocess.Popen[str]", seconds: float) -> Timer:
    timer = Timer(seconds, process.kill)
    timer.start()
    return timer


def measure(worker: Worker, wanted: list[Case]) -> Iterator[Read]:
    for case in wanted:
        yield worker.read(case.path)


def plain(text: str) -> str:
    return _SPACE.sub(" ", text)


def found(case: Case, read: Read) -> bool:
    text = plain(read.text)
    return all(plain(phrase) in text for phrase in case.phrases)


def peers_home(work: Path, name: str) -> Path | None:
    """The python that has the peer; None when it can't be installed here."""
    home = work / f"peer-{name}"
    python = home / "bin" / "python"
    done = home / "installed"
    if not done.is_file():
        venv.create(home, with_pip=True, clear=True)
        command = [str(python), "-m", "pip", "install", "-q", PEERS[name]]
        if subprocess.run(command, check=False).returncode:
            return None
        done.touch()
    return python


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    data = Path(os.environ.get("SHOAL_DATA", _PROJECT / "../shared/data"))
    parser.add_argument("--files", type=Path, default=data / "tika-sample")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "shoal-bench")
    parser.add_argument("--peers", nargs="*", choices=[*PEERS], default=[*PEERS])
    parser.add_argument("--missing", action="store_true", help="name what Shoal did not find")
    given = parser.parse_args()
    wanted = cases(given.files)
    if not wanted:
        sys.exit(f"There are no files in {given.files}.")
    results = {"shoal": list(_results(Path(sys.executable), "shoal", wanted))}
    for name in given.peers:
        python = peers_home(given.work, name)
        if python is None:
            print(f"{name} can't be installed here: left out", file=sys.stderr)
            continue
        results[name] = list(_results(python, name, wanted))
    print(_table(wanted, results))
    if given.missing:
        for case, read in zip(wanted, results["shoal"], strict=True):
            if not found(case, read):
                text = plain(read.text)
                lost = [phrase for phrase in case.phrases if plain(phrase) not in text]
                print("missing", case.path.name, lost[:5], read.fault)


def _results(python: Path, name: str, wanted: list[Case]) -> Iterator[Read]:
    worker = Worker(python, name)
    try:
        worker.read(wanted[0].path)  # warm
        yield from measure(worker, wanted)
    finally:
        worker.close()


def _table(wanted: list[Case], results: dict[str, list[Read]]) -> str:
    megabytes = sum(case.path.stat().st_size for case in wanted) / 1e6
    rows, lines = [], []
    for name, reads in results.items():
        wall = sum(read.wall_seconds for read in reads)
        cpu = sum(read.cpu_seconds for read in reads)
        hits = sum(found(case, read) for case, read in zip(wanted, reads, strict=True))
        rows.append(
            (
                name,
                hits,
                sum(bool(read.fault) for read in reads),
                len(wanted) / wall,
                1000 * cpu / len(wanted),
                cpu / megabytes,
                max(read.wall_seconds for read in reads),
            )
        )
    ours = rows[0]
    for name, *peer in rows[1:]:
        lines.append(report.line(f"found/{name}", ours[1], peer[0]))
        lines.append(report.line(f"cpu-ms-per-document/{name}", ours[4], peer[3]))
    head = ("reader", f"found of {len(wanted)}", "faults", "documents/s", "CPU ms each")
    return "\n".join([report.table((*head, "CPU s/MB", "slowest s"), rows), "", *lines])


if __name__ == "__main__":
    main()
