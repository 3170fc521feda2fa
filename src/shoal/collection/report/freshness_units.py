"""In which unit does an age read best? The largest that there is at least one of.

An age is kept in days, and is anything from seconds, just after a crawl, to years. The command, the
dashboard and the drawings all choose the unit here.
"""

from typing import NamedTuple


class Unit(NamedTuple):
    name: str
    short: str
    days: float


_SECONDS = Unit("seconds", "s", 1 / 86_400)
_UNITS = (Unit("days", "d", 1.0), Unit("hours", "h", 1 / 24), Unit("minutes", "min", 1 / 1440))


def unit_of(days: float) -> Unit:
    return next((unit for unit in _UNITS if days >= unit.days), _SECONDS)


def length_of_time(days: float, *, whole_words: bool = False) -> str:
    """`3.2 d`, `20.0 min`; in whole words `3.2 days`."""
    unit = unit_of(days)
    return f"{days / unit.days:,.1f} {unit.name if whole_words else unit.short}"
