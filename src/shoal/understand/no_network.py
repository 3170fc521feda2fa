"""May a reader of hostile files speak to anyone? No: it can make no socket that leaves the machine.

A filter in the kernel (Linux, seccomp): `socket` fails with EACCES but for AF_UNIX. It holds for
whatever a converter starts, too, and can't be taken back. Where the kernel has no such filter the
process does without: nothing in it asks for a network, this only makes sure.
"""

import ctypes
import errno
import platform
import struct
import sys

_PR_SET_NO_NEW_PRIVS = 38  # linux/prctl.h
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_ALLOW = 0x7FFF0000  # linux/seccomp.h
_ERRNO = 0x00050000
_LOAD = 0x20  # linux/bpf_common.h: BPF_LD | BPF_W | BPF_ABS
_JUMP_IF_EQUAL = 0x15
_RETURN = 0x06
_SYSCALL_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
"""Where they stand in struct seccomp_data."""
_AF_UNIX = 1
_MACHINES = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""The kernel's name for the architecture, and the number of `socket` there."""


def forbid_network() -> bool:
    """From now on, for this process and all that it starts. Whether it holds."""
    machine = _MACHINES.get(platform.machine())
    if sys.platform != "linux" or machine is None:
        return False
    architecture, socket_number = machine
    steps = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_IF_EQUAL, 0, 4, architecture),  # another ABI of the machine: not ours, let it be
        (_LOAD, 0, 0, _SYSCALL_NUMBER),
        (_JUMP_IF_EQUAL, 0, 2, socket_number),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_JUMP_IF_EQUAL, 0, 1, _AF_UNIX),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO | errno.EACCES),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(steps), ctypes.addressof(code)))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    if prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    return bool(prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, program, 0, 0) == 0)
