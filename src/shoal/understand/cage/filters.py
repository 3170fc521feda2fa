"""Which system calls does the kernel still answer? A filter says (seccomp), for good.

A reader gets a list of what is allowed; a program that it has started gets one of what is not (see
calls.py for why). What is refused fails with EPERM, and a converter that tries it fails like one
that meets a bad file. A call of another architecture (32 bits, x32) ends the process at once: it
would have other numbers, and nothing here makes any.
"""

import ctypes
import errno
import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from shoal.understand.cage import kernel
from shoal.understand.cage.calls import FORBIDDEN, FREE, NEWEST, numbers

_KILL = 0x80000000  # linux/seccomp.h
_ALLOW = 0x7FFF0000
_ERRNO = 0x00050000
_REFUSE = _ERRNO | errno.EPERM
_UNKNOWN = _ERRNO | errno.ENOSYS
"""For calls that a C library tries first and has another way to do."""
_SET_MODE_FILTER, _ALL_THREADS = 1, 1

_LOAD = 0x20  # linux/bpf_common.h: BPF_LD | BPF_W | BPF_ABS
_IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT = 0x15, 0x35, 0x45
_AND = 0x54
_RETURN = 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
"""Where they stand in struct seccomp_data; an argument has eight bytes, the low ones first."""

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # linux/audit.h
_X32 = 0x40000000
_AF_UNIX, _SOCK_STREAM, _SOCK_KIND = 1, 1, 0xF
_CLONE_THREAD = 0x00010000  # linux/sched.h
_CLONE_NAMESPACES = 0x7E020000
_FCNTL = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030)
"""Copies, flags and locks of a file; not whom it signals."""
_IOCTL = (0x5401, 0x541B, 0x5450, 0x5451)
"""Is it a terminal, what is there to read, is it closed when a program starts."""
_IOCTL_TERMINAL = (0x5412, 0x541C)
"""To type into a terminal (TIOCSTI, TIOCLINUX)."""
_PRCTL = (3, 15, 16, 0x53564D41)
"""Names of threads and of memory."""


class _Step(NamedTuple):
    code: int
    value: int
    yes: int = 0
    no: int = 0


def allow_reading(pids: Iterable[int]) -> None:
    """From now on this process reads and answers. It may send signals to `pids` alone."""
    known = numbers(kernel.machine())
    steps: list[_Step] = []
    for name in FREE:
        if name in known:
            steps += [_Step(_IF_EQUAL, known[name], 0, 1), _Step(_RETURN, _ALLOW)]
    pids = tuple(pids)
    for name, place, allowed in (
        ("kill", 0, pids),
        ("tgkill", 0, pids),
        ("fcntl", 1, _FCNTL),
        ("ioctl", 1, _IOCTL),
        ("prctl", 0, _PRCTL),
    ):
        steps += _when(known[name], _among(place, allowed, _ALLOW, _REFUSE))
    a_thread = [_load(0), _Step(_IF_ANY_BIT, _CLONE_THREAD, 0, 1), *_ends(_ALLOW, _REFUSE)]
    steps += _when(known["clone"], a_thread)
    only_asks = [  # the address of new limits is none
        *(_load(2), _Step(_IF_EQUAL, 0, 0, 3)),
        *(_load(2, high=True), _Step(_IF_EQUAL, 0, 0, 1)),
        *_ends(_ALLOW, _REFUSE),
    ]
    steps += _when(known["prlimit64"], only_asks)
    _install([*steps, *_newer(known), _Step(_RETURN, _REFUSE)])


def forbid_for_programs() -> None:
    """From now on, for this process and all that it starts."""
    known = numbers(kernel.machine())
    steps: list[_Step] = []
    for name in FORBIDDEN:
        if name in known:
            steps += [_Step(_IF_EQUAL, known[name], 0, 1), _Step(_RETURN, _REFUSE)]
    within = [  # a connection within the machine, which LibreOffice makes to itself
        *(_load(0), _Step(_IF_EQUAL, _AF_UNIX, 0, 4)),
        *(_load(1), _Step(_AND, _SOCK_KIND), _Step(_IF_EQUAL, _SOCK_STREAM, 0, 1)),
        *_ends(_ALLOW, _REFUSE),
    ]
    steps += _when(known["socket"], within)
    steps += _when(known["ioctl"], _among(1, _IOCTL_TERMINAL, _REFUSE, _ALLOW))
    namespaces = [_load(0), _Step(_IF_ANY_BIT, _CLONE_NAMESPACES, 0, 1), *_ends(_REFUSE, _ALLOW)]
    steps += _when(known["clone"], namespaces)
    _install([*steps, *_newer(known), _Step(_RETURN, _ALLOW)])


def _newer(known: dict[str, int]) -> list[_Step]:
    """clone3 has its flags in memory, where no filter sees them: there is the older clone."""
    return [
        *_when(known["clone3"], [_Step(_RETURN, _UNKNOWN)]),
        *(_Step(_IF_AT_LEAST, NEWEST + 1, 0, 1), _Step(_RETURN, _UNKNOWN)),
    ]


def _load(argument: int, *, high: bool = False) -> _Step:
    return _Step(_LOAD, _ARGUMENTS + 8 * argument + 4 * high)


def _ends(yes: int, no: int) -> list[_Step]:
    return [_Step(_RETURN, yes), _Step(_RETURN, no)]


def _when(number: int, steps: Sequence[_Step]) -> list[_Step]:
    """These steps, all of whose ways end in an answer, for one call."""
    return [_Step(_IF_EQUAL, number, 0, len(steps)), *steps]


def _among(argument: int, values: Sequence[int], yes: int, no: int) -> list[_Step]:
    checks = [_Step(_IF_EQUAL, each, len(values) - at, 0) for at, each in enumerate(values)]
    return [_load(argument), *checks, *_ends(no, yes)]


def _install(steps: Sequence[_Step]) -> None:
    """Raises OSError where the kernel takes no filter."""
    machine = kernel.machine()
    steps = [
        _Step(_LOAD, _ARCHITECTURE),
        *(_Step(_IF_EQUAL, _ARCHITECTURES[machine], 1, 0), _Step(_RETURN, _KILL)),
        _Step(_LOAD, _NUMBER),
        *(_Step(_IF_AT_LEAST, _X32, 0, 1), _Step(_RETURN, _KILL)),
        *steps,
    ]
    packed = b"".join(
        struct.pack("=HBBI", each.code, each.yes, each.no, each.value) for each in steps
    )
    code = ctypes.create_string_buffer(packed)
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    stranger = kernel.call(numbers(machine)["seccomp"], _SET_MODE_FILTER, _ALL_THREADS, program)
    if stranger:
        raise OSError(errno.EBUSY, "a thread has another filter")
