"""How do pages like this one change? The prior of a page's rate, learned from others.

Pages are grouped: all, those of a media type, of a site, and of a site's path pattern. Each group
is three sums over the posteriors of its pages, and its mean and deviation those of the group around
it, as far as it has few pages itself. It is the EM algorithm, a page at a time (Neal and Hinton,
1998): at a revisit what the page said before is taken out and what it says now is put in, so there
is no pass over all, and pages that were looked at once are not taken for more than they are.
"""

import re
from collections.abc import Callable, Sequence
from math import isfinite, sqrt

from shoal.freshness.rate import DEFAULT_PRIOR, LogNormal
from shoal.model.record import Struct

_PSEUDO_PAGES = 8.0
"""A group of so many pages counts as much as the one around it."""
_STRANGERS = 0.05
"""The share of pages that are like none of their group; how far they are off is the default's."""
_LEAST_SD = 0.3
_MOST_TEXT = 80
_DIGITS = re.compile(r"\d+")
_EXTENSION = re.compile(r"\.([A-Za-z]{1,8})$")


class Group(Struct, array_like=True):
    pages: float = 0.0
    means: float = 0.0
    """The sum of what is thought of ln r."""
    squares: float = 0.0
    """The sum of what is thought of the square of ln r: mean² + sd² of each page."""


class Priors:
    """Where groups are kept is the caller's: `get` answers None for one that is not there yet."""

    def __init__(
        self, get: Callable[[str], Group | None], put: Callable[[str, Group], None]
    ) -> None:
        self._get, self._put = get, put

    @classmethod
    def in_memory(cls) -> "Priors":
        groups: dict[str, Group] = {}
        return cls(groups.get, groups.__setitem__)

    def prior_for(self, keys: Sequence[str]) -> LogNormal:
        """For a page of these groups, from widest to narrowest."""
        mean, variance = DEFAULT_PRIOR.mean, DEFAULT_PRIOR.sd**2
        for key in keys:
            group = self._get(key)
            if group is None or group.pages <= 0:
                continue
            count = group.pages + _PSEUDO_PAGES
            square = (group.squares + _PSEUDO_PAGES * (variance + mean * mean)) / count
            mean = (group.means + _PSEUDO_PAGES * mean) / count
            variance = max(square - mean * mean, 0.0)
        variance = (1 - _STRANGERS) * variance + _STRANGERS * DEFAULT_PRIOR.sd**2
        return LogNormal(mean, max(sqrt(variance), _LEAST_SD))

    def learn(
        self,
        keys: Sequence[str],
        before: tuple[float, float] | None,
        after: tuple[float, float],
    ) -> None:
        """Take in the mean and deviation of a page's ln r; `before` is what it said last, if it
        said something. Of a page that showed nothing yet there is nothing to learn."""
        mean, sd = after
        if not (isfinite(mean) and isfinite(sd)):
            return
        for key in keys:
            group = self._get(key) or Group()
            pages, means = group.pages + 1.0, group.means + mean
            squares = group.squares + mean * mean + sd * sd
            if before is not None and group.pages > 0:
                pages, means = pages - 1.0, means - before[0]
                squares -= before[0] ** 2 + before[1] ** 2
            self._put(key, Group(pages, means, squares))


def groups_of(url: str, media_type: str = "") -> list[str]:
    """The names of a page's groups, from widest to narrowest. A path's pattern is its first folder,
    numbers masked; a page in no folder goes by its extension."""
    kind = media_type.partition(";")[0].strip().lower()[:_MOST_TEXT]
    scheme, _, rest = url.partition("://")
    host, _, path = rest.partition("/")
    site = f"{scheme[:10]}://{host[:255]}"
    named = ["all", f"type {kind}", f"site {site}", f"path {site}/{_pattern(path)}"]
    return [each.encode(errors="replace").decode() for each in named]


def _pattern(path: str) -> str:
    path, question, _ = path.partition("?")
    first, slash, _ = path.partition("/")
    if slash:
        return _DIGITS.sub("0", first[:_MOST_TEXT]) + "/"
    extension = _EXTENSION.search(first[-_MOST_TEXT:])
    name = "*" if first else ""
    return name + (extension[0].lower() if extension else "") + question
