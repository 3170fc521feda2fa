"""A coroutine that ends processes is not left half done."""

import asyncio

import pytest

from shoal.loop import to_its_end


def test_a_cancellation_waits_for_the_end() -> None:
    async def run() -> None:
        begun, may_end, ends = asyncio.Event(), asyncio.Event(), []

        async def end() -> None:
            begun.set()
            await may_end.wait()
            ends.append("ended")

        task = asyncio.create_task(to_its_end(end()))
        await begun.wait()
        task.cancel()
        await asyncio.sleep(0)
        assert not task.done()
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ends == ["ended"]

    asyncio.run(run())


def test_what_it_returns_and_raises_comes_through() -> None:
    async def answer() -> int:
        return 3

    async def fail() -> int:
        raise ValueError("no")

    assert asyncio.run(to_its_end(answer())) == 3
    with pytest.raises(ValueError, match="no"):
        asyncio.run(to_its_end(fail()))
