"""A program that a converter starts runs in a cage too, and only what was named is started."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.converters.programs import Order, run_here
from shoal.understand.cage import landlock
from shoal.worker.starter import _check, _lock_in

needs_landlock = pytest.mark.skipif(
    not landlock.version(), reason="the kernel has no Landlock: files are not guarded"
)
TRIES = """
cat {secret} && echo read; cat /etc/shadow && echo shadow
echo note > {home}/note && echo written
echo mine > own && cat own
{python} -S -c 'import socket; socket.socket(); print("socket")'
ulimit -v unlimited && echo unlimited
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "folder"
    made.mkdir()
    return made


@needs_landlock
def test_a_program_has_its_folder_and_nothing_else(tmp_path: Path, folder: Path) -> None:
    secret, home = tmp_path / "secret", tmp_path / "home"
    secret.write_text("the treasure")
    home.mkdir()
    script = TRIES.format(secret=secret, home=home, python="/usr/bin/python3")
    order = Order(["/bin/sh", "-c", script], str(folder), 60, 1000)
    assert run_here(order, _lock_in) == b"mine\n"
    assert list(home.iterdir()) == []
    assert b"treasure" in run_here(order)  # without the cage it could


def test_output_is_bounded_and_time_is(folder: Path) -> None:
    endless = Order(["/bin/sh", "-c", "while :; do echo fish; done"], str(folder), 60, 1000)
    assert len(run_here(endless)) == 1000
    assert run_here(Order(["/bin/sleep", "3600"], str(folder), 0.05, 1000)) == b""


def test_only_what_was_named_is_started_and_only_below_its_folder(tmp_path: Path) -> None:
    inside = str(tmp_path / "one")
    _check(Order(["/bin/true"], inside, 1), ["/bin/true"], tmp_path)
    for command, place in (
        (["/bin/sh"], inside),
        ([], inside),
        (["/bin/true"], "/etc"),
        (["/bin/true"], f"{tmp_path}/one/../.."),
    ):
        with pytest.raises(ValueError, match=r"nobody named|not below ours"):
            _check(Order(command, place, 1), ["/bin/true"], tmp_path)


SCRIPT = """
import os, sys
from pathlib import Path
from shoal.worker import starter
print(starter.start(["/bin/true"]), flush=True)
os.kill(os.getpid(), 9)
"""


def test_its_folder_goes_when_the_reader_is_killed() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=60
    )
    # Its output is a pipe that the starter has, too: the folder is gone when that is closed.
    assert done.returncode == -signal.SIGKILL
    assert not os.path.exists(done.stdout.strip())  # noqa: PTH110
