"""How is a graph replaced while others read it? A directory for each, and a file that names one.

    current          the name of the directory that holds, replaced in one step
    3f2a…/           a finished graph; `checksums` has the length and the digest of each file
    lock             held by the one process that makes the next
    9c41….arriving/  the files of one that was made elsewhere, until all are here

A graph is made in a directory that nobody is told of, synced, and then named. The one before it is
deleted: whoever has it open keeps what is mapped, whoever was about to open it asks again.
"""

import fcntl
import os
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from shoal.errors import Busy
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.whole_file import put_on_disk, write_whole

CURRENT = "current"
SUMMARY = "summary.json"
CHECKSUMS = "checksums"
_CHUNK_BYTES = 1 << 20
_LOCK = "lock"
_ARRIVING = ".arriving"
_TRIES = 5

_UNREADABLE: tuple[type[Exception], ...] = (
    *(OSError, ValueError, TypeError, IndexError, OverflowError),
    *JSON_ERRORS,
)
"""What whoever opens a graph raises for files that are gone, cut short or damaged."""

Opened = TypeVar("Opened")


class Summary(Struct):
    """What a graph is of, in numbers."""

    seed: int
    """Of the hashes; kept from graph to graph, so that they can be compared."""
    made: float
    """Unix seconds."""
    links: int
    """All links of all pages, those that are no votes too."""
    fetched: int
    """Pages whose links are known."""
    nodes: int = 0
    edges: int = 0
    sites: int = 0
    iterations: int = 0
    residual: float = 0.0
    seconds: float = 0.0
    personal: list[str] = []
    """The URLs that the ranks start from; empty: all pages alike."""
    rank_mass: float | None = None
    """Of the weight that can be reached from the seeds so much at least is fetched (rank_mass.py);
    None where no seed is known."""


def newest(directory: Path) -> Path | None:
    """The directory of the graph that holds now."""
    try:
        words = (directory / CURRENT).read_text(encoding="ascii").split()
    except (OSError, ValueError):
        return None
    return directory / words[0] if words and "/" not in words[0] else None


def stamp(directory: Path) -> int:
    """Changes when the graph is replaced; 0 when there is none. One look at the file system."""
    try:
        found = (directory / CURRENT).stat()
    except OSError:
        return 0
    return found.st_mtime_ns ^ found.st_ino << 1


def opened(directory: Path, make: Callable[[Path, Summary], Opened]) -> Opened | None:
    """Open the graph that holds now; None when there is none that can be read."""
    for _ in range(_TRIES):
        place = newest(directory)
        if place is None:
            return None
        try:
            _look_at_lengths(place)
            return make(place, from_json(Summary, (place / SUMMARY).read_bytes()))
        except _UNREADABLE:
            continue  # replaced in between, or damaged
    return None


def file_faults(directory: Path) -> Iterator[str]:
    """What is wrong with the graph that holds now, a sentence each; nothing where there is none."""
    place = newest(directory)
    if place is None or not place.is_dir():
        if any(each.is_dir() for each in directory.glob("*")):
            yield f"The file {CURRENT} names no graph that is there."
        return
    try:
        sums = _checksums(place)
        from_json(Summary, (place / SUMMARY).read_bytes())
    except _UNREADABLE:
        yield f"Its file {CHECKSUMS} or {SUMMARY} does not read."
        return
    for name, (length, digest) in sums.items():
        path = place / name
        if not path.is_file():
            yield f"Its file {name} is gone."
        elif path.stat().st_size != length or _digest_of(path) != digest:
            yield f"Its file {name} does not have its checksum."


def drop(directory: Path) -> None:
    """Without it every page has rank 0, until links are ranked again."""
    with _locked(directory):
        (directory / CURRENT).unlink(missing_ok=True)
        _clear(directory)


def _checksums(place: Path) -> dict[str, tuple[int, str]]:
    """Of each file but their own; none of a graph that an earlier release has made, which said
    so little of itself that it had no second line in `current`."""
    if not _is_summed(place):
        return {}
    return from_json(dict[str, tuple[int, str]], (place / CHECKSUMS).read_bytes())


def _is_summed(place: Path) -> bool:
    return len((place.parent / CURRENT).read_text(encoding="ascii").split()) > 1


def _write_checksums(place: Path) -> None:
    files = [each for each in sorted(place.iterdir()) if each.is_file() and each.name != CHECKSUMS]
    sums = {each.name: (each.stat().st_size, _digest_of(each)) for each in files}
    (place / CHECKSUMS).write_bytes(to_json(sums))


def _look_at_lengths(place: Path) -> None:
    """Who maps a file that was cut short would read past its end. Digests are for `verify`."""
    for name, (length, _) in _checksums(place).items():
        if (place / name).stat().st_size != length:
            raise ValueError(name)


def _digest_of(path: Path) -> str:
    found = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            found = zlib.crc32(chunk, found)
    return f"crc32:{found:08x}"


def summary_of(directory: Path) -> Summary | None:
    return opened(directory, lambda _, summary: summary)


class Fresh:
    """A graph that is being made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.scratch = path / "scratch"

    def finish(self, summary: Summary) -> None:
        """Whole and on disk; nobody is told yet."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        (self.path / SUMMARY).write_bytes(to_json(summary))
        _write_checksums(self.path)
        for file in self.path.iterdir():
            put_on_disk(file)
        put_on_disk(self.path)


@contextmanager
def replacing(directory: Path) -> Iterator[Fresh]:
    """Make a graph that holds when the block has ended, and never if it fails."""
    directory.mkdir(parents=True, exist_ok=True)
    with _locked(directory):
        _clear(directory)
        fresh = Fresh(directory / secrets.token_hex(8))
        fresh.scratch.mkdir(parents=True)
        try:
            yield fresh
            _name(directory, fresh.path.name)
        finally:
            _clear(directory)


def arriving(directory: Path, name: str) -> Path:
    """Where the files of a graph are put that was made elsewhere, under the name that it has there;
    nobody is told of them before `adopt`."""
    place = directory / f"{name}{_ARRIVING}"
    place.mkdir(parents=True, exist_ok=True)
    return place


def adopt(directory: Path, name: str) -> None:
    """Let a graph hold that has arrived. A second time changes nothing."""
    place = directory / name
    if newest(directory) == place:
        return
    with _locked(directory):
        arrived = directory / f"{name}{_ARRIVING}"
        _write_checksums(arrived)
        for file in arrived.iterdir():
            put_on_disk(file)
        put_on_disk(arrived)
        arrived.rename(place)
        _name(directory, name)
        _clear(directory)


def _name(directory: Path, name: str) -> None:
    write_whole(directory / CURRENT, f"{name}\n{CHECKSUMS}\n".encode("ascii"), synced=True)


def _clear(directory: Path) -> None:
    """Delete what no longer holds, and what a kill has left."""
    kept = newest(directory)
    for each in directory.iterdir():
        if each.is_dir() and each != kept:
            gone = each.rename(each.with_suffix(".old"))  # all of it at once, for who is opening it
            shutil.rmtree(gone, ignore_errors=True)


@contextmanager
def _locked(directory: Path) -> Iterator[None]:
    fd = os.open(directory / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise Busy(
                "Another process is ranking the pages of this collection; wait until it is done."
            ) from error
        yield
    finally:
        os.close(fd)
