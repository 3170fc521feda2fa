"""Who reads the bytes? A process of its own, so that a page that kills it costs only itself.

Run as `python -m shoal.understand.child MODULE:FACTORY FD`: the factory, called with the crawl's
config, makes the worker; the socket FD brings pages and takes what was understood. A fault of the
worker is an answer; running out of memory ends the process, since nobody knows what state the
libraries are in afterwards. The process never outlives its parent.
"""

import contextlib
import ctypes
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
from shoal.understand.frames import EXIT_NO_MEMORY, Answer, Ask, Setup, frame, read_frame
from shoal.understand.no_network import forbid_network
from shoal.understand.unread import unread

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_MAX_PROBLEM_CHARS = 300


class Worker(Protocol):
    """Reads one page. A `close()`, if it has one, is called before another takes its place."""

    def __call__(self, visit: Visit, fetched: Fetched, archive_only: bool, /) -> Understood: ...


Factory = Callable[[bytes], Worker]


def main(arguments: list[str]) -> None:
    name, fd = arguments
    _ignore_the_terminal()
    _die_with_the_parent()
    faulthandler.enable()
    forbid_network()
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


def _die_with_the_parent() -> None:
    """Also in the middle of a page; elsewhere than on Linux the end of the socket has to do."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _load(name: str) -> Factory:
    module, _, attribute = name.partition(":")
    factory: Factory = getattr(importlib.import_module(module), attribute)
    return factory


def _limit(setup: Setup) -> None:
    limits = (
        (resource.RLIMIT_AS, setup.memory_bytes),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, setup.open_files),
    )
    for kind, value in limits:
        _, hard = resource.getrlimit(kind)
        ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # Some systems know a limit but can't set it; the parent's watchdog still holds.
        # A program that a converter starts (LibreOffice) may need more memory, and may take it.
        most = hard if kind == resource.RLIMIT_AS else ceiling
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (ceiling, most))


class _Server:
    def __init__(self, factory: Factory, connection: socket.socket) -> None:
        self._factory = factory
        self._connection = connection
        self._worker: Worker | None = None

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
        _limit(setup)
        self._close_worker()
        self._worker = self._factory(setup.config)
        cycles.look_rarely()

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
