"""When was that? Dates of the W3C's profile of ISO 8601, as sitemaps write them, in unix seconds.

    2026   2026-11   2026-11-16   2026-11-16T16:59Z   2026-11-16T16:59:21.5+01:00

People also write a blank for the T, no colon in the zone, or no zone at all: taken for UTC. What is
no date is 0, which is what a page that tells no date has too.
"""

import re
from datetime import UTC, datetime, timedelta

_DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d{0,20})?)?"
    r"\s?(?:([Zz])|([+-])(\d\d):?(\d\d)?)?)?)?)?"
)
_MAX_CHARS = 64
_END_OF_DAY = 24
_MOST_SECONDS = 59
"""A leap second is the last one before it: no calendar here knows it."""


def when(text: str) -> float:
    """Unix seconds; 0 for what is no date, or lies before 1970."""
    if not text or len(text) > _MAX_CHARS:
        return 0.0
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return 0.0
    year, month, day, hour, minute, second = (int(each or 0) for each in found.groups()[:6])
    fraction = float(f"0.{found[7] or 0}")
    try:
        moment = datetime(year, month or 1, day or 1, tzinfo=UTC)
        if hour > _END_OF_DAY or minute >= 60 or second > 60:
            return 0.0
        moment += timedelta(hours=hour, minutes=minute, seconds=min(second, _MOST_SECONDS))
        ahead = timedelta(hours=int(found[10] or 0), minutes=int(found[11] or 0))
        moment = moment + ahead if found[9] == "-" else moment - ahead
    except (ValueError, OverflowError):
        return 0.0
    return max(0.0, moment.timestamp() + fraction)
