"""Serves a generated web, fast, and knows what it was asked.

    python -m benchmarks.soak_server HOSTS PAGES PORT

It answers from one process, on one loopback address for each host, and keeps one bit for each URL:
so it can say whether any was asked twice. A line on standard input is answered with its counts, as
JSON; when standard input ends it ends, so it never outlives who started it.
"""

import asyncio
import gzip
import json
import os
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, NamedTuple, Self, cast

import uvloop

from benchmarks.soak_world import ROBOTS, Kind, Size, World, address

GZIP_EVERY = 4
_LONGEST_HEAD = 16_384
_HTML = b"Content-Type: text/html; charset=utf-8\r\n"
_PLAIN = b"Content-Type: text/plain\r\n"
_GONE = b"<!doctype html><title>Not found</title><h1>Not found</h1><p>There is no such page.</p>"


class Asked(NamedTuple):
    """What the server was asked, so far. Every request is in one of the first seven."""

    pages: int = 0
    prints: int = 0
    moved: int = 0
    gone: int = 0
    robots: int = 0
    forbidden: int = 0
    """Below a path that robots.txt forbids."""
    strange: int = 0
    """URLs that no page names, and what is no request."""
    repeats: int = 0
    """Of these, for a URL that had been asked before."""
    copies: int = 0
    """Pages and prints of which the other one had been asked before: the same bytes."""
    sent_gzipped: int = 0
    connections: int = 0

    @property
    def fetches(self) -> int:
        """Without those for robots.txt."""
        return self.pages + self.prints + self.moved + self.gone + self.forbidden + self.strange

    @property
    def requests(self) -> int:
        return self.fetches + self.robots


_COUNTED_AS = {
    Kind.PAGE: "pages",
    Kind.PRINT: "prints",
    Kind.MOVED: "moved",
    Kind.GONE: "gone",
    Kind.PRIVATE: "forbidden",
}


class Bits:
    """Which of so many numbers were there before?"""

    def __init__(self, count: int) -> None:
        self._bytes = bytearray(-(-count // 8))

    def add(self, number: int) -> bool:
        """Whether it was there already."""
        known = number in self
        self._bytes[number >> 3] |= 1 << (number & 7)
        return known

    def __contains__(self, number: int) -> bool:
        return bool(self._bytes[number >> 3] & 1 << (number & 7))


class Desk:
    """Answers one request after the other, and counts."""

    def __init__(self, world: World) -> None:
        self._world = world
        hosts, pages = world.size.hosts, world.size.pages
        self._asked = {kind: Bits(hosts * pages) for kind in Kind}
        self._asked_robots = Bits(hosts)
        self._counts: Counter[str] = Counter()

    def asked(self) -> Asked:
        return Asked(**self._counts)

    def connected(self) -> None:
        self._counts["connections"] += 1

    def answer(self, host: int, request: bytes) -> bytes:
        method, _, rest = request.partition(b" ")
        path = rest.partition(b" ")[0]
        if path == b"/robots.txt":
            self._count("robots", self._asked_robots.add(host))
            return _response(b"200 OK", _PLAIN, ROBOTS)
        found = self._world.find(path) if method == b"GET" else None
        if found is None:
            self._counts["strange"] += 1
            return _response(b"404 Not Found", _HTML, _GONE)
        kind, page = found
        number = host * self._world.size.pages + page
        self._count(_COUNTED_AS[kind], self._asked[kind].add(number))
        if kind is Kind.GONE:
            return _response(b"404 Not Found", _HTML, _GONE)
        if kind is Kind.MOVED:
            location = f"Location: {self._world.moved_to(host, page)}\r\n".encode()
            return _response(b"301 Moved Permanently", location, b"")
        other = Kind.PRINT if kind is Kind.PAGE else Kind.PAGE
        self._counts["copies"] += number in self._asked[other]
        body = self._world.page(host, page)
        if page % GZIP_EVERY == 1 and b"gzip" in request:
            self._counts["sent_gzipped"] += 1
            packed = gzip.compress(body, 1, mtime=0)
            return _response(b"200 OK", _HTML + b"Content-Encoding: gzip\r\n", packed)
        return _response(b"200 OK", _HTML, body)

    def _count(self, name: str, known: bool) -> None:
        self._counts[name] += 1
        self._counts["repeats"] += known


def _response(status: bytes, fields: bytes, body: bytes) -> bytes:
    return b"HTTP/1.1 %b\r\n%bContent-Length: %d\r\n\r\n%b" % (status, fields, len(body), body)


class _Connection(asyncio.Protocol):
    def __init__(self, desk: Desk, host: int) -> None:
        self._desk = desk
        self._host = host
        self._received = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)  # uvloop's has no such parent
        self._desk.connected()

    def data_received(self, data: bytes) -> None:
        assert self._transport is not None
        received = self._received + data
        while (end := received.find(b"\r\n\r\n")) >= 0:
            request, received = received[:end], received[end + 4 :]
            self._transport.write(self._desk.answer(self._host, request))
        if len(received) > _LONGEST_HEAD:
            self._transport.close()
        self._received = received


async def _serve(size: Size) -> None:
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    desk = Desk(World(size))
    for host in range(size.hosts):
        await loop.create_server(
            lambda host=host: _Connection(desk, host),  # type: ignore[misc]  # mypy knows no default
            address(host),
            size.port,
            backlog=128,
        )

    def on_line() -> None:
        if not os.read(sys.stdin.fileno(), 4096):
            ended.set()
        else:
            print(json.dumps(desk.asked()._asdict()), flush=True)

    loop.add_reader(sys.stdin.fileno(), on_line)
    print("ready", flush=True)
    await ended.wait()


class Server:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def asked(self) -> Asked:
        stdin, stdout = self._pipes()
        try:
            stdin.write("?\n")
            stdin.flush()
            return Asked(**json.loads(stdout.readline()))
        except (BrokenPipeError, json.JSONDecodeError) as error:
            raise SystemExit("The server has ended; what it said stands above.") from error

    def wait_until_up(self) -> Self:
        if self._pipes()[1].readline() != "ready\n":
            raise SystemExit("The server did not start; is its port in use? See above.")
        return self

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return self.process.stdin, self.process.stdout


@contextmanager
def served(size: Size) -> Iterator[Server]:
    """In a session of its own: a Ctrl-C is for the one who started it."""
    words = [str(number) for number in size]
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.soak_server", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        yield Server(process).wait_until_up()


def main() -> None:
    hosts, pages, port = map(int, sys.argv[1:])
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(Size(hosts, pages, port)))


if __name__ == "__main__":
    main()
