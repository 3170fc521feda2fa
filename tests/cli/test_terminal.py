"""On a terminal, through a real pty: the live line, and Ctrl-C from the keyboard."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import PATIENCE_SECONDS, clean_environment
from tests.world import Latency, RobotsMix, Running, Web, serve

WEB = Web(seed=10, hosts=1, pages=20, robots=RobotsMix(disallow=0, error=0))
IN_TERMINAL = "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"


class Terminal:
    """A command at the other end of a pseudo-terminal of 100 columns."""

    def __init__(self, directory: Path, *arguments: str) -> None:
        self.shown = ""
        command = [sys.executable, "-P", "-m", "shoal", *arguments]
        self._process = subprocess.Popen(
            [sys.executable, "-c", IN_TERMINAL, *command],
            cwd=directory,
            env=clean_environment() | {"TERM": "xterm", "COLUMNS": "100", "LINES": "30"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
        )

    def read_until(self, pattern: str) -> None:
        while not re.search(pattern, self.shown):
            if not self._read():
                raise AssertionError(f"{pattern!r} was never shown: {self.shown!r}")

    def type(self, keys: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(keys)

    def wait(self) -> int:
        while self._read():
            pass
        self._process.communicate(timeout=PATIENCE_SECONDS)
        return self._process.returncode

    def _read(self) -> bool:
        assert self._process.stdout is not None
        data = self._process.stdout.read(65_536)
        self.shown += data.decode(errors="replace")
        return bool(data)


@pytest.fixture
def running() -> Iterator[Running]:
    with serve(WEB, {"*": Latency(0.2)}) as running:
        yield running


def flags(running: Running) -> tuple[str, ...]:
    return ("crawl", running.web.seeds()[0], "--delay=0", "--set=politeness.delay_factor=0")


def test_a_live_line_is_redrawn_in_place_and_gone_at_the_end(
    tmp_path: Path, running: Running
) -> None:
    terminal = Terminal(tmp_path, *flags(running))
    terminal.read_until(r"[1-9]\d* fetched \(\d+ ok / 0 unchanged / 0 errors\) · [\d.]+ pages/s")
    hosts = r"(1 host active, 0|0 hosts active, 1) waiting"
    terminal.read_until(rf"{hosts} · .* · 0 duplicates · ends about \d\d:\d\d")
    terminal.read_until(r"idle: 1 host has work, and is asked once in [\d.]+ s at most")
    assert terminal.wait() == 0
    assert "\x1b[2K" in terminal.shown, "a line is erased before it is drawn again"
    assert terminal.shown.rstrip().splitlines()[-1].startswith("Next: shoal search WORDS")


def test_ctrl_c_from_the_keyboard(tmp_path: Path, running: Running) -> None:
    terminal = Terminal(tmp_path, *flags(running))
    terminal.read_until(r"[1-9]\d* fetched")
    terminal.type(b"\x03")
    terminal.read_until("Ctrl-C again stops at once")
    assert terminal.wait() == 130
    assert "go on with: shoal crawl" in terminal.shown
    assert "Traceback" not in terminal.shown
