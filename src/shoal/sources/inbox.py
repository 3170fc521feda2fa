"""What do other processes ask of a running crawl (W13)? A spool directory with one file per order.

Only the crawl's own process writes to the table; `shoal submit` and its kind leave an order here.
An order is written under another name, synced and renamed, so it is there whole or not at all; it
is deleted (`done`) only when its effect is durable, so a kill between the two repeats it, and every
order can be repeated. Names sort by the time of posting. The files are JSON: a person can read
one, and a bad one is set aside as `*.bad`, never an error.
"""

import heapq
import os
import re
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from shoal.clock import Clock, SystemClock
from shoal.errors import CollectionError, UsageError
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json

MAX_ORDER_BYTES = 16_384
MAX_TAKEN = 1_000
"""Orders read at a time; the rest wait for the next time."""

_NAME = re.compile(r"([0-9]{16})-[0-9a-f]{8}\.order")
# A link or a pipe in the place of an order is neither followed nor waited for.
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Submit(Struct, tag=True, frozen=True):
    """Fetch this URL now."""

    url: str


class Pause(Struct, tag=True, frozen=True):
    """Ask nothing more of this host."""

    host: str


class Resume(Struct, tag=True, frozen=True):
    """Go on with a paused host."""

    host: str


class Slow(Struct, tag=True, frozen=True):
    """At least this long between two requests to this host; 0: as the settings say."""

    host: str
    delay_seconds: float


class Exclude(Struct, tag=True, frozen=True):
    """Nothing more of this host: what waits there is excluded."""

    host: str


class Include(Struct, tag=True, frozen=True):
    """Go on with an excluded host: what was excluded so waits again."""

    host: str


class Retry(Struct, tag=True, frozen=True):
    """Queue again what failed: for this reason or status, at this host; empty: any."""

    reason: str
    host: str = ""


class Mark(Struct, tag=True, frozen=True):
    """What analysis found out about a stored page: each name with its value; empty: none."""

    url: str
    marks: dict[str, str]


class Stop(Struct, tag=True, frozen=True):
    """Finish what is in flight, and end. One from before the crawl's start (`posted_at`) was meant
    for an earlier crawl."""


class Unreadable(Struct, frozen=True):
    """A file that holds no order. It is set aside already; what is left to do is to say so."""

    warning: str


Command = Submit | Pause | Resume | Slow | Exclude | Include | Retry | Mark | Stop
"""What can be posted."""
Order = Command | Unreadable
"""What can be taken."""


class _Letter(Struct, frozen=True):
    order: Command


class Inbox:
    """The spool directory `inbox/` of one collection; the first order makes it."""

    def __init__(self, directory: Path, clock: Clock | None = None) -> None:
        self._directory = directory
        self._clock = clock or SystemClock()
        self._last_us = 0

    def post(self, order: Command) -> str:
        """Leave an order; on return it survives a power loss. Returns its name."""
        data = to_json(_Letter(order))
        if len(data) > MAX_ORDER_BYTES:
            raise UsageError(f"an order may have {MAX_ORDER_BYTES:,} bytes, this has {len(data):,}")
        self._last_us = max(self._last_us + 1, int(self._clock.now() * 1_000_000))
        name = f"{self._last_us:016d}-{secrets.token_hex(4)}.order"
        draft = self._directory / f".{name}"
        try:
            self._directory.mkdir(exist_ok=True)
            with draft.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            draft.rename(self._directory / name)
            self._sync()
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise self._unusable(error) from error
        return name

    def take(self) -> list[tuple[str, Order]]:
        """The orders that are there, oldest first; none when the directory is not. They stay until
        each is `done`."""
        try:
            with os.scandir(self._directory) as entries:
                names = (entry.name for entry in entries)
                oldest = heapq.nsmallest(MAX_TAKEN, filter(_NAME.fullmatch, names))
        except OSError:
            return []
        return [(name, self._read(name)) for name in oldest]

    def done(self, name: str) -> None:
        """The order's effect is durable: forget it."""
        posted_at(name)
        try:
            (self._directory / name).unlink(missing_ok=True)
            self._sync()
        except OSError as error:
            raise self._unusable(error) from error

    def _read(self, name: str) -> Order:
        try:
            with os.fdopen(os.open(self._directory / name, _READ_FLAGS), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return self._set_aside(name, "it is no plain file")
                data = file.read(MAX_ORDER_BYTES + 1)
            if len(data) > MAX_ORDER_BYTES:
                return self._set_aside(name, f"it is longer than {MAX_ORDER_BYTES:,} bytes")
            return from_json(_Letter, data).order
        except OSError as error:
            return self._set_aside(name, error.strerror or str(error))
        except (*JSON_ERRORS, RecursionError) as error:
            return self._set_aside(name, str(error))

    def _set_aside(self, name: str, why: str) -> Unreadable:
        place = f"{name}.bad"
        try:
            (self._directory / name).rename(self._directory / place)
        except OSError as error:
            place = f"{name}, because it can't be renamed: {error.strerror}"
        return Unreadable(f"a file in the inbox is no order ({why}); it is kept as {place}")

    def _sync(self) -> None:
        """A rename or a deletion is durable when its directory is."""
        handle = os.open(self._directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def _unusable(self, error: OSError) -> CollectionError:
        where = f"the inbox {self._directory}"
        return CollectionError(f"{where} can't be written: {error.strerror or error}")


def posted_at(name: str) -> float:
    """When an order was posted, in unix seconds."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"{name!r} is not the name of an order")
    return int(match[1]) / 1_000_000
