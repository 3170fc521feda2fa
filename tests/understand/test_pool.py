"""The pool: real child processes, pages that kill them, and everyone else's pages unharmed."""

import asyncio
import gc
import gzip
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

import pytest
import uvloop

from shoal.clock import SystemClock
from shoal.errors import UnderstandError
from shoal.model.document import Document, Fate, Understood
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Kind, Visit
from shoal.understand.pool import ChildLimits, Pool
from shoal.understand.process import command_for

T = TypeVar("T")


class Run(Protocol):
    def __call__(self, work: Coroutine[Any, Any, T], /) -> T: ...


SCRIPTED = "tests.understand.workers:scripted"
LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with asyncio.Runner(loop_factory=LOOPS[getattr(request, "param", "uvloop")]) as runner:
        yield runner.run
    gc.collect()  # a child that was forgotten warns now, and warnings are errors


on_each_loop = pytest.mark.parametrize("run", LOOPS, indirect=True)


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
    pool: Pool, name: str, body: bytes = b"echo", kind: Kind = Kind.PAGE
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


@on_each_loop
def test_every_page_gets_its_own_answer(run: Run) -> None:
    async def work() -> None:
        answers = await asyncio.gather(*(ask(pool, f"p{i}") for i in range(60)))
        assert [words(answer)[0] for answer in answers] == [
            f"https://reef.example/p{i}" for i in range(60)
        ]
        assert len({words(answer)[1] for answer in answers}) == 2
        assert pool.stats.pages == 60
        assert (pool.stats.children, pool.stats.busy, pool.stats.waiting) == (2, 0, 0)
        assert answers[0].cpu_seconds > 0

    pool = pool_of()
    run(closing(pool, work))


def test_the_reader_of_the_crawl_in_a_child(run: Run) -> None:
    async def work() -> None:
        body = gzip.compress(b"<title>Reef</title><p>Fish <a href=/a>swim</a>.</p>")
        visit = Visit("https://reef.example/p", b"row", b"site")
        headers = [("content-type", "text/html"), ("content-encoding", "gzip")]
        answer = await pool.understand(visit, Fetched(Outcome.OK, 200, headers=headers, body=body))
        assert (document(answer).title, document(answer).fate) == ("Reef", Fate.WAITING)
        assert [(link.url, link.text) for link in answer.links] == [
            ("https://reef.example/a", "swim")
        ]

    pool = pool_of(size=1, factory="tests.understand.workers:reading")
    run(closing(pool, work))


POISON = {
    b"segv": "the reader crashed (signal 11)",
    b"exit 3": "the reader crashed (exit code 3)",
    b"hang": "took longer than 0.5 s",
    b"eat": "ran out of memory",
}


@on_each_loop
def test_poison_costs_only_itself(run: Run) -> None:
    async def work() -> None:
        bodies = [*POISON, *[b"echo"] * 9] * 2
        answers = await asyncio.gather(*(ask(pool, f"p{i}", body) for i, body in enumerate(bodies)))
        for i, (body, answer) in enumerate(zip(bodies, answers, strict=True)):
            if body in POISON:
                found = document(answer)
                assert (found.fate, found.problem) == (Fate.UNCONVERTIBLE, POISON[body])
                assert found.body_bytes == len(body)
                assert answer.response is not None
                assert (answer.response.file, answer.response.offset) == ("kept", len(body))
            else:
                assert words(answer)[0] == f"https://reef.example/p{i}"
        assert (pool.stats.deaths, pool.stats.timeouts) == (8, 2)

    pool = pool_of(limits=ChildLimits(page_seconds=0.5))
    run(closing(pool, work))


@on_each_loop
def test_the_page_behind_a_crash_is_read_by_another(run: Run) -> None:
    async def work() -> None:
        killer, behind = await asyncio.gather(ask(pool, "killer", b"segv"), ask(pool, "behind"))
        assert document(killer).fate is Fate.UNCONVERTIBLE
        assert words(behind)[0] == "https://reef.example/behind"

    pool = pool_of(size=1)
    run(closing(pool, work))


def test_a_page_that_kills_twice_is_let_go(run: Run) -> None:
    async def work() -> None:
        answer = await ask(pool, "p", b"segv-twice")
        assert document(answer).problem == "the reader crashed (signal 11)"
        assert answer.response is None
        assert words(await ask(pool, "next"))[0] == "https://reef.example/next"

    pool = pool_of(size=1)
    run(closing(pool, work))


def test_memory_that_only_the_system_refuses(run: Run) -> None:
    async def work() -> None:
        answer = await ask(pool, "p", b"overrun")
        assert document(answer).fate is Fate.UNCONVERTIBLE
        assert words(await ask(pool, "next"))[0] == "https://reef.example/next"

    pool = pool_of(size=1)
    run(closing(pool, work))


