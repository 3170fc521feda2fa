"""Which paths are there? One table of all views; Starlette's routes and /openapi.json are made out
of it."""

from importlib import import_module

from shoal.web.server.view import View

_MODULES = (
    *("search", "copies", "pages", "described"),
    *("dashboard", "url_lists", "hosts", "failures", "stored", "crawls", "graph", "metrics"),
    *("feeds", "clusters"),
)
"""The modules of views, each with `VIEWS`."""


def views() -> list[View]:
    found: list[View] = []
    for name in _MODULES:
        found += import_module(f"shoal.web.views.{name}").VIEWS
    return found
