"""A million real fetches: does memory stay flat, are descriptors given back, do the counts add up?

    python -m benchmarks.soak                       a million pages of 2,000 hosts: an hour or more
    python -m benchmarks.soak --fetches 20000       a quick look
    python -m benchmarks.soak --verify              afterwards also `shoal verify`

The command line of Shoal crawls a generated web (soak_world.py) that has a quarter more pages than
it may take, and is watched from outside. What it counted is then compared with what the server was
asked. Set for it are no delay, since every host is this machine, and a limit of pages; robots.txt,
credit and the rules against traps hold as always. Exit code 1 if anything is wrong.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import shoal
from benchmarks import report, soak_watch
from benchmarks.soak_server import Asked, Server, served
from benchmarks.soak_watch import Look
from benchmarks.soak_world import Size, World
from benchmarks.web import stop_on_sigterm
from shoal.layout.snapshot import Status

PORT = 8591
WORLD_SIZE = 1.25
"""How many pages the web has, for each that is taken: at the end URLs are left in the queue."""
_SEEDS = 16
_LOOK_EVERY_SECONDS = 1.0
_TELL_EVERY = 0.05
_LONGEST_STOP_SECONDS = 60

MEASURES: dict[str, Callable[[Look], float]] = {
    "tree_mb": lambda look: look.tree_bytes / 1e6,
    "main_mb": lambda look: look.main_bytes / 1e6,
    "main_rss_mb": lambda look: look.main_rss_bytes / 1e6,
    "children_mb": lambda look: (look.tree_bytes - look.main_bytes) / 1e6,
    "descriptors": lambda look: look.descriptors,
    "child_descriptors": lambda look: look.child_descriptors,
    "threads": lambda look: look.threads,
}
_CACHES_ARE_FULL = 500_000
_CONNECTIONS_ARE_MADE = 10_000
JUDGED_FROM = {
    "tree_mb": _CACHES_ARE_FULL,
    "main_mb": _CACHES_ARE_FULL,
    "descriptors": _CONNECTIONS_ARE_MADE,
    "child_descriptors": _CONNECTIONS_ARE_MADE,
    "threads": _CONNECTIONS_ARE_MADE,
}
"""From how many fetches on growth is a leak: before, caches of a fixed size are filling."""
TOLD: dict[str, Callable[[Look], float]] = {
    "table_files": lambda look: look.table_descriptors,
    "processes": lambda look: look.processes,
    "disk_mb": lambda look: look.disk_bytes / 1e6,
}


class Check(NamedTuple):
    name: str
    ours: int
    wanted: int

    @property
    def holds(self) -> bool:
        return self.ours == self.wanted

    def __str__(self) -> str:
        if self.holds:
            return f"ok     {self.name}: {self.ours:,}"
        return f"WRONG  {self.name}: {self.ours:,}, and it should be {self.wanted:,}"


def crawl_command(world: World, directory: Path, fetches: int, workers: int) -> list[str]:
    flags = ["--scope", "any", "--delay", "0", "--workers", str(workers), "--quiet"]
    flags += ["--set", "politeness.delay_factor=0", "--max-pages", str(fetches)]
    flags += ["--set", "dedupe.learn=no"]  # all pages are wanted, however alike they are
    flags += ["--set", "sitemaps.use=listed"]  # and nothing else: all requests are counted
    seeds = world.seeds(_SEEDS)
    return [sys.executable, "-m", "shoal", "crawl", *seeds, "--dir", str(directory), *flags]


@contextmanager
def running(command: list[str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """In a session of its own, so that a Ctrl-C reaches it once: as the stop that is sent here."""
    with log.open("wb") as output:
        program = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield program
    finally:
        if program.poll() is None:
            program.terminate()
            try:
                program.wait(_LONGEST_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()


def watch(
    program: subprocess.Popen[bytes], server: Server, directory: Path, fetches: int
) -> list[Look]:
    """Look once a second until it ends."""
    looks: list[Look] = []
    started, told = time.monotonic(), 0.0
    while program.poll() is None:
        asked = server.asked().fetches
        seen = soak_watch.look(program.pid, time.monotonic() - started, asked, directory)
        is_closing = seen.processes == 1 and any(each.processes > 1 for each in looks[-1:])
        if seen.main_bytes and not is_closing:  # what has ended says nothing about the crawl
            looks.append(seen)
            if asked >= told * fetches:
                told = asked / fetches + _TELL_EVERY
                _tell(seen)
        with suppress(subprocess.TimeoutExpired):
            program.wait(_LOOK_EVERY_SECONDS)
    return looks


def _tell(look: Look) -> None:
    figures = ", ".join(f"{name} {of(look):.0f}" for name, of in (MEASURES | TOLD).items())
    rate = look.fetches / max(look.seconds, 0.001)
    print(f"{look.fetches:,} fetches, {rate:.0f}/s, {figures}", file=sys.stderr, flush=True)


def checks(asked: Asked, status: Status, wanted: int) -> list[Check]:
    """What Shoal counted, beside what the server was asked."""
    robots = status.totals.get("robots_requests", 0)
    held = status.queued + status.in_flight + status.answered + status.excluded + status.failed
    return [
        Check("pages that were to be fetched", status.fetched, wanted),
        Check("requests, robots.txt included", status.totals.get("requests", 0), asked.requests),
        Check("requests for robots.txt", robots, asked.robots),
        Check("pages the server sent", status.fetched, asked.pages + asked.prints),
        Check("of them duplicates", status.fetched_by_fate.get("duplicate", 0), asked.copies),
        Check("redirects", status.redirect, asked.moved),
        Check("gone", status.gone, asked.gone),
        Check("failed", status.failed, 0),
        Check("unchanged", status.unchanged, 0),
        Check("in flight at the end", status.in_flight, 0),
        Check("excluded for another reason than robots.txt", _excluded_otherwise(status), 0),
        Check("queued + answered + excluded + failed = discovered", held, status.discovered),
        Check("URLs asked a second time", asked.repeats, 0),
        Check("URLs asked that robots.txt forbids", asked.forbidden, 0),
        Check("URLs asked that no page names", asked.strange, 0),
    ]


def _excluded_otherwise(status: Status) -> int:
    return status.excluded - status.excluded_by_reason.get("robots", 0)


def results(looks: list[Look]) -> str:
    """Figures on the way, then each half's most, as `name last_half first_half ratio`."""
    head = ["of the way", "fetches", "minutes", *MEASURES, *TOLD]
    rows = []
    for share in (0.1, 0.25, 0.5, 0.75, 1.0):
        then = soak_watch.at(looks, share)
        shown = [of(then) for of in (MEASURES | TOLD).values()]
        rows.append([f"{share:.0%}", f"{then.fetches:,}", then.seconds / 60, *shown])
    lines = [report.table(head, rows), ""]
    for name, of in MEASURES.items():
        seen = soak_watch.trend(looks, of)
        lines.append(report.line(f"soak.last_half.{name}", seen.last, seen.first))
    return "\n".join(lines)


