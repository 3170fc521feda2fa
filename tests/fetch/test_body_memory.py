"""Bodies that arrive together, or wait for slow readers, have a bounded part of the memory."""

import asyncio
from contextlib import AsyncExitStack

from shoal.body_memory import BodyMemory, Receiver
from shoal.fetch.settings import HttpSettings
from tests.fetch.loopback import answering, fetching, response, serving, visit

BODY = bytes(range(256)) * 8_000
"""2,048,000 bytes."""
MOST = 3_000_000
SERVERS = 12


class Watched(BodyMemory):
    def __init__(self) -> None:
        super().__init__(MOST)
        self.peak = 0
        self.refused = 0

    def may_receive(self, receiver: Receiver, size: int) -> bool:
        may = super().may_receive(receiver, size)
        self.refused += not may
        self.peak = max(self.peak, self.held)
        return may


def test_large_bodies_of_many_hosts_arrive_whole_within_the_memory() -> None:
    bodies = Watched()

    async def run() -> None:
        async with AsyncExitStack() as stack:
            origins = [
                await stack.enter_async_context(
                    serving(answering(response(body=BODY)), f"127.4.8.{number + 1}")
                )
                for number in range(SERVERS)
            ]
            fetcher = await stack.enter_async_context(
                fetching(HttpSettings(agent="t", bodies=bodies))
            )

            async def ask_and_read(host: str, port: int) -> bytes:
                fetched = await fetcher.fetch(visit(f"http://{host}:{port}/"))
                bodies.take(len(fetched.body))  # as one that waits for a reader
                bodies.peak = max(bodies.peak, bodies.held)
                await asyncio.sleep(0.01)
                bodies.give_back(len(fetched.body))
                return fetched.body

            asked = (ask_and_read(each.host, each.port) for each in origins)
            assert await asyncio.gather(*asked) == [BODY] * SERVERS

    asyncio.run(run())
    assert bodies.refused > 0
    assert bodies.peak <= MOST + len(BODY)
    assert bodies.held == 0


def test_a_body_that_is_given_up_leaves_the_memory() -> None:
    bodies = Watched()

    async def run() -> None:
        half = response(body=BODY)[: len(BODY) // 2]
        async with (
            serving(answering(half, close=True), "127.4.8.1") as origin,
            fetching(HttpSettings(agent="t", bodies=bodies)) as fetcher,
        ):
            await fetcher.fetch(visit(f"http://{origin.host}:{origin.port}/"))

    asyncio.run(run())
    assert bodies.peak > 0
    assert bodies.held == 0


def test_nothing_new_is_asked_for_while_it_is_half_full() -> None:
    bodies = BodyMemory(1_000)
    bodies.take(500)
    assert not bodies.is_half_full
    bodies.take(1)
    assert bodies.is_half_full
