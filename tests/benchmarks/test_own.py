"""Do the benchmarks of one's own documents still run? Each one end to end, on a few files."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
LINE = re.compile(r"[\w.]+ [\d.]+ [\d.]+ (?:[\d.]+|-)")


def lines_of(*arguments: str, **environ: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        capture_output=True,
        text=True,
        cwd=PROJECT,
        env={**os.environ, **environ},
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if LINE.fullmatch(line)]


@pytest.mark.slow
def test_growth(tmp_path: Path) -> None:
    found = lines_of("benchmarks.own_growth", "100", "300", "--idle", "1", "--work", str(tmp_path))
    assert len(found) == 5


@pytest.mark.slow
def test_beside_peers(tmp_path: Path, shoal_data: Path) -> None:
    few = ["--stories", "20", "--pages", "5", "--articles", "10", "--sources", "10"]
    places = ["--idle", "1", "--work", str(tmp_path)]
    found = lines_of("benchmarks.own", *few, *places, SHOAL_DATA=str(shoal_data))
    assert all(line.startswith("own.") for line in found)


@pytest.mark.slow
@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_rights() -> None:
    """Below the system's own directory for such files: a test's is closed to others."""
    assert lines_of("benchmarks.own_rights", "--files", "20") == []
