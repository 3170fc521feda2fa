"""Which files can a process open? Those below some folders, and no others (Landlock, Linux 5.13).

The kernel also keeps it from looking into processes outside, from TCP (6.7), and from signals and
nameless sockets to the outside (6.12). It holds for the thread that asks, for all that it starts
later, and for good.
"""

import ctypes
import os
import stat
import struct
from collections.abc import Iterable, Sequence
from pathlib import Path

from shoal.understand.cage import kernel

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every machine
_ASK_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3  # linux/landlock.h
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_MAKE_SOCK, _MAKE_FIFO, _MAKE_SYM = 1 << 9, 1 << 10, 1 << 12
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_FIRST = (1 << 13) - 1
"""All that the first version knows."""
_OF_A_FILE = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_NET = 0b11
_SCOPE_SOCKETS, _SCOPE_SIGNALS = 1, 2
_WITH_REFER, _WITH_TRUNCATE, _WITH_NET, _WITH_IOCTL, _WITH_SCOPES = 2, 3, 4, 5, 6
"""The versions that brought them."""

READ = _READ_FILE | _READ_DIR
RUN = READ | _EXECUTE
APPEND = _WRITE_FILE | _MAKE_REG | _TRUNCATE
"""To make files and write to them, not to read or to remove any."""
_HANDLE = _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_SOCK | _MAKE_FIFO | _MAKE_SYM | _REFER
OWN = READ | APPEND | _HANDLE
"""What may be done in a folder of one's own, but for running what was written there."""

Rule = tuple[int, Iterable[Path]]


def version() -> int:
    """Of the kernel's Landlock; 0 where there is none."""
    if not kernel.machine():
        return 0
    try:
        return kernel.call(_CREATE_RULESET, None, 0, _ASK_VERSION)
    except OSError:
        return 0


def restrict(rules: Sequence[Rule], *, scope_signals: bool = True) -> None:
    """Only what the rules allow, from now on. A place that is not there is left out. Raises OSError
    where the kernel refuses."""
    newest = version()
    files = _FIRST
    for bit, since in (
        (_REFER, _WITH_REFER),
        (_TRUNCATE, _WITH_TRUNCATE),
        (_IOCTL_DEV, _WITH_IOCTL),
    ):
        files |= bit if newest >= since else 0
    scopes = _SCOPE_SOCKETS | (_SCOPE_SIGNALS if scope_signals else 0)
    fields = [
        files,
        *([_NET] if newest >= _WITH_NET else []),
        *([scopes] if newest >= _WITH_SCOPES else []),
    ]
    attributes = ctypes.create_string_buffer(struct.pack(f"={len(fields)}Q", *fields))
    ruleset = kernel.call(_CREATE_RULESET, attributes, 8 * len(fields), 0)
    try:
        for rights, places in rules:
            for place in places:
                _allow(ruleset, rights & files, place)
        kernel.call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, rights: int, place: Path) -> None:
    try:
        parent = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        own = rights if stat.S_ISDIR(os.fstat(parent).st_mode) else rights & _OF_A_FILE
        rule = ctypes.create_string_buffer(struct.pack("=Qi", own, parent))
        kernel.call(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(parent)
