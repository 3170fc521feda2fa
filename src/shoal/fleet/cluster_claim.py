"""Who runs a cluster? One `start` at a time: two would take tablets from each other for ever.

Whoever starts creates `coordinator.json`, which only one can, and rewrites it every second until
it ends. One that was killed falls silent, and after a while the next start takes its place. One
that was stopped for so long and wakes up finds another's token there, and ends.
"""

import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from shoal.cluster.objects import Exists, Missing, Objects, StoreFault
from shoal.errors import Busy
from shoal.model.record import JSON_ERRORS, Struct, from_json, to_json

CLAIM = "coordinator.json"
_BEAT_SECONDS = 1.0
_SILENT_SECONDS = 8.0
_LOOK_SECONDS = 0.25


class Claim(Struct):
    token: str
    beat: int = 0


class Claimed:
    """To be used in a `with`: it is ours within."""

    def __init__(self, place: str, objects: Objects) -> None:
        self._place = place
        self._objects = objects
        self._token = secrets.token_hex(8)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="claim", daemon=True)
        self.on_lost: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        while True:
            try:
                self._objects.put(CLAIM, to_json(Claim(self._token)), create=True)
                break
            except Exists:
                self._must_be_silent()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        with suppress(StoreFault):  # then the next one waits for a moment
            found = self._read()
            if found is not None and found.token == self._token:
                self._objects.delete([CLAIM])

    def _must_be_silent(self) -> None:
        first, deadline = self._read(), time.monotonic() + _SILENT_SECONDS
        while time.monotonic() < deadline:
            now = self._read()
            if now is None:
                return
            if first is None or (now.token, now.beat) != (first.token, first.beat):
                raise Busy(
                    f"The cluster in {self._place} runs already; see: "
                    f"shoal cluster status {self._place}, or end it with: "
                    f"shoal cluster stop {self._place}"
                )
            time.sleep(_LOOK_SECONDS)
        self._objects.delete([CLAIM])

    def _beat(self) -> None:
        beat = 0
        while not self._over.wait(_BEAT_SECONDS):
            beat += 1
            with suppress(StoreFault):  # the next one may come through
                found = self._read()
                if found is not None and found.token != self._token:
                    self.on_lost()
                    return
                self._objects.put(CLAIM, to_json(Claim(self._token, beat)))

    def _read(self) -> Claim | None:
        try:
            return from_json(Claim, self._objects.get(CLAIM))
        except (Missing, *JSON_ERRORS):
            return None
