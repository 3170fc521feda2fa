"""What may be done with a page we have? X-Robots-Tag headers and robots meta elements.

No RFC defines them: this follows the de-facto rules of the large engines. What is addressed to
everyone and what is addressed to our product token are added up, and the most restrictive wins.
Both come from outside: anything not understood is ignored, and no more than `MAX_VALUES` texts of
`MAX_TEXT_CHARS` each are read.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import NamedTuple

from shoal.model.record import Struct

MAX_VALUES = 100
MAX_TEXT_CHARS = 8192
MAX_DATE_CHARS = 64

_EVERYONE = frozenset({"robots", "*"})
_PLAIN_NAMES = frozenset(
    {"all", "follow", "index", "indexifembedded", "noai", "noarchive", "nocache", "nofollow"}
    | {"noimageai", "noimageindex", "noindex", "none", "noodp", "nositelinkssearchbox"}
    | {"nosnippet", "notranslate", "noydir"}
)
_VALUED_NAMES = frozenset(
    {"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"}
)
_WORD = re.compile(r"[^\s:]+")
_DATE_BEGINS = re.compile(
    r"unavailable_after\s*:\s*(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\s*$", re.IGNORECASE
)
_SNIPPET_CHARS = re.compile(r"[0-9]{1,9}")


class PageRules(Struct, frozen=True, array_like=True):
    noindex: bool = False
    nofollow: bool = False
    noarchive: bool = False
    nosnippet: bool = False
    max_snippet: int | None = None
    """Characters of text that may be shown; none is no limit."""
    noai: bool = False
    unavailable_after: float | None = None
    """Unix seconds. Once passed, the page is also `noindex`."""


NO_RULES = PageRules()
"""Of most pages."""


class _Directive(NamedTuple):
    name: str
    value: str


def page_rules(
    header_values: Iterable[str],
    meta: Iterable[tuple[str, str]],
    product_token: str,
    now: datetime,
) -> PageRules:
    """Add up X-Robots-Tag values and (name, content) pairs of meta elements, as of `now`."""
    audience = _EVERYONE | {product_token.lower()}
    directives = [
        directive
        for value in islice(header_values, MAX_VALUES)
        for directive in _addressed(value[:MAX_TEXT_CHARS], audience)
    ]
    contents = (content for name, content in meta if name.strip().lower() in audience)
    for content in islice(contents, MAX_VALUES):
        for item in _items(content[:MAX_TEXT_CHARS]):
            directives.extend(_read(item))
    return _add_up(directives, now)


def _add_up(directives: list[_Directive], now: datetime) -> PageRules:
    if not directives:
        return NO_RULES
    names = {directive.name for directive in directives}
    snippets = [
        int(directive.value)
        for directive in directives
        if directive.name == "max-snippet" and _SNIPPET_CHARS.fullmatch(directive.value)
    ]  # -1, "no limit", restricts nothing
    dates = [
        when
        for directive in directives
        if directive.name == "unavailable_after"
        and (when := _unix_seconds(directive.value)) is not None
    ]
    expired = any(when <= now.timestamp() for when in dates)
    return PageRules(
        noindex=expired or not names.isdisjoint({"noindex", "none"}),
        nofollow=not names.isdisjoint({"nofollow", "none"}),
        noarchive=not names.isdisjoint({"noarchive", "nocache"}),
        nosnippet="nosnippet" in names or 0 in snippets,
        max_snippet=min(snippets, default=None),
        noai=not names.isdisjoint({"noai", "noimageai"}),
        unavailable_after=min(dates, default=None),
    )


def _addressed(value: str, audience: frozenset[str]) -> Iterator[_Directive]:
    """The directives of a header value that are for us.

    An agent's name stands before a colon and holds for what follows it, up to the next name: a
    proxy may have joined several headers into one value.
    """
    for_us = True
    for item in _items(value):
        directives = item
        name, rest = _split(item)
        while _is_agent(name, rest, audience):
            for_us = name in audience
            directives = rest
            name, rest = _split(rest)
        if for_us:
            yield from _read(directives)


def _is_agent(name: str, rest: str, audience: frozenset[str]) -> bool:
    """Tell `otherbot: noindex` from a directive with a value that we do not know, `foo: 3`."""
    word = _WORD.match(rest)
    if name in _VALUED_NAMES or not word:
        return False
    return name in audience or word[0].lower() in _PLAIN_NAMES | _VALUED_NAMES


def _items(text: str) -> Iterator[str]:
    parts = iter(text.split(","))
    for part in parts:
        # The comma after a weekday is the date's own.
        yield f"{part},{next(parts, '')}" if _DATE_BEGINS.search(part) else part


def _read(item: str) -> Iterator[_Directive]:
    if ":" in item:
        yield _Directive(*_split(item))
    else:
        # Some separate by blanks alone.
        yield from (_Directive(word, "") for word in item.lower().split())


def _split(item: str) -> tuple[str, str]:
    name, _, value = item.partition(":")
    return name.strip().lower(), value.strip()


def _unix_seconds(text: str) -> float | None:
    """ISO 8601, RFC 822 and RFC 850 dates; one without a zone is taken as UTC."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            when = read(text[:MAX_DATE_CHARS])
            aware = when if when.tzinfo else when.replace(tzinfo=UTC)
            return aware.timestamp()
        except (ValueError, TypeError, OverflowError, IndexError):
            continue  # not in this form
    return None
