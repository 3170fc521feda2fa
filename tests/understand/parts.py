"""Parts for the tests of the pool: a pool of scripted readers, and short ways to ask it."""

import asyncio
import os
import select
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol, TypeVar

import pytest
import uvloop

from shoal.clock import SystemClock
from shoal.model.document import Document, Understood
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.understand.pool import ChildLimits, Pool
from shoal.understand.process import command_for

T = TypeVar("T")


class Run(Protocol):
    def __call__(self, work: Coroutine[Any, Any, T], /) -> T: ...


SCRIPTED = "tests.understand.workers:scripted"
LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


on_each_loop = pytest.mark.parametrize(
    "run", [pytest.param("asyncio", marks=pytest.mark.slow), "uvloop"], indirect=True
)


def pool_of(
    size: int = 2,
    factory: str = SCRIPTED,
    config: bytes = b"config",
    limits: ChildLimits | None = None,
) -> Pool:
    return Pool(command_for(factory), config, size, limits or ChildLimits(), SystemClock())


async def closing(pool: Pool, work: Callable[[], Awaitable[T]]) -> T:
    try:
        return await work()
    finally:
        await pool.close()


def ask(
    pool: Pool, name: str, body: bytes = b"echo", kind: VisitKind = VisitKind.PAGE
) -> Awaitable[Understood]:
    visit = Visit(f"https://reef.example/{name}", name.encode(), b"site", kind)
    return pool.understand(visit, Fetched(Outcome.OK, 200, body=body))


def document(understood: Understood) -> Document:
    (only,) = understood.documents
    return only


def words(understood: Understood) -> list[str]:
    return document(understood).title.split(" ")


def gone(pid: int) -> bool:
    """Whether the process ends within ten seconds."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 10)[0])
    finally:
        os.close(handle)
