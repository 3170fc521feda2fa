"""How long may a connection wait, and how many are there at once? What knows uvicorn.

A head, a form and a reader that falls silent are each given some seconds, then the connection is
cut; between two requests the library's own keep-alive counts. Where the last place is taken, who
has waited longest without asking anything makes room. One look over all connections twice a second
is all that it costs (`Server.on_tick`).
"""

import socket
import struct
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from shoal.web.server.asking import UID
from shoal.web.server.http import Starlette

_GRACE_SECONDS = 3
_PEER = struct.Struct("iII")
"""Process, user and group, as SO_PEERCRED tells them."""
_TICKS = 5
"""Of a tenth of a second each, between two looks."""
_NO_ROOM = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True)
class Bounds:
    connections: int = 200
    head_seconds: float = 15.0
    """From the connection, or from the first byte of a further request, to the end of its head."""
    body_seconds: float = 60.0
    """From the end of the head to the end of the body; a hub's item may have megabytes."""
    idle_seconds: int = 15
    """From an answer to the first byte of the next request."""
    reading_seconds: float = 30.0
    """In which whoever is answered must take `least_bytes`, or all that is left."""
    least_bytes: int = 16_384


BOUNDS = Bounds()


class Connection(H11Protocol):
    """One of HTTP/1.1 that knows since when it waits for its client."""

    bounds = BOUNDS
    _since_s = 0.0
    _awaited = ""
    _left: tuple[float, int] | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if (uid := _uid_at(transport.get_extra_info("socket"))) is not None:
            self.client = (f"{UID}{uid}", 0)
        self._since_s = time.monotonic()
        if len(self.connections) > self.bounds.connections and not self._has_place():
            transport.write(_NO_ROOM)
            transport.close()

    def resume_writing(self) -> None:
        self._left = None  # some ten thousand bytes were taken
        super().resume_writing()

    def is_idle(self) -> bool:
        """Whether nothing is asked: no head has come, or the last answer has left."""
        if self.cycle is None:
            return True
        return self.cycle.response_complete

    def cut_if_overdue(self, now_s: float) -> None:
        if self._is_unread(now_s) or self._is_silent(now_s):
            self._cut()

    def _cut(self) -> None:
        """At once: the system, too, forgets what nobody takes."""
        held = self.transport.get_extra_info("socket")
        with suppress(OSError):
            held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()

    def _has_place(self) -> bool:
        """Whether fewer are open than may be, or one of them could make room."""
        others = [
            each
            for each in self.connections
            if isinstance(each, Connection) and each is not self and not each.transport.is_closing()
        ]
        idle = [each for each in others if each.is_idle()]
        if len(others) >= self.bounds.connections and idle:
            min(idle, key=lambda each: each._since_s)._cut()
        return len(others) < self.bounds.connections or bool(idle)

    def _is_silent(self, now_s: float) -> bool:
        """Whether a head or a body is owed for too long."""
        awaited = self._what_is_awaited()
        if awaited != self._awaited:
            self._awaited = awaited
            if self.cycle is not None:
                self._since_s = now_s
        match awaited:
            case "head":
                return now_s - self._since_s > self.bounds.head_seconds
            case "body":
                return now_s - self._since_s > self.bounds.body_seconds
        return False

    def _what_is_awaited(self) -> str:
        if str(self.conn.their_state) == "SEND_BODY":
            return "body"
        is_between = self.timeout_keep_alive_task is not None
        return "head" if str(self.conn.their_state) == "IDLE" and not is_between else ""

    def _is_unread(self, now_s: float) -> bool:
        """Whether the client takes nothing, or next to nothing, of what it asked for."""
        left = self.transport.get_write_buffer_size()
        if not left:
            self._left = None
            return False
        if self._left is None or left <= self._left[1] - self.bounds.least_bytes:
            self._left = now_s, left
        return now_s - self._left[0] > self.bounds.reading_seconds


class Server(uvicorn.Server):
    """Looks after its connections, and tells what streams that it is over before it waits for
    them."""

    def __init__(self, config: uvicorn.Config, stopping: threading.Event) -> None:
        super().__init__(config)
        self._stopping = stopping

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS == 0:
            now_s = time.monotonic()
            for each in list(self.server_state.connections):
                if isinstance(each, Connection):
                    each.cut_if_overdue(now_s)
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._stopping.set()
        await super().shutdown(sockets)


def _uid_at(held: Any) -> int | None:
    """The user at the other end of a local socket; None where it is none."""
    if held is None or held.family != socket.AF_UNIX:
        return None
    told = held.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    uid: int = _PEER.unpack(told)[1]
    return uid


def server_of(app: Starlette, bounds: Bounds = BOUNDS) -> Server:
    return Server(
        uvicorn.Config(
            app,
            http=type("Bounded", (Connection,), {"bounds": bounds}),
            ws="none",
            lifespan="on",
            log_level="warning",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=bounds.idle_seconds,
            timeout_graceful_shutdown=_GRACE_SECONDS,
            h11_max_incomplete_event_size=32_768,
        ),
        app.state.site.stopping,
    )
