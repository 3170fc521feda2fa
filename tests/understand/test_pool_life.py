"""The life of the readers: how they start, what they outlive, and how they end."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from shoal.clock import SystemClock
from shoal.errors import UnderstandError
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit
from shoal.understand.pool import ChildLimits, Pool
from tests.understand.parts import (
    LOOPS,
    Run,
    ask,
    closing,
    gone,
    on_each_loop,
    pool_of,
    words,
)


@on_each_loop
def test_settings_that_no_reader_takes(run: Run) -> None:
    async def work() -> None:
        await ask(pool, "first")
        pool.configure(b"bad")
        with pytest.raises(UnderstandError, match="ValueError: there is no setting 'bad'"):
            await ask(pool, "p")

    pool = pool_of()
    run(closing(pool, work))


slow = partial(pytest.param, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    ("factory", "config", "reason"),
    [
        ("scripted", b"bad", r"ValueError: there is no setting 'bad'"),
        ("silent_exit", b"", r"exit code 5"),
        slow("no_such_factory", b"", r"no attribute 'no_such_factory'"),
        slow("nonsense", b"\xff" * 50, r"makes no sense"),  # a frame of four gigabytes
        slow("nonsense", b"\0\0\0\0\2", r"makes no sense"),  # an answer nobody asked for
    ],
)
def test_readers_that_can_t_start(run: Run, factory: str, config: bytes, reason: str) -> None:
    async def work() -> None:
        with pytest.raises(UnderstandError, match=reason):
            await ask(pool, "p")
        with pytest.raises(UnderstandError, match="No process to read pages could be started"):
            await ask(pool, "again")

    pool = pool_of(factory=f"tests.understand.workers:{factory}", config=config)
    run(closing(pool, work))


def test_readers_that_die_idle_are_not_replaced_for_ever(run: Run) -> None:
    async def work() -> None:
        await ask(pool, "first")
        async with asyncio.timeout(20):
            while not pool.stats.fault:  # noqa: ASYNC110 - nobody is told but the next caller
                await asyncio.sleep(0.01)
        with pytest.raises(UnderstandError, match="exit code 7"):
            await ask(pool, "later")

    pool = pool_of(size=1, factory="tests.understand.workers:quits_when_ready")
    run(closing(pool, work))


def test_no_such_program(run: Run) -> None:
    async def work() -> None:
        with pytest.raises(UnderstandError, match="No such file"):
            await ask(pool, "p")

    pool = Pool(["/no/such/python"], b"", 2, ChildLimits(), SystemClock())
    run(closing(pool, work))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_for_the_parent_do_not_end_a_reader(run: Run, number: int) -> None:
    async def work() -> None:
        pid = int(words(await ask(pool, "p"))[1])
        os.kill(pid, number)
        assert int(words(await ask(pool, "p"))[1]) == pid

    pool = pool_of(size=1)
    run(closing(pool, work))


def test_limits_are_set(run: Run) -> None:
    async def work() -> None:
        assert words(await ask(pool, "p", b"limits")) == ["1500000000", "0", "256"]

    pool = pool_of(size=1)
    run(closing(pool, work))


@on_each_loop
def test_large_pages_and_large_answers(run: Run) -> None:
    async def work() -> None:
        body = b"size 5000000 " + b"x" * 20_000_000
        answers = await asyncio.gather(*(ask(pool, f"p{i}", body) for i in range(4)))
        for answer in answers:
            assert words(answer) == [str(len(body)), "x" * 5_000_000]

    pool = pool_of()
    run(closing(pool, work))


@on_each_loop
def test_close_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    note = tmp_path / "note"

    async def work() -> list[int]:
        answers = await asyncio.gather(*(ask(pool, f"p{i}") for i in range(20)))
        return [int(words(answer)[1]) for answer in answers]

    pool = pool_of(config=str(note).encode(), limits=ChildLimits(close_seconds=3600))
    pids = run(closing(pool, work))
    started = time.monotonic()
    run(pool.close())  # twice is as good as once
    assert time.monotonic() - started < 60
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)  # not even as a zombie
    assert note.read_text() == "closed"
    with pytest.raises(UnderstandError, match="closed"):
        run(pool.understand(Visit("u", b"", b""), Fetched(Outcome.OK)))


@on_each_loop
def test_close_does_not_wait_for_a_page_that_hangs(run: Run) -> None:
    async def work() -> None:
        pid = int(words(await ask(pool, "first"))[1])
        stuck = [asyncio.ensure_future(ask(pool, f"p{i}", b"hang")) for i in range(4)]
        await asyncio.sleep(0)
        started = time.monotonic()
        await pool.close()
        assert time.monotonic() - started < 60  # the page hangs for an hour
        for task in stuck:
            with pytest.raises(UnderstandError, match="closed"):
                await task
        assert gone(pid)

    pool = pool_of(size=1, limits=ChildLimits(close_seconds=0.1))
    run(work())


def test_close_before_any_page(run: Run) -> None:
    run(pool_of().close())


@on_each_loop
def test_close_while_a_reader_is_being_buried(run: Run) -> None:
    async def work() -> None:
        await ask(pool, "first")
        dying = asyncio.ensure_future(ask(pool, "p", b"segv"))
        while pool.stats.busy:  # noqa: ASYNC110 - to meet the moment between death and burial
            await asyncio.sleep(0)
        await pool.close()  # it is dead, and not yet buried
        with pytest.raises(UnderstandError, match="closed"):
            await dying

    pool = pool_of(size=1)
    run(work())


def test_one_event_loop_after_another() -> None:
    async def session() -> None:
        pool = pool_of(size=1)
        await closing(pool, lambda: ask(pool, "p"))

    for factory in (*LOOPS.values(), *LOOPS.values()):
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(session())


def test_in_a_thread_of_a_notebook() -> None:
    results: list[str] = []

    async def session() -> None:
        pool = pool_of(size=1)
        results.append(words(await closing(pool, lambda: ask(pool, "p")))[0])

    thread = threading.Thread(target=lambda: asyncio.run(session()))
    thread.start()
    thread.join()
    assert results == ["https://reef.example/p"]


SCRIPT = """
import asyncio, os, signal, sys
from shoal.clock import SystemClock
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit
from shoal.understand.pool import ChildLimits, Pool
from shoal.understand.process import command_for

def page(body):
    return pool.understand(Visit("https://reef.example/", b"", b""), Fetched(Outcome.OK, body=body))

async def main():
    answers = await asyncio.gather(*(page(b"echo") for _ in range(8)))
    print(*{answer.documents[0].title.split()[1] for answer in answers}, flush=True)
    if sys.argv[1] == "die":
        stuck = [asyncio.ensure_future(page(b"hang")) for _ in range(8)]
        await asyncio.sleep(0)
        os.kill(os.getpid(), signal.SIGKILL)
    await pool.close()

pool = Pool(command_for("tests.understand.workers:scripted"), b"", 2, ChildLimits(), SystemClock())
asyncio.run(main())
"""


@pytest.mark.parametrize("end", ["close", "die"])
def test_a_script_without_a_main_guard_leaves_no_orphans(end: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, end],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == (0 if end == "close" else -signal.SIGKILL), done.stderr
    pids = [int(word) for word in done.stdout.split()]
    assert len(pids) == 2
    assert all(gone(pid) for pid in pids)
