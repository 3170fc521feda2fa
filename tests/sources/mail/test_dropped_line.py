"""A line on which packets vanish (iptables DROP), in a network of its own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import PROJECT, clean_environment

PROGRAMS = {"unshare": "util-linux", "ip": "iproute2", "iptables": "iptables"}


@pytest.fixture
def apart() -> list[str]:
    """Begins a command that runs in a network of its own."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    for program, package in PROGRAMS.items():
        if shutil.which(program, path=path) is None:
            pytest.skip(f"{program} is not installed (the Debian package {package})")
    if shutil.which("dovecot", path=path) is None:
        pytest.skip("dovecot is not installed")
    begins = ["unshare", "--net"]
    tried = subprocess.run(
        [*begins, "sh", "-c", "ip link set lo up && iptables -A INPUT -p tcp --dport 9 -j DROP"],
        env={"PATH": path}, capture_output=True, check=False,
    )  # fmt: skip
    if os.getuid() != 0 or tried.returncode:
        pytest.skip("only root makes a network and drops its packets, where the kernel can")
    return begins


@pytest.mark.slow
def test_a_line_that_is_dropped_is_noticed_within_a_minute(apart: list[str]) -> None:
    variables = clean_environment()
    variables["PATH"] += ":/usr/sbin:/sbin"
    variables["PYTHONPATH"] += f":{PROJECT}"
    command = [*apart, sys.executable, "-P", "-m", "tests.sources.mail.dropped_line"]
    done = subprocess.run(
        command, env=variables, cwd=Path("/"), capture_output=True, check=False, timeout=1_200
    )
    assert done.returncode == 0, done.stderr.decode()[-2_000:]
    took = json.loads(done.stdout)
    print(took)
    assert took["before"] < 60
    assert took["noticed"] < 60
    assert took["back"] < 420
    assert took["mended"] < 60
