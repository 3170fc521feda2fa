"""Which paths are there? One table of all views; Starlette's routes and /openapi.json are made out
of it."""

from dataclasses import replace
from importlib import import_module

from shoal.web.server.view import View

_MODULES = (
    *("search", "copies", "pages", "own", "trees", "described"),
    *("dashboard", "url_lists", "hosts", "failures", "stored", "crawls", "graph", "metrics"),
    *("feeds", "sources", "clusters", "topics"),
)
"""The modules of views, each with `VIEWS`."""
_FOR_READERS = frozenset({"search", "copies", "pages", "own", "trees", "described"})
"""Those whose views say of documents what each who asks may read; the others are the owner's."""


def views() -> list[View]:
    found: list[View] = []
    for name in _MODULES:
        for view in import_module(f"shoal.web.views.{name}").VIEWS:
            found.append(replace(view, for_readers=name in _FOR_READERS))
    return found
