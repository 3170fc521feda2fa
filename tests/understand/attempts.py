"""What a reader in the hands of a hostile file would try. Each answers `refused` or what it got.

As a program (`python -m tests.understand.attempts NUMBER SECRET HOME`) it becomes the user with
that number, locks itself in, tries everything, and prints the answers as JSON.
"""

import ctypes
import errno
import json
import mmap
import os
import resource
import signal
import socket
import struct
import sys
from collections.abc import Callable
from pathlib import Path

LIBRARY = ctypes.CDLL(None, use_errno=True)
IS_X86 = os.uname().machine == "x86_64"
REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS)
KEPT = ctypes.create_string_buffer(b"the parent's treasure")


def attempt(what: Callable[[], object]) -> str:
    try:
        got = what()
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None)
        refused = isinstance(error, ValueError) or number in REFUSALS
        return "refused" if refused else f"failed: {error}"
    return f"got {got!r}"[:100]


def called(number: int, *arguments: object) -> int:
    result: int = LIBRARY.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def shell() -> object:
    os.execv("/bin/sh", ["sh", "-c", "exit 77"])  # noqa: S606 - that is the question


def native_socket() -> object:
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM)


def local_socket() -> object:
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)


def ring() -> object:
    return called(425, 8, ctypes.create_string_buffer(120))


def parents_memory() -> object:
    here = ctypes.create_string_buffer(8)
    ours = struct.pack("=2Q", ctypes.addressof(here), 8)
    theirs = struct.pack("=2Q", ctypes.addressof(KEPT), 8)  # forked: it stands there as here
    number = 310 if IS_X86 else 270
    return called(number, os.getppid(), ours, ctypes.c_long(1), theirs, ctypes.c_long(1), None)


def traced_parent() -> object:
    attach = 16
    return called(101 if IS_X86 else 117, attach, os.getppid(), None, None)


def written(path: Path) -> object:
    return path.write_text("we were here")


def more_memory() -> object:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard + 4096, hard + 4096))
    return hard


def more_files() -> object:
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    return 4096


def again_dumpable() -> object:
    if LIBRARY.prctl(4, ctypes.c_ulong(1), 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    return "dumpable"


def fork() -> object:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    return pid


def all_of_them(secret: Path, home: Path) -> dict[str, str]:
    """`secret` is a file that the user could read, `home` a folder that it could write to."""
    tries: dict[str, Callable[[], object]] = {
        "shadow": lambda: Path("/etc/shadow").read_bytes(),
        "passwords": lambda: Path("/etc/passwd").read_bytes(),
        "secret": secret.read_bytes,
        "listing": lambda: os.listdir(home),  # noqa: PTH208
        "write": lambda: written(home / "note"),
        "mode": lambda: secret.chmod(0o777),
        "shell": shell,
        "fork": fork,
        "native socket": native_socket,
        "local socket": local_socket,
        "io_uring": ring,
        "parent's memory": parents_memory,
        "parent's memory as a file": lambda: os.open(f"/proc/{os.getppid()}/mem", 0),
        "parent's environment": lambda: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
        "ptrace": traced_parent,
        "signal": lambda: os.kill(os.getppid(), 0),
        "more memory": more_memory,
        "more files": more_files,
        "dumpable": again_dumpable,
        "root": lambda: os.setresuid(0, 0, 0),
    }
    return {name: attempt(what) for name, what in tries.items()}


def by_32_bits() -> None:
    """`int 0x80` with the number of `socketcall`, as machine code."""
    code = b"\x53\xb8\x66\x00\x00\x00\xbb\x01\x00\x00\x00\x31\xc9\xcd\x80\x5b\xc3"
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    ctypes.CFUNCTYPE(ctypes.c_int)(address)()


def by_x32() -> None:
    LIBRARY.syscall(ctypes.c_long(0x40000000 + 41), 2, 1, 0)


def main(user: int, secret: Path, home: Path) -> None:
    from shoal.understand.cage import cage  # noqa: PLC0415 - the reader's, not the worker's

    if user:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    could = [secret.read_bytes() != b"", attempt(lambda: written(home / "before")) != "refused"]
    ends = {}
    for name, what in (("plain", None), ("32 bits", by_32_bits), ("x32", by_x32)):
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.dup2(writing, 3)
            os.closerange(4, 100)
            cage.limit([(resource.RLIMIT_AS, 1_500_000_000), (resource.RLIMIT_NOFILE, 256)])
            given = cage.enter(cage.Places())
            if what is not None:
                what()
                os._exit(0)
            told = {"given": [given.calls, given.landlock, given.user]}
            os.write(3, json.dumps(told | all_of_them(secret, home)).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as stream:
            said = stream.read()
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        ends[name] = (
            json.loads(said) if said else signal.Signals(-status).name if status < 0 else status
        )
    print(json.dumps({"could": could, **ends}))


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
