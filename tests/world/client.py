"""How does a test run the world and ask it questions?

`with serve(web) as running:` starts the server process, and ends it with the block. `running.web`
is the web with its port, from which the truth is asked; `running.log()` is what was really
requested.
"""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.world import behaviour as behaviours_
from tests.world import log as log_
from tests.world.behaviour import Behaviour
from tests.world.clock import Mark, WorldClock
from tests.world.log import Request
from tests.world.web import Web

_ROOT = Path(__file__).parents[2]
_STOP_SECONDS = 10.0
_REPLY_SECONDS = 60.0
Behaviours = Mapping[str, Behaviour | Sequence[Behaviour]]


class Running:
    """A world that is being served."""

    def __init__(self, web: Web, control_port: int, log_path: Path, process_id: int) -> None:
        self.web = web
        self.log_path = log_path
        self.process_id = process_id
        self.clock = WorldClock()
        self._control_port = control_port

    @property
    def port(self) -> int:
        return self.web.port

    def log(self) -> list[Request]:
        """Every request so far in order of arrival; those in flight have no end yet."""
        reply = self._do("flush")
        waiting = [log_.from_json(fields) for fields in reply["in_flight"]]
        return log_.in_order([*log_.read(self.log_path), *waiting])

    def set(self, pattern: str, *behaviours: Behaviour) -> None:
        """From now on requests to this pattern (see table.py) go like this; none: as usual."""
        fields = [behaviours_.to_json(behaviour) for behaviour in behaviours]
        self._do("set", pattern=pattern, behaviours=fields)

    def clear(self) -> None:
        """All patterns go; pages put there stay."""
        self._do("clear")

    def set_time(self, seconds: float) -> None:
        """Set the world's clock, which says which pages have changed or gone."""
        self._set_clock(seconds, None)

    def run_time(self, speed: float = 1.0) -> None:
        """From now on the world's clock runs, so many of its seconds a second; 0: it stands.

        Do this before the first request that is to see it: while the clock runs, dates are those
        of today (see clock.py).
        """
        self._set_clock(None, speed)

    def _set_clock(self, seconds: float | None, speed: float | None) -> None:
        self.clock.add(Mark(*self._do("time", seconds=seconds, speed=speed)["mark"]))

    def put(
        self,
        host: int | str,
        target: str,
        body: bytes | str = b"",
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> str:
        """Put a literal answer at a host's path, and give its URL. An unknown name is fine."""
        name = self.web.host_name(host) if isinstance(host, int) else host
        data = body.encode() if isinstance(body, str) else body
        fields = {"Content-Type": "text/html; charset=utf-8"} if headers is None else headers
        packed = base64.b64encode(data).decode()
        self._do(
            "put",
            host=name,
            target=target,
            status=status,
            headers=list(fields.items()),
            body=packed,
        )
        return f"http://{name}:{self.port}{target}"

    def robots(self, host: int | str, text: str, *, status: int = 200) -> None:
        """Give a host another robots.txt. (The truth of `web` still knows only its own.)"""
        self.put(host, "/robots.txt", text, status=status, headers={"Content-Type": "text/plain"})

    def down(self, host: int) -> None:
        """Reset connections to this host's address, and refuse new ones."""
        self._do("down", address=self.web.address(host))

    def up(self, host: int) -> None:
        """Accept connections again."""
        self._do("up", address=self.web.address(host))

    def render(self, limit_bytes: int = 200_000_000) -> int:
        """Write pages ahead of time, up to this much memory: for benchmarks of the crawler."""
        return int(self._do("render", limit_bytes=limit_bytes)["pages"])

    def wait(
        self, requests: int, *, host: int | str | None = None, timeout_seconds: float = 120.0
    ) -> None:
        """Return when so many requests have arrived, in all or at one host (blocks)."""
        name = self.web.host_name(host) if isinstance(host, int) else host
        header = None if name is None else f"{name}:{self.port}"
        reply = self._do("wait", requests=requests, host=header, timeout_seconds=timeout_seconds)
        if not reply["reached"]:
            raise TimeoutError(f"{requests} requests did not arrive in {timeout_seconds:g} s")

    def _do(self, command: str, **fields: Any) -> dict[str, Any]:
        patience = _REPLY_SECONDS + float(fields.get("timeout_seconds", 0.0))
        where = ("127.0.0.1", self._control_port)
        with socket.create_connection(where, timeout=patience) as channel:
            channel.sendall(json.dumps({"do": command, **fields}).encode() + b"\n")
            with channel.makefile("rb") as replies:
                reply: dict[str, Any] = json.loads(replies.readline() or b'{"error": "no reply"}')
        if "error" in reply:
            raise RuntimeError(f"the world cannot {command}: {reply['error']}")
        return reply


@contextmanager
def serve(
    web: Web, behaviours: Behaviours | None = None, *, log_path: Path | None = None
) -> Iterator[Running]:
    """Serve a web in a process of its own; a log path that exists is continued."""
    with tempfile.TemporaryDirectory(prefix="world-") as scratch:
        path = (log_path or Path(scratch) / "requests.jsonl").absolute()
        path.touch()
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.world.server"],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            ready = _start(process, web, behaviours or {}, path)
            served = replace(web, port=ready["port"])
            yield Running(served, ready["control_port"], path, process.pid)
        finally:
            _stop(process)


def _start(
    process: subprocess.Popen[bytes], web: Web, behaviours: Behaviours, path: Path
) -> dict[str, Any]:
    orders = {
        "web": web.to_json(),
        "log": str(path),
        "behaviours": {
            pattern: [
                behaviours_.to_json(each)
                for each in ([given] if isinstance(given, Behaviour) else given)
            ]
            for pattern, given in behaviours.items()
        },
    }
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(orders).encode() + b"\n")
    process.stdin.flush()
    line = process.stdout.readline()
    ready: dict[str, Any] = json.loads(line) if line else {"error": "the server process died"}
    if "error" in ready:
        raise RuntimeError(f"the world cannot be served: {ready['error']}")
    return ready


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End it; SIGTERM too, as a forked child of the test may hold its standard input open."""
    process.terminate()
    try:
        process.communicate(timeout=_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
