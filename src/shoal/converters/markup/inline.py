"""What do the marks within a line of a light markup mean? A table of rules, each a pattern.

The rules of one language are one regular expression; whichever matches first in the text says what
the matched piece is, and what stands in it is read by the same rules, down to a small depth.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from shoal.converters.writer import Run

_DEEPEST = 4


class Span(NamedTuple):
    text: str
    bold: bool = False
    href: str = ""
    literal: bool = False
    """No marks in it."""


Make = Callable[[re.Match[str]], Span]


def plain(group: int = 1) -> Make:
    return lambda found: Span(found[group])


def bold(group: int = 1) -> Make:
    return lambda found: Span(found[group], bold=True)


def literal(group: int = 1) -> Make:
    return lambda found: Span(found[group], literal=True)


def link(label: int, href: int) -> Make:
    return lambda found: Span(found[label] or found[href], href=found[href])


def nothing(_: re.Match[str]) -> Span:
    return Span("", literal=True)


class Markup:
    def __init__(self, *rules: tuple[str, Make]) -> None:
        self._rules = [(re.compile(pattern, re.DOTALL), make) for pattern, make in rules]
        self._any = re.compile(
            "|".join(f"(?P<rule{at}>{pattern})" for at, (pattern, _) in enumerate(rules)),
            re.DOTALL,
        )

    def runs(self, text: str) -> list[Run]:
        found: list[Run] = []
        self._read(text, Span(""), 0, found)
        return found

    def _read(self, text: str, around: Span, depth: int, into: list[Run]) -> None:
        position = 0
        for found in self._any.finditer(text):
            # The last group to close is the rule's own, which stands around its inner groups.
            at = int((found.lastgroup or "rule0")[4:])
            pattern, make = self._rules[at]
            inner = pattern.match(text, found.start())
            if inner is None:
                continue
            into.append(Run(text[position : found.start()], around.bold, around.href))
            position = found.end()
            span = make(inner)
            span = span._replace(bold=span.bold or around.bold, href=span.href or around.href)
            if span.literal or depth >= _DEEPEST:
                into.append(Run(span.text, span.bold, span.href))
            else:
                self._read(span.text, span, depth + 1, into)
        into.append(Run(text[position:], around.bold, around.href))
