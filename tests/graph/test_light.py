"""Child processes and searches look ranks up without numpy, which is large and slow to load."""

import subprocess
import sys

from tests.cli.command import clean_environment


def test_looking_ranks_up_needs_no_numpy() -> None:
    ask = "import sys, shoal.worker.child, shoal.layout.ranks; sys.exit('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-P", "-c", ask], env=clean_environment(), check=False)
    assert done.returncode == 0
