"""Is a process that is forked from the warm server what `subprocess` was asked for?"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.warm import warm

SHOAL = [sys.executable, "-P", "-m", "shoal"]


def started(tmp_path: Path, *words: str, **environ: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [*SHOAL, *words],
        cwd=tmp_path,
        env={**os.environ, **environ},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        process_group=0,
    )


def is_warm(pid: int) -> bool:
    return b"warm_server" in Path(f"/proc/{pid}/cmdline").read_bytes()


@pytest.fixture(params=[True, False], ids=["warm", "cold"])
def either(request: pytest.FixtureRequest) -> bool:
    if not request.param:
        request.getfixturevalue("cold")
    found: bool = request.param and warm.is_on
    return found


def test_it_is_our_child_in_its_group_and_place(either: bool, tmp_path: Path) -> None:
    with started(tmp_path, "serve", "--port=0", SHOAL_DIR="here") as process:
        assert is_warm(process.pid) == either
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        assert fields[1:3] == [str(os.getpid()), str(process.pid)], "its parent and its group"
        process.kill()
        process.communicate()
    assert process.returncode == -signal.SIGKILL


def test_it_says_and_ends_alike(either: bool, tmp_path: Path) -> None:
    del either
    with started(tmp_path, "--version") as process:
        out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.startswith(b"shoal")
    with started(tmp_path, "status", SHOAL_DIR="nowhere") as process:
        out, err = process.communicate()
    assert (process.returncode, out) == (2, b"")
    assert b"nowhere" in err


def test_what_python_reads_as_it_starts_is_read_by_a_new_one(tmp_path: Path) -> None:
    with started(tmp_path, "--version", PYTHONIOENCODING="ascii") as process:
        assert not is_warm(process.pid)
        process.communicate()
