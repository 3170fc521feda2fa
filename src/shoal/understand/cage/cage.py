"""How does a process lock itself in? In order: who it is, what it may open, what it may call.

Each part holds by itself where another is missing; none can be taken back. Run as a program
(`python -m shoal.understand.cage.cage`) it locks itself in and says what this machine gives.
"""

import contextlib
import os
import resource
import signal
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from shoal import faults
from shoal.model.record import Struct, to_json
from shoal.understand.cage import filters, identity, kernel, landlock

_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/nix/store")
_SYSTEM_FILES = (
    *("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/localtime"),
    *("/usr/share/zoneinfo", "/usr/share/locale", "/dev/null", "/dev/urandom", "/dev/zero"),
)
_FOR_PROGRAMS = (
    *("/bin", "/usr", "/opt", "/etc/fonts", "/etc/libreoffice", "/etc/nsswitch.conf"),
    *("/etc/alternatives", "/var/cache/fontconfig", "/var/lib/libreoffice"),
    *("/var/spool/libreoffice", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"),
)
"""Programs of the machine, their libraries, data and fonts."""
_OF_PACKAGES = ("site-packages", "dist-packages")


class Given(Struct):
    """What of the cage holds here."""

    calls: bool = False
    """System calls are filtered (seccomp)."""
    landlock: int = 0
    """The version that holds; 0: files are not guarded."""
    user: str = ""
    """What `identity.change` says."""


class Places(Struct):
    """Where a reader may open files, beside Python's modules and the system's libraries."""

    reads: list[Path] = []
    appends: list[Path] = []
    """Folders in which it may make files and write to them."""
    own: list[Path] = []
    """Folders in which it may do all but run programs."""


def enter(places: Places) -> Given:
    """From now on this process opens files in these places, and speaks to the sockets that it has:
    nothing else."""
    modules = [*_of_python(), *_known_modules(), *_paths(_LIBRARIES)]
    reads, writes = [*modules, *places.reads], [*places.appends, *places.own]
    given = Given(user=identity.change(reads, writes))
    pids = [os.getpid(), *([os.getppid()] if faults.end_the_parent() else [])]
    _promise()
    if sys.platform == "linux":  # nobody of the same user looks into our memory
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)
    rules = [
        (landlock.READ, [*reads, *_paths(_SYSTEM_FILES)]),
        (landlock.APPEND, places.appends),
        (landlock.OWN, places.own),
    ]
    given.landlock = _guard_files(rules, scope_signals=len(pids) == 1)
    with contextlib.suppress(OSError):
        if kernel.machine():
            filters.allow_reading(pids)
            given.calls = True
    return given


def enter_for_program(program: Path, folder: Path, reads: Iterable[Path] = ()) -> Given:
    """The same for a program of others, that runs next in this process: it may write in `folder`
    alone, and start other programs of the machine."""
    system, reads = _paths((*_LIBRARIES, *_FOR_PROGRAMS)), list(reads)
    given = Given(user=identity.change([program, *reads], [folder]))
    _promise()
    rules = [
        (landlock.RUN, [*system, program.resolve().parent]),
        (landlock.READ, [*_paths(_SYSTEM_FILES), *reads]),
        (landlock.READ | landlock.APPEND, [Path("/dev/null")]),
        (landlock.OWN, [folder]),
    ]
    given.landlock = _guard_files(rules)
    with contextlib.suppress(OSError):
        if kernel.machine():
            filters.forbid_for_programs()
            given.calls = True
    return given


def limit(limits: Sequence[tuple[int, int]]) -> None:
    """Kinds of resources with the most of each: for good, not to be raised again."""
    for kind, value in (*limits, (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # Some systems know a limit but can't set it; the parent's watchdog still holds.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (most, most))


def die_with_the_parent() -> None:
    """Also in the middle of a page; elsewhere than on Linux the end of the socket has to do."""
    if sys.platform == "linux":
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def _promise() -> None:
    """No program that is started has more rights than we; and who has changed its user has to say
    again that it dies with its parent."""
    if sys.platform == "linux":
        die_with_the_parent()
        kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)


def _guard_files(rules: Sequence[landlock.Rule], *, scope_signals: bool = True) -> int:
    version = landlock.version()
    if version:
        try:
            landlock.restrict(rules, scope_signals=scope_signals)
        except OSError:
            return 0
    return version


def _of_python() -> list[Path]:
    """Where modules are that may still be imported: Python's own, and installed packages."""
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix}
    found = [Path(prefix, name) for prefix in prefixes for name in ("lib", "lib64")]
    found.append(Path(os.__file__).parent)
    found += [Path(entry) for entry in sys.path if Path(entry).name in _OF_PACKAGES]
    return _there(found)


def _known_modules() -> list[Path]:
    """The packages that were imported from elsewhere (a work tree, somebody's own converter), whose
    other modules may be wanted later. Not the folders they stand in, which hold other things."""
    found: dict[Path, None] = {}
    for name, module in sys.modules.copy().items():
        if "." not in name and name != "__main__":
            for place in getattr(module, "__path__", ()):
                found[Path(place)] = None
    return _there(found)


def _paths(names: Iterable[str]) -> list[Path]:
    return _there(map(Path, names))


def _there(paths: Iterable[Path]) -> list[Path]:
    """Each once. A place that we can't look at is none: `Path.exists` would raise."""
    return [path for path in dict.fromkeys(paths) if os.path.exists(path)]  # noqa: PTH110


if __name__ == "__main__":
    answer = to_json(enter(Places()))
    os.write(1, answer)
