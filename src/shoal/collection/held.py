"""What is looked at: one collection, or a cluster? Much is asked of both in the same way.

A collection is a cluster of one tablet; so what is put together from the answers of all tablets is
written once.
"""

from collections.abc import Callable, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from shoal.collection import questions as asked
from shoal.collection.collection import Collection
from shoal.collection.tablets import Tablets
from shoal.collection.whole import Whole

Given = ParamSpec("Given")
Answer = TypeVar("Answer")

Held = Collection | Whole


def tablets_of(held: Held) -> Tablets:
    return held.tablets if isinstance(held, Whole) else Alone(held)


def sees_everything(held: Held) -> bool:
    """Whether the principal that it was opened for may read all of it."""
    return tablets_of(held).ask(0, asked.sees_all)


class Alone:
    """A collection as the only tablet."""

    count = 1

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def ask(
        self,
        tablet: int,
        question: Callable[Concatenate[Collection, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer:
        del tablet
        return question(self._collection, *given, **named)

    def ask_all(
        self,
        question: Callable[Concatenate[Collection, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> list[Answer]:
        return [question(self._collection, *given, **named)]

    def ask_each(
        self, question: Callable[..., Answer], given: Sequence[tuple[Any, ...]]
    ) -> list[Answer]:
        return [question(self._collection, *each) for each in given]

    def refresh(self) -> None:
        self._collection.refresh()

    def close(self) -> None:
        """It is whoever opened it that closes it."""
