"""Where do peers live that are no part of the project? In an environment that is made once."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def peers_python(home: Path, packages: Sequence[str]) -> Path | None:
    """The python that has the peers; None when they can't be installed here."""
    python, done = home / "bin" / "python", home / "installed"
    if done.is_file():
        return python
    home.parent.mkdir(parents=True, exist_ok=True)
    make = [sys.executable, "-m", "venv", "--clear", str(home)]
    install = [str(python), "-m", "pip", "install", "-q", "--only-binary", ":all:", *packages]
    for step in (make, install):
        if subprocess.run(step, check=False, capture_output=True).returncode:
            return None
    done.touch()
    return python
