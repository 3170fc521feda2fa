"""When is a feed asked again? As often as it posts, within what it and its server allow.

The rate of posting is estimated from the last items, with the silence since then (a feed that stops
slows down by itself) and a prior of one item a day, which a handful of items outweighs. A burst
counts while it lasts, and so does what the last poll found. Where the hours of posting differ
clearly (Rayleigh's test), the rate follows them: a paper that appears at six is asked at six, not
all night. The next poll is when half an item is expected. The owner's words come on top: ttl and
max-age say not before, skipHours and skipDays say not then. Failures double the wait.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

HOUR_SECONDS = 3600.0
DAY_SECONDS = 86_400.0
EXPECTED_ITEMS = 0.5
"""At the next poll. Half: then half of the polls or more find nothing, and an item waits for about
a quarter of the time between two of them."""

_PRIOR_ITEMS = 0.25
_PRIOR_SECONDS = DAY_SECONDS / 4
_PRIOR_FADES = 8.0
"""With each item after the first. The rates of feeds differ by orders of magnitude, so that five
items at one pace say more of a feed than what feeds do on average."""
_RECENT_ITEMS = 20
_BURST_ITEMS = 5
_BURST_TIMES = 2.0
"""As fast as before, or faster: at a steady rate the last five hardly ever are (one in twenty)."""
_LEAST_FOUND = 2
"""One new item is no surprise where half a one is expected."""
_LEAST_FOR_PATTERN = 20
_LEAST_DAYS_FOR_PATTERN = 5
_RAYLEIGH = 9.2
"""n·R² beyond which hours are no chance: p is about e to the minus of it, one in ten thousand."""
_SMOOTHING = 0.2
"""The share of a day's items that is taken to come at any hour."""
_STEP_SECONDS = 600.0
_MOST_STEPS = 1_500
_MOST_DOUBLINGS = 12
_WEEK_HOURS = 168


class PollHints(NamedTuple):
    """What the feed, its server and its last polls say."""

    ttl_seconds: float = 0.0
    max_age_seconds: float = 0.0
    """How long the server lets its answer be kept (Cache-Control, Expires)."""
    skip_hours: Sequence[int] = ()
    skip_days: Sequence[int] = ()
    failures: int = 0
    """In a row."""
    is_pushed: bool = False
    """A hub tells of changes: polling only makes sure."""
    found: int = 0
    """Items that this poll found and that were posted since the one before."""
    found_in_seconds: float = 0.0
    """How long ago the poll before was; 0: there was none."""


def next_poll_seconds(
    hints: PollHints, posted: Sequence[float], now: float, *, shortest: float, longest: float
) -> float:
    """How long to wait. `posted`: when the last items were, unix seconds (when they were first
    seen, where they tell no date). Never less than `shortest`; more than `longest` only where the
    feed skips hours or days."""
    if hints.is_pushed:
        wait = longest
    else:
        wait = _expected_wait(posted, now, longest)
        if hints.found >= _LEAST_FOUND and hints.found_in_seconds > 0:
            wait = min(wait, EXPECTED_ITEMS * hints.found_in_seconds / hints.found)
        wait = max(wait, min(hints.ttl_seconds, longest), min(hints.max_age_seconds, longest))
    if hints.failures:
        wait = max(wait, shortest) * 2 ** min(hints.failures, _MOST_DOUBLINGS)
    wait = max(shortest, min(wait, longest))
    return wait + _skipped_seconds(hints, now + wait)


def _expected_wait(posted: Sequence[float], now: float, longest: float) -> float:
    """Until half an item is expected."""
    past = sorted((when for when in posted if 0 < when <= now), reverse=True)
    recent = past[:_RECENT_ITEMS]
    since = now - recent[-1] if recent else 0.0
    prior = _PRIOR_FADES ** -max(0, len(recent) - 1)
    per_second = (len(recent) + _PRIOR_ITEMS * prior) / (since + _PRIOR_SECONDS * prior)
    pace = _burst_pace(recent, now)
    if pace >= _BURST_TIMES * per_second:
        return EXPECTED_ITEMS / pace  # of this very hour
    weights = hour_weights(past)
    if weights is None:
        return EXPECTED_ITEMS / per_second
    waited = expected = 0.0
    step = max(_STEP_SECONDS, longest / _MOST_STEPS)
    while waited < longest:
        rate = per_second * weights[int((now + waited) % DAY_SECONDS // HOUR_SECONDS)]
        expected += rate * step
        waited += step
        if expected >= EXPECTED_ITEMS:
            return waited - (expected - EXPECTED_ITEMS) / rate
    return waited


def _burst_pace(recent: Sequence[float], now: float) -> float:
    """Of the last few of these, the newest first, while they go on coming; 0: they do not."""
    if len(recent) <= _BURST_ITEMS:
        return 0.0
    took, silence = recent[0] - recent[_BURST_ITEMS - 1], now - recent[0]
    if silence > took or not took:  # it is over; or they all have one date, which tells no pace
        return 0.0
    return (_BURST_ITEMS - 1) / (took + silence)


def hour_weights(posted: Sequence[float]) -> list[float] | None:
    """How much more or less than usual is posted in each hour of the day, UTC; None when that is
    not clear. Their mean is 1."""
    days = {int(when // DAY_SECONDS) for when in posted}
    if len(posted) < _LEAST_FOR_PATTERN or len(days) < _LEAST_DAYS_FOR_PATTERN:
        return None
    turns = [2 * math.pi * (when % DAY_SECONDS) / DAY_SECONDS for when in posted]
    length = math.hypot(sum(map(math.cos, turns)), sum(map(math.sin, turns))) / len(posted)
    if len(posted) * length * length < _RAYLEIGH:
        return None
    counts = [0.0] * 24
    for when in posted:
        hour = int(when % DAY_SECONDS // HOUR_SECONDS)
        for neighbour, share in ((-1, 0.25), (0, 0.5), (1, 0.25)):
            counts[(hour + neighbour) % 24] += share
    return [_SMOOTHING + (1 - _SMOOTHING) * 24 * count / len(posted) for count in counts]


def _skipped_seconds(hints: PollHints, when: float) -> float:
    """From then to the next hour that is not skipped; none when all are: that can't be meant."""
    hours, days = set(hints.skip_hours), set(hints.skip_days)
    if not hours and not days:
        return 0.0
    start = when // HOUR_SECONDS
    for later in range(_WEEK_HOURS + 1):
        hour = start + later
        day = (hour // 24 + 3) % 7  # the first of January 1970 was a Thursday
        if hour % 24 not in hours and day not in days:
            return max(0.0, hour * HOUR_SECONDS - when)
    return 0.0
