"""No reader speaks to anyone: the kernel refuses every socket that could leave the machine."""

import json
import platform
import socket
import subprocess
import sys
from typing import Any

import pytest

from shoal.model.document import Understood
from shoal.model.visit import Fetched, Visit
from shoal.understand.child import Worker
from tests.understand.parts import Run, ask, closing, document, pool_of

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
    reason="only Linux has the filter, and only two machines are known to it",
)

TRIES = """
import errno, json, socket, subprocess, sys

def attempt(family, kind):
    try:
        socket.socket(family, kind).close()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "made"

def all_of_them():
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM)
    families = (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_UNIX)
    return [[attempt(family, kind) for kind in kinds] for family in families]
"""
CHILD = (
    TRIES
    + """
from shoal.understand.no_network import forbid_network
before = attempt(socket.AF_INET, socket.SOCK_STREAM)
held = forbid_network()
ours, theirs = socket.socketpair()
ours.sendall(b"fish")
started = subprocess.run(
    [sys.executable, "-c", sys.argv[1] + "print(json.dumps(all_of_them()))"],
    capture_output=True, check=True,
)
print(json.dumps({
    "before": before, "held": held, "pair": theirs.recv(9).decode(),
    "here": all_of_them(), "started": json.loads(started.stdout), "again": forbid_network(),
}))
"""
)
REFUSED = ["EACCES", "EACCES"]


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", CHILD, TRIES], capture_output=True, check=True, timeout=60
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_it_holds_and_may_be_asked_twice(told: dict[str, Any]) -> None:
    assert (told["before"], told["held"], told["again"]) == ("made", True, True)


def test_no_socket_leaves_the_machine(told: dict[str, Any]) -> None:
    assert told["here"][:3] == [REFUSED] * 3


def test_sockets_within_the_machine_are_fine(told: dict[str, Any]) -> None:
    assert told["here"][3] == ["made", "made"]
    assert told["pair"] == "fish"


def test_it_holds_for_a_program_that_a_reader_starts(told: dict[str, Any]) -> None:
    assert told["started"] == told["here"]


def connecting(_config: bytes) -> Worker:
    """A worker that tries to reach the port that a page's body names."""

    def read(_visit: Visit, fetched: Fetched, _archive_only: bool) -> Understood:
        with socket.create_connection(("127.0.0.1", int(fetched.body)), timeout=60):
            return Understood()

    return read


def test_a_reader_of_the_pool_reaches_nobody(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        socket.create_connection(("127.0.0.1", port)).close()  # we could
        server.accept()[0].close()
        server.setblocking(False)

        async def work() -> None:
            answer = await ask(pool, "p", str(port).encode())
            assert "PermissionError" in document(answer).problem

        pool = pool_of(size=1, factory=f"{__name__}:connecting")
        run(closing(pool, work))
        with pytest.raises(BlockingIOError):
            server.accept()
