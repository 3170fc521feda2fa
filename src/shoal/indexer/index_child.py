"""How does a crawl keep the index process? Started, listened to, started again when it dies, and
asked to finish at the end.

Everything here belongs to the event loop's thread; nothing blocks. An index that can't be written
never stops a crawl: what is missing is taken in later, and `problem` says why.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress

from shoal.indexer.memory import DEFAULT_BYTES, resident
from shoal.layout.index_state import IndexState, read_state
from shoal.layout.layout import Layout
from shoal.model.record import JSON_ERRORS, from_json
from shoal.sources.mail.address import without_passwords

_MOST_STARTS = 3
_PATIENCE_SECONDS = 300.0
"""At the end, without a word of how far it has come."""
_ERROR_CHARS = 300
_MOST_UNHEARD = 30


def command_of(layout: Layout, memory: int = DEFAULT_BYTES) -> list[str]:
    """Starts the process that writes the index of a collection, in so many bytes."""
    # -P: the directory where somebody starts a crawl is no place to import modules from.
    module = [sys.executable, "-P", "-m", "shoal.indexer.index_process"]
    return [*module, str(layout.directory), str(layout.data), str(memory)]


class IndexChild:
    def __init__(self, layout: Layout, memory: int = DEFAULT_BYTES) -> None:
        self._layout = layout
        self._memory = memory
        self._process: subprocess.Popen[bytes] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._heard = asyncio.Event()
        self._unread = b""
        self._unheard = 0
        """Times that it was asked to hurry since it last said something."""
        self._starts = 0
        self._is_finishing = False
        self.is_patient = False
        """Whether it is told of all that is written, and need not look by itself."""
        self.state = read_state(layout) or IndexState(0, 0, 0.0)
        self.problem = ""

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._starts += 1
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the command is ours
                command_of(self._layout, self._memory),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=without_passwords(os.environ),
                process_group=0,  # a Ctrl-C at the terminal goes to the crawl alone
            )
        except OSError as error:
            self.problem = f"no process for the index could be started: {error.strerror or error}"
            return
        if self._process.stdout is not None:
            os.set_blocking(self._process.stdout.fileno(), False)
            self._loop.add_reader(self._process.stdout, self._listen)
        if self.is_patient and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(b"patient\n")
                self._process.stdin.flush()

    def resident(self) -> int:
        """Bytes of memory that it takes now."""
        return 0 if self._process is None else sum(resident(self._process.pid))

    def hurry(self, changes: Sequence[int]) -> None:
        """Somebody waits for these: they are to be found at once. Nothing is lost where it does not
        hear: they come with the others, a few seconds later."""
        if changes:
            self._say(b"soon %s\n" % " ".join(map(str, changes)).encode())

    def stir(self) -> None:
        """Much was written, which comes in its turn."""
        self._say(b"more\n")

    def _say(self, line: bytes) -> None:
        process = self._process
        if process is None or process.stdin is None:
            return
        if self._unheard < _MOST_UNHEARD:  # a pipe that is full would hold up the crawl
            self._unheard += 1
            with suppress(OSError):
                process.stdin.write(line)
                process.stdin.flush()

    async def finish(self) -> None:
        """Go on to the end of the log, and end. It is waited for as long as it makes headway."""
        self._is_finishing = True
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            with suppress(OSError):  # it is dead already
                process.stdin.write(b"finish\n")
                process.stdin.flush()
        try:
            while self._process is not None:
                self._heard.clear()
                await asyncio.wait_for(self._heard.wait(), _PATIENCE_SECONDS)
        except TimeoutError:
            self.problem = "the process that writes the index did not end"
        finally:
            self.kill()

    def kill(self) -> None:
        self._is_finishing = True
        if self._process is not None:
            self._process.kill()
            self._bury(self._process)

    def _listen(self) -> None:
        process = self._process
        if process is None or process.stdout is None:
            return
        try:
            data = os.read(process.stdout.fileno(), 1 << 16)
        except BlockingIOError:
            return
        self._heard.set()
        self._unheard = 0
        if not data:
            self._ended(process)
            return
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines[-1:]:
            with suppress(*JSON_ERRORS):
                self.state = from_json(IndexState, line)

    def _ended(self, process: subprocess.Popen[bytes]) -> None:
        said = process.stderr.read() if process.stderr is not None else b""
        self._bury(process)
        if process.returncode:
            words = said.decode(errors="replace").strip().rpartition("\n")[2][:_ERROR_CHARS]
            self.problem = words or f"it ended with {process.returncode}"
            if not self._is_finishing and self._starts < _MOST_STARTS:
                self.start()

    def _bury(self, process: subprocess.Popen[bytes]) -> None:
        if self._loop is not None and process.stdout is not None:
            self._loop.remove_reader(process.stdout)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        process.wait()
        self._process = None
        self._unread = b""
        self._unheard = 0
        self._heard.set()
