"""How much memory does the process that writes the index take, and how is it kept within a bound?

It has two kinds. Its own is what it remembers, what the index library gathers before it writes, and
what the table's log holds that is in no file yet: each has a limit, and when all together reach
theirs, what is remembered is forgotten and what was freed is given back to the system. The other
kind are pages of the index's files, which a merge reads through: as many bytes as are merged, so
more with every page of the collection. They are the system's to take back at any time, and it is
asked to do so early (MADV_PAGEOUT, which loses nothing whatever lies there by then).

Where the system does not say how much there is (no /proc) nothing is done.
"""

import ctypes
import gc
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from shoal.closing import Closing

DEFAULT_BYTES = 512_000_000
_MAPPED_SHARE = 4
"""A quarter is for pages of files."""
_HEAP_SHARE = 8
_MOST_HEAP_BYTES = 64_000_000
_LOOK_SECONDS = 0.05
"""A merge reads a few megabytes in that time."""
_MOST_LOOK_SECONDS = 3.0
_GROWTH_SHARE = 16
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_MADV_PAGEOUT = 21
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
_ARENAS = 2
_LARGE_BYTES = 128 << 10
_FREE_BYTES = 4 << 20
"""More than so much at the end of a heap is given back."""


class Resident(NamedTuple):
    own: int = 0
    mapped: int = 0
    """Pages of files, the program's too."""


def resident(pid: int | str = "self") -> Resident:
    """Bytes in memory now; none where the system does not say."""
    try:
        numbers = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
        whole, mapped = int(numbers[1]), int(numbers[2])
    except (OSError, ValueError, IndexError):
        return Resident()
    return Resident((whole - mapped) * _PAGE_BYTES, mapped * _PAGE_BYTES)


class Memory(Closing):
    """Of this process, which writes the index in a directory."""

    def __init__(self, index: Path, most_bytes: int = DEFAULT_BYTES) -> None:
        self._index = index
        self._most_mapped = most_bytes // _MAPPED_SHARE
        self._most_own = self._forget_at = most_bytes - self._most_mapped
        self._growth = most_bytes // _GROWTH_SHARE
        self.heap_bytes = min(_MOST_HEAP_BYTES, most_bytes // _HEAP_SHARE)
        """Of documents that the index library gathers before it writes a file."""
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def keep(self, forget: Callable[[], None]) -> None:
        """Called often. Where forgetting does not help enough, it is not done again at once."""
        if resident().own > self._forget_at:
            forget()
            give_back_freed()
            self._forget_at = max(self._most_own, resident().own + self._growth)

    def close(self) -> None:
        self._over.set()
        self._watcher.join()

    def _watch(self) -> None:
        """More and more seldom while nothing happens."""
        before, pause = 0, _LOOK_SECONDS
        while not self._over.wait(pause):
            mapped = resident().mapped
            pause = _LOOK_SECONDS if mapped != before else min(2 * pause, _MOST_LOOK_SECONDS)
            before = mapped
            if mapped > self._most_mapped:
                give_back_pages(self._index)


def give_back_early() -> None:
    """From now on, in this process: large pieces of memory are the system's as soon as they are
    freed, and threads share two heaps, which together have fewer holes than one for each."""
    with suppress(OSError, AttributeError):  # another C library
        options = ctypes.CDLL(None).mallopt
        options(_M_ARENA_MAX, _ARENAS)
        options(_M_MMAP_THRESHOLD, _LARGE_BYTES)
        options(_M_TRIM_THRESHOLD, _FREE_BYTES)


def give_back_freed() -> None:
    """What was freed is the system's again, as far as the C library can; also what only refers to
    itself, as a stemmer and the pieces that it has made do."""
    gc.collect()
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def give_back_pages(directory: Path) -> None:
    """Pages of the files in a directory are read again when they are needed again."""
    inside = f"{directory.resolve()}{os.sep}"
    with suppress(OSError, AttributeError, ValueError):
        advise = ctypes.CDLL(None).madvise
        advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        for line in Path("/proc/self/maps").read_text(errors="replace").splitlines():
            if inside in line:
                start, end = (int(each, 16) for each in line.split(" ", 1)[0].split("-"))
                advise(start, end - start, _MADV_PAGEOUT)
