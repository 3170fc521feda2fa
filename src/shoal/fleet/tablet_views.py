"""Who reads in a tablet while it works? Views of its table, one for each reader, kept open."""

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from shoal.collection.view import TabletView
from shoal.layout.layout import Layout
from shoal.model.principal import Principal

Answer = TypeVar("Answer")

_MOST = 8
"""Principals for whom a view is kept open."""


class TabletViews:
    """May be asked from any thread; one question at a time."""

    def __init__(self) -> None:
        self._open: dict[Principal, TabletView] = {}
        self._asking = threading.Lock()

    def ask(
        self,
        layout: Layout,
        principal: Principal,
        question: Callable[..., Answer],
        *given: Any,
        **named: Any,
    ) -> Answer:
        with self._asking:
            view = self._open.get(principal)
            if view is None:
                self._keep(_MOST - 1)
                view = self._open[principal] = TabletView(layout, principal)
            else:
                view.refresh()
            return question(view, *given, **named)

    def close(self) -> None:
        with self._asking:
            self._keep(0)

    def _keep(self, count: int) -> None:
        """Those that were opened last."""
        while len(self._open) > count:
            self._open.pop(next(iter(self._open))).close()
