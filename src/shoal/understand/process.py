"""How is one child process kept? Started with a socket of its own, watched, and always buried.

subprocess and a non-blocking socket, no multiprocessing (users call us from notebooks and scripts
without a main guard) and no asyncio transports (their child watchers differ by event loop, Python
release and thread). Everything here belongs to the event loop's thread; nothing blocks.
"""

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from shoal import faults
from shoal.understand.frames import EXIT_NO_MEMORY, BrokenFrame, FrameBuffer

_SOCKET_BYTES = 1 << 18
"""Room for nearly any page and its answer without a second turn of the event loop."""
_ERROR_BYTES = 4096
"""How much of what a child last wrote to its standard error is kept."""

_KEPT_VARIABLES = ("PATH", "TZ", "TMPDIR", "TESSDATA_PREFIX", faults.VARIABLE)
_KEPT_PREFIXES = ("PYTHON", "LC_", "LANG", "LD_", "MALLOC_", "ASAN_", "UBSAN_")


def command_for(factory: str) -> list[str]:
    """The command of a child whose worker is made by `module:function`."""
    # -P: the directory where somebody starts a crawl is no place to import modules from.
    return [sys.executable, "-P", "-m", "shoal.understand.child", factory]


class Owner(Protocol):
    def on_frame(self, kind: int, payload: bytes) -> None: ...
    def on_end(self, fault: str) -> None:
        """The child has closed its side, or broken the protocol (its fault); called once."""
        ...


class ChildProcess:
    def __init__(self, command: Sequence[str], owner: Owner) -> None:
        """Raises OSError when the system can't start another process."""
        self._owner = owner
        self._loop = asyncio.get_running_loop()
        self._frames = FrameBuffer()
        self._unsent: deque[memoryview] = deque()
        self._errors = b""
        self._connected = True
        self._socket, theirs = socket.socketpair()
        try:
            self._socket.setblocking(False)
            for end in (self._socket, theirs):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SOCKET_BYTES)
            self._process = subprocess.Popen(  # noqa: S603 - the command is ours
                [*command, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(theirs.fileno(),),
                env=environment(),
                process_group=0,  # a Ctrl-C at the terminal goes to the parent alone
            )
        except OSError:
            self._socket.close()
            raise
        finally:
            theirs.close()
        self._stderr = self._process.stderr
        self._loop.add_reader(self._socket, self._receive)
        if self._stderr is not None:
            os.set_blocking(self._stderr.fileno(), False)
            self._loop.add_reader(self._stderr, self._read_errors)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, data: bytes) -> None:
        if not self._connected:
            return  # its end is on the way to the owner
        self._unsent.append(memoryview(data))
        if len(self._unsent) == 1 and not self._flush():
            self._loop.add_writer(self._socket, self._go_on_sending)

    def _go_on_sending(self) -> None:
        if self._flush():
            self._loop.remove_writer(self._socket)

    def _flush(self) -> bool:
        """Send what the socket takes; False when something is left for later."""
        try:
            while self._unsent:
                sent = self._socket.send(self._unsent[0])
                if sent == len(self._unsent[0]):
                    self._unsent.popleft()
                else:
                    self._unsent[0] = self._unsent[0][sent:]
        except BlockingIOError:
            return False
        except OSError:
            self._unsent.clear()  # it is dead: reading will tell
        return True

    def _receive(self) -> None:
        """Read all that is there: uvloop tells of a child that died with pages unread only once,
        and its last answers come before its end."""
        try:
            while self._connected and (chunk := self._socket.recv(_SOCKET_BYTES)):
                for kind, payload in self._frames.feed(chunk):
                    self._owner.on_frame(kind, payload)
        except BlockingIOError:
            return
        except OSError:
            self._end()
        except BrokenFrame as error:
            self._end(f"the reader's answer makes no sense ({error})")
        else:
            self._end()

    def _end(self, fault: str = "") -> None:
        if self._connected:
            self.disconnect()
            self._owner.on_end(fault)

    def disconnect(self) -> None:
        """Close our side: an idle child ends by itself, a busy one after its page."""
        if self._connected:
            self._connected = False
            self._unsent.clear()
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._socket.close()

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()

    async def bury(self, patience_seconds: float) -> int:
        """Wait for the end, force it after a while; returns the exit code, -N for a signal N."""
        self.disconnect()
        deadline = self._loop.time() + patience_seconds
        pause = 0.001
        while self._process.poll() is None:
            if self._loop.time() >= deadline:
                self._process.kill()
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.05)
        self._read_errors()
        self._close_errors()
        return self._process.returncode

    def last_words(self) -> str:
        """The last line on its standard error: of a Python fault, the fault."""
        lines = self._errors.decode("utf-8", "replace").strip().splitlines()
        return lines[-1].strip() if lines else ""

    def _read_errors(self) -> None:
        if self._stderr is None:
            return
        with contextlib.suppress(BlockingIOError):
            chunk = os.read(self._stderr.fileno(), 1 << 16)
            if chunk:
                self._errors = (self._errors + chunk)[-_ERROR_BYTES:]
            else:
                self._close_errors()

    def _close_errors(self) -> None:
        if self._stderr is not None:
            self._loop.remove_reader(self._stderr)
            self._stderr.close()
            self._stderr = None


def cause_of_death(exit_code: int) -> str:
    if exit_code == EXIT_NO_MEMORY:
        return "ran out of memory"
    if exit_code < 0:
        return f"the reader crashed (signal {-exit_code})"
    return f"the reader crashed (exit code {exit_code})"


def environment() -> dict[str, str]:
    """What Python, the C library and our programs read, and nothing else of ours: secrets stand
    there. The import path is ours: a child finds whatever its parent could import."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in _KEPT_VARIABLES or name.startswith(_KEPT_PREFIXES)
    }
    return {**kept, "PYTHONPATH": os.pathsep.join(entry or "." for entry in sys.path)}
