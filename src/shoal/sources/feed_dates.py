"""When was that? The dates of feeds, of which half keep to no standard.

RFC 822 (RSS) and W3C's profile of ISO 8601 (Atom, JSON Feed, Dublin Core), and what people write
for them: two-digit years, names of months in full, the day after the month, zones by name, none at
all (then UTC, as the RSS validators take it), a date without a time. What can't be read is no date;
nothing is guessed from today's. Both patterns are bounded and anchored: hostile text costs nothing.
"""

import re
from datetime import UTC, datetime, timedelta, timezone

MAX_CHARS = 100

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ZONES_BY_HOURS = {
    -12: "m",
    -8: "pst pt",
    -7: "mst mt pdt",
    -6: "cst ct mdt",
    -5: "est et cdt",
    -4: "ast at edt",
    -3: "adt",
    -1: "a",  # a, m, n and y: RFC 822's letters, as far as they were ever right
    0: "ut utc gmt z wet",
    1: "bst cet n",
    2: "cest eet",
    3: "eest msk",
    5.5: "ist",
    9: "jst kst",
    10: "aest",
    11: "aedt",
    12: "y",
}
_ZONES = {zone: hours for hours, zones in _ZONES_BY_HOURS.items() for zone in zones.split()}
"""Hours ahead of UTC."""
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?P<part>[.,]\d{1,20})?)?"
_ZONE = r"(?:\s*(?P<zone>(?:gmt|utc?)?\s?[+-]\d{1,2}:?\d{0,2}|(?:etc/)?[a-z]{1,5})\b)?"
_ISO = re.compile(
    rf"(?P<year>\d{{4}})(?:-?(?P<month>\d{{2}})(?:-?(?P<day>\d{{2}}))?)?(?:[t\s]\s*{_TIME}{_ZONE})?"
)
_LOOSE_ISO = re.compile(
    rf"(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})(?:[t\s,]\s*{_TIME}{_ZONE})?"
)
_DAY_NAME = r"(?:[a-z]{2,12}\.?,?\s+)?"
_CLOCK = rf"(?:,?\s*(?:at\s)?{_TIME}{_ZONE})?"
_RFC_822 = re.compile(
    rf"{_DAY_NAME}(?P<day>\d{{1,2}})[\s-]+(?P<name>[a-z]{{3,9}})\.?,?[\s-]+(?P<year>\d{{4}}|\d{{2}})"
    rf"{_CLOCK}"
)
_MONTH_FIRST = re.compile(
    rf"{_DAY_NAME}(?P<name>[a-z]{{3,9}})\.?\s+(?P<day>\d{{1,2}}),?\s+(?P<year>\d{{4}}|\d{{2}}){_CLOCK}"
)
_ASCTIME = re.compile(
    rf"{_DAY_NAME}(?P<name>[a-z]{{3}})\s+(?P<day>\d{{1,2}})\s+{_TIME}{_ZONE}\s+(?P<year>\d{{4}})"
)
_FORMS = (_ISO, _LOOSE_ISO, _RFC_822, _MONTH_FIRST, _ASCTIME)
_GLUED_DAY = re.compile(r"^([a-z]{2,9}),(?=\d)")
_OFFSET = re.compile(r"(?:gmt|utc?)?\s?([+-])(\d{1,2}):?(\d{0,2})")


def when(text: str) -> float | None:
    """Unix seconds; None when the text tells no time."""
    found = _moment(text)
    return None if found is None else found.timestamp()


def iso_utc(text: str) -> str:
    """ISO 8601 in UTC, to the second; empty when the text tells no time."""
    found = _moment(text)
    return "" if found is None else iso_of(found)


def iso_of(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _moment(text: str) -> datetime | None:
    words = " ".join(text[: MAX_CHARS + 1].lower().split())
    if not words or len(words) > MAX_CHARS or not words.isascii():
        return None
    words = _GLUED_DAY.sub(r"\1, ", words)
    for form in _FORMS:
        match = form.fullmatch(words)
        if match is not None:
            return _of_parts(match.groupdict())
    return None


def _of_parts(parts: dict[str, str | None]) -> datetime | None:
    year = int(parts["year"] or 0)
    if len(parts["year"] or "") == 2:
        year += 1900 if year >= 70 else 2000
    name = parts.get("name")
    if name is not None:
        if name[:3] not in _MONTHS:
            return None
        month = _MONTHS.index(name[:3]) + 1
    else:
        month = int(parts["month"] or 1)
    hour, minute, second = (int(parts[part] or 0) for part in ("hour", "minute", "second"))
    zone = _zone(parts["zone"] or "")
    if zone is None:
        return None
    try:
        moment = datetime(year, month, int(parts["day"] or 1), tzinfo=zone)
        if hour > 24 or minute > 59 or second > 60:  # 24:00 and leap seconds are the next ones
            return None
        return (moment + timedelta(hours=hour, minutes=minute, seconds=second)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _zone(name: str) -> timezone | None:
    offset = _OFFSET.fullmatch(name)
    if offset is not None:
        sign, hours, minutes = offset.groups()
        ahead = timedelta(hours=int(hours), minutes=int(minutes or 0))
        if ahead >= timedelta(hours=24):
            return None
        return timezone(-ahead if sign == "-" else ahead)
    # A name that nobody knows is taken for UTC: the day is right, mostly.
    return timezone(timedelta(hours=_ZONES.get(name.removeprefix("etc/"), 0)))
