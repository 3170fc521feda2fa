"""Which processes of tests start warm? Those of Shoal's own modules, if a fork can do all they ask.

Most of a small command's cost is its imports, and tests start thousands. So those that this process
starts with `subprocess` are forked from a server that has imported Shoal (see warm_server.py): real
processes and our children, with files, directory, environment and group as asked for. A test that
is about how processes start or die asks for the fixture `cold`.
"""

import ctypes
import inspect
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
MODULES = frozenset(
    {
        "shoal",
        "shoal.understand.child",
        "shoal.indexer.index_process",
        "shoal.analysis.rank_process",
        "tests.world.server",
    }
)
_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
_FIXED = ("PYTHON", "LC_", "LANG")
"""Variables that Python reads as it starts begin so."""


class Warm:
    """Starts processes through the server, once `start` has been called."""

    def __init__(self) -> None:
        self.is_on = False
        self.server: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._cold = subprocess.Popen._execute_child  # type: ignore[attr-defined]
        self._asking: socket.socket | None = None

    def start(self) -> None:
        """From now on; the server itself is started by the first who needs it."""
        self.is_on = sys.platform == "linux"
        names = list(inspect.signature(self._cold).parameters)[1:]

        def execute_child(process: "subprocess.Popen[Any]", *given: Any) -> None:
            how = dict(zip(names, given, strict=True))
            command = how["args"]
            if self.is_on and _is_ours(command) and _is_plain(how):
                self._start_warm(process, command, how)
            else:
                self._cold(process, *given)

        subprocess.Popen._execute_child = execute_child  # type: ignore[attr-defined]

    def close(self) -> None:
        subprocess.Popen._execute_child = self._cold  # type: ignore[attr-defined]
        if self._asking is not None and self.server is not None:
            self._asking.close()
            self.server.communicate()

    def _start_warm(
        self, process: "subprocess.Popen[Any]", command: list[str], how: Mapping[str, Any]
    ) -> None:
        streams = [how[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        given = [number if each == -1 else each for number, each in enumerate(streams)]
        asked = {
            "module": command[command.index("-m") + 1],
            "arguments": command[command.index("-m") + 2 :],
            "directory": str(how["cwd"] or Path.cwd()),
            "environ": dict(os.environ if how["env"] is None else how["env"]),
            "files": [0, 1, 2, *how["pass_fds"]],
            "in_own_group": how["process_group"] == 0,
        }
        try:
            with self._lock:
                asking = self._asking or self._connect()
                _adopt(orphans=True)
                try:
                    message = json.dumps(asked).encode()
                    socket.send_fds(asking, [message], [*given, *how["pass_fds"]])
                    process.pid = int(asking.recv(100))
                    asking.recv(100)  # now it is our child
                finally:
                    _adopt(orphans=False)
            process._child_created = True  # type: ignore[attr-defined]
        finally:
            ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
            process._close_pipe_fds(*(how[end] for end in ends))  # type: ignore[attr-defined]

    def _connect(self) -> socket.socket:
        self._asking, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        paths = os.pathsep.join([str(PROJECT), str(PROJECT / "src")])
        with theirs:
            self.server = subprocess.Popen(
                [
                    *(sys.executable, "-P", str(PROJECT / "tests/warm_server.py")),
                    str(theirs.fileno()),
                ],
                env=os.environ | {"PYTHONPATH": paths},
                cwd=PROJECT,
                stdin=subprocess.PIPE,  # nobody writes or reads: its streams are to be a pipe's
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                process_group=0,
            )
        return self._asking


def _is_ours(command: object) -> bool:
    match command:
        case [sys.executable, "-P", "-m", module, *words] | [sys.executable, "-m", module, *words]:
            return module in MODULES and all(isinstance(word, str) for word in words)
    return False


def _is_plain(how: Mapping[str, Any]) -> bool:
    """Whether a fork can do all that is asked for."""
    environ = os.environ if how["env"] is None else how["env"]
    fixed = {name for name in (*environ, *os.environ) if name.startswith(_FIXED)} - {"PYTHONPATH"}
    streams = (how["p2cread"], how["c2pwrite"], how["errwrite"])
    return (
        not how["shell"]
        and how["executable"] is None
        and how["preexec_fn"] is None
        and how["close_fds"]
        and not how["start_new_session"]
        and how["process_group"] in (-1, 0)
        and (how["gid"], how["gids"], how["uid"], how["umask"]) == (None, None, None, -1)
        and all(environ.get(name) == os.environ.get(name) for name in fixed)
        and not any(each != -1 and os.isatty(each) for each in streams)
    )


def _adopt(*, orphans: bool) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(orphans), 0, 0, 0)


warm = Warm()
