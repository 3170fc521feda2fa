"""How do numbers, sizes and times read? And how does a person write a time?

Everything that came from a page or a server is shown through `harmless`: a title may hold the
escape sequences that move a terminal's cursor, or change its title.
"""

import os
import re
import shlex
from datetime import UTC, datetime, timedelta

from shoal.config.values import SECOND_UNITS, described
from shoal.errors import UsageError

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_AGE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*(ms|s|m|h|d|w)")
_LONGEST_AGE_SECONDS = 200 * 365 * 86400


def program() -> str:
    """What a person types to get here: `shoal`, or `./shoal` in a checkout."""
    return shlex.quote(os.environ.get("SHOAL_COMMAND") or "shoal")


def harmless(text: str) -> str:
    """Without what a terminal would obey; line feeds and tabs stay."""
    return _CONTROLS.sub("\ufffd", text)


def one_line(text: str, most: int = 10_000) -> str:
    flat = harmless(" ".join(text.split()))
    return flat if len(flat) <= most else flat[: most - 1] + "…"


def count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size(number: float) -> str:
    for unit in ("bytes", "KB", "MB", "GB"):
        if number < 1000:
            return f"{number:,.0f} bytes" if unit == "bytes" else f"{number:.1f} {unit}"
        number /= 1000
    return f"{number:,.1f} TB"


def duration(seconds: float) -> str:
    """The two largest units: `45 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    left = round(seconds)
    for unit, name, next_unit, next_name in (
        (86400, "d", 3600, "h"),
        (3600, "h", 60, "min"),
        (60, "min", 1, "s"),
    ):
        if left >= unit:
            rest = left % unit // next_unit
            return f"{left // unit} {name}" + (f" {rest} {next_name}" if rest else "")
    return f"{left} s"


def parts(numbers: dict[str, int], between: str = " + ") -> str:
    """`fetched 7 + gone 3`, without what is zero."""
    return between.join(f"{name} {number:,}" for name, number in numbers.items() if number)


def to_time(text: str, flag: str, now: float) -> float:
    """Unix seconds of a date, a date and time, or an age. Without a zone it is UTC."""
    age = _AGE.fullmatch(text.strip().lower())
    if age is not None:
        seconds = float(age[1]) * SECOND_UNITS[age[2]]
        return now - min(seconds, _LONGEST_AGE_SECONDS)
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        raise UsageError(
            f"{flag} must be a date such as 2026-11-15, a time such as 2026-11-15T10:30:00Z, "
            f"or an age such as 2h or 7d, not {described(text)}"
        ) from None
    if found.tzinfo is None:
        found = found.replace(tzinfo=UTC)
    return (found - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(seconds=1)


def clock_time(unix_seconds: float, now: float) -> str:
    """When, on the clock on the wall; with its date when that is not today."""
    then = datetime.fromtimestamp(unix_seconds, UTC).astimezone()
    today = datetime.fromtimestamp(now, UTC).astimezone()
    return then.strftime("%H:%M" if then.date() == today.date() else "%Y-%m-%d %H:%M")
