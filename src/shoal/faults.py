"""Where can a test kill us? At named points: every moment of a commit is tried, not met by luck.

    SHOAL_FAULT=commit.before         the process kills itself the first time it comes by
    SHOAL_FAULT=commit.before:7       the seventh time
    SHOAL_FAULT=archive.written+parent:3   the process that started this one is killed with it

SIGKILL, as the kernel does it when memory runs out: nothing is flushed, nobody is told. Children
inherit the variable. Without it a point costs one comparison. docs/crash-consistency.md lists the
points and what each of them proves.
"""

import os
import signal
from typing import NamedTuple

VARIABLE = "SHOAL_FAULT"
_SOON_SECONDS = 0.004
_WITH_PARENT = "+parent"


class Fault(NamedTuple):
    name: str
    passing: int
    with_parent: bool


def fault_of(word: str) -> Fault | None:
    """What the variable asks for; None when it is empty."""
    name, _, passing = word.partition(":")
    if not name:
        return None
    number = int(passing) if passing.isdigit() else 1
    return Fault(name.removesuffix(_WITH_PARENT), number, name.endswith(_WITH_PARENT))


class _Passings:
    """How often the one point that is asked for was come by."""

    __slots__ = ("count", "fault")

    def __init__(self, fault: Fault | None) -> None:
        self.fault = fault
        self.count = 0

    def are_over(self, name: str) -> bool:
        if self.fault is None or self.fault.name != name:
            return False
        self.count += 1
        return self.count == self.fault.passing


_passings = _Passings(fault_of(os.environ.get(VARIABLE, "")))


def point(name: str) -> None:
    """Die here, if that is what is asked for."""
    if _passings.fault is not None and _passings.are_over(name):
        if _passings.fault.with_parent:
            os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)


def end_the_parent() -> bool:
    """Whether a point of this process is to end its parent too."""
    return _passings.fault is not None and _passings.fault.with_parent


def shortly_after(name: str) -> None:
    """Die in a few milliseconds, in the middle of whatever call is made next.

    By the kernel's timer and its default action: a library that holds the interpreter lock can't
    put it off, and nothing is cleaned up.
    """
    if _passings.fault is not None and _passings.are_over(name):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, _SOON_SECONDS)
