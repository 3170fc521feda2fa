"""Is what a test leaves behind charged to it, and to nobody else?"""

import socket
import subprocess
import sys
import threading
import time

import pytest

from tests import leftovers
from tests.leftovers import Leftovers

SLEEPS = [sys.executable, "-c", "import time; time.sleep(600)"]
ORPHANS = """if True:
    import subprocess, sys
    print(subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid)
"""


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch) -> Leftovers:
    monkeypatch.setattr(leftovers, "PATIENCE_SECONDS", 0.0)
    return Leftovers()


def test_nothing_is_left(left: Leftovers) -> None:
    subprocess.run([sys.executable, "-c", ""], check=True)
    socket.create_server(("127.0.0.1", 0)).close()
    assert left.of_test() == []


def test_a_process_is_named_once(left: Leftovers) -> None:
    with subprocess.Popen(SLEEPS) as process:
        (named,) = left.of_test()
        assert named.startswith(f"process {process.pid} ")
        assert "time.sleep(600)" in named
        assert left.of_test() == []
        process.kill()


def test_a_number_that_comes_round_is_another_process(left: Leftovers) -> None:
    with subprocess.Popen(SLEEPS) as process:
        stranger = leftovers._Process(parent=1, start="0", ours=False)
        left._processes[process.pid] = stranger
        (named,) = left.of_test()
        assert named.startswith(f"process {process.pid} ")
        process.kill()


def test_an_end_that_nobody_waited_for_is_found(left: Leftovers) -> None:
    process = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.read() == b""
    process.stdout.close()
    while leftovers._fields(process.pid)[0] != "Z":
        time.sleep(0.01)
    (named,) = left.of_test()
    assert named.endswith("nobody waited for its end")
    process.wait()


def test_a_process_without_a_parent_is_found(left: Leftovers) -> None:
    starts = [sys.executable, "-c", ORPHANS, *SLEEPS]
    orphan = int(subprocess.run(starts, check=True, capture_output=True).stdout)
    try:
        (named,) = left.of_test()
        assert named.startswith(f"process {orphan} ")
    finally:
        subprocess.run(["kill", "-9", str(orphan)], check=True)


def test_a_thread_and_a_socket_are_named(left: Leftovers) -> None:
    ends = threading.Event()
    thread = threading.Thread(target=ends.wait, name="waits")
    thread.start()
    with socket.create_server(("127.0.0.1", 0)) as server:
        listens, waits = left.of_test()
        assert f"listens at ('127.0.0.1', {server.getsockname()[1]})" in listens
        assert waits == f"thread {thread.ident}: waits"
    ends.set()
    thread.join()


def test_what_a_fixture_started_stays_as_long_as_the_fixture(left: Leftovers) -> None:
    before = left.now()
    with subprocess.Popen(SLEEPS) as process:
        left.keep("fixture", before)
        assert left.of_test() == []
        left.let_go("fixture")
        assert len(left.of_test()) == 1
        process.kill()
