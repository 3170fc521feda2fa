"""How does a process of a test start without importing everything anew? From one that has done so.

It is asked over a socket for a module, arguments, a directory, an environment and open files, and
answers with the number of a new process that runs the module as `python -P -m MODULE` would. It
forks twice: the process that asked adopts the orphan, which so is a child of it like any other.
"""

import atexit
import contextlib
import fcntl
import gc
import importlib
import json
import os
import pkgutil
import runpy
import socket
import sys
import threading
import time
from typing import TypedDict

NOT_HERE = ("ray", "arrow", "__main__")
"""Modules with such names take long to import, or run."""


class Asked(TypedDict):
    module: str
    arguments: list[str]
    directory: str
    environ: dict[str, str]
    files: list[int]
    """The numbers that the files that come with it are to have."""
    in_own_group: bool


def main(descriptor: int) -> None:
    import_all()
    gc.freeze()
    with socket.socket(fileno=descriptor) as asking:
        while True:
            message, files, _, _ = socket.recv_fds(asking, 1 << 20, 64)
            if not message:
                return
            asked: Asked = json.loads(message)
            between = os.fork()
            if between == 0:
                start_one(asking, asked, files)
            for each in files:
                os.close(each)
            os.waitpid(between, 0)
            asking.send(b"it is yours")


def import_all() -> None:
    import shoal  # noqa: PLC0415 - what it is for

    for module in pkgutil.walk_packages(shoal.__path__, "shoal."):
        if not any(each in module.name.rpartition(".")[2] for each in NOT_HERE):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)
    importlib.import_module("tests.world.server")


def start_one(asking: socket.socket, asked: Asked, files: list[int]) -> None:
    """Fork once more, tell the number of the process, and go."""
    here = os.getpid()
    pid = os.fork()
    if pid:
        if asked["in_own_group"]:
            os.setpgid(pid, pid)
        asking.send(str(pid).encode())
        os._exit(0)
    while os.getppid() == here:  # not yet adopted
        time.sleep(0.0002)
    code = 1
    try:
        code = become(asked, files)
    finally:
        os._exit(code)  # taking all that was imported apart would cost more than most commands


def become(asked: Asked, files: list[int]) -> int:
    take_files(files, asked["files"])
    os.environ.clear()
    os.environ.update(asked["environ"])
    time.tzset()
    os.chdir(asked["directory"])
    more = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = [path for path in more if path and path not in sys.path]
    sys.argv = [asked["module"], *asked["arguments"]]
    from shoal import faults  # noqa: PLC0415 - it has looked at another environment

    faults._passings = faults._Passings(faults.fault_of(os.environ.get(faults.VARIABLE, "")))
    sys.modules.pop(asked["module"] if asked["module"] != "shoal" else "", None)
    code = 0
    try:
        runpy.run_module(asked["module"], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - as the interpreter does
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError):  # nobody reads it any more
        sys.stdout.flush()
    return code


def take_files(given: list[int], wanted: list[int]) -> None:
    """Have these files under the numbers that were asked for, and no others."""
    beyond = max(*given, *wanted) + 1
    apart = [fcntl.fcntl(each, fcntl.F_DUPFD, beyond) for each in given]
    os.closerange(3, beyond)
    for each, number in zip(apart, wanted, strict=True):
        os.dup2(each, number)
        os.close(each)


if __name__ == "__main__":
    main(int(sys.argv[1]))
