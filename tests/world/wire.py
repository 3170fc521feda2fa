"""How do requests arrive and answers leave?

A lean HTTP/1.1 connection on asyncio.Protocol: one request at a time, keep-alive, pipelined
requests wait their turn (RFC 9112, section 9.3). Small answers leave in one write without a task;
anything with a wait, a fault or a large body runs as a task that ends with the connection.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Callable
from typing import Protocol, cast

from tests.world.answer import Asked, plain_answer
from tests.world.faults import deliver
from tests.world.log import Request
from tests.world.origin import Plan

_LARGEST_HEAD_BYTES = 65_536
_ONE_WRITE_BYTES = 65_536


class Recorder(Protocol):
    """Where connections get their answers and report what happened."""

    def opened(self, connection: Connection) -> None: ...

    def closed(self, connection: Connection) -> None: ...

    def begin(self, number: int, host: str, request: Callable[[], Request]) -> None: ...

    def finish(self, number: int, request: Request) -> None: ...

    def plan(self, asked: Asked) -> Plan: ...


class Connection(asyncio.Protocol):
    """One TCP connection to one address of the world."""

    def __init__(self, recorder: Recorder, address: str, number: int) -> None:
        self._recorder = recorder
        self.address = address
        self._number = number
        self._buffer = bytearray()
        self._received = (0.0, 0)
        self._asked: Asked | None = None
        self._started = (0.0, 0)
        self._task: asyncio.Task[None] | None = None
        self._drained: asyncio.Future[None] | None = None
        self._keep_alive = True
        self._ended: tuple[float, int] | None = None
        self._status = 0
        self._asked_bytes = self._head_bytes = self._sent_bytes = 0
        self._in_head = True

    # --- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._recorder.opened(self)

    def data_received(self, data: bytes) -> None:
        if not self._buffer or self._asked is not None:
            self._received = (time.time(), time.monotonic_ns())
        self._buffer += data
        self._take_next()

    def pause_writing(self) -> None:
        self._drained = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        if self._drained is not None and not self._drained.done():
            self._drained.set_result(None)
        self._drained = None

    def connection_lost(self, _error: Exception | None) -> None:
        self._recorder.closed(self)
        if self._task is not None:
            self._task.cancel()
        if self._asked is not None:
            self.mark_end()
            self._finish(complete=False)

    # --- for those who write an answer

    async def write(self, data: bytes) -> None:
        """Send and wait until the kernel has it."""
        self._count(data)
        self._transport.write(data)
        await self.drain()

    async def drain(self) -> None:
        if self._drained is not None:
            await self._drained

    def write_last(self, data: bytes) -> None:
        """Send the last bytes of the answer."""
        self.mark_end()
        self._count(data)
        self._transport.write(data)

    def _count(self, data: bytes) -> None:
        """How much is sent, and how much of it is head: until the first empty line."""
        if self._in_head:
            if self._sent_bytes == 0 and not data.startswith(b"HTTP/"):
                self._in_head = False
            else:
                end = data.find(b"\r\n\r\n")
                self._in_head = end < 0
                self._head_bytes += len(data) if end < 0 else end + 4
        self._sent_bytes += len(data)

    def mark_end(self) -> None:
        """Note that the answer ends now, once."""
        if self._ended is None:
            self._ended = (time.time(), time.monotonic_ns())

    def close_after(self) -> None:
        """This answer is the last on the connection."""
        self._keep_alive = False

    def reset(self) -> None:
        """End with RST, as a crashed server does."""
        if self._transport.is_closing():
            return
        self._transport.get_extra_info("socket").setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        self._transport.abort()

    # --- one request after the other

    def _take_next(self) -> None:
        while self._asked is None and not self._transport.is_closing():
            end = self._buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self._buffer) > _LARGEST_HEAD_BYTES:
                    self._refuse(431)
                return
            head = bytes(self._buffer[:end])
            del self._buffer[: end + 4]
            asked = parse(head, self.address)
            if asked is None:
                self._refuse(400)
                return
            self._begin(asked, end + 4)

    def _refuse(self, status: int) -> None:
        self._transport.write(plain_answer(status).head(keep_alive=False, length=0))
        self._transport.close()

    def _begin(self, asked: Asked, asked_bytes: int) -> None:
        self._asked = asked
        self._started, self._ended = self._received, None
        self._status = self._head_bytes = self._sent_bytes = 0
        self._asked_bytes, self._in_head = asked_bytes, True
        self._keep_alive = asked.keep_alive
        self._recorder.begin(self._number, asked.host, self.request)
        plan = self._recorder.plan(asked)
        self._status = plan.answer.status
        if plan.wait_seconds or plan.fault or len(plan.answer.body) > _ONE_WRITE_BYTES:
            self._task = asyncio.get_running_loop().create_task(self._run(plan, asked))
            return
        head = plan.answer.head(keep_alive=self._keep_alive)
        self.write_last(head if asked.method == "HEAD" else head + plan.answer.body)
        self._finish(complete=True)

    async def _run(self, plan: Plan, asked: Asked) -> None:
        # Pause at the first byte that waits, resume at none: "drained" then means "in the kernel".
        self._transport.set_write_buffer_limits(high=0)
        # A loop's timer counts from the beginning of its round, and may be early by a little.
        until_ns = self._started[1] + plan.wait_seconds * 1e9
        while plan.wait_seconds and (left_ns := until_ns - time.monotonic_ns()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(left_ns / 1e9)
        await deliver(
            self,
            plan.answer,
            plan.fault,
            head_only=asked.method == "HEAD",
            keep_alive=self._keep_alive,
        )
        await self.drain()
        self._task = None
        self._finish(complete=True)
        self._take_next()

    def _finish(self, *, complete: bool) -> None:
        self._recorder.finish(self._number, self.request(complete=complete))
        self._asked = None
        if not self._keep_alive:
            self._transport.close()

    def request(self, *, complete: bool = False) -> Request:
        """What the log says of the current request, as things stand."""
        assert self._asked is not None
        headers = self._asked.headers
        return Request(
            address=self.address,
            host=self._asked.host,
            method=self._asked.method,
            target=self._asked.target,
            agent=headers.get("user-agent", ""),
            if_none_match=headers.get("if-none-match"),
            if_modified_since=headers.get("if-modified-since"),
            connection=self._number,
            start=self._started[0],
            start_ns=self._started[1],
            end=None if self._ended is None else self._ended[0],
            end_ns=None if self._ended is None else self._ended[1],
            status=self._status if self._sent_bytes else 0,
            sent_bytes=self._sent_bytes,
            complete=complete,
            head_bytes=self._head_bytes,
            asked_bytes=self._asked_bytes,
        )


def parse(head: bytes, address: str) -> Asked | None:
    """The request line and headers; None if they make no sense. A proxy's absolute form is fine."""
    first, *lines = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        return None
    method, target, version = words
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    host = headers.get("host", address)
    if target.startswith("http://"):
        host, slash, rest = target.removeprefix("http://").partition("/")
        target = slash + rest or "/"
    wish = headers.get("connection", "keep-alive" if version == "HTTP/1.1" else "close").lower()
    bodiless = headers.get("content-length", "0") == "0" and "transfer-encoding" not in headers
    return Asked(address, host, method, target, headers, "close" not in wish and bodiless)
