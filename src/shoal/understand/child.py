"""Who reads the bytes? A process of its own, so that a page that kills it costs only itself.

Run as `python -m shoal.understand.child MODULE:FACTORY FD`: the factory, called with the crawl's
config, makes the worker; the socket FD brings pages and takes what was understood. A fault of the
worker is an answer; running out of memory ends the process, since nobody knows what state the
libraries are in afterwards. The process never outlives its parent. Once its worker is made, and
before the first page comes, it locks itself in (shoal.understand.cage).
"""

import faulthandler
import importlib
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Protocol

from shoal import cycles
from shoal.errors import ShoalError
from shoal.model.document import Understood
from shoal.model.record import changed, pack, unpack
from shoal.model.visit import Fetched, Visit
from shoal.understand.cage import cage
from shoal.understand.frames import EXIT_NO_MEMORY, Answer, Ask, Setup, frame, read_frame
from shoal.understand.unread import unread

_MAX_PROBLEM_CHARS = 300
_MOST_DESCRIPTORS = 4096
"""The first numbers are given first: nobody hands on a file with a higher one."""


class Worker(Protocol):
    """Reads one page. A `close()`, if it has one, is called before another takes its place;
    `places`, if it has some (`cage.Places`), are where it may open files once it was made."""

    def __call__(self, visit: Visit, fetched: Fetched, archive_only: bool, /) -> Understood: ...


Factory = Callable[[bytes], Worker]


def main(arguments: list[str]) -> None:
    name, fd = arguments
    _ignore_the_terminal()
    cage.die_with_the_parent()
    faulthandler.enable()
    _close_all_but(int(fd))
    with socket.socket(fileno=int(fd)) as connection:
        connection.set_inheritable(False)
        server = _Server(_load(name), connection)
        try:
            server.run()
        except (BrokenPipeError, ConnectionResetError):
            return  # the parent has gone
        except MemoryError:
            os._exit(EXIT_NO_MEMORY)


def _ignore_the_terminal() -> None:
    """Ctrl-C and a polite end are the parent's, who lets us finish and then closes the socket."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _close_all_but(fd: int) -> None:
    os.closerange(3, fd)
    os.closerange(fd + 1, _MOST_DESCRIPTORS)


def _load(name: str) -> Factory:
    module, _, attribute = name.partition(":")
    factory: Factory = getattr(importlib.import_module(module), attribute)
    return factory


class _Server:
    def __init__(self, factory: Factory, connection: socket.socket) -> None:
        self._factory = factory
        self._connection = connection
        self._worker: Worker | None = None
        self._is_locked_in = False

    def run(self) -> None:
        with self._connection.makefile("rb", buffering=1 << 18) as stream:
            while received := read_frame(stream):
                kind, payload = received
                if kind == Ask.SETUP:
                    self._set_up(unpack(Setup, payload))
                    self._connection.sendall(frame(Answer.READY))
                else:
                    self._connection.sendall(self._answer(payload, kind == Ask.ARCHIVE))
        self._close_worker()

    def _set_up(self, setup: Setup) -> None:
        self._close_worker()
        self._worker = self._factory(setup.config)
        cycles.look_rarely()
        if not self._is_locked_in:
            self._is_locked_in = True
            files = (resource.RLIMIT_NOFILE, setup.open_files)
            cage.limit([(resource.RLIMIT_AS, setup.memory_bytes), files])
            cage.enter(getattr(self._worker, "places", None) or cage.Places())

    def _close_worker(self) -> None:
        close = getattr(self._worker, "close", None)
        if close is not None:
            close()

    def _answer(self, payload: bytes, archive_only: bool) -> bytes:
        started = time.process_time()
        visit, fetched = unpack(tuple[Visit, Fetched], payload)
        try:
            understood = self._understand(visit, fetched, archive_only)
        except ShoalError as error:  # ours, not the page's: the crawl has to hear of it
            return frame(Answer.FAULT, str(error).encode("utf-8", "replace"))
        understood = changed(understood, cpu_seconds=time.process_time() - started)
        try:
            return frame(Answer.UNDERSTOOD, pack(understood))
        except (TypeError, ValueError, OverflowError) as error:
            return frame(Answer.UNDERSTOOD, pack(unread(visit, fetched, _in_words(error))))

    def _understand(self, visit: Visit, fetched: Fetched, archive_only: bool) -> Understood:
        if self._worker is None:
            raise RuntimeError("a page came before the settings")
        try:
            return self._worker(visit, fetched, archive_only)
        except (ShoalError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever a converter does, the page is the cost
            rescued = None if archive_only else self._understand(visit, fetched, True)
            return unread(visit, fetched, _in_words(error), rescued)


def _in_words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:_MAX_PROBLEM_CHARS]


if __name__ == "__main__":
    main(sys.argv[1:])
