"""A real Chromium on our own pages: how it looks at them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = {"viewport": {"width": 320, "height": 640}}
LOOKS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "phone": {**PHONE, "color_scheme": "light"},
}
in_each_look = pytest.mark.parametrize(
    "look", [pytest.param("light", marks=pytest.mark.slow), "dark", "phone"]
)
"""A phone's look is a light one."""


@contextmanager
def opened(browser: "Browser", address: str, **settings: Any) -> "Iterator[Page]":
    """A page in a profile of its own; what its console complains of fails the test."""
    with browser.new_context(**settings) as context:
        context.set_default_timeout(90_000)  # the machine may have other work
        page = context.new_page()
        said: list[str] = []
        page.on("console", lambda line: said.append(line.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(address)
        yield page
        assert said == []