def leaks(looks: list[Look]) -> list[str]:
    """One line for each measure that is judged in a run of this length, and grows."""
    made = looks[-1].fetches
    lines = []
    for name, least in JUDGED_FROM.items():
        seen = soak_watch.trend(looks, MEASURES[name])
        if made >= least and not seen.is_flat:
            figures = f"{seen.first:.0f}, then {seen.last:.0f} (× {seen.ratio:.2f})"
            lines.append(f"WRONG  {name} grows: {figures}")
    return lines


def not_judged(looks: list[Look]) -> str:
    short = [name for name, least in JUDGED_FROM.items() if looks[-1].fetches < least]
    return f"too short a run to judge {', '.join(short)}" if short else ""


def verify(directory: Path) -> bool:
    """Says how long it took; what it found goes straight to the reader."""
    started = time.monotonic()
    command = [sys.executable, "-m", "shoal", "verify", "--dir", str(directory), "--quiet"]
    done = subprocess.run(command, check=False)
    word = "ok    " if done.returncode == 0 else "WRONG "
    print(f"{word} shoal verify: {time.monotonic() - started:.0f} s", flush=True)
    return done.returncode == 0


def soak(options: argparse.Namespace, work: Path) -> bool:
    """Whether all is well."""
    directory, log = work / "corpus", work / "log"
    pages = -(-int(options.fetches * WORLD_SIZE) // options.hosts)
    size = Size(options.hosts, pages, options.port)
    with served(size) as server:
        command = crawl_command(World(size), directory, options.fetches, options.workers)
        with running(command, log) as program:
            looks = watch(program, server, directory, options.fetches)
        asked = server.asked()
    if program.returncode != 0 or not looks:
        said = log.read_text(encoding="utf-8", errors="replace").strip()[-1000:]
        raise SystemExit(f"The crawl ended with {program.returncode}; it said: {said}")
    with shoal.open(directory) as collection:
        status = collection.status()
    print(results(looks))
    held = checks(asked, status, options.fetches)
    print("", *held, sep="\n", flush=True)
    found = leaks(looks)
    print(*filter(None, [*found, not_judged(looks)]), sep="\n", flush=True)
    whole = verify(directory) if options.verify else True
    return whole and not found and all(check.holds for check in held)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soak",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--fetches", type=int, default=1_000_000, help="pages to be fetched")
    parser.add_argument("--hosts", type=int, default=2000)
    parser.add_argument("--workers", type=int, default=64, help="requests at once")
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--verify", action="store_true", help="check every stored byte, too")
    parser.add_argument("--keep", action="store_true", help="do not delete what was crawled")
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "shoal-bench")
    options = parser.parse_args()
    stop_on_sigterm()
    options.work.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix="soak-", dir=options.work))
    try:
        well = soak(options, work)
    except KeyboardInterrupt:
        sys.exit("stopped")
    finally:
        if options.keep:
            print(f"kept: {work}", file=sys.stderr)
        else:
            shutil.rmtree(work, ignore_errors=True)
    sys.exit(0 if well else 1)


if __name__ == "__main__":
    main()
