"""In which order does a crawl go? By levels of priority; the first is a person's wish."""

from dataclasses import dataclass

from shoal.frontier.state.rows import (
    REVISIT,
)

DEFAULT_PRIORITY = 0.5


URGENT = 1.0
"""The priority of a person's wish."""


@dataclass(frozen=True)
class Order:
    """In which order a crawl goes."""

    levels: int
    depth_first: bool = False

    def level_of(self, priority: float) -> int:
        """The first level is for a person's wish alone: so it is next at its site."""
        if priority >= URGENT:
            return 0
        below = int((URGENT - priority) * (self.levels - 1))
        return min(self.levels - 1, 1 + below)

    def front_level(self, level: int) -> int:
        """A site with revisits stands where one with new URLs of no special value does: what a
        revisit is worth was said by its date."""
        if level > REVISIT:
            return self.level_of(DEFAULT_PRIORITY)
        return 1 if level == REVISIT else level
