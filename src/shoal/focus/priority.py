"""What is a URL worth to fetch, as far as the link itself tells?

In breadth- and depth-first order every link is worth the same and arrival decides. In priority
order the rules' `priority` lines speak first; what they leave open is judged by its location, as
in Cho, Garcia-Molina and Page, "Efficient crawling through URL ordering" (1998): few slashes, a
home page, a domain's root; and by the rank of the page, once its links are ranked (`shoal rank`).
By importance this is the location's part of a value; the rest is for the frontier to add.
"""

import re
from collections.abc import Callable
from typing import Literal

from shoal.focus.rules import parse_rules
from shoal.model.link import LinkSource
from shoal.model.record import Struct
from shoal.model.urls.rowkey import row_key

ORDINARY = 0.5
"""Of every link where arrival decides, and of a seed always."""
WISH = 1.0
"""A person's wish: next at its site."""

_LOWEST = 0.05
_HIGHEST = 0.95
_SHALLOW = 0.7
_PER_LEVEL = 0.75
_BONUS = 0.1
_QUERY = 0.8
_LOCATION = re.compile(r"[^:/?#]*:(?://([^/?#]*))?([^?#]*)")
_HOME = re.compile(r"/(?:home|index|default|welcome)(?:page)?(?:\.\w+)?\Z", re.IGNORECASE)


class PrioritySettings(Struct, array_like=True, frozen=True):
    """A crawl's order as it is stored and sent to child processes."""

    order: Literal["breadth", "depth", "priority", "importance"] = "breadth"
    rules: str = ""
    """The text of a rules file."""
    words: tuple[str, ...] = ()
    """What is looked for, in a crawl by importance."""
    topic: str = ""
    """The topic that it is for."""
    drops: bool = False
    """Whether pages off the topic are kept out of the index."""


class FixedPriority:
    """A Prioritizer that looks at the URL, and at what its row scores by the links to it."""

    def __init__(
        self, settings: PrioritySettings, score: Callable[[bytes], float] | None = None
    ) -> None:
        """`score`: 0 for a page that nobody links to or that is not known, up to 1."""
        self._is_constant = settings.order not in ("priority", "importance")
        self._rules = parse_rules(settings.rules)
        self._score = score

    def priority(self, url: str, source: LinkSource, anchor_text: str) -> float:
        del anchor_text
        if source is LinkSource.SUBMIT:
            return WISH
        if self._is_constant or source is LinkSource.SEED:
            return ORDINARY
        ruled = self._rules.priority(url)
        if ruled is not None:
            return ruled
        value = location_value(url)
        return value if self._score is None else raised(value, self._score(row_key(url)))


def raised(value: float, score: float) -> float:
    """What a URL is worth when there are links to it: on from its location's worth towards the most
    that a location can be worth, as far as its score goes."""
    return value + max(0.0, _HIGHEST - value) * score


def location_value(url: str) -> float:
    """0.05 + (0.7 × 0.75^n + 0.1 home + 0.1 top), the bracket × 0.8 with a query; between 0 and 1.

    n is the number of names in the path. Home: there is none, or the last one is home, index,
    default or welcome. Top: the host has at most two labels, not counting a first www.
    """
    match = _LOCATION.match(url)
    host, path = (match[1] or "", match[2].rstrip("/")) if match else ("", "")
    names = path.count("/")
    is_home = not names or _HOME.search(path) is not None
    is_top = host.removeprefix("www.").count(".") <= 1
    value = _SHALLOW * _PER_LEVEL**names + _BONUS * is_home + _BONUS * is_top
    return _LOWEST + value * (_QUERY if "?" in url else 1.0)
