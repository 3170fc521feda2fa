"""Which day and time is a serial number? Days since 1900 or 1904, as a format code shows them.

Excel's first calendar counts a 29 February 1900 that never was; up to that day everything is one
off. Fractions are parts of a day, and are rounded to what is shown.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August"),
    *("September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_LAST_SERIAL = 2_958_466
_LEAP_BUG_SERIAL = 60


def moment(serial: float, *, from_1904: bool = False, decimals: int = 0) -> datetime | None:
    """In UTC, since a sheet knows of no time zones; None when it is no day of the calendar."""
    if not 0 <= serial < _LAST_SERIAL:
        return None
    if from_1904:
        epoch = datetime(1904, 1, 1, tzinfo=UTC)
    elif serial < _LEAP_BUG_SERIAL:
        epoch = datetime(1899, 12, 31, tzinfo=UTC)
    else:
        epoch = datetime(1899, 12, 30, tzinfo=UTC)
    unit = 10**decimals
    ticks = round(serial * 86_400 * unit)
    try:
        return epoch + timedelta(seconds=ticks // unit, microseconds=ticks % unit * 10**6 // unit)
    except OverflowError:
        return None


def serial_of(iso: str) -> float | None:
    """The serial number (days since 1900) of `2011-12-19T10:30:00.000`."""
    try:
        when = datetime.fromisoformat(iso.strip())
    except ValueError:
        return None
    passed = when.replace(tzinfo=UTC) - datetime(1899, 12, 30, tzinfo=UTC)
    serial = passed.total_seconds() / 86_400
    return serial if serial >= _LEAP_BUG_SERIAL + 1 else serial - 1


class DateFormat:
    """A section of a format code, taken apart once. Tokens are those of `sheet_format`."""

    def __init__(self, tokens: Sequence[tuple[str, str]]) -> None:
        self._decimals = _decimals(tokens)
        self._half = any(kind == "half" for kind, _ in tokens)
        self._parts = [
            (kind, _meant(tokens, at) if kind == "date" else text)
            for at, (kind, text) in enumerate(tokens)
            if text != "@"
        ]

    def show(self, serial: float, *, from_1904: bool = False) -> str | None:
        """None when the number is no date."""
        when = moment(serial, from_1904=from_1904, decimals=self._decimals)
        if when is None:
            return None
        pieces: list[str] = []
        for kind, text in self._parts:
            if kind == "date":
                pieces.append(_part(when, text, half=self._half, decimals=self._decimals))
            elif kind == "elapsed":
                pieces.append(_elapsed(serial, text))
            elif kind == "half":
                short = len(text) == 3
                pieces.append(("AM" if when.hour < 12 else "PM")[: 1 if short else 2])
            elif kind in {"text", "mark"}:
                pieces.append(text)
        return "".join(pieces)


def _decimals(tokens: Sequence[tuple[str, str]]) -> int:
    longest = 0
    for kind, text in tokens:
        if kind == "date" and "." in text:
            longest = max(longest, len(text) - text.index(".") - 1)
    return min(longest, 3)


def _meant(tokens: Sequence[tuple[str, str]], at: int) -> str:
    """An `m` is a minute after hours or before seconds, else a month."""
    text = tokens[at][1].lower()
    if text not in {"m", "mm"}:
        return text
    before = next((t for k, t in reversed(tokens[:at]) if k in {"date", "elapsed"}), "")
    after = next((t for k, t in tokens[at + 1 :] if k in {"date", "elapsed"}), "")
    if before[:1].lower() == "h" or after[:1].lower() == "s":
        return "n" * len(text)
    return text


def _part(when: datetime, code: str, *, half: bool, decimals: int) -> str:
    letter, size = code[0], len(code)
    year, month, day = when.year, when.month, when.day
    if year < 1900:
        year, month, day = 1900, 1, 0  # what a time without a day is shown as
    if letter in "ye":
        return f"{year % 100:02d}" if letter == "y" and size <= 2 else f"{year:04d}"
    if letter == "m" and size > 2:
        name = _MONTHS[month - 1]
        return {3: name[:3], 5: name[0]}.get(size, name)
    if letter == "d" and size > 2:
        name = _DAYS[when.weekday()]
        return name[:3] if size == 3 else name
    if letter == "g":
        return ""
    if letter == "s" and "." in code:
        size = code.index(".")
        fraction = f"{when.microsecond:06d}"[:decimals]
        return f"{when.second:0{min(size, 2)}d}.{fraction}"
    hour = (when.hour + 11) % 12 + 1 if half else when.hour
    number = {"m": month, "d": day, "h": hour, "n": when.minute, "s": when.second}[letter]
    return f"{number:0{min(size, 2)}d}"


def _elapsed(serial: float, code: str) -> str:
    seconds = round(serial * 86_400)
    number = {"h": seconds // 3600, "m": seconds // 60, "s": seconds}[code[0]]
    return f"{number:0{min(len(code), 9)}d}"
