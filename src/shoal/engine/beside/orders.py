"""What do other processes want of the one that writes? Its inbox, carried out order by order.

A crawl looks into it, and so does whoever follows the sources of a collection: nobody else can
write meanwhile. An order is done when its effect is in the table; after a kill it is repeated.
"""

import asyncio
from collections.abc import Callable

from shoal.core import Crawl
from shoal.engine.engine import Engine
from shoal.engine.own_sources import OwnSources
from shoal.sources.inbox import (
    AddSource,
    Command,
    GiveWay,
    Inbox,
    LookAtSource,
    Push,
    RemoveSource,
    Stop,
    Unreadable,
    posted_at,
)


class Orders:
    """`stop` is told why it is to end; `sources` follow, or only know what is to be read."""

    def __init__(  # noqa: PLR0913 - what it is for, and whom it tells
        self,
        engine: Engine,
        crawl: Crawl,
        sources: OwnSources | None,
        started: float,
        stop: Callable[[str], None],
        give_way: Callable[[], None] | None = None,
    ) -> None:
        self._crawl = crawl
        self._sources = sources
        self._started = started
        self._stop = stop
        self._give_way = give_way
        self._taking = asyncio.Lock()
        self._inbox = Inbox(engine.layout.inbox)
        self._commands = engine.commands()
        self._injecting = engine.injecting()

    async def take_what_waits(self) -> int:
        """Commands, and some articles; returns how many of these there were. One at a time, or an
        article would be read twice."""
        async with self._taking:
            await self.carry_out()
            return await self._injecting.inject_waiting(self._crawl)

    async def carry_out(self) -> None:
        for name, command in self._inbox.take():
            if isinstance(command, Unreadable):
                continue  # it was set aside already
            await self._carry_out(command, is_of_now=posted_at(name) >= self._started)
            self._inbox.done(name)

    async def _carry_out(self, command: Command, *, is_of_now: bool) -> None:
        match command:
            case Push():
                await self._injecting.take_push(command, self._inbox.body_of(command))
            case Stop():
                if is_of_now:
                    self._stop("asked to stop")
            case GiveWay():
                if is_of_now and self._give_way is not None:
                    self._give_way()
            case AddSource() | RemoveSource() | LookAtSource():
                if self._sources is not None:
                    await carry_out_at_sources(self._sources, command)
            case _:
                self._commands.carry_out(command)


async def carry_out_at_sources(
    sources: OwnSources, command: AddSource | RemoveSource | LookAtSource
) -> None:
    """While they are followed, or at rest."""
    match command:
        case AddSource(source):
            sources.add(source)
            sources.following.begin(source)
        case RemoveSource(name):
            await sources.following.end(name)
            await sources.forget(name)
        case LookAtSource(name):
            sources.following.look(name)
