"""Points at which a test kills the program: asked for by name, passing and whom it takes along."""

import signal
import subprocess
import sys

import pytest

from shoal.faults import Fault, fault_of
from tests.cli.command import clean_environment

_PASS_BY = """
from shoal import faults
for number in range(5):
    faults.point("elsewhere")
    faults.point("here")
    print(number, flush=True)
"""


@pytest.mark.parametrize(
    ("word", "fault"),
    [
        ("", None),
        ("here", Fault("here", 1, False)),
        ("here:3", Fault("here", 3, False)),
        ("here+parent:2", Fault("here", 2, True)),
    ],
)
def test_what_the_variable_asks_for(word: str, fault: Fault | None) -> None:
    assert fault_of(word) == fault


@pytest.mark.parametrize(("word", "passed"), [("", 5), ("here", 0), ("here:4", 3), ("nowhere", 5)])
def test_a_process_dies_where_it_is_asked_to(word: str, passed: int) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _PASS_BY],
        env=clean_environment() | {"SHOAL_FAULT": word},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.stdout.split() == [str(number).encode() for number in range(passed)]
    assert done.returncode == (0 if passed == 5 else -signal.SIGKILL)
