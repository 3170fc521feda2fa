"""How much memory do bodies have? Those that are being received, and those that wait for a reader.

A body counts from its first byte until it has been read. When the memory is full, what is being
received is paused; but where nothing waits for a reader, so that nothing would ever be given back,
the body that began first goes on, and no more than that one goes beyond. While the memory is half
full nothing new is asked for.
"""

import asyncio
from typing import Protocol

MOST_BYTES = 256_000_000


class Receiver(Protocol):
    def resume(self) -> None:
        """Go on where `may_receive` said no. It is not called from within that question."""
        ...


class BodyMemory:
    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._receiving: dict[Receiver, int] = {}
        self._paused: dict[Receiver, None] = {}
        self._resuming: asyncio.Handle | None = None
        self._waiting = 0
        self.held = 0
        """Bytes, of both kinds."""

    @property
    def is_half_full(self) -> bool:
        return self.held > self._most // 2

    def may_receive(self, receiver: Receiver, size: int) -> bool:
        """Whether so many bytes more may be taken in now; if not, it is told to resume later."""
        receiving = self._receiving
        if self.held + size > self._most and self._first() is not receiver:
            self._paused[receiver] = None
            return False
        receiving[receiver] = receiving.get(receiver, 0) + size
        self.held += size
        return True

    def received(self, receiver: Receiver) -> None:
        """Nothing more will come; whoever has the body now takes it."""
        self._paused.pop(receiver, None)
        self._free(self._receiving.pop(receiver, 0))

    def take(self, size: int) -> None:
        """A body waits for a reader."""
        self.held += size
        self._waiting += size

    def give_back(self, size: int) -> None:
        self._waiting -= size
        self._free(size)

    def _first(self) -> Receiver | None:
        """Which body goes on in any case."""
        return None if self._waiting else next(iter(self._receiving), None)

    def _free(self, size: int) -> None:
        self.held -= size
        if self._paused and self._resuming is None:
            self._resuming = asyncio.get_running_loop().call_soon(self._resume)

    def _resume(self) -> None:
        self._resuming = None
        first = self._first()
        for receiver in list(self._paused):
            if receiver is first or self.held < self._most:
                self._paused.pop(receiver, None)
                receiver.resume()
