"""What is a URL worth to fetch, as far as the link itself tells (W7)?

In breadth- and depth-first order every link is worth the same and arrival decides. In priority
order the rules' `priority` lines speak first; what they leave open is judged by its location, as
in Cho, Garcia-Molina and Page, "Efficient crawling through URL ordering" (1998): few slashes, a
home page, a domain's root. What others say of the page, and what stands in it, come later.
"""

import re
from typing import Literal

from shoal.focus.rules import parse_rules
from shoal.model.link import Source
from shoal.model.record import Struct

ORDINARY = 0.5
"""Of every link where arrival decides, and of a seed always."""
WISH = 1.0
"""A person's wish: next at its site."""

_LOWEST = 0.05
_SHALLOW = 0.7
_PER_LEVEL = 0.75
_BONUS = 0.1
_QUERY = 0.8
_LOCATION = re.compile(r"[^:/?#]*:(?://([^/?#]*))?([^?#]*)")
_HOME = re.compile(r"/(?:home|index|default|welcome)(?:page)?(?:\.\w+)?\Z", re.IGNORECASE)


class PrioritySettings(Struct, array_like=True, frozen=True):
    """A crawl's order as it is stored and sent to child processes."""

    order: Literal["breadth", "depth", "priority"] = "breadth"
    rules: str = ""
    """The text of a rules file."""


class FixedPriority:
    """A Prioritizer that looks at the URL alone, so a link is worth the same whenever it is met."""

    def __init__(self, settings: PrioritySettings) -> None:
        self._is_constant = settings.order != "priority"
        self._rules = parse_rules(settings.rules)

    def priority(self, url: str, source: Source, anchor_text: str) -> float:
        del anchor_text
        if source is Source.SUBMIT:
            return WISH
        if self._is_constant or source is Source.SEED:
            return ORDINARY
        ruled = self._rules.priority(url)
        return location_value(url) if ruled is None else ruled


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
