"""When has a cluster nothing left to do? When two looks in a row find everybody idle and unmoved.

A tablet is idle when its own frontier is done, but another may be about to send it work. What is
sent stays in the sender's outbox until the receiver has it for good, so nothing is under way while
all outboxes are empty; and that nothing came and went between the looks at two tablets is seen
from what each has sent and taken in all, which must be the same in the second look.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Look(NamedTuple):
    """What one tablet says of itself."""

    epoch: int
    idle: bool
    outbox: int
    sent: int
    taken: int


class Quiet:
    def __init__(self) -> None:
        self._before: list[Look] = []

    def is_over(self, looks: Sequence[Look | None]) -> bool:
        """`None` stands for a tablet that did not answer."""
        now = [look for look in looks if look is not None]
        settled = len(now) == len(looks) and all(each.idle and not each.outbox for each in now)
        same = settled and now == self._before
        self._before = now if settled else []
        return same
