"""Workers for the tests of the pool. A page's body says what becomes of the process that reads it."""

import mmap
import os
import resource
import signal
import sys
import time
from pathlib import Path

from shoal.errors import CollectionError
from shoal.model.document import Document, Spot, Understood
from shoal.model.visit import Fetched, Visit


def said(*words: object) -> Understood:
    return Understood(documents=[Document(title=" ".join(map(str, words)))])


class Scripted:
    """Does what the body says, and answers with the URL, so that no answer can be mistaken."""

    def __init__(self, config: bytes) -> None:
        self._config = config.decode()

    def __call__(self, visit: Visit, fetched: Fetched, archive_only: bool) -> Understood:
        order, _, argument = fetched.body.decode("latin-1").partition(" ")
        if archive_only:
            if order == "segv-twice":
                os.kill(os.getpid(), signal.SIGSEGV)
            if order == "raise-twice":
                raise ValueError("twice")
            return Understood(response=Spot("kept", len(fetched.body), os.getpid()))
        if order in ("segv", "segv-twice"):
            os.kill(os.getpid(), signal.SIGSEGV)
        elif order == "exit":
            os._exit(int(argument))
        elif order == "hang":
            time.sleep(3600)
        elif order == "eat":
            bytearray(1 << 40)
        elif order == "overrun":  # past the limit, where no MemoryError is raised
            mmap.mmap(-1, 1 << 40)
        elif order in ("raise", "raise-twice"):
            raise KeyError("no such thing")
        elif order == "fault":
            raise CollectionError("The disk is full.")
        elif order == "gate":  # a named pipe: goes on when somebody writes to it
            Path(argument).read_bytes()
        elif order == "surrogate":
            return said("\ud800")
        elif order == "limits":
            kinds = (resource.RLIMIT_AS, resource.RLIMIT_CORE, resource.RLIMIT_NOFILE)
            return said(*(resource.getrlimit(kind)[0] for kind in kinds))
        elif order == "size":
            return said(len(fetched.body), "x" * int(argument.split()[0]))
        return said(visit.url, os.getpid(), self._config)

    def close(self) -> None:
        if self._config.startswith("/"):
            Path(self._config).write_text("closed")


def scripted(config: bytes) -> Scripted:
    if config == b"bad":
        raise ValueError("there is no setting 'bad'")
    return Scripted(config)


def silent_exit(config: bytes) -> Scripted:
    os._exit(5)


def nonsense(config: bytes) -> Scripted:
    """Breaks the protocol on its own account."""
    os.write(int(sys.argv[-1]), config)
    return Scripted(config)


def quits_when_ready(config: bytes) -> Scripted:
    """Is ready, and gone a moment later."""
    signal.signal(signal.SIGALRM, lambda *_: os._exit(7))
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    return Scripted(config)
