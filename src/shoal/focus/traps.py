"""Does a URL look as if a program made it up? What a single name can tell of a trap.

A site that answers every URL can make up URLs for ever: relative links that pile directories up,
filters that are added to filters, a calendar without an end. Such names are refused here, in the
child, before they take a row's place in a queue. The limits are far beyond what people write; what
looks innocent name by name is met by the credit of its domain (frontier/schedule/credit.py).

docs/traps.md lists the rules. Most links hold nothing that any rule looks at, so each rule has a
cheap question before it.
"""

import re
from collections import Counter

from shoal.clock import as_datetime

_MAX_SEGMENT = 800
"""Characters. The longest name of a Wikipedia article is 255 bytes, so 765 when escaped."""
_SAME_SEGMENT = 4
"""How often one name may not stand in a path."""
_SAME_BLOCK = 3
"""How often two or more names may not stand behind each other in the same order."""
_SAME_PARAMETER = 9
_SAME_PAIR = 3
_NESTED_QUERIES = 3
EARLIEST_YEAR = 1970
"""Of a calendar; a newspaper's archive may go back further."""
YEARS_AHEAD = 10

# Numbers and single letters are how honest paths are split up: map tiles, hashed directories.
_SPLIT = re.compile(r"[0-9]*|.")
_DIGITS = re.compile(r"[0-9]{4}")
_PATH_DATE = re.compile(r"/([0-9]{4})(?:/|-)(?:0?[1-9]|1[0-2])(?=[/?-]|\Z)")
_QUERY_DATE = re.compile(
    r"[?&](?:[a-z_]{0,12}(?:year|jahr|annee|anno|yr)=([0-9]{4})(?![0-9])"
    r"|[a-z_]{0,12}(?:date|day|month|week|monat|datum|mois|time|start|from|cal)[a-z_]{0,12}"
    r"=([0-9]{4})-?(?:0[1-9]|1[0-2]))",
    re.IGNORECASE,
)
_CALENDAR = re.compile(r"calend|kalend|event|agenda|termin|month|schedule", re.IGNORECASE)


class Traps:
    """Refuses by the name alone; made from settings, so that every process makes the same one."""

    def __init__(
        self, max_segments: int = 32, max_parameters: int = 24, latest_year: int = 0
    ) -> None:
        self._max_segments = max_segments
        self._max_parameters = max_parameters
        self._latest_year = latest_year
        """0: every year is fine."""

    def refuses(self, url: str, path_start: int) -> str:
        """Why a URL is not followed, `trap: …`; empty when nothing is wrong with it.

        `path_start` is where its scheme and authority end.
        """
        mark = url.find("?", path_start)
        path = url[path_start:] if mark < 0 else url[path_start:mark]
        slashes = path.count("/")
        if slashes >= _SAME_SEGMENT or len(path) > _MAX_SEGMENT:
            found = self._path(path, slashes)
            if found:
                return found
        if mark >= 0:
            found = self._query(url[mark + 1 :])
            if found:
                return found
        if self._latest_year and _DIGITS.search(url, path_start):
            return self._date(url, path_start)
        return ""

    def _path(self, path: str, slashes: int) -> str:
        segments = path.removesuffix("/").split("/")[1:]
        if slashes > self._max_segments and len(segments) > self._max_segments:
            return f"trap: more than {self._max_segments} directories deep"
        if len(path) > _MAX_SEGMENT and max(map(len, segments), default=0) > _MAX_SEGMENT:
            return f"trap: a name of more than {_MAX_SEGMENT} characters in its path"
        if len(set(segments)) == len(segments):
            return ""
        counted = Counter(segment for segment in segments if not _SPLIT.fullmatch(segment))
        name, times = max(counted.items(), key=lambda item: item[1], default=("", 0))
        if times >= _SAME_SEGMENT:
            return f"trap: {_short(name)} stands in its path {times} times"
        return "trap: its path repeats itself" if _repeats(segments) else ""

    def _query(self, query: str) -> str:
        if query.count("?") >= _NESTED_QUERIES:
            return "trap: queries within its query"
        ands = query.count("&")
        if ands >= self._max_parameters:
            return f"trap: more than {self._max_parameters} parameters"
        if ands + 1 < _SAME_PAIR:
            return ""
        pairs = Counter(query.split("&"))
        if max(pairs.values()) >= _SAME_PAIR:
            return "trap: the same parameter with the same value again and again"
        if ands + 1 < _SAME_PARAMETER:
            return ""
        names = Counter(pair.partition("=")[0] for pair in pairs)
        name, times = max(names.items(), key=lambda item: item[1])
        if times >= _SAME_PARAMETER:
            return f"trap: the parameter {_short(name)} {times} times"
        return ""

    def _date(self, url: str, path_start: int) -> str:
        found = _QUERY_DATE.search(url, path_start) if "=" in url else None
        is_calendar = found is not None
        if found is None:
            found = _PATH_DATE.search(url, path_start)
            is_calendar = found is not None and _CALENDAR.search(url) is not None
        if found is None:
            return ""
        year = int(found[1] or found[2])
        if year > self._latest_year or (is_calendar and year < EARLIEST_YEAR):
            return f"trap: a calendar's page for the year {year}"
        return ""


def latest_year(now: float) -> int:
    """The last year that a calendar may show, in a crawl that starts now."""
    return as_datetime(now).year + YEARS_AHEAD


def _repeats(segments: list[str]) -> bool:
    """Whether a block of two or more names follows itself, and itself again."""
    count = len(segments)
    for size in range(2, count // _SAME_BLOCK + 1):
        run = 0
        for i in range(count - size):
            run = run + 1 if segments[i] == segments[i + size] else 0
            if run >= size * (_SAME_BLOCK - 1):
                block = segments[i + 1 - size : i + 1]
                if not all(_SPLIT.fullmatch(segment) for segment in block):
                    return True
                run = 0
    return False


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")
