"""What do other processes ask of a running crawl? A spool directory with one file per order.

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
from typing import Literal

from shoal.clock import Clock, SystemClock
from shoal.errors import CollectionError, UsageError
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.model.source import SourceRow
from shoal.whole_file import put_on_disk, write_whole

MAX_COMMAND_BYTES = 16_384
MAX_BODY_BYTES = 5_000_000
"""Of a pushed feed."""
MAX_TAKEN = 1_000
"""Commands read at a time; the rest wait for the next time."""

_COMMAND_SUFFIX, _BODY_SUFFIX = ".order", ".body"
_ORPHAN_SECONDS = 3_600.0
_NAME = re.compile(r"([0-9]{16})-[0-9a-f]{8}\.order")
_BODY = re.compile(r"[0-9]{16}-[0-9a-f]{8}\.body")
# A link or a pipe in the place of an order is neither followed nor waited for.
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Submit(Struct, tag=True, frozen=True):
    """Fetch this URL now."""

    url: str


class ReadSitemap(Struct, tag=True, frozen=True):
    """Fetch this sitemap now, and then what it names."""

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


class MakeTopic(Struct, tag=True, frozen=True):
    """A topic, or other words for one."""

    name: str
    words: str = ""


class Teach(Struct, tag=True, frozen=True):
    """A page is about a topic, or is not; or nothing is said of it any more."""

    topic: str
    url: str
    answer: Literal["yes", "no", "unsaid"]
    title: str = ""
    text: str = ""
    """Its words, in part. Empty: it is to be fetched first."""


class RemoveTopic(Struct, tag=True, frozen=True):
    """A topic with all that was said and learned of it. Pages keep their marks until they are read
    again."""

    name: str


class AddFeed(Struct, tag=True, frozen=True):
    """Poll this feed from now on, also one that was removed."""

    url: str


class RemoveFeed(Struct, tag=True, frozen=True):
    """Poll this feed no more, even if pages announce it. What it brought stays."""

    url: str


class Push(Struct, tag=True, frozen=True):
    """A hub has sent this feed, and the signature was right (WebSub)."""

    feed_url: str
    content_type: str
    file: str
    """Its body, in a file of its own beside the order: `Inbox.body_of` reads it."""


class AddSource(Struct, tag=True, frozen=True):
    """Read this folder, file or mailbox of one's own from now on."""

    source: SourceRow


class RemoveSource(Struct, tag=True, frozen=True):
    """Forget this source, and what was read of it."""

    name: bytes


class LookAtSource(Struct, tag=True, frozen=True):
    """Look at all of this source now; empty: at all of them."""

    name: bytes = b""


class GiveWay(Struct, tag=True, frozen=True):
    """Let another process write, and come back when it is done."""


class Stop(Struct, tag=True, frozen=True):
    """Finish what is in flight, and end. One from before the crawl's start (`posted_at`) was meant
    for an earlier crawl."""


class Unreadable(Struct, frozen=True):
    """A file that holds no order. It is set aside already; what is left to do is to say so."""

    warning: str


Command = (
    Submit
    | ReadSitemap
    | Pause
    | Resume
    | Slow
    | Exclude
    | Include
    | Retry
    | Mark
    | MakeTopic
    | Teach
    | RemoveTopic
    | AddFeed
    | RemoveFeed
    | AddSource
    | RemoveSource
    | LookAtSource
    | GiveWay
    | Stop
    | Push
)
"""What can be posted."""
StoredCommand = Command | Unreadable
"""What can be taken."""


class _Letter(Struct, frozen=True):
    order: Command


