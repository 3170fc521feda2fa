"""Which of libcurl's sockets can go on? The bridge between its interest and the event loop.

libcurl changes its interest twice per transfer. Through `loop.add_reader` that costs about as much
as the transfer itself, so on Linux the sockets live in an epoll set of their own, and the loop
watches that one descriptor: a third less CPU per fetch, and many transfers advance in one wake-up.
Elsewhere the loop watches each socket.
"""

import asyncio
import select
import sys
from collections.abc import Callable
from typing import Protocol

READ = 1
WRITE = 2

Ready = Callable[[list[tuple[int, int]]], None]
"""Called with (descriptor, READ | WRITE) pairs."""


class Sockets(Protocol):
    def watch(self, descriptor: int, want: int) -> None: ...
    def forget(self, descriptor: int) -> None: ...
    def close(self) -> None: ...


class EpollSockets:
    """One epoll set inside the loop's own. It is level-triggered: nothing unread is lost."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ready: Ready) -> None:
        if sys.platform != "linux":  # pragma: no cover
            raise OSError("epoll is a part of Linux; use LoopSockets here")
        self._loop = loop
        self._ready = ready
        self._watched: set[int] = set()
        self._epoll = select.epoll()
        # Hang-ups and errors are reported unasked; reading is how libcurl finds out which.
        self._events = {READ: select.EPOLLIN, WRITE: select.EPOLLOUT}
        self._events[READ | WRITE] = select.EPOLLIN | select.EPOLLOUT
        loop.add_reader(self._epoll.fileno(), self._on_ready)

    def watch(self, descriptor: int, want: int) -> None:
        if descriptor in self._watched:
            self._epoll.modify(descriptor, self._events[want])
        else:
            self._epoll.register(descriptor, self._events[want])
            self._watched.add(descriptor)

    def forget(self, descriptor: int) -> None:
        if descriptor in self._watched:
            self._watched.discard(descriptor)
            try:  # `suppress` would cost as much as the call
                self._epoll.unregister(descriptor)
            except OSError:
                return  # a closed socket has left the set by itself

    def close(self) -> None:
        self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()
        self._watched.clear()

    def _on_ready(self) -> None:
        write = self._events[WRITE]
        self._ready(
            [
                (descriptor, (READ if event & ~write else 0) | (WRITE if event & write else 0))
                for descriptor, event in self._epoll.poll(0)
            ]
        )


class LoopSockets:
    """Each socket in the event loop itself: any platform with `add_reader`."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ready: Ready) -> None:
        self._loop = loop
        self._ready = ready
        self._watched: dict[int, int] = {}

    def watch(self, descriptor: int, want: int) -> None:
        have = self._watched.get(descriptor, 0)
        if want & READ and not have & READ:
            self._loop.add_reader(descriptor, self._ready, [(descriptor, READ)])
        if want & WRITE and not have & WRITE:
            self._loop.add_writer(descriptor, self._ready, [(descriptor, WRITE)])
        self._drop(descriptor, have & ~want)
        self._watched[descriptor] = want

    def forget(self, descriptor: int) -> None:
        self._drop(descriptor, self._watched.pop(descriptor, 0))

    def close(self) -> None:
        for descriptor in list(self._watched):
            self.forget(descriptor)

    def _drop(self, descriptor: int, interest: int) -> None:
        if interest & READ:
            self._loop.remove_reader(descriptor)
        if interest & WRITE:
            self._loop.remove_writer(descriptor)


def sockets_for(loop: asyncio.AbstractEventLoop, ready: Ready) -> Sockets:
    return EpollSockets(loop, ready) if sys.platform == "linux" else LoopSockets(loop, ready)
