"""Who takes a mailbox of Outlook apart? The program `readpst`, where it is installed, in a cage.

A process of its own locks itself in and becomes that program: it may read the one file and write
below the one folder. It gets so much time, memory and room on the disk as such a mailbox needs,
and is stopped when it wants more; what it has written until then stays. This goes from a process
with many threads, unlike what readers of files start.
"""

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from shoal.understand.cage import cage
from shoal.understand.process import environment

PROGRAM = "readpst"
_FLAGS = ("-r", "-t", "e", "-j", "0", "-8", "-q", "-b")
"""Each folder as an mbox, mails alone, one after the other, in UTF-8, silently, and no copy of the
text as RTF."""
_SECONDS, _SECONDS_PER_MB = 120.0, 1.0
_MEMORY_BYTES = 2_000_000_000
"""Of address space: the program holds an attachment whole."""
_ROOM_BYTES, _TIMES_THE_FILE = 256_000_000, 4
"""What it writes is longer than what it reads: attachments in base64, texts that were packed."""
_FREE_BYTES = 1_000_000_000
"""Left to others on the disk."""
_PAUSE_SECONDS, _MEASURE_SECONDS = 0.02, 0.5
_MB = 1_000_000
_TRY_SECONDS = 5.0
_LATE = "takes longer than it should: it may be damaged"
_LARGE = "holds more than there is room for, or is damaged"
_DAMAGED = "is damaged, or no mailbox of Outlook"


def program() -> str:
    """Where readpst is; empty when it is not installed."""
    return shutil.which(PROGRAM) or ""


def take_apart(
    mailbox: Path, folder: Path, is_over: Callable[[], bool], seconds: float = 0.0
) -> str:
    """Put the mails of each of its folders into a file `mbox` below `folder`. Returns why that is
    not all of it, as a sentence without its subject; empty when it is."""
    folder, size = folder.absolute(), mailbox.stat().st_size
    free = shutil.disk_usage(folder).free - _FREE_BYTES
    most_bytes = min(_ROOM_BYTES + _TIMES_THE_FILE * size, max(0, free))
    most_seconds = seconds or _SECONDS + _SECONDS_PER_MB * size / _MB
    given = [program(), mailbox, folder, most_bytes, int(most_seconds) + 1]
    process = subprocess.Popen(  # noqa: S603 - our own module, and no shell
        [sys.executable, "-P", "-m", "shoal.worker.outlook", *map(str, given)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env=environment(),
        start_new_session=True,
    )
    try:
        return _watched(process, folder, most_bytes, most_seconds, is_over)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def refused(mailbox: Path) -> str:
    """Why nothing of it can be read, as a sentence without its subject. A short try tells."""
    if not program():
        return (
            "is a mailbox of Outlook, which the program readpst reads: install the Debian package "
            "pst-utils, or what your system calls it"
        )
    with tempfile.TemporaryDirectory(prefix="shoal-outlook-") as folder:
        problem = take_apart(mailbox, Path(folder), lambda: False, _TRY_SECONDS)
        return problem if problem == _DAMAGED and not _bytes_below(Path(folder)) else ""


def _watched(
    process: "subprocess.Popen[bytes]",
    folder: Path,
    most_bytes: int,
    most_seconds: float,
    is_over: Callable[[], bool],
) -> str:
    end = time.monotonic() + most_seconds
    measure_at = 0.0
    while (code := process.poll()) is None:
        now = time.monotonic()
        if now >= end or is_over():
            return _LATE
        if now >= measure_at:
            if _bytes_below(folder) > most_bytes:
                return _LARGE
            measure_at = time.monotonic() + _MEASURE_SECONDS
        time.sleep(_PAUSE_SECONDS)
    if code == -signal.SIGXFSZ:
        return _LARGE
    if code == -signal.SIGXCPU:
        return _LATE
    return _DAMAGED if code else ""


def _bytes_below(folder: Path) -> int:
    total = 0
    for directory, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(directory, name)).st_size  # noqa: PTH118
    return total


def _become(command: str, mailbox: Path, folder: Path, most_bytes: int, seconds: int) -> None:
    """Of this process nothing is left but its cage."""
    os.nice(10)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # which Python ignores, and what it starts
        signal.signal(number, signal.SIG_DFL)
    limits = (
        (resource.RLIMIT_AS, _MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, most_bytes),
        (resource.RLIMIT_CPU, seconds),
    )
    cage.enter_for_program(Path(command), folder, [mailbox])
    cage.limit(limits)
    environment = {"HOME": str(folder), "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"}
    os.execve(command, [command, *_FLAGS, "-o", str(folder), str(mailbox)], environment)  # noqa: S606


def main(given: Sequence[str]) -> None:
    command, mailbox, folder, most_bytes, seconds = given
    _become(command, Path(mailbox), Path(folder), int(most_bytes), int(seconds))


if __name__ == "__main__":
    main(sys.argv[1:])
