"""The process that serves the world: `python -m tests.world.server`, started by `client.serve`.

Reads its orders as one JSON line on standard input, binds every host's own address on one port,
says on standard output where it listens, and lives until standard input closes, so it never
outlives the test that started it, however that test ends.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import itertools
import json
import resource
import signal
import socket
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import IO, Any

from tests.world import behaviour
from tests.world.answer import Asked
from tests.world.control import Control
from tests.world.log import Request
from tests.world.log import Writer as LogWriter
from tests.world.origin import Origin, Plan
from tests.world.web import Web
from tests.world.wire import Connection

_SPARE_FILES = 256  # connections and the process's own, beside one listener for each address
_BACKLOG = 512
_PORT_TRIES = 20
_LARGEST_COMMAND_BYTES = 256 * 1024 * 1024
_FLUSH_SECONDS = 0.25


class Server:
    """The listeners, the log and the origin behind them."""

    def __init__(self, web: Web, log: IO[str]) -> None:
        self.origin = Origin(web)
        self._log = LogWriter(log)
        self._listeners: dict[str, asyncio.Server] = {}
        self._numbers = itertools.count()
        self._connections: defaultdict[str, set[Connection]] = defaultdict(set)
        self._in_flight: dict[int, Callable[[], Request]] = {}
        self._begun: Counter[str] = Counter()
        self._total = 0
        self._news = asyncio.Event()

    # --- what connections need

    def opened(self, connection: Connection) -> None:
        self._connections[connection.address].add(connection)

    def closed(self, connection: Connection) -> None:
        self._connections[connection.address].discard(connection)

    def begin(self, number: int, host: str, request: Callable[[], Request]) -> None:
        self._in_flight[number] = request
        self._total += 1
        self._begun[host] += 1
        self._news.set()

    def plan(self, asked: Asked) -> Plan:
        return self.origin.plan(asked)

    def finish(self, number: int, request: Request) -> None:
        if self._in_flight.pop(number, None) is not None:
            self._log.add(request)

    # --- what commands need

    def flush(self) -> dict[str, Any]:
        self._log.flush()
        return {"in_flight": [vars(request()) for request in self._in_flight.values()]}

    async def wait(self, requests: int, host: str | None, timeout_seconds: float) -> bool:
        """Until so many requests have arrived in all, or at this host (its Host header)."""
        try:
            async with asyncio.timeout(timeout_seconds):
                while (self._total if host is None else self._begun[host]) < requests:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return False
        return True

    async def listen(self, address: str) -> None:
        if address in self._listeners:
            return
        listener = _bound(address, self.origin.web.port)
        try:
            await self._accept(address, listener)
        except OSError:
            listener.close()
            raise

    async def fall_silent(self, address: str) -> None:
        """Connections to this address are reset, and refused from now on."""
        server = self._listeners.pop(address, None)
        if server is not None:
            server.close()
            for connection in list(self._connections[address]):
                connection.reset()

    # --- its life

    async def open(self, listeners: dict[str, socket.socket]) -> None:
        for address, listener in listeners.items():
            await self._accept(address, listener)

    async def _accept(self, address: str, listener: socket.socket) -> None:
        self._listeners[address] = await asyncio.get_running_loop().create_server(
            lambda: Connection(self, address, next(self._numbers)), sock=listener, backlog=_BACKLOG
        )

    def close(self) -> None:
        """Stop listening, and log what is still in flight, without an end."""
        for listener in self._listeners.values():
            listener.close()
        for request in self._in_flight.values():
            self._log.add(request())
        self._in_flight.clear()
        self._log.flush()

    async def flush_regularly(self) -> None:
        while True:
            await asyncio.sleep(_FLUSH_SECONDS)
            self._log.flush()


def raise_file_limit(wanted: int) -> None:
    """Take the hard limit; say clearly when even that is too low."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard != resource.RLIM_INFINITY and hard < wanted:
        raise OSError(
            f"this web needs {wanted} open files but the limit is {hard}: "
            "raise it (ulimit -Hn) or take fewer hosts"
        )


def bind_all(web: Web) -> tuple[Web, dict[str, socket.socket]]:
    """A listening socket for each address; port 0: one that is free on all of them."""
    addresses = web.all_addresses()
    raise_file_limit(len(addresses) + _SPARE_FILES)
    for attempt in range(_PORT_TRIES):
        listeners: dict[str, socket.socket] = {}
        port = web.port
        try:
            for address in addresses:
                listeners[address] = _bound(address, port)
                port = port or listeners[address].getsockname()[1]
        except OSError:
            for listener in listeners.values():
                listener.close()
            if web.port or attempt == _PORT_TRIES - 1:
                raise
        else:
            return replace(web, port=port), listeners
    raise AssertionError("unreachable")


def _bound(address: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(_BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise OSError(error.errno, f"cannot listen on {address}:{port}: {error.strerror}") from None
    return listener


class _Orders(asyncio.Protocol):
    """Standard input, whose closing, by the test or by its death, ends the server."""

    def __init__(self, ended: asyncio.Event) -> None:
        self._ended = ended

    def connection_lost(self, _error: Exception | None) -> None:
        self._ended.set()


async def _until_ended() -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, ended.set)
    pipe, _ = await loop.connect_read_pipe(lambda: _Orders(ended), sys.stdin)
    await ended.wait()
    pipe.close()


async def serve(orders: dict[str, Any], log: IO[str]) -> None:
    """Bind, report, and serve until the orders end."""
    try:
        web, listeners = bind_all(Web.from_json(orders["web"]))
    except OSError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return
    server = Server(web, log)
    for pattern, behaviours in orders["behaviours"].items():
        server.origin.table.set(pattern, [behaviour.from_json(each) for each in behaviours])
    await server.open(listeners)
    control = await asyncio.start_server(
        Control(server).talk, "127.0.0.1", 0, limit=_LARGEST_COMMAND_BYTES
    )
    control_port = control.sockets[0].getsockname()[1]
    flushing = asyncio.create_task(server.flush_regularly())
    print(json.dumps({"port": web.port, "control_port": control_port}), flush=True)
    await _until_ended()
    flushing.cancel()
    control.close()
    server.close()


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the test, which then ends us
    orders = json.loads(sys.stdin.readline())
    run: Callable[[Coroutine[Any, Any, None]], None] = asyncio.run
    if importlib.util.find_spec("uvloop"):
        run = importlib.import_module("uvloop").run
    with Path(orders["log"]).open("a", encoding="utf-8") as log:
        run(serve(orders, log))


if __name__ == "__main__":
    main()
