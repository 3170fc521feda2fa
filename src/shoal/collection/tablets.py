"""Who answers for the tablets of a collection? Questions are put to each tablet where it is.

A *question* is a function of a view: `question(view, *given) -> answer`, at the top of a module,
with plain values in and out, so that it can be carried to another machine. A collection in a
directory is one tablet; those of a cluster lie in directories that this process can read, or are
asked by their owners on Ray. What needs the whole collection (search, ranks, export, status) is
written once, over `Tablets`, and does not know the difference.
"""

import threading
from abc import ABC, abstractmethod
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


class AskedHere(Closing, ABC):
    """Tablets that this process asks by itself, several side by side."""

    count: int

    @abstractmethod
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
        return self._of_each(lambda tablet: self.ask(tablet, question, *given, **named))

    def ask_each(
        self, question: Callable[..., Answer], given: Sequence[tuple[Any, ...]]
    ) -> list[Answer]:
        return self._of_each(lambda tablet: self.ask(tablet, question, *given[tablet]))

    def _of_each(self, ask: Callable[[int], Answer]) -> list[Answer]:
        if self.count == 1:
            return [ask(0)]
        with ThreadPoolExecutor(_ASKED_AT_ONCE, "ask") as threads:
            return list(threads.map(ask, range(self.count)))


class LocalTablets(AskedHere):
    """Tablets in directories of this machine, or of a file system that it shares with others."""

    def __init__(self, places: Sequence[Layout], principal: Principal = OWNER) -> None:
        self.count = len(places)
        self._places = list(places)
        self._principal = principal
        self._open: dict[int, TabletView] = {}
        self._closing = ExitStack()
        self._opening = threading.Lock()
        if len(places) == 1:
            self.view(0)  # what is not there is told at once

    def view(self, tablet: int) -> TabletView:
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
        return question(self.view(tablet), *given, **named)

    def refresh(self) -> None:
        """See what was written since."""
        for view in list(self._open.values()):
            view.refresh()

    def move(self, places: Sequence[Layout]) -> None:
        """Tablets whose owner has changed lie elsewhere; who reads in the old place may end."""
        with self._opening:
            for tablet, place in enumerate(places):
                if place.directory != self._places[tablet].directory:
                    self._places[tablet] = place
                    self._open.pop(tablet, None)

    def close(self) -> None:
        self._closing.close()
