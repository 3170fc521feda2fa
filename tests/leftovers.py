"""What did a test leave behind?

A process, a thread that keeps the interpreter alive, a socket that listens or an actor of Ray that
is still there when its test has ended is charged to that test, by name, and not to the next one
that happens to stumble over it. What a fixture of a module or of the session started may stay as
long as the fixture does, and so may the processes that its own processes start.
"""

import gc
import os
import socket
import sys
import threading
import time
from collections.abc import Generator
from multiprocessing import forkserver, resource_tracker
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.warm import warm

MARK = "TESTED_BY_PYTEST"
"""The environment of every process that a test starts says so under this name."""

PATIENCE_SECONDS = 30.0
"""What was told to end is given so long to be gone."""


class Thing(NamedTuple):
    kind: str
    """`process`, `thread`, `socket` or `actor`."""

    key: str
    """What tells it from every other of its kind."""


class _Process(NamedTuple):
    parent: int
    """When it was first seen: an orphan's parent is another one later."""

    start: str
    ours: bool
    """It is a descendant of this process."""


Things = dict[Thing, str]
"""What is there, with a word about each for a person."""


class Leftovers:
    """Knows what was there before, what fixtures keep, and so what a test has left."""

    def __init__(self) -> None:
        os.environ[MARK] = str(os.getpid())
        self._mark = f"{MARK}={os.getpid()}".encode()
        self._processes: dict[int, _Process] = {}
        self._seen: set[int] = set()
        """The numbers of all processes that were there at the last look."""
        self._kept: dict[object, Things] = {}
        self._before = self.now()

    def now(self) -> Things:
        """What is there at this moment."""
        found: Things = {}
        for pid in self._our_processes():
            if words := _words(pid):
                found[Thing("process", f"{pid} {self._processes[pid].start}")] = words
        for thread in threading.enumerate():
            if not thread.daemon:
                found[Thing("thread", f"{thread.ident}")] = thread.name
        found.update(_listening())
        found.update(_actors())
        return found

    def keep(self, holder: object, before: Things) -> None:
        """All that is new since `before` may stay until `holder` is let go."""
        self._kept[holder] = {
            thing: words for thing, words in self.now().items() if thing not in before
        }

    def let_go(self, holder: object) -> None:
        self._kept.pop(holder, None)

    def of_test(self) -> list[str]:
        """What the test that has just ended left, as words; each thing is named once."""
        if self._new():
            gc.collect()  # a socket in a cycle of objects is closed by this
            patience = time.monotonic() + PATIENCE_SECONDS
            while self._new() and time.monotonic() < patience:
                time.sleep(0.02)
        left = self._new()
        self._before |= left
        return sorted(f"{thing.kind} {thing.key}: {words}" for thing, words in left.items())

    def _new(self) -> Things:
        allowed = set(self._before).union(*self._kept.values())
        return {
            thing: words
            for thing, words in self.now().items()
            if thing not in allowed and not self._is_kept(thing, allowed)
        }

    def _is_kept(self, thing: Thing, allowed: set[Thing]) -> bool:
        """Whether a process has an ancestor that may stay."""
        if thing.kind != "process":
            return False
        pid = int(thing.key.split()[0])
        while (process := self._processes.get(pid)) is not None and process.ours:
            if Thing("process", f"{pid} {process.start}") in allowed:
                return True
            pid = process.parent
        return False

    def _our_processes(self) -> list[int]:
        """Descendants of this process, also those that have lost their parent.

        A process that was there at the last look is not read again, so this is cheap; a number that
        was not there is read, since another process may have had it before.
        """
        here = {int(name) for name in os.listdir("/proc") if name.isdigit()}  # noqa: PTH208
        new = here - self._seen
        for pid in new:
            self._processes.pop(pid, None)
        for pid in sorted(new):
            if pid not in self._processes:
                self._look_at(pid, here)
        self._seen = here
        return [pid for pid in here if pid in self._processes and self._processes[pid].ours]

    def _look_at(self, pid: int, here: set[int]) -> None:
        try:
            fields = _fields(pid)
        except OSError:
            return
        parent = int(fields[1])
        if parent in here and parent not in self._processes and parent != pid:
            self._look_at(parent, here)
        above = self._processes.get(parent)
        ours = pid != os.getpid() and (
            parent == os.getpid() or (above is not None and above.ours) or self._is_marked(pid)
        )
        self._processes[pid] = _Process(parent, fields[19], ours)

    def _is_marked(self, pid: int) -> bool:
        try:
            return self._mark in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
        except OSError:
            return False


class Guard:
    """A plugin of pytest: who leaves something behind fails."""

    def __init__(self, leftovers: Leftovers) -> None:
        self._leftovers = leftovers

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object]
    ) -> Generator[None, object, object]:
        """What a fixture of a module or of the session starts belongs to it, not to a test."""
        if fixturedef.scope == "function":
            return (yield)
        before = self._leftovers.now()
        try:
            return (yield)
        finally:
            self._leftovers.keep(fixturedef, before)

    def pytest_fixture_post_finalizer(self, fixturedef: pytest.FixtureDef[object]) -> None:
        self._leftovers.let_go(fixturedef)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None]:
        yield
        if left := self._leftovers.of_test():
            pytest.fail("it left behind:\n  " + "\n  ".join(left), pytrace=False)


def _fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat that follow the name: the state, the parent …"""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _words(pid: int) -> str:
    """The command line of a process that runs, or that has ended and that nobody waited for.

    Python's own tracker of resources, its fork server and ours stay as long as the interpreter
    does, and what reports the crashes of a Chromium as long as that Chromium, without being its
    child.
    """
    own = (
        getattr(resource_tracker._resource_tracker, "_pid", None),
        getattr(forkserver._forkserver, "_forkserver_pid", None),
        getattr(warm.server, "pid", None),
    )
    try:
        state, parent = _fields(pid)[:2]
        if pid in own or state == "X" or (state == "Z" and int(parent) != os.getpid()):
            return ""
        line = (
            Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        )
    except OSError:
        return ""
    if "chrome_crashpad_handler" in line:
        return ""
    return line.strip()[:200] or ("nobody waited for its end" if state == "Z" else "no words")


def _listening() -> Things:
    """The sockets of this process that listen."""
    found: Things = {}
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208
        try:
            inode = os.readlink(f"/proc/self/fd/{name}")  # noqa: PTH115
            if not inode.startswith("socket:"):
                continue
            with socket.socket(fileno=os.dup(int(name))) as opened:
                if opened.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                    found[Thing("socket", inode)] = f"listens at {opened.getsockname()}"
        except OSError:
            continue  # it was closed meanwhile
    return found


def _actors() -> Things:
    """The actors of Ray that live, if this process is connected to Ray."""
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized():
        return {}
    from ray._private.state import actors  # noqa: PLC0415 - only who has Ray at hand pays for it

    return {
        Thing("actor", key): f"{actor['ActorClassName']} {actor['Name']}"
        for key, actor in actors().items()
        if actor["State"] != "DEAD"
    }
