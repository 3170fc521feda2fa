"""Do the property tests hold for other cases than those that ./check draws?

A plugin for pytest: each property is run again and again, with new cases every time, until its
share of the time is over; once at the least. One that has failed is not run again, and what it
failed on is told as the @example to keep.
"""

import re
import time
from collections.abc import Iterator
from functools import wraps
from typing import Any

import pytest

_FAILING = re.compile(
    r"(?:Failing test case|Falsifying example): \w+\(\n(.*?)^\)", re.DOTALL | re.MULTILINE
)
_ARGUMENT = re.compile(r"^    (\w+)=.*?(?=^    \w+=|\Z)", re.DOTALL | re.MULTILINE)


class Properties:
    def __init__(self, minutes: float) -> None:
        """`minutes`: for all of them together."""
        self._seconds = 60 * minutes
        self._counted: set[int] = set()
        self.properties = 0
        self.cases = 0
        self.examples: list[str] = []

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:  # a file could not be read
            return False
        items = session.items
        self.properties = len(items)
        end = time.monotonic() + self._seconds
        left = len(items)
        for item, following in zip(items, [*items[1:], None], strict=True):
            self._count_cases(item)
            until = time.monotonic() + (end - time.monotonic()) / left
            left -= 1
            goes_on = True
            while goes_on:
                cases, failed = self.cases, session.testsfailed
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                is_done = self.cases == cases or session.testsfailed > failed
                goes_on = not is_done and time.monotonic() < until
        return True

    def _count_cases(self, item: pytest.Item) -> None:
        handle = getattr(getattr(item, "obj", None), "hypothesis", None)
        if handle is None or id(handle) in self._counted:  # several items may have one function
            return
        inner = handle.inner_test
        self._counted.add(id(handle))

        @wraps(inner)
        def counted(*arguments: Any, **named: Any) -> Any:
            self.cases += 1
            return inner(*arguments, **named)

        handle.inner_test = counted

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        if call.excinfo is not None:
            own = {"self", *getattr(item, "fixturenames", ())}
            self.examples += [
                f"{item.nodeid} failed; keep what it failed on above it:\n{example}"
                for example in examples(call.excinfo.value, own)
            ]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for each in self.examples:
            terminalreporter.write_line(each)


def examples(error: BaseException, not_drawn: set[str]) -> Iterator[str]:
    """As decorators, from what hypothesis notes on an error, or on each one of a group."""
    for note in getattr(error, "__notes__", ()):
        if failing := _FAILING.search(note):
            drawn = [each for each in _ARGUMENT.finditer(failing[1]) if each[1] not in not_drawn]
            yield f"@example(\n{''.join(each[0] for each in drawn)})"
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from examples(each, not_drawn)
