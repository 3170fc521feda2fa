"""Two hundred people search while a crawl runs: is every answer good, does memory stay flat?

    python -m benchmarks.serving                        200 at once, two minutes
    python -m benchmarks.serving --people 20 --seconds 20      a quick look

`shoal crawl` gathers the benchmarks' web at a pace that lasts as long; `shoal serve` shows it. Each
of the people asks for a search page, waits for the answer and asks again, over a connection that is
kept. Whatever is not a page of results with status 200 is an error. Exit code 1 if there is one.
"""

import argparse
import asyncio
import contextlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from benchmarks import report
from benchmarks.web import Web, add_arguments, served, stop_on_sigterm, web_of

_WORDS = re.findall(
    r"\w+",
    "function string pointer thread error message file table value default example class template"
    " iterator memory allocator query index column session model search python compile option",
)
_HEAD = re.compile(rb"HTTP/1\.1 (\d{3}).*?content-length: (\d+)", re.DOTALL | re.IGNORECASE)
_PATIENCE_SECONDS = 60.0
_PAUSE_SECONDS = 0.2
_LOOKS = 4
"""At the server's memory, over the time; at the first of them caches fill and threads start."""


class Asked(NamedTuple):
    seconds: list[float]
    errors: list[str]


async def _person(host: str, port: int, until: float, chance: random.Random, told: Asked) -> None:
    reader, writer = await asyncio.open_connection(host, port)
    try:
        while time.monotonic() < until:
            words = " ".join(chance.sample(_WORDS, chance.choice((1, 2, 2, 3, 4))))
            started = time.monotonic()
            status, body = await asyncio.wait_for(
                _get(reader, writer, f"{host}:{port}", f"/search?q={quote(words)}"),
                _PATIENCE_SECONDS,
            )
            told.seconds.append(time.monotonic() - started)
            if status != 200 or b'class="hit"' not in body:
                told.errors.append(f"{status} for {words!r}")
            await asyncio.sleep(chance.uniform(0, 2 * _PAUSE_SECONDS))
    except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
        told.errors.append(f"{type(error).__name__}: {error}")
    finally:
        writer.close()


async def _get(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, path: str
) -> tuple[int, bytes]:
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    await writer.drain()
    head = _HEAD.match(await reader.readuntil(b"\r\n\r\n"))
    if head is None:
        return 0, b""
    return int(head[1]), await reader.readexactly(int(head[2]))


async def _people(
    count: int, host: str, port: int, seconds: float, pid: int
) -> tuple[Asked, list[float]]:
    """What the people met, and the server's memory meanwhile."""
    until = time.monotonic() + seconds
    told = Asked([], [])
    asking = [
        asyncio.create_task(_person(host, port, until, random.Random(number), told))
        for number in range(count)
    ]
    memory = []
    for _ in range(_LOOKS):
        await asyncio.sleep(seconds / _LOOKS)
        memory.append(_own_bytes(pid))
    await asyncio.gather(*asking)
    return told, memory


def _own_bytes(pid: int) -> float:
    """Without the files that it maps: the index grows with the crawl."""
    fields = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(r"RssAnon:\s+(\d+) kB", fields)
    return 1024.0 * int(found[1]) if found else 0.0


@contextlib.contextmanager
def _program(*words: str) -> Iterator[subprocess.Popen[str]]:
    program = subprocess.Popen(
        [sys.executable, "-m", "shoal", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield program
    finally:
        program.terminate()
        program.communicate()


def _crawl_flags(web: Web, directory: Path, seconds: float) -> list[str]:
    pace = seconds * len(web.addresses) / len(web.urls)
    flags = ["--scope", "any", "--delay", f"{pace:.2f}", "--quiet", "--dir", str(directory)]
    return [*web.seeds, *flags, "--set", "politeness.delay_factor=0", "--set", "dedupe.learn=no"]


def measure(web: Web, people: int, seconds: float, work: Path) -> tuple[Asked, list[float], int]:
    with tempfile.TemporaryDirectory(prefix="serving-", dir=work) as home, served(web):
        directory = Path(home) / "c"
        with _program("crawl", *_crawl_flags(web, directory, seconds)):
            deadline = time.monotonic() + _PATIENCE_SECONDS
            while not (directory / "index" / "state.json").exists():
                if time.monotonic() > deadline:
                    raise SystemExit("nothing was indexed")
                time.sleep(0.1)
            with _program("serve", "--dir", str(directory), "--port", "0") as server:
                line = server.stdout.readline() if server.stdout else ""
                address = re.search(r"http://([^:/]+):(\d+)/", line)
                if address is None:
                    raise SystemExit(f"shoal serve said: {line}")
                told, memory = asyncio.run(
                    _people(people, address[1], int(address[2]), seconds, server.pid)
                )
            state = (directory / "index" / "state.json").read_text(encoding="utf-8")
    pages = re.search(r'"pages":(\d+)', state)
    return told, memory, int(pages[1]) if pages else 0


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.serving",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_arguments(parser)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args(arguments)
    stop_on_sigterm()
    told, memory, pages = measure(web_of(options), options.people, options.seconds, options.work)
    times = sorted(told.seconds)
    print(f"{len(times):,} searches by {options.people} people in {options.seconds:g} s")
    print(f"{pages:,} pages were in the index at the end; errors: {len(told.errors)}")
    for error in told.errors[:5]:
        print(f"  {error}")
    median_ms = 1000 * statistics.median(times)
    print(
        f"ms to an answer: median {median_ms:.0f}, p95 {1000 * times[len(times) * 95 // 100]:.0f}"
    )
    print("own memory, MB: " + ", ".join(f"{each / 1e6:.0f}" for each in memory))
    print(report.line("serving.memory_last_over_half", memory[-1] / 1e6, memory[1] / 1e6))
    raise SystemExit(1 if told.errors else 0)


if __name__ == "__main__":
    main()
