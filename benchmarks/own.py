"""What do one's own files and mail cost? Shoal beside Recoll and notmuch on the same tree and mail.

    python -m benchmarks.own
    python -m benchmarks.own --stories 500 --pages 50 --articles 100 --sources 100 --idle 20

Each program reads everything, then looks again at what has not changed, then follows it while
nothing happens. CPU is that of the program with all its children; bytes are those of all files that
it keeps, at rest; text is what Shoal extracts, in UTF-8, for all alike. A program that is not
installed (Debian: recollcmd, notmuch) is named and left out.
"""

import argparse
import compileall
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import shoal
from benchmarks import process_tree, report
from benchmarks.own_peers import Indexer, bytes_on_disk, notmuch_of, recoll_of, shoal_of
from benchmarks.own_tree import build
from shoal.layout.layout import Layout

_SETTLED_SECONDS = 5.0
_STARTED_SECONDS = 120.0
_TICK = os.sysconf("SC_CLK_TCK")


class Measured(NamedTuple):
    name: str
    first: process_tree.Cost
    again: process_tree.Cost
    bytes: int
    idle: float | None
    """Share of a core while nothing happens; None: it follows nothing."""


def measure(indexer: Indexer, log: Path, idle_seconds: float) -> Measured:
    environ = dict(os.environ)
    os.environ.update(indexer.variables)
    try:
        first = process_tree.run(indexer.look, log)
        again = process_tree.run(indexer.look, log)
        size = bytes_on_disk(indexer.index)
        idle = idle_share(indexer.watch, log, idle_seconds) if indexer.watch else None
    finally:
        os.environ.clear()
        os.environ.update(environ)
    return Measured(indexer.name, first, again, size, idle)


def compiled() -> None:
    """As pip leaves what it installs; a checkout may never have been compiled."""
    for place in shoal.__path__:
        compileall.compile_dir(place, quiet=1)


def idle_share(
    command: Sequence[str],
    log: Path,
    seconds: float,
    at_rest: Callable[[int], object] = lambda _pid: None,
) -> float:
    """Of one core, by all its processes, after it has come to rest."""
    with log.open("wb") as output:
        program = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        _wait_for_rest(program)
        at_rest(program.pid)
        before, started = _cpu_of_tree(program.pid), time.monotonic()
        time.sleep(seconds)
        spent = _cpu_of_tree(program.pid) - before
        if program.poll() is not None:
            raise SystemExit(f"{command[0]} ended by itself: {log.read_text(errors='replace')}")
        return spent / (time.monotonic() - started)
    finally:
        program.send_signal(signal.SIGINT)
        try:
            program.wait(_STARTED_SECONDS)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()


def _wait_for_rest(program: "subprocess.Popen[bytes]") -> None:
    """Until it has spent next to nothing for a while."""
    deadline, before = time.monotonic() + _STARTED_SECONDS, -1.0
    while time.monotonic() < deadline and program.poll() is None:
        time.sleep(_SETTLED_SECONDS)
        now = _cpu_of_tree(program.pid)
        if now - before < _SETTLED_SECONDS / 50:
            return
        before = now


def _cpu_of_tree(pid: int) -> float:
    total = 0.0
    for each in process_tree.tree(pid):
        try:
            stat = Path(f"/proc/{each}/stat").read_text(encoding="ascii")
        except OSError:
            continue  # it has ended
        fields = stat.rpartition(")")[2].split()
        total += sum(int(field) for field in fields[11:13]) / _TICK
    return total


class Kept(NamedTuple):
    """Where Shoal's bytes are."""

    documents: int
    text: int
    table: int
    index: int


def kept(directory: Path) -> Kept:
    with shoal.open(directory) as collection:
        texts = [len(page.whole_text.encode()) for page in collection.pages()]
    layout = Layout(directory)
    return Kept(len(texts), sum(texts), bytes_on_disk(layout.table), bytes_on_disk(layout.index))


def compare(what: str, work: Path, indexers: Sequence[Indexer], idle_seconds: float) -> str:
    """The first is Shoal."""
    measured = [measure(each, work / f"{each.name}.log", idle_seconds) for each in indexers]
    ours, stored = measured[0], kept(indexers[0].index)
    text = stored.text or 1
    rows = [
        [
            each.name,
            each.first.cpu_seconds,
            each.again.cpu_seconds,
            each.first.peak_bytes / 1e6,
            each.bytes / text,
            "-" if each.idle is None else f"{100 * each.idle:.2f}",
        ]
        for each in measured
    ]
    head = [what, "first CPU s", "again CPU s", "peak MB", "bytes/byte of text", "idle %"]
    lines = [report.table(head, rows), ""]
    lines.append(
        f"{stored.documents} documents, {stored.text / 1e6:.1f} MB of text; of each byte of it "
        f"Shoal's table takes {stored.table / text:.3f} and its index {stored.index / text:.3f}"
    )
    lines.append("")
    for each in measured[1:]:
        name = f"own.{what}.{each.name.lower()}"
        lines += [
            report.line(f"{name}.first_cpu_s", ours.first.cpu_seconds, each.first.cpu_seconds),
            report.line(f"{name}.again_cpu_s", ours.again.cpu_seconds, each.again.cpu_seconds),
            report.line(f"{name}.bytes_per_byte", ours.bytes / text, each.bytes / text),
        ]
        if ours.idle is not None and each.idle is not None:
            lines.append(report.line(f"{name}.idle_share", ours.idle, each.idle))
    return "\n".join(lines)


def installed(found: Sequence[Indexer | None], names: Sequence[str], what: str) -> list[Indexer]:
    for each, name in zip(found, names, strict=True):
        if each is None:
            print(f"{name} is not installed: it is left out for {what}")
    return [each for each in found if each is not None]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.own",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--work", type=Path, help="where everything is built (on a disk)")
    parser.add_argument("--stories", type=int, default=3000)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--articles", type=int, default=700)
    parser.add_argument("--sources", type=int, default=600)
    parser.add_argument("--idle", type=float, default=60.0, help="seconds")
    options = parser.parse_args()
    compiled()
    with tempfile.TemporaryDirectory(prefix="own-", dir=options.work) as directory:
        work = Path(directory)
        counts = (options.stories, options.pages, options.articles, options.sources)
        tree = build(work / "tree", *counts)
        found = [shoal_of(work / "f", tree.files), recoll_of(work / "f", tree.files)]
        indexers = installed(found, ("Shoal", "Recoll"), "files")
        print(compare("files", work, indexers, options.idle), end="\n\n")
        mail = work / "m"
        found = [shoal_of(mail, tree.mail, is_mail=True), recoll_of(mail, tree.mail)]
        found.append(notmuch_of(mail, tree.mail))
        indexers = installed(found, ("Shoal", "Recoll", "notmuch"), "mail")
        print(compare("mail", work, indexers, options.idle))


if __name__ == "__main__":
    main()
