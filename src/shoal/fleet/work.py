"""Who does what needs all tablets, and from what does it read? Ranks and all pairs of duplicates
are tasks over snapshots of the tablets.

A *source* is a tablet that can be asked questions (tablets.py) wherever a task runs: a copy of its
table that no longer changes. So a task can be run again, elsewhere. Without Ray the tasks
run here, one after another, and ask the tablets themselves.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from shoal.collection.tablets import Tablets
from shoal.collection.view import TabletView
from shoal.fleet.local_executor import LocalExecutor
from shoal.ports import Executor

Given = ParamSpec("Given")
Answer = TypeVar("Answer")


class TabletQuestions(Protocol):
    @property
    def machine(self) -> str:
        """Where it is best read; empty: anywhere."""
        ...

    def ask(
        self,
        question: Callable[Concatenate[TabletView, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer: ...


@dataclass(frozen=True)
class TabletSource:
    """A tablet as this process can ask it."""

    tablets: Tablets
    number: int
    machine: str = ""

    def ask(
        self,
        question: Callable[Concatenate[TabletView, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer:
        return self.tablets.ask(self.number, question, *given, **named)


@dataclass(frozen=True)
class Work:
    executor: Executor
    sources: Sequence[TabletQuestions]
    """Of each tablet, in their order."""

    def of_tablets(
        self, task: Callable[..., Sequence[Any]], given: Mapping[int, Sequence[Any]], returns: int
    ) -> dict[int, list[Any]]:
        """A task for some tablets, each where its source is; it is given the source first."""
        machines = [self.sources[number].machine for number in given]
        asked = [[self.sources[number], *each] for number, each in given.items()]
        return dict(zip(given, self.executor.each(task, asked, returns, machines), strict=True))

    def parts(self, size_bytes: int) -> int:
        """In how many parts work of a size is divided: each fits into a task, and all of them have
        something to do."""
        return max(self.executor.at_once, -(-size_bytes // self.executor.capacity_bytes), 1)


@contextmanager
def work_here(tablets: Tablets) -> Iterator[Work]:
    with LocalExecutor() as executor:
        yield Work(executor, [TabletSource(tablets, number) for number in range(tablets.count)])
