"""Which tablet may count how many pages? The limit on all of them is divided, and divided anew.

A grant is how many pages a tablet may count in all. The sum of all grants is never more than the
limit: what one tablet does not need is first taken back, which it answers for, and then given to
others. Who was faster since the last look gets more, so that the last pages do not wait for slow
hosts elsewhere. A tablet that does not answer keeps what it had: it may yet count up to there.
"""

from collections.abc import Callable, Sequence
from itertools import chain, islice, repeat
from typing import NamedTuple


class Counted(NamedTuple):
    """How far a tablet is."""

    pages: int
    idle: bool
    granted: int
    """As far as it knows: one that was started again knows of nothing."""


HandOut = Callable[[list[int], int], Sequence[int | None]]
"""Tells every tablet the grants of all, and the turn; each answers what holds there, None when it
can't be reached."""


class PageGrants:
    def __init__(self, limit: int, counted: Sequence[int], granted: Sequence[int] = ()) -> None:
        """What tablets had counted when they were last seen, and what they had been granted: they
        may have used that up since."""
        self._limit = limit
        self.granted = list(map(max, counted, chain(granted, repeat(0))))
        """By tablet: up to where each may count, as far as is known."""
        self._before = list(counted)
        self._turn = 0
        self._looks = 0

    def renew(self, looks: Sequence[Counted | None], hand_out: HandOut) -> None:
        """None stands for a tablet that does not run now."""
        self._looks += 1
        for number, look in enumerate(looks):
            if look is not None:
                self.granted[number] = max(self.granted[number], look.pages)
        wanted = self._divide(looks)
        if self._is_enough(looks, wanted):
            return
        lowered = [min(pair) for pair in zip(wanted, self.granted, strict=True)]
        if lowered != self.granted:
            self._tell(lowered, hand_out)
        free = self._limit - sum(self.granted)
        raised = list(self.granted)
        for number, most in enumerate(wanted):
            more = max(0, min(free, most - raised[number]))
            raised[number] += more
            free -= more
        self._tell(raised, hand_out)

    def _divide(self, looks: Sequence[Counted | None]) -> list[int]:
        """What each should have, when nothing is under way."""
        wanted = list(self.granted)
        speeds: dict[int, int] = {}
        for number, look in enumerate(looks):
            if look is not None:
                wanted[number] = look.pages
                if not look.idle:
                    speeds[number] = 1 + max(0, look.pages - self._before[number])
                self._before[number] = look.pages
        rest, every = max(0, self._limit - sum(wanted)), sum(speeds.values())
        shares = {number: rest * speed // every for number, speed in speeds.items()}
        left = rest - sum(shares.values()) if shares else 0
        first = self._looks % max(1, len(shares))  # another one at each look
        for number in islice([*shares, *shares], first, first + left):
            shares[number] += 1
        for number, share in shares.items():
            wanted[number] += share
        return wanted

    def _is_enough(self, looks: Sequence[Counted | None], wanted: Sequence[int]) -> bool:
        """Whether everybody has plenty until the next look: then nobody is disturbed."""
        return all(
            look is None or 2 * (look.granted - look.pages) >= most - look.pages
            for look, most in zip(looks, wanted, strict=True)
        )

    def _tell(self, grants: list[int], hand_out: HandOut) -> None:
        self._turn += 1
        answers = hand_out(grants, self._turn)
        for number, (answer, grant) in enumerate(zip(answers, grants, strict=True)):
            unknown = max(grant, self.granted[number])
            self.granted[number] = unknown if answer is None else answer
