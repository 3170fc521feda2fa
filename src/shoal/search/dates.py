"""Which moment is meant by `2024`, `2024-05`, `2024-05-01` or `7d`? The beginning of it, in UTC.

A number with a letter is that long ago: days, weeks, months (of 30 days) or years.
"""

import re
from datetime import UTC, datetime

_DATE = re.compile(r"(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?\Z", re.ASCII)
_AGO = re.compile(r"(\d{1,5})([dwmy])\Z", re.ASCII)
_DAY_SECONDS = 86_400
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}


def moment(text: str, now: float) -> float | None:
    """Unix seconds, or None when it is no date."""
    if ago := _AGO.match(text.lower()):
        return now - int(ago[1]) * _DAYS[ago[2]] * _DAY_SECONDS
    found = _DATE.match(text)
    if found is None:
        return None
    year, month, day = (int(part or 1) for part in found.groups())
    try:
        return datetime(year, month, day, tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return None
