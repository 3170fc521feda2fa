"""As whom does a reader run? As nobody, where it can; else without any of root's powers.

Root gives itself a number that owns nothing, if all that it needs can be read and written by it;
else it stays, without capabilities: an owner of files like any other, which Landlock then guards.
Another user takes namespaces of its own, with a network of nothing, where the kernel lets it.
"""

import contextlib
import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

from shoal.understand.cage import kernel

NOBODY = 60999
"""In a range that no distribution gives to anyone (systemd's table of users and groups)."""
_CLONE_NEWUSER, _CLONE_NEWNET, _CLONE_NEWIPC = 0x10000000, 0x40000000, 0x08000000
_CAPSET_VERSION = 0x20080522  # linux/capability.h
_OVERRIDE = 0b110
"""To read and write what others own (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH)."""
_MOST_CAPABILITIES = 64
_CAPSET = {"x86_64": 126, "aarch64": 91}
_UNSHARE = {"x86_64": 272, "aarch64": 97}


def change(reads: Iterable[Path], writes: Iterable[Path]) -> str:
    """Become less than we are, and say what: `nobody`, `root without powers`, `namespaces` or
    nothing."""
    if not kernel.machine():
        return ""
    if os.geteuid() != 0:
        return "namespaces" if _take_namespaces() else ""
    ways = _ways(reads, writes)
    os.seteuid(NOBODY)
    as_nobody = _suffices(ways)
    os.seteuid(0)
    if as_nobody:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
        return "nobody"
    _forget_capabilities(0, _OVERRIDE)
    suffices = _suffices(ways)
    for capability in range(_MOST_CAPABILITIES):
        with contextlib.suppress(OSError):  # beyond the last one that this kernel knows; or ours
            kernel.prctl(kernel.PR_CAPBSET_DROP, capability)
    kept = 0 if suffices else _OVERRIDE
    _forget_capabilities(kept, kept)
    return "root without powers"


def _ways(reads: Iterable[Path], writes: Iterable[Path]) -> list[tuple[Path, int]]:
    """What of them is there, and how it has to be open to us."""
    found = [(path, os.R_OK | (os.X_OK if path.is_dir() else 0)) for path in reads if path.exists()]
    return found + [(path, os.W_OK | os.X_OK) for path in writes if path.exists()]


def _suffices(ways: Iterable[tuple[Path, int]]) -> bool:
    """Whether we, as who we are now, can use all of them."""
    return all(os.access(path, way, effective_ids=True) for path, way in ways)


def _forget_capabilities(effective: int, permitted: int) -> None:
    header = ctypes.create_string_buffer(struct.pack("=Ii", _CAPSET_VERSION, 0))
    sets = struct.pack("=6I", effective, permitted, 0, 0, 0, 0)
    kernel.call(_CAPSET[kernel.machine()], header, ctypes.create_string_buffer(sets))


def _take_namespaces() -> bool:
    user, group = os.geteuid(), os.getegid()
    try:
        kernel.call(_UNSHARE[kernel.machine()], _CLONE_NEWUSER | _CLONE_NEWNET | _CLONE_NEWIPC)
    except OSError:
        return False
    with contextlib.suppress(OSError):  # without a name there the files are ours all the same
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    with contextlib.suppress(OSError):
        _forget_capabilities(0, 0)
    return True
