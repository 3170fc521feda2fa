"""How are the sources of a collection followed for as long as somebody wants it? By one process,
which makes room for others.

`shoal watch` is one, and `shoal serve` starts one (`python -m shoal.control.following DIR`). It
holds the collection's lock while it follows. Another command that wants to write asks for it
(layout.py): then it ends what is at hand, waits until the other is done, and looks at everything
once more. Orders from the inbox are carried out meanwhile.
"""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from shoal.access.opening import settings_at
from shoal.config import Config
from shoal.engine.beside.orders import Orders
from shoal.engine.engine import Engine
from shoal.engine.own_sources import OwnSources, Tell
from shoal.errors import Busy, ShoalError
from shoal.layout.following import read_following
from shoal.layout.layout import Layout, holder_of, is_locked
from shoal.loop import run

_LOOK_SECONDS = 1.0
"""Into the inbox."""
_UNTIL_TAKEN_SECONDS = 3.0
"""Whoever asked for the lock has it by then, or asks again."""
_FREE_SECONDS = 2.0
"""One command may take the lock more than once."""
_POLL_SECONDS = 0.1
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def watch_sources(
    place: str, settings: Mapping[str, object], tell: Tell | None = None
) -> signal.Signals | None:
    """Follow all sources until a signal comes, which is returned, or `shoal stop`."""
    layout = Layout(Path(place))
    config = settings_at(place, settings, os.environ)
    layout.must_exist()
    layout.must_be_free()
    if read_following(layout) is not None:
        raise Busy(
            f"The sources of {place} are followed already, by process {holder_of(layout)}; "
            "nothing need be stopped."
        )
    return run(_watch(layout, config, tell))


async def _watch(layout: Layout, config: Config, tell: Tell | None) -> signal.Signals | None:
    loop, over, came = asyncio.get_running_loop(), asyncio.Event(), list[signal.Signals]()

    def stop(which: signal.Signals) -> None:
        came.append(which)
        over.set()

    for which in _SIGNALS:
        loop.add_signal_handler(which, stop, which)
    try:
        await _follow_until(layout, config, over, tell)
    finally:
        for which in _SIGNALS:
            loop.remove_signal_handler(which)
    return came[0] if came else None


async def _follow_until(
    layout: Layout, config: Config, over: asyncio.Event, tell: Tell | None = None
) -> None:
    while not over.is_set():
        engine = Engine(layout.directory, config, at_rest=True, gives_way=True)
        try:
            gave_way = await _follow(engine, over, tell)
        finally:
            await engine.close()
        if not gave_way:
            return
        await _until(layout, over, _UNTIL_TAKEN_SECONDS, locked=True)
        await _until_free(layout, over)


async def _follow(engine: Engine, over: asyncio.Event, tell: Tell | None) -> bool:
    """Returns whether it ended to make room for another."""
    sources, giving_way = OwnSources(engine), asyncio.Event()
    orders = Orders(
        engine,
        engine.crawl(),
        sources,
        engine.clock.now(),
        stop=lambda _: over.set(),
        give_way=giving_way.set,
    )

    async def take() -> None:
        while not (over.is_set() or giving_way.is_set()):
            await orders.take_what_waits()
            await _wait(over, _LOOK_SECONDS)

    running = asyncio.create_task(sources.run(forever=True, tell=tell))
    taking = asyncio.create_task(take())
    await asyncio.wait({running, taking}, return_when=asyncio.FIRST_COMPLETED)
    sources.stop()
    if not taking.done():  # a fault ended the other
        taking.cancel()
    ended = await asyncio.gather(running, taking, return_exceptions=True)
    for fault in ended:
        if isinstance(fault, BaseException) and not isinstance(fault, asyncio.CancelledError):
            raise fault
    return giving_way.is_set() and not over.is_set()


async def _until_free(layout: Layout, over: asyncio.Event) -> None:
    """For a while already."""
    while not over.is_set():
        if not await _until(layout, over, _FREE_SECONDS, locked=True):
            return


async def _until(layout: Layout, over: asyncio.Event, seconds: float, *, locked: bool) -> bool:
    """Whether it is locked, or free, within this time. The lock is another process's: there is no
    event to wait for."""
    deadline_s = asyncio.get_running_loop().time() + seconds
    while is_locked(layout) is not locked:
        if over.is_set() or asyncio.get_running_loop().time() >= deadline_s:
            return False
        await _wait(over, _POLL_SECONDS)
    await _wait(over, _POLL_SECONDS)
    return True


async def _wait(over: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(over.wait(), seconds)


# --- as a process of its own ----------------------------------------------------------------


def start_following(layout: Layout) -> "subprocess.Popen[bytes]":
    """A process that follows the sources until its input ends, and waits while others write."""
    return subprocess.Popen(  # noqa: S603 - our own program, and no shell
        [sys.executable, "-P", "-m", "shoal.control.following", str(layout.directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is the server's, who ends it
    )


async def _follow_until_input_ends(layout: Layout, config: Config) -> None:
    loop, over, unread = asyncio.get_running_loop(), asyncio.Event(), sys.stdin.fileno()

    def read() -> None:
        if not os.read(unread, 1024):
            loop.remove_reader(unread)
            over.set()

    loop.add_reader(unread, read)
    for which in _SIGNALS:
        loop.add_signal_handler(which, over.set)
    while not over.is_set():
        await _until_free(layout, over)
        with suppress(Busy):  # another was quicker
            await _follow_until(layout, config, over)


def main() -> int:
    layout = Layout(Path(sys.argv[1]))
    try:
        run(_follow_until_input_ends(layout, settings_at(str(layout.directory), {}, os.environ)))
    except ShoalError as error:
        sys.stderr.write(f"shoal: the sources are not followed: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
