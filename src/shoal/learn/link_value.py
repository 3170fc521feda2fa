"""What will a link lead to? What is known of it before it is fetched, weighed by what such links
came to.

Nine numbers for each URL that waits, and a weight for each: at first those that did well on other
webs, then moved by every page that is fetched and judged. Plain arithmetic on nine floats: a crawl
asks this for each link of each page.
"""

from collections.abc import Sequence
from typing import NamedTuple

from shoal.errors import DamagedError
from shoal.learn.chances import sigmoid
from shoal.model.record import JSON_ERRORS, Struct, pack, unpack

_RATE = 0.05
_FEWEST = 200.0
"""Steps after which they become shorter."""
_FURTHEST = 2.0
"""No weight goes further than this from where it began."""


class Clues(NamedTuple):
    """What is known of a URL that waits, each about 0 to 1."""

    anchor: float = 0.0
    """How near the text of a link to it is to the topic, at best."""
    around: float = 0.0
    """The words around it."""
    url: float = 0.0
    """The words of the URL."""
    mean: float = 0.0
    """How near the pages are that link to it, drawn to what a page usually is."""
    best: float = 0.0
    """The nearest of them."""
    site: float = 0.0
    """The record of its site, drawn to what a page usually is."""
    folder: float = 0.0
    """The same of its folder."""
    hub: float = 0.0
    """How good a hub the best of the pages is that link to it."""
    warmth: float = 0.0
    """How few pages ago the crawl was on topic: 1, and half as much with each page."""


_FIRST = Clues(1.5, 0.75, 0.5, 4.0, 0.5, 0.5, 0.5, 1.0, 0.5)
_BIAS = -3.0


class _Stored(Struct, array_like=True):
    weights: list[float]
    bias: float
    learned: int


class LinkValue:
    def __init__(self) -> None:
        self._weights = list(_FIRST)
        self._bias = _BIAS
        self.learned = 0

    def score(self, clues: Sequence[float]) -> float:
        return self._bias + sum(map(float.__mul__, self._weights, clues))

    def value(self, clues: Sequence[float]) -> float:
        return sigmoid(self.score(clues))

    def learn(self, clues: Sequence[float], target: float) -> None:
        """The page was fetched, and this is how near it is: 0 to 1."""
        rate = _RATE / (1.0 + self.learned / _FEWEST)
        error = self.value(clues) - target
        self._bias -= rate * error
        for place, (clue, first) in enumerate(zip(clues, _FIRST, strict=True)):
            moved = self._weights[place] - rate * error * clue
            self._weights[place] = min(first + _FURTHEST, max(first - _FURTHEST, moved))
        self.learned += 1

    def weights(self) -> dict[str, float]:
        return dict(zip(Clues._fields, self._weights, strict=True))

    def to_bytes(self) -> bytes:
        return pack(_Stored(self._weights, self._bias, self.learned))

    @classmethod
    def from_bytes(cls, data: bytes) -> "LinkValue":
        found = cls()
        try:
            stored = unpack(_Stored, data)
        except JSON_ERRORS as error:
            raise DamagedError(f"what was learned of links can't be read: {error}") from None
        if len(stored.weights) == len(_FIRST):
            found._weights, found._bias = list(stored.weights), stored.bias
            found.learned = stored.learned
        return found