@pytest.mark.parametrize(
    ("order", "problem", "kept"),
    [
        (b"raise", "KeyError: 'no such thing'", True),
        (b"raise-twice", "KeyError: 'no such thing'", False),
    ],
)
def test_an_exception_is_an_answer(run: Run, order: bytes, problem: str, kept: bool) -> None:
    async def work() -> None:
        before = words(await ask(pool, "before"))
        answer = await ask(pool, "p", order)
        assert document(answer).fate is Fate.UNCONVERTIBLE
        assert document(answer).problem == problem
        assert (answer.response is not None) == kept
        assert words(await ask(pool, "after"))[1] == before[1]  # the same process
        assert pool.stats.deaths == 0

    pool = pool_of(size=1)
    run(closing(pool, work))


def test_an_answer_that_can_t_be_sent_is_a_problem(run: Run) -> None:
    async def work() -> None:
        assert "UnicodeEncodeError" in document(await ask(pool, "p", b"surrogate")).problem

    pool = pool_of(size=1)
    run(closing(pool, work))


def test_a_fault_of_ours_is_raised(run: Run) -> None:
    async def work() -> None:
        with pytest.raises(UnderstandError, match="The disk is full"):
            await ask(pool, "p", b"fault")
        assert words(await ask(pool, "next"))[0] == "https://reef.example/next"

    pool = pool_of(size=1)
    run(closing(pool, work))


def test_robots_that_kill_make_no_document(run: Run) -> None:
    async def work() -> None:
        answer = await ask(pool, "robots.txt", b"segv", Kind.ROBOTS)
        assert answer.documents == []
        assert answer.robots is None

    pool = pool_of(size=1)
    run(closing(pool, work))


def open_gate(gate: Path) -> None:
    gate.write_bytes(b"go")  # waits for the reader


def test_callers_wait_when_all_are_full(run: Run, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def work() -> None:
        await ask(pool, "first")
        shut = asyncio.ensure_future(ask(pool, "shut", b"gate %s" % bytes(gate)))
        others = [asyncio.ensure_future(ask(pool, f"p{i}")) for i in range(5)]
        await asyncio.sleep(0)
        assert pool.stats.waiting == 4  # one in work, one behind it
        assert not any(other.done() for other in others)
        await asyncio.to_thread(open_gate, gate)
        answers = await asyncio.gather(shut, *others)
        assert words(answers[5])[0] == "https://reef.example/p4"
        assert pool.stats.waiting == 0

    pool = pool_of(size=1)
    run(closing(pool, work))


@on_each_loop
def test_a_cancelled_caller_disturbs_nobody(run: Run, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def work() -> None:
        await ask(pool, "first")
        tasks = [asyncio.ensure_future(ask(pool, "shut", b"gate %s" % bytes(gate)))]
        tasks += [asyncio.ensure_future(ask(pool, f"p{i}")) for i in range(4)]
        await asyncio.sleep(0)
        for cancelled in (0, 1, 3):  # in work, sent, and still waiting
            tasks[cancelled].cancel()
        await asyncio.to_thread(open_gate, gate)
        answers = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(answer, asyncio.CancelledError) for answer in answers] == [
            *(True, True, False, True, False)
        ]
        for answer, name in ((answers[2], "p1"), (answers[4], "p3")):
            assert isinstance(answer, Understood)
            assert words(answer)[0] == f"https://reef.example/{name}"
        assert words(await ask(pool, "last"))[0] == "https://reef.example/last"

    pool = pool_of(size=1)
    run(closing(pool, work))


def test_new_settings_hold_for_the_next_page(run: Run) -> None:
    async def work() -> None:
        before = [asyncio.ensure_future(ask(pool, f"p{i}")) for i in range(3)]
        await asyncio.gather(*before)
        pool.configure(b"wider")
        after = await asyncio.gather(*(ask(pool, f"p{i}") for i in range(20)))
        assert {words(task.result())[2] for task in before} == {"config"}
        assert {words(answer)[2] for answer in after} == {"wider"}
        await ask(pool, "p", b"segv")
        assert words(await ask(pool, "p"))[2] == "wider"

    pool = pool_of()
    run(closing(pool, work))


@on_each_loop
def test_settings_that_no_reader_takes(run: Run) -> None:
    async def work() -> None:
        await ask(pool, "first")
        pool.configure(b"bad")
        with pytest.raises(UnderstandError, match="ValueError: there is no setting 'bad'"):
            await ask(pool, "p")

    pool = pool_of()
    run(closing(pool, work))


@pytest.mark.parametrize(
    ("factory", "config", "reason"),
    [
        ("scripted", b"bad", r"ValueError: there is no setting 'bad'"),
        ("silent_exit", b"", r"exit code 5"),
        ("no_such_factory", b"", r"no attribute 'no_such_factory'"),
        ("nonsense", b"\xff" * 50, r"makes no sense"),  # a frame of four gigabytes
        ("nonsense", b"\0\0\0\0\2", r"makes no sense"),  # an answer nobody asked for
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

    pool = pool_of(config=str(note).encode())
    pids = run(closing(pool, work))
    started = time.monotonic()
    run(pool.close())  # twice is as good as once
    assert time.monotonic() - started < 1
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
        assert time.monotonic() - started < 5
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
