"""Who answers for the tablets of a collection? Questions are put to each tablet where it is.

A *question* is a function of a view: `question(view, *given) -> answer`, at the top of a module,
with plain values in and out, so that it can be carried to another machine. A collection in a
directory is one tablet; those of a cluster lie in directories that this process can read, or are
asked by their owners on Ray. What needs the whole collection (search, ranks, export, status) is
written once, over `Tablets`, and does not know the difference.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from shoal.closing import Closing
from shoal.collection.view import TabletView
from shoal.layout.layout import Layout
from shoal.model.principal import OWNER, Principal
from shoal.model.urls.partition import tablet_of_row

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Question = Callable[Concatenate[TabletView, Given], Answer]

_ASKED_AT_ONCE = 8


class Tablets(Protocol):
    """All tablets of a collection, in their order."""

    @property
    def count(self) -> int: ...
    def ask(
        self,
        tablet: int,
        question: Callable[Concatenate[TabletView, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer: ...
    def ask_all(
        self,
        question: Callable[Concatenate[TabletView, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> list[Answer]:
        """One answer of each, in the order of the tablets."""
        ...

    def ask_each(
        self,
        question: Callable[..., Answer],
        given: Sequence[tuple[Any, ...]],
    ) -> list[Answer]:
        """Each tablet is given its own."""
        ...

    def refresh(self) -> None:
        """See what was written since."""
        ...

    def close(self) -> None: ...


def owner_of(tablets: Tablets, row: bytes) -> int:
    """Which tablet has a page."""
    return tablet_of_row(row, tablets.count)


class OneTablet(Closing):
    """A collection in a directory: its only tablet."""

    count = 1

    def __init__(self, view: TabletView) -> None:
        self.view = view

    def ask(
        self,
        tablet: int,
        question: Callable[Concatenate[TabletView, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer:
        del tablet
        return question(self.view, *given, **named)

    def ask_all(
        self,
        question: Callable[Concatenate[TabletView, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> list[Answer]:
        return [question(self.view, *given, **named)]

    def ask_each(
        self, question: Callable[..., Answer], given: Sequence[tuple[Any, ...]]
    ) -> list[Answer]:
        return [question(self.view, *each) for each in given]

    def refresh(self) -> None:
        self.view.refresh()

    def close(self) -> None:
        self.view.close()


class LocalTablets(Closing):
    """Tablets in directories of this machine, or of a file system that it shares with others."""

    def __init__(self, places: Sequence[Layout], principal: Principal = OWNER) -> None:
        self._places = list(places)
        self._principal = principal
        self._open: dict[int, TabletView] = {}
        self._closing = ExitStack()
        self._opening = threading.Lock()

    @property
    def count(self) -> int:
        return len(self._places)

    def collection(self, tablet: int) -> TabletView:
        with self._opening:
            if tablet not in self._open:
                found = TabletView(self._places[tablet], self._principal)
                self._open[tablet] = self._closing.enter_context(found)
            return self._open[tablet]

    def ask(
        self,
        tablet: int,
        question: Callable[Concatenate[TabletView, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> Answer:
        return question(self.collection(tablet), *given, **named)

    def ask_all(
        self,
        question: Callable[Concatenate[TabletView, Given], Answer],
        *given: Given.args,
        **named: Given.kwargs,
    ) -> list[Answer]:
        every = [self.collection(tablet) for tablet in range(self.count)]
        with ThreadPoolExecutor(_ASKED_AT_ONCE, "ask") as threads:
            return list(threads.map(lambda each: question(each, *given, **named), every))

    def ask_each(
        self, question: Callable[..., Answer], given: Sequence[tuple[Any, ...]]
    ) -> list[Answer]:
        every = [(self.collection(tablet), *each) for tablet, each in enumerate(given)]
        with ThreadPoolExecutor(_ASKED_AT_ONCE, "ask") as threads:
            return list(threads.map(lambda each: question(*each), every))

    def refresh(self) -> None:
        """See what was written since."""
        for collection in list(self._open.values()):
            collection.refresh()

    def move(self, places: Sequence[Layout]) -> None:
        """Tablets whose owner has changed lie elsewhere; who reads in the old place may end."""
        with self._opening:
            for tablet, place in enumerate(places):
                if place.directory != self._places[tablet].directory:
                    self._places[tablet] = place
                    self._open.pop(tablet, None)

    def close(self) -> None:
        self._open.clear()
        self._closing.close()
