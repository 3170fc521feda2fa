"""The real command line, in a process of its own: what it prints, and how it ends."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from signal import Signals
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 90.0


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode()

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def json(self) -> Any:
        """The one JSON value that was printed."""
        return json.loads(self.out)

    @property
    def json_lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


class Started:
    """A command that runs, as the leader of a process group of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._read = b""

    @property
    def pid(self) -> int:
        return self._process.pid

    def signal(self, number: Signals) -> None:
        self._process.send_signal(number)

    def signal_group(self, number: Signals) -> None:
        """As a terminal does on Ctrl-C: to every process of the group."""
        os.killpg(self._process.pid, number)

    def read_until(self, words: str) -> None:
        """Read standard error up to a line with these words."""
        assert self._process.stderr is not None
        while line := self._process.stderr.readline():
            self._read += line
            if words in line.decode():
                return
        raise AssertionError(f"{words!r} was never said: {self._read.decode()}")

    def close_output(self) -> None:
        """Go away, as `head` does."""
        assert self._process.stdout is not None
        self._process.stdout.close()

    def wait(self) -> Done:
        out, err = self._process.communicate(timeout=PATIENCE_SECONDS)
        return Done(self._process.returncode, out, (self._read + err).decode())

    def end(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.communicate()


class Shoal:
    """`shoal` in a directory of its own, without any SHOAL_ variable of whoever runs the tests."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._started: list[Started] = []

    def start(self, *arguments: str, **environ: str) -> Started:
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "shoal", *arguments],
            cwd=self.directory,
            env=clean_environment() | environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            process_group=0,
        )
        started = Started(process)
        self._started.append(started)
        return started

    def __call__(self, *arguments: str, **environ: str) -> Done:
        return self.start(*arguments, **environ).wait()

    def ok(self, *arguments: str, **environ: str) -> Done:
        done = self(*arguments, **environ)
        assert done.code == 0, done.err
        return done

    def refuses(self, *arguments: str, **environ: str) -> str:
        """The one sentence of a refusal: exit code 2, one line, nothing on standard output."""
        done = self(*arguments, **environ)
        assert done.code == 2, done.err or done.text
        assert done.out == b""
        assert done.err.startswith("shoal: ")
        assert done.err.count("\n") == 1, done.err
        assert "Traceback" not in done.err
        return done.err.removeprefix("shoal: ").strip()

    def close(self) -> None:
        for started in self._started:
            started.end()


def clean_environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("SHOAL_")}
    plain = {"PYTHONPATH": str(PROJECT / "src"), "COLUMNS": "100", "NO_COLOR": "1"}
    # Whoever wants pages indexed while they are crawled says so: it takes a process more.
    return kept | plain | {"SHOAL_INDEX_FOLLOW": "no"}
