"""How are the sources of a collection followed, and how does whoever asks learn how far that is?

Each source has a task of its own: it looks at everything, one source after the other, and then
follows what stirs. Sources come and go meanwhile. What is going on is written down when it changes
(layout/following.py); while nothing happens nothing is written.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shoal.engine.engine import Engine
from shoal.errors import ShoalError
from shoal.layout.following import (
    FOLLOWED,
    LOOKING,
    WAITING,
    FollowedSource,
    begin_following,
    end_following,
    write_following,
)
from shoal.model.record import to_json
from shoal.model.source import SourceRow, shown
from shoal.ports import DocumentSource

if TYPE_CHECKING:
    from shoal.engine.own_sources import OwnSources

_LOOK_SECONDS = 1.0
_BETWEEN_WRITES_SECONDS = 1.0


@dataclass
class _Task:
    source: DocumentSource
    told: FollowedSource
    is_over: bool = False
    is_asked: bool = False
    """A person wants all of it to be looked at now."""
    task: "asyncio.Task[None] | None" = field(default=None)


class SourceFollowing:
    """`run` goes on until `stop`; all from one event loop."""

    def __init__(self, engine: Engine, sources: "OwnSources", *, crawls: bool = False) -> None:
        self._engine = engine
        self._sources = sources
        self._over = asyncio.Event()
        self._turn = asyncio.Lock()
        """Of the source all of which is being looked at."""
        self._tasks: dict[bytes, _Task] = {}
        self._group: asyncio.TaskGroup | None = None
        self._following = begin_following(engine.clock.now(), crawls=crawls)
        self._written = b""

    def stop(self) -> None:
        self._over.set()

    def begin(self, row: SourceRow) -> None:
        """Follow one that is there now, if it is not followed; else look at all of it."""
        if self._group is None or self._over.is_set():
            return
        known = self._tasks.get(row.name)
        if known is not None:
            known.is_asked = True
            return
        told = FollowedSource(shown(row.name), WAITING, problem=row.problem)
        self._following.sources.append(told)
        try:
            found = _Task(self._sources.source_of(row), told)
        except ShoalError as error:  # the others are followed all the same
            told.problem = str(error)
            return
        self._tasks[row.name] = found
        found.task = self._group.create_task(self._follow(found))

    def look(self, name: bytes = b"") -> None:
        """At all of it now; at all of them without a name."""
        for each, task in self._tasks.items():
            task.is_asked = task.is_asked or name in (b"", each)

    async def end(self, name: bytes) -> None:
        """Follow it no more."""
        found = self._tasks.get(name)
        if found is not None and found.task is not None:
            found.is_over = True
            await asyncio.wait({found.task})

    async def run(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                for row in self._sources.all():
                    self.begin(row)
                group.create_task(self._keep_writing())
                await self._over.wait()
        except BaseExceptionGroup as faults:
            raise _first_of(faults) from None  # it stopped the others
        finally:
            self._group = None
            for each in self._tasks.values():
                each.source.close()
            end_following(self._engine.layout)

    # --- one of them ------------------------------------------------------------------------

    async def _follow(self, followed: _Task) -> None:
        source, told = followed.source, followed.told
        try:
            await self._sources.in_thread(source.watch)
            await self._look_at_all(followed)
            while self._goes_on(followed):
                if followed.is_asked:
                    await self._look_at_all(followed)
                elif await self._sources.stirs(source, _LOOK_SECONDS):
                    await self._look(followed, everything=False)
                else:
                    self._sources.settle(source)
                told.problem = source.row().problem
        finally:
            source.close()
            self._tasks.pop(source.row().name, None)
            if told in self._following.sources:
                self._following.sources.remove(told)

    async def _look_at_all(self, followed: _Task) -> None:
        followed.is_asked = False
        async with self._turn:
            followed.told.state = LOOKING
            await self._look(followed, everything=True)
            await self._sources.tidy()
        followed.told.state = FOLLOWED
        followed.told.looked = self._engine.clock.now()

    async def _look(self, followed: _Task, *, everything: bool) -> None:
        def goes_on(done: int) -> bool:
            followed.told.done += done
            return self._goes_on(followed)

        await self._sources.look(followed.source, goes_on, everything=everything)
        followed.told.problem = followed.source.row().problem

    def _goes_on(self, followed: _Task) -> bool:
        return not followed.is_over and not self._over.is_set()

    # --- telling ----------------------------------------------------------------------------

    async def _keep_writing(self) -> None:
        while not self._over.is_set():
            self._write()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), _BETWEEN_WRITES_SECONDS)

    def _write(self) -> None:
        """Only when it says something else than before."""
        says = to_json(self._following.sources)
        if says != self._written:
            self._following.written = self._engine.clock.now()
            with suppress(OSError):  # a full disk: whoever looks sees the last that was written
                write_following(self._engine.layout, self._following)
            self._written = says


def _first_of(faults: BaseExceptionGroup[BaseException]) -> BaseException:
    first = faults.exceptions[0]
    return _first_of(first) if isinstance(first, BaseExceptionGroup) else first


class WorkedShare:
    """Seconds that were spent on work, between its rests; for a process that does other things,
    whose time on the processor says nothing of this work."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timing(self) -> Callable[[], None]:
        """A function that is called when a piece of work has ended, and again when the next
        begins."""
        since: list[float] = [time.monotonic()]

        def turn() -> None:
            now = time.monotonic()
            if since:
                self.seconds += now - since.pop()
            else:
                since.append(now)

        return turn
