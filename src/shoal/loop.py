"""How is a coroutine run to its end? On the fast event loop, within a notebook's, uncancelled."""

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run to the end, also where an event loop is running already (a notebook): then in a
    thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _with_fast_loop(work)
    box: list[Result | BaseException] = []

    def in_thread() -> None:
        try:
            box.append(_with_fast_loop(work))
        except BaseException as error:  # noqa: BLE001 - carried over to the calling thread
            box.append(error)

    thread = threading.Thread(target=in_thread, name="shoal")
    thread.start()
    thread.join()
    if isinstance(box[0], BaseException):
        raise box[0]
    return box[0]


async def to_its_end(work: Coroutine[Any, Any, Result]) -> Result:
    """Await what must not be left half done (the end of processes); a cancellation waits for it."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise


def _with_fast_loop(work: Coroutine[Any, Any, Result]) -> Result:
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        return runner.run(work)


def fast_loop() -> Any:
    try:
        from uvloop import new_event_loop  # noqa: PLC0415 - not to be had on every platform
    except ImportError:
        return None
    return new_event_loop
