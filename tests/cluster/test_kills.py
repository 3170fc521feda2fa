"""SIGKILL while a checkpoint is made or restored: by the next start it is as if it never was."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from shoal.cluster.objects import open_objects
from shoal.cluster.restore import restore
from shoal.faults import VARIABLE
from tests.cluster.tablet import PREFIX, SmallTablet, state_of

CHECKPOINTS = """
import sys
from pathlib import Path
from shoal.cluster.objects import open_objects
from tests.cluster.tablet import SmallTablet
tablet = SmallTablet(Path(sys.argv[2]))
checkpointer = tablet.checkpointer(open_objects(sys.argv[1]), 1)
for number in range(1, 9):
    tablet.write(number)
    checkpointer.make()
    print(number, flush=True)
"""
RESTORES = """
import sys
from pathlib import Path
from shoal.cluster.objects import open_objects
from shoal.cluster.restore import restore
restore(open_objects(sys.argv[1]), "tablets/007", Path(sys.argv[2]))
"""


def run_killed(code: str, fault: str, *given: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *given],
        env={**os.environ, VARIABLE: fault, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "fault",
    [
        *("checkpoint.uploaded", "checkpoint.uploaded:11", "checkpoint.uploaded:20"),
        *("checkpoint.published", "checkpoint.published:2", "checkpoint.published:5"),
    ],
)
def test_a_tablet_is_killed(fault: str, tmp_path: Path) -> None:
    store, first, second = (str(tmp_path / name) for name in ("store", "first", "second"))
    acknowledged = len(run_killed(CHECKPOINTS, fault, store, first).split())
    objects = open_objects(store)
    if restore(objects, PREFIX, Path(second), [Path(first)]) is not None:
        assert acknowledged <= state_of(Path(second)) <= acknowledged + 1
    else:
        assert not acknowledged
    tablet = SmallTablet(Path(second))
    made = tablet.checkpointer(objects, 2).make()
    tablet.close()
    kept = {key.removeprefix(PREFIX + "/") for key, _ in objects.names(PREFIX)}
    assert made.keys() <= kept
    assert sum(key.startswith("checkpoints/") for key in kept) <= 2

    third = tmp_path / "third"
    run_killed(RESTORES, "restore.file:3", store, str(third))
    assert not third.exists()
    assert restore(objects, PREFIX, third) == made
    assert [path.name for path in tmp_path.glob("*.partial")] == []
