"""Workers for the tests of the pool. A page's body says what becomes of its reader."""

import mmap
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from shoal.errors import CollectionError
from shoal.model.document import Document, Understood, WarcLocation
from shoal.model.visit import Fetched, Visit
from shoal.understand.cage.cage import Places
from shoal.understand.child import Worker
from tests.converters.parts import reader as page_reader


def said(*words: object) -> Understood:
    return Understood(documents=[Document(title=" ".join(map(str, words)))])


def crash(_: str) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def fail(_: str) -> None:
    raise KeyError("no such thing")


def fail_ourselves(_: str) -> None:
    raise CollectionError("The disk is full.")


POISON: dict[str, Callable[[str], object]] = {
    "segv": crash,
    "exit": lambda code: os._exit(int(code)),
    "hang": lambda _: time.sleep(3600),
    "eat": lambda _: bytearray(1 << 40),
    "overrun": lambda _: mmap.mmap(-1, 1 << 40),  # refused with another error than MemoryError
    "raise": fail,
    "fault": fail_ourselves,
    "gate": lambda pipe: Path(pipe).read_bytes(),  # goes on when somebody writes to it
}


def limits(_fetched: Fetched, _argument: str) -> Understood:
    kinds = (resource.RLIMIT_AS, resource.RLIMIT_CORE, resource.RLIMIT_NOFILE)
    return said(*(resource.getrlimit(kind)[0] for kind in kinds))


ANSWERS: dict[str, Callable[[Fetched, str], Understood]] = {
    "limits": limits,
    "size": lambda fetched, count: said(len(fetched.body), "x" * int(count.split()[0])),
    "surrogate": lambda _fetched, _argument: said("\ud800"),
}


class Scripted:
    """Does what the body says, and answers with the URL, so that no answer can be mistaken."""

    def __init__(self, config: bytes) -> None:
        self._config = config.decode()
        base = Path(tempfile.gettempdir())  # the files of the tests, which are the tester's alone
        self.places = Places(own=[base, *base.glob("pytest-of-*")])

    def __call__(self, visit: Visit, fetched: Fetched, archive_only: bool) -> Understood:
        order, _, argument = fetched.body.decode("latin-1").partition(" ")
        if archive_only:
            if order.endswith("-twice"):
                POISON[order.removesuffix("-twice")]("")
            return Understood(response=WarcLocation("kept", len(fetched.body), os.getpid()))
        if order in ANSWERS:
            return ANSWERS[order](fetched, argument)
        POISON.get(order.removesuffix("-twice"), str)(argument)
        return said(visit.url, os.getpid(), self._config)

    def close(self) -> None:
        if self._config.startswith("/"):
            Path(self._config).write_text("closed")


def scripted(config: bytes) -> Scripted:
    if config == b"bad":
        raise ValueError("there is no setting 'bad'")
    return Scripted(config)


def reading(_config: bytes) -> Worker:
    """The reader of the crawl, without its archive."""
    reader = page_reader()

    def read(visit: Visit, fetched: Fetched, archive_only: bool) -> Understood:
        return Understood() if archive_only else reader.read(visit, fetched)

    return read


def silent_exit(config: bytes) -> Scripted:
    os._exit(5)


def nonsense(config: bytes) -> Scripted:
    """Breaks the protocol on its own account."""
    os.write(int(sys.argv[-1]), config)
    return Scripted(b"")


def quits_when_ready(config: bytes) -> Scripted:
    """Is ready, and gone a moment later."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(7))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    return Scripted(config)
