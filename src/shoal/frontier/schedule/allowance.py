"""May a page be asked for again now? How a crawl that finds also refreshes.

New URLs and revisits stand in one queue, on levels of their own. A crawl of one pass leaves the
revisits where they are; a steady one takes them as they fall due, at most its budget of them, and
at a site where both wait a share of its turns; a refresh takes nothing else, and of the revisits
only those that were chosen for it: they have dates of their own, long past, so that no other crawl
holds them up. Sitemaps and feeds stand first and cost nothing of the budget: they are what new
pages are found by.

The budget is a bucket that fills steadily and holds a minute of it. Once it is empty it is left to
fill for a while, because sites are woken when it opens, and waking all of them for one visit would
cost more than the visit.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from shoal.frontier.state.rows import REVISIT, Entry
from shoal.model.cell import NEVER_MS, to_ms

_BUCKET_SECONDS = 60.0
_LEAST_BURST = 2.0
_LONGEST_SLOT_MS = 3_600_000
_OPENS_AT = 0.1
"""Of the bucket: when it is open again after it was empty."""
_CHOSEN_STEPS = 500
"""In so many steps what is chosen for a refresh is put in order; times a second that it begins in,
a date before all that are given by the clock."""


class Mode(StrEnum):
    """Which visits a crawl makes."""

    NEW = "new"  # one pass: no page a second time
    STEADY = "steady"
    REFRESH = "refresh"


@dataclass(frozen=True)
class RevisitSettings:
    mode: Mode = Mode.NEW
    per_second: float = 0.0
    """Revisits that may be made; 0: as many as fall due."""
    share: float = 0.5


class Doors(NamedTuple):
    """From when each kind of entry may be taken; those that are due later are not touched."""

    new_ms: int = 0
    sources_ms: int = NEVER_MS
    revisits_ms: int = NEVER_MS
    since_ms: int = 0
    until_ms: int = NEVER_MS

    def opens_ms(self, entry: Entry) -> int:
        """When an entry may be taken."""
        if not entry.level:
            return entry.due_ms  # a person's wish, or where a page has moved: in every crawl
        if entry.level < REVISIT:
            return max(entry.due_ms, self.new_ms)
        if entry.level == REVISIT:
            return max(entry.due_ms, self.sources_ms)
        is_meant = self.since_ms <= entry.due_ms <= self.until_ms
        return max(entry.due_ms, self.revisits_ms) if is_meant else NEVER_MS


ONLY_NEW = Doors()


class Allowance:
    def __init__(self, settings: RevisitSettings, now: float) -> None:
        self.mode = settings.mode
        self._share = settings.share
        self._chosen_ms = int(now) * _CHOSEN_STEPS
        self._rate = settings.per_second
        self._burst = _burst(self._rate)
        self._left = min(self._burst, 1.0)
        self._filled_at = now
        self._is_open = True
        self._slot_ms = 0.0
        self.spent = 0
        """Revisits that were made, since the beginning."""

    def set_rate(self, per_second: float, now: float) -> None:
        """Another budget from now on: it follows the number of pages."""
        self._left, self._filled_at = self._filled(now), now
        self._rate, self._burst = per_second, _burst(per_second)

    def doors(self, now_ms: int) -> Doors:
        if self.mode is Mode.NEW:
            return ONLY_NEW
        if self.mode is Mode.REFRESH:
            return Doors(NEVER_MS, NEVER_MS, 0, self._chosen_ms, self.chosen_ms(1.0))
        return Doors(0, 0, self._revisits_ms(now_ms / 1000))

    def chosen_ms(self, place: float) -> int:
        """The date of a page that is chosen for the refresh that began with us, by its place from
        0 (first) to 1."""
        return self._chosen_ms + 1 + int(min(max(place, 0.0), 1.0) * (_CHOSEN_STEPS - 2))

    def _revisits_ms(self, now: float) -> int:
        """From when pages may be asked again: 0 is now."""
        if not self._rate:
            return 0
        filled = self._filled(now)
        full_enough = max(1.0, _OPENS_AT * self._burst)
        if filled >= (1.0 if self._is_open else full_enough):
            self._is_open = True
            return 0
        self._is_open = False
        return to_ms(now + (full_enough - filled) / self._rate) + 1

    def slot_ms(self, now_ms: int) -> int:
        """When a site that waits for nothing but the budget is looked at again: each at a turn of
        its own, or all of them would be woken whenever the bucket opens."""
        gap_ms = 1000 / self._rate if self._rate else 0.0
        latest_ms = now_ms + _LONGEST_SLOT_MS
        self._slot_ms = min(max(self._slot_ms + gap_ms, self.doors(now_ms).revisits_ms), latest_ms)
        return int(self._slot_ms)

    def comes_first(self, turns: int) -> bool:
        """Whether a site's next turn is a revisit's, after so many: the turns of all time, since a
        slow site is active for one turn only."""
        return int(self._share * (turns + 1)) > int(self._share * turns)

    def spend(self, now: float) -> None:
        """A page is asked for again."""
        self.spent += 1
        self._left, self._filled_at = self._filled(now) - 1.0, now

    def _filled(self, now: float) -> float:
        return min(self._burst, self._left + max(0.0, now - self._filled_at) * self._rate)


def _burst(per_second: float) -> float:
    return max(_LEAST_BURST, per_second * _BUCKET_SECONDS)
