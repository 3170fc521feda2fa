"""What time is it in the world?

The clock stands, or runs at some speed: world seconds per second. All that was ever set is kept as
marks, in the server and in the test, so that a Unix time of the log says which time of the world it
was, and the other way round. While it runs, a change's date is the Unix time at which it happened:
`Last-Modified` and `Date` then agree, whatever the speed. While it stands, 0 is the year 2010.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import NamedTuple

_EPOCH_UNIX = datetime(2010, 1, 1, tzinfo=UTC).timestamp()  # what a clock that stands calls 0


class Mark(NamedTuple):
    """From this moment on the world's clock went like this."""

    unix: float
    world: float
    speed: float

    def at(self, unix: float) -> float:
        return self.world + (unix - self.unix) * self.speed


class WorldClock:
    """A clock that can be set, and its past."""

    def __init__(self) -> None:
        self._marks = [Mark(0.0, 0.0, 0.0)]

    def now(self) -> float:
        return self._marks[-1].at(time.time())

    @property
    def runs(self) -> bool:
        return self._marks[-1].speed > 0

    def set(self, *, world: float | None = None, speed: float | None = None) -> Mark:
        """Set the time, the speed or both; what is not given stays."""
        unix, last = time.time(), self._marks[-1]
        mark = Mark(
            unix,
            last.at(unix) if world is None else world,
            last.speed if speed is None else speed,
        )
        self.add(mark)
        return mark

    def add(self, mark: Mark) -> None:
        self._marks.append(mark)

    def at(self, unix: float) -> float:
        """The world's time at this Unix time."""
        return next(mark for mark in reversed(self._marks) if mark.unix <= unix).at(unix)

    def unix_at(self, world: float) -> float:
        """When the world's clock showed this, going by how it runs now (2010 if it stands)."""
        last = self._marks[-1]
        if last.speed <= 0:
            return _EPOCH_UNIX + world
        return last.unix + (world - last.world) / last.speed
