"""How is the kernel asked for what Python has no function for? Through the C library, by number."""

import ctypes
import os
import platform
import sys
from functools import cache
from typing import Any

PR_SET_PDEATHSIG = 1  # linux/prctl.h
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38


@cache
def _library() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def machine() -> str:
    """`x86_64`, `aarch64`, or empty: on no other are the numbers of the calls known here."""
    name = platform.machine()
    # A Python of 32 bits on such a machine has the calls of another architecture.
    is_known = sys.platform == "linux" and name in ("x86_64", "aarch64") and sys.maxsize > 1 << 32
    return name if is_known else ""


def prctl(option: int, argument: int) -> None:
    zero = ctypes.c_ulong(0)
    if _library().prctl(option, ctypes.c_ulong(argument), zero, zero, zero) != 0:
        raise _error()


def call(number: int, *arguments: int | ctypes.Array[ctypes.c_char] | None) -> int:
    """A system call; a buffer is given by its address."""
    given = [
        each if isinstance(each, ctypes.Array) else ctypes.c_long(each or 0) for each in arguments
    ]
    result: int = _library().syscall(ctypes.c_long(number), *given)
    if result < 0:
        raise _error()
    return result


def _error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))
