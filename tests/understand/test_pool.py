"""The pool: real child processes, pages that kill them, and everyone else's pages unharmed."""

import asyncio
import gzip
import os
from pathlib import Path

import pytest

from shoal.errors import UnderstandError
from shoal.model.document import Fate, Understood
from shoal.model.outcome import Outcome
from shoal.model.visit import Fetched, Visit, VisitKind
from shoal.understand.pool import LARGE_BYTES, MOST_ASKED, MOST_LARGE, ChildLimits
from tests.understand.parts import (
    Run,
    ask,
    closing,
    document,
    on_each_loop,
    pool_of,
    words,
)


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
    b"hang": "took longer than 5 s",
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

    pool = pool_of(limits=ChildLimits(page_seconds=5.0))
    run(closing(pool, work))


@on_each_loop
def test_a_child_that_answers_and_dies_while_we_are_held_up(run: Run, tmp_path: Path) -> None:
    """Its answer and its end lie in the socket together; some pages it has never read."""
    gates = [tmp_path / name for name in ("a", "b")]
    for gate in gates:
        os.mkfifo(gate)

    async def work() -> None:
        reader = int(words(await ask(pool, "first"))[1])
        first, second = (b"gate %s" % bytes(gate) for gate in gates)
        asked = [asyncio.ensure_future(ask(pool, "shut", first))]
        held = await asyncio.to_thread(gates[0].open, "wb")  # when it is there
        asked += [asyncio.ensure_future(ask(pool, "p", each)) for each in (second, b"exit 3")]
        await asyncio.sleep(0)  # they are sent
        held.close()
        held = await asyncio.to_thread(gates[1].open, "wb")
        asked += [asyncio.ensure_future(ask(pool, "behind")) for _ in range(5)]
        await asyncio.sleep(0)
        held.close()
        os.waitid(os.P_PID, reader, os.WEXITED | os.WNOWAIT)  # noqa: ASYNC222 - so are we held up
        answers = await asyncio.wait_for(asyncio.gather(*asked), 60)
        assert document(answers[2]).problem == POISON[b"exit 3"]
        assert words(answers[1])[1] == str(reader)
        assert all(words(each)[1] != str(reader) for each in answers[3:])

    pool = pool_of(size=1)
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
        answer = await ask(pool, "robots.txt", b"segv", VisitKind.ROBOTS)
        assert answer.documents == []
        assert answer.robots is None

    pool = pool_of(size=1)
    run(closing(pool, work))


def open_gate(gate: Path) -> None:
    gate.write_bytes(b"go")  # waits for the reader


@pytest.mark.parametrize(("size", "most"), [(0, MOST_ASKED), (LARGE_BYTES, MOST_LARGE)])
def test_callers_wait_when_all_are_full(run: Run, tmp_path: Path, size: int, most: int) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def work() -> None:
        await ask(pool, "first")
        shut = asyncio.ensure_future(ask(pool, "shut", b"gate %s" % bytes(gate)))
        others = [
            asyncio.ensure_future(ask(pool, f"p{i}", b"echo" + b" " * size))
            for i in range(most + 3)
        ]
        await asyncio.sleep(0)
        assert pool.stats.waiting == 4  # one in work, some behind it
        assert not any(other.done() for other in others)
        await asyncio.to_thread(open_gate, gate)
        answers = await asyncio.gather(shut, *others)
        assert words(answers[5])[0] == "https://reef.example/p4"
        assert pool.stats.waiting == 0

    pool = pool_of(size=1)
    run(closing(pool, work))


def test_what_is_awaited_is_read_before_others(run: Run, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    read: list[str] = []

    async def one(
        name: str, kind: VisitKind = VisitKind.PAGE, level: int = 3, body: bytes = b"echo"
    ) -> None:
        visit = Visit(f"https://reef.example/{name}", name.encode(), b"site", kind, level=level)
        await pool.understand(visit, Fetched(Outcome.OK, 200, body=body))
        read.append(name)

    async def work() -> None:
        await one("first")
        asks = [one("shut", body=b"gate %s" % bytes(gate)), *map(one, behind), one("a"), one("b")]
        asks += [one("pushed", VisitKind.INJECTED), one("wished", level=0), one("c")]
        asked = [asyncio.ensure_future(each) for each in asks]
        await asyncio.sleep(0)
        await asyncio.to_thread(open_gate, gate)
        await asyncio.gather(*asked)

    behind = [f"behind it {number}" for number in range(1, MOST_ASKED)]
    pool = pool_of(size=1)
    run(closing(pool, work))
    assert read == ["first", "shut", *behind, "pushed", "wished", "a", "b", "c"]


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
