"""What do people open? Counted here, in the collection's own directory, and nowhere else.

A line of the file `opened` is a URL and how often it was opened; noting one appends a line. When
the file has grown, lines of one URL become one, and the least opened are forgotten: its size is
bounded. Writers take turns by a lock on the file; one that was replaced meanwhile is opened again.
A line that was torn by a crash is passed over. What was searched for is not written down.
"""

import fcntl
import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.whole_file import whole_file

_NAME = "opened"
_MOST_BYTES = 1 << 20
_KEPT_BYTES = 1 << 19
_MOST_URL_CHARS = 4096


class _Line(Struct):
    url: str
    times: int = 1


class Opened:
    def __init__(self, directory: Path) -> None:
        self._path = directory / _NAME

    def note(self, url: str) -> None:
        """It was opened once more."""
        if len(url) > _MOST_URL_CHARS:
            return
        file = self._locked()
        try:
            line = to_json(_Line(url.encode("utf-8", "replace").decode())) + b"\n"
            ends_torn = (size := os.fstat(file).st_size) and os.pread(file, 1, size - 1) != b"\n"
            os.write(file, b"\n" + line if ends_torn else line)
            if size + len(line) > _MOST_BYTES:
                self._compact()
        finally:
            os.close(file)  # and with it the lock

    def count(self, url: str) -> int:
        return self._counts()[url]

    def most(self, n: int) -> list[tuple[str, int]]:
        """The URLs that were opened most often, and how often."""
        return self._counts().most_common(n)

    def _locked(self) -> int:
        while True:
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            file = os.open(self._path, flags, 0o600)
            fcntl.flock(file, fcntl.LOCK_EX)
            ours = os.fstat(file)
            try:
                named = self._path.stat()
            except FileNotFoundError:
                named = None
            if named is not None and (named.st_dev, named.st_ino) == (ours.st_dev, ours.st_ino):
                return file
            os.close(file)

    def _counts(self) -> Counter[str]:
        try:
            with self._path.open("rb") as lines:
                return _counted(lines)
        except OSError:
            return Counter()

    def _compact(self) -> None:
        """While the lock is held."""
        written = 0
        with whole_file(self._path, mode=0o600) as file:
            for url, times in self._counts().most_common():
                line = to_json(_Line(url, times)) + b"\n"
                written += len(line)
                if written > _KEPT_BYTES:
                    break
                file.write(line)


def _counted(lines: Iterable[bytes]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for line in lines:
        try:
            read = from_json(_Line, line)
        except JSON_ERRORS:
            continue
        counts[read.url] += max(0, read.times)
    return counts
