"""Which subscriptions are there? A directory `websub/` of the collection, one file for each.

The files hold secrets and the names of callbacks that nobody may guess, so only their owner can
read them (0600). Each is replaced as a whole, synced, under one lock of the directory: two servers
of one collection, and all threads of each, can work on the same ones, and nothing is kept in
memory. Beside each stands what was delivered, so that nothing is taken twice.
"""

import fcntl
import os
import re
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import CollectionError
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json
from shoal.sources.subscription import Standing, Subscription, callback_of
from shoal.sources.websub import MOST_REMEMBERED, is_replay, remembering
from shoal.whole_file import write_whole

DIRECTORY = "websub"
MOST_SUBSCRIPTIONS = 10_000
_ID_BYTES = 32
_SECRET_BYTES = 48  # 64 characters; a hub takes fewer than 200 bytes
_NAME = re.compile(r"[A-Za-z0-9_-]{43}")
_JSON, _SEEN = ".json", ".seen"
_MOST_FILE_BYTES = max(65_536, 8 * MOST_REMEMBERED)


class PushState(Struct, frozen=True):
    """How a feed stands with its hub, for people: no secret, no callback."""

    hub: str
    standing: str
    until: float
    """When the lease ends; 0: there is none."""
    delivered: int
    delivered_at: float
    problem: str


class Subscriptions:
    """All of one collection's; the first makes the directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory / DIRECTORY

    def all(self) -> list[Subscription]:
        try:
            ids = sorted(each.stem for each in self._directory.iterdir() if each.suffix == _JSON)
        except OSError:
            return []
        found = (self.get(each) for each in ids)
        return [each for each in found if each is not None]

    def get(self, name: str) -> Subscription | None:
        """The subscription with this id. What can't be read is none: it is asked for again."""
        if not _NAME.fullmatch(name):
            return None
        try:
            found = from_json(Subscription, self._read(name + _JSON))
        except (OSError, *JSON_ERRORS, RecursionError):
            return None
        return found if found.id == name else None

    def add(self, feed_url: str, topic: str, hub: str, base: str) -> Subscription:
        """A new one, with an id and a secret of its own; nobody has been asked yet."""
        name = secrets.token_urlsafe(_ID_BYTES)
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        made = Subscription(name, feed_url, topic, hub, callback_of(base, name), secret)
        with self._locked():
            self._write(name + _JSON, to_json(made))
        return made

    def change(self, name: str, how: Callable[[Subscription], Subscription]) -> Subscription | None:
        """Change it by what it is now; None when there is no such one any more."""
        with self._locked():
            found = self.get(name)
            return None if found is None else self._changed(found, how(found))

    def take_once(
        self, name: str, key: bytes, take: Callable[[Subscription], Subscription]
    ) -> bool:
        """Do `take` for a delivery that is not known by its key, and remember it. Nobody else
        takes another in the meantime; what `take` raises leaves it not taken."""
        with self._locked():
            found = self.get(name)
            if found is None:
                return False
            remembered = self._remembered(name)
            if is_replay(remembered, key):
                return False
            after = take(found)
            self._write(name + _SEEN, remembering(remembered, key))
            self._changed(found, after)
            return True

    def forget(self, name: str) -> None:
        with self._locked():
            for suffix in (_SEEN, _JSON):
                (self._directory / f"{name}{suffix}").unlink(missing_ok=True)

    @contextmanager
    def keeping(self) -> Iterator[bool]:
        """Whether it is upon us to keep them: no other server does until the end of the block."""
        with self._holding("keeper", fcntl.LOCK_EX | fcntl.LOCK_NB) as is_held:
            yield is_held

    def _changed(self, before: Subscription, after: Subscription) -> Subscription:
        if after != before:
            self._write(after.id + _JSON, to_json(after))
        return after

    def _remembered(self, name: str) -> bytes:
        try:
            return self._read(name + _SEEN)
        except OSError:
            return b""

    def _read(self, name: str) -> bytes:
        with (self._directory / name).open("rb") as file:
            return file.read(_MOST_FILE_BYTES)

    def _write(self, name: str, data: bytes) -> None:
        try:
            write_whole(self._directory / name, data, synced=True, mode=0o600)
        except OSError as error:
            raise self._unusable(error) from error

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._holding("lock", fcntl.LOCK_EX):
            yield

    @contextmanager
    def _holding(self, name: str, how: int) -> Iterator[bool]:
        try:
            self._directory.mkdir(mode=0o700, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            handle = os.open(self._directory / name, flags, 0o600)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            try:
                fcntl.flock(handle, how)
            except OSError:
                yield False
            else:
                yield True
        finally:
            os.close(handle)

    def _unusable(self, error: OSError) -> CollectionError:
        return CollectionError(f"{self._directory} can't be written: {error.strerror or error}")


def push_states(directory: Path) -> dict[str, PushState]:
    """By feed: its best subscription, the one that lasts longest."""
    found: dict[str, PushState] = {}
    for each in Subscriptions(directory).all():
        if each.standing in (Standing.LEAVING, Standing.GONE):
            continue
        until = each.until if each.standing is Standing.ACTIVE else 0.0
        before = found.get(each.feed_url)
        if before is None or until > before.until:
            found[each.feed_url] = PushState(
                each.hub, each.standing, until, each.delivered, each.delivered_at, each.problem
            )
    return found


class Pushed:
    """Until when is a feed pushed? For a crawl, which polls it less often as long: it asks at every
    poll, so the files are read only when one was replaced, which the directory's time tells."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._read_at_ns = -1
        self._states: dict[str, PushState] = {}

    def until(self, feed_url: str) -> float:
        """Unix seconds; 0: nobody pushes it."""
        try:
            changed_ns = (self._directory / DIRECTORY).stat().st_mtime_ns
        except OSError:
            return 0.0
        if changed_ns != self._read_at_ns:
            self._read_at_ns, self._states = changed_ns, push_states(self._directory)
        found = self._states.get(feed_url)
        return 0.0 if found is None else found.until
