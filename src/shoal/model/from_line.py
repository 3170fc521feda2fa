"""Does a line `From …` begin a mail of an mbox? Two of three things say so.

They are: an empty line before it, a date in it, a header field behind it (RFC 4155 and its elders).
Texts have such lines, too, which are quoted with `>`, or are not. Each is looked at in one go,
whatever somebody has written to make that slow.
"""

import re

MOST_BYTES = 1_000
"""Of a line that are looked at."""
FIELD_BYTES = 128
"""Behind it."""
_FROM, _NO_DATE = b"From ", b"From - "
_TIME, _YEAR = re.compile(rb"\d\d:\d\d"), re.compile(rb"\d{4}")
_FIELD = re.compile(rb"[!-9;-~]{1,100}:|>From ")


def begins_mail(data: bytes, start: int, end: int, *, is_apart: bool) -> bool:
    """The line stands in the data from `start` to `end`, its end of line with it."""
    is_field = _FIELD.match(data, end, end + FIELD_BYTES) is not None
    return is_apart + is_field + _is_dated(data[start : min(end, start + MOST_BYTES)]) >= 2


def _is_dated(line: bytes) -> bool:
    """A time and a year, in either order; or none, as Netscape wrote it."""
    if line.startswith(_NO_DATE):
        return True
    time, year = _TIME.search(line, len(_FROM)), _YEAR.search(line, len(_FROM))
    if time is None or year is None:
        return False
    return bool(_YEAR.search(line, time.end()) or _TIME.search(line, year.end()))
