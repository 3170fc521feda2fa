"""Who runs the programs of others that read what we can't? One place, with limits for all of them.

A program gets a folder of its own with the file in it, an environment of six variables, and some
seconds; when its time is up, it and all that it started are stopped. A reader of a crawl can start
no program: it asks the process that was started beside it for that (`use`), which puts the program
into a cage (shoal.worker.starter).
"""

import contextlib
import os
import resource
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from shoal.model.record import Struct

MOST_MEMORY = 4_000_000_000
"""Of address space: LibreOffice takes more than a reader of files."""
_STEP_BYTES = 1 << 16
_KEPT = ("PATH", "TESSDATA_PREFIX")


class Order(Struct):
    command: list[str]
    folder: str
    """Where it runs; the one place where it may write."""
    seconds: float
    most_bytes: int = 0
    """Of its output; it is stopped when it writes more."""
    memory_bytes: int = 1_500_000_000


Runner = Callable[[Order], bytes]
Prepare = Callable[[Order], None]


class _Use:
    """Who runs programs here, and where their folders are made."""

    runner: Runner | None = None
    directory: str | None = None


def use(runner: Runner, directory: str) -> None:
    """From now on `runner` runs the programs, in folders below `directory`."""
    _Use.runner, _Use.directory = runner, directory


def is_used() -> bool:
    return _Use.runner is not None


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """For one file and what a program makes of it."""
    with tempfile.TemporaryDirectory(
        prefix="shoal-program-", dir=_Use.directory, ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def run(order: Order) -> bytes:
    """What the program writes to its output. Raises OSError when it can't be started."""
    return run_here(order) if _Use.runner is None else _Use.runner(order)


def run_here(order: Order, prepare: Prepare | None = None, watched: int = -1) -> bytes:
    """As a child of this process, which `prepare` locks in. When the other end of the socket
    `watched` is closed, nobody waits for the answer any more."""

    def get_ready() -> None:
        _limit(order.memory_bytes)
        if prepare is not None:
            prepare(order)

    process = subprocess.Popen(  # noqa: S603 - a program of the machine, no shell
        order.command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=order.folder,
        env=_environment(order.folder),
        start_new_session=True,
        preexec_fn=get_ready,  # noqa: PLW1509 - a reader of files has one thread
    )
    deadline = time.monotonic() + order.seconds
    try:
        return _read(process, deadline, order.most_bytes, watched)
    finally:
        _stop(process)


def _read(process: "subprocess.Popen[bytes]", deadline: float, most: int, watched: int) -> bytes:
    """Up to its end or as much as is wanted; nothing when its time is up."""
    pieces: list[bytes] = []
    if process.stdout is None:
        return b""
    output = process.stdout.fileno()
    wanted = [output, *([watched] if watched >= 0 else [])]
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select(wanted, [], [], left)
        if watched in ready:
            return b""
        if output in ready:
            piece = os.read(output, _STEP_BYTES)
            pieces.append(piece[:most])
            most -= len(pieces[-1])
            if not piece:  # what it makes beside its output is there when it has ended
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(left)
            if not piece or len(pieces[-1]) < len(piece):
                return b"".join(pieces)
    return b""


def _stop(process: "subprocess.Popen[bytes]") -> None:
    """The program leads a process group of its own, so nothing it started is left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def _limit(memory_bytes: int) -> None:
    for kind, value in ((resource.RLIMIT_AS, memory_bytes), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        most = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (most, most))


def _environment(folder_name: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    own = {"HOME": folder_name, "TMPDIR": folder_name}
    return {**kept, **own, "LC_ALL": "C.UTF-8", "OMP_THREAD_LIMIT": "1"}
