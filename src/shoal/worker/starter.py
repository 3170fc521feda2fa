"""Who starts LibreOffice for a reader that can start nothing? A process beside it, before the cage.

It is forked from the reader before that locks itself in, where there is a program to start, and
does what it is asked over a socket: run one of the programs it was told of, in a cage of its own,
in a folder below its own. It ends with the reader, also when that is killed; the program that runs
ends with it, and the folder is deleted.
"""

import os
import shutil
import signal
import socket
import struct
import tempfile
from collections.abc import Sequence
from pathlib import Path

from shoal.converters import programs
from shoal.converters.programs import MOST_MEMORY, Order
from shoal.model.record import pack, unpack
from shoal.understand.cage import cage

_LENGTH = struct.Struct("!I")
_MOST_SECONDS = 300.0
_FAILED = b"-"
_DONE = b"+"
_OPEN_FILES = 4096


def start(allowed: Sequence[str]) -> Path:
    """From now on the programs of converters run through such a process. Its folder."""
    folder = Path(tempfile.mkdtemp(prefix="shoal-programs-"))
    if os.geteuid() == 0:
        folder.chmod(0o1777)  # the reader may become another user; what it makes is its own
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        try:
            _leave_all_but(theirs.fileno())
            _serve(theirs, allowed, folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            os._exit(0)
    theirs.close()
    programs.use(lambda order: _ask(ours, order), str(folder))
    return folder


def _ask(connection: socket.socket, order: Order) -> bytes:
    payload = pack(order)
    connection.sendall(_LENGTH.pack(len(payload)) + payload)
    answer = _received(connection)
    if not answer.startswith(_DONE):
        raise OSError("the program can't be started")
    return answer[1:]


def _received(connection: socket.socket) -> bytes:
    """One message; empty when the other side has gone."""
    head = connection.recv(_LENGTH.size, socket.MSG_WAITALL)
    if len(head) < _LENGTH.size:
        return b""
    (length,) = _LENGTH.unpack(head)
    pieces = []
    while length > 0 and (piece := connection.recv(min(length, 1 << 20))):
        pieces.append(piece)
        length -= len(piece)
    return b"".join(pieces)


def _leave_all_but(descriptor: int) -> None:
    """What the reader has open is its own: its end must be seen when it comes."""
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 2)
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, _OPEN_FILES)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _serve(connection: socket.socket, allowed: Sequence[str], folder: Path) -> None:
    while payload := _received(connection):
        try:
            order = unpack(Order, payload)
            _check(order, allowed, folder)
            answer = _DONE + programs.run_here(order, _lock_in, connection.fileno())
        except (OSError, ValueError):
            answer = _FAILED
        connection.sendall(_LENGTH.pack(len(answer)) + answer)


def _check(order: Order, allowed: Sequence[str], folder: Path) -> None:
    """The reader may be in the hands of what it reads: nothing is taken from it unseen."""
    place = Path(order.folder)
    if order.command[:1] == [] or order.command[0] not in allowed:
        raise ValueError("a program that nobody named")
    if place.parent != folder or place.is_symlink() or place.name in (".", ".."):
        raise ValueError("a folder that is not below ours")
    order.seconds = min(order.seconds, _MOST_SECONDS)
    order.memory_bytes = min(order.memory_bytes, MOST_MEMORY)


def _lock_in(order: Order) -> None:
    data = os.environ.get("TESSDATA_PREFIX")
    cage.enter_for_program(Path(order.command[0]), Path(order.folder), [Path(data)] if data else [])