class Inbox:
    """The spool directory `inbox/` of one collection; the first order makes it."""

    def __init__(self, directory: Path, clock: Clock | None = None) -> None:
        self._directory = directory
        self._clock = clock or SystemClock()
        self._last_us = 0

    def post(self, command: Command) -> str:
        """Leave an order; on return it survives a power loss. Returns its name."""
        data, name = _sealed(command), self._next_name()
        self._keep(name, data)
        return name

    def push(self, feed_url: str, content_type: str, body: bytes) -> str:
        """Leave what a hub sent; the body first, so that no order is without. Returns the order's
        name."""
        if len(body) > MAX_BODY_BYTES:
            raise UsageError(f"a pushed feed may have {MAX_BODY_BYTES:,} bytes, not {len(body):,}")
        name = self._next_name()
        file = _body_of_command(name)
        data = _sealed(Push(feed_url, content_type, file))
        self._keep(file, body)
        try:
            self._keep(name, data)
        except CollectionError:
            with suppress(OSError):
                (self._directory / file).unlink()
            raise
        return name

    def _next_name(self) -> str:
        self._last_us = max(self._last_us + 1, int(self._clock.now() * 1_000_000))
        return f"{self._last_us:016d}-{secrets.token_hex(4)}.order"

    def _keep(self, name: str, data: bytes) -> None:
        try:
            self._directory.mkdir(exist_ok=True)
            write_whole(self._directory / name, data, synced=True)
        except OSError as error:
            raise self._unusable(error) from error

    def take(self) -> list[tuple[str, StoredCommand]]:
        """The commands that are there, oldest first; none when the directory is not. They stay
        until each is `done`."""
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
            (self._directory / _body_of_command(name)).unlink(missing_ok=True)
            (self._directory / name).unlink(missing_ok=True)
            put_on_disk(self._directory)
        except OSError as error:
            raise self._unusable(error) from error

    def body_of(self, command: Push) -> bytes | None:
        """What was pushed; None when it is not there: the order is done, or was never one."""
        if not _BODY.fullmatch(command.file):
            return None
        try:
            data = self._bytes_of(command.file, MAX_BODY_BYTES)
        except OSError:
            return None
        return None if data is None or len(data) > MAX_BODY_BYTES else data

    def pushed_bytes(self) -> int:
        """What waits here of pushed bodies. One that a kill left without its order is deleted."""
        total = 0
        try:
            with os.scandir(self._directory) as entries:
                sizes = {each.name: each.stat(follow_symlinks=False).st_size for each in entries}
            for name in filter(_BODY.fullmatch, sizes):
                command = name.removesuffix(_BODY_SUFFIX) + _COMMAND_SUFFIX
                old = self._clock.now() - posted_at(command) > _ORPHAN_SECONDS
                if command not in sizes and old:
                    (self._directory / name).unlink(missing_ok=True)
                else:
                    total += sizes[name]
        except OSError:
            return total  # none yet, or one that was taken in this moment
        return total

    def _bytes_of(self, name: str, most: int) -> bytes | None:
        """Up to one byte more than `most`; None of what is no plain file."""
        with os.fdopen(os.open(self._directory / name, _READ_FLAGS), "rb") as file:
            return file.read(most + 1) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else None

    def _read(self, name: str) -> StoredCommand:
        try:
            data = self._bytes_of(name, MAX_COMMAND_BYTES)
            if data is None:
                return self._set_aside(name, "it is no plain file")
            if len(data) > MAX_COMMAND_BYTES:
                return self._set_aside(name, f"it is longer than {MAX_COMMAND_BYTES:,} bytes")
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

    def _unusable(self, error: OSError) -> CollectionError:
        where = f"the inbox {self._directory}"
        return CollectionError(f"{where} can't be written: {error.strerror or error}")


def posted_at(name: str) -> float:
    """When a command was posted, in unix seconds."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"{name!r} is not the name of an order")
    return int(match[1]) / 1_000_000


def _sealed(command: Command) -> bytes:
    data = to_json(_Letter(command))
    if len(data) > MAX_COMMAND_BYTES:
        raise UsageError(f"an order may have {MAX_COMMAND_BYTES:,} bytes, this has {len(data):,}")
    return data


def _body_of_command(name: str) -> str:
    return name.removesuffix(_COMMAND_SUFFIX) + _BODY_SUFFIX
