"""Which behaviours hold for this request?

A pattern is a host, or a host and a path, with `*` as in file names: `127.1.1.3` (all of it,
robots.txt too), `127.1.1.3/*` (its pages), `http://a.test/fish/*`, `*/view*`, `*`. A scheme and a
port are ignored. robots.txt is left alone by patterns with a path that does not name it, since a
fault there would usually close the host and hide what the test is about.
"""

from __future__ import annotations

import fnmatch
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.world.behaviour import Behaviour
from tests.world.chance import Purpose, fraction


@dataclass
class Entry:
    """One pattern, its behaviours, and how often it was asked for."""

    host: re.Pattern[str] | str
    target: re.Pattern[str] | None
    robots_too: bool
    behaviours: Sequence[Behaviour]
    counts: Counter[str] = field(default_factory=Counter)

    def matches(self, names: Sequence[str], target: str) -> bool:
        if target == "/robots.txt" and not self.robots_too:
            return False
        if isinstance(self.host, str):
            known = self.host in names
        else:
            known = any(self.host.match(name) for name in names)
        return known and (self.target is None or self.target.match(target) is not None)


class Table:
    """Patterns in the order they were first set; entries for one plain host are found directly."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._entries: dict[str, Entry] = {}
        self._of_host: dict[str, list[Entry]] = {}
        self._anywhere: list[Entry] = []

    def set(self, pattern: str, behaviours: Sequence[Behaviour]) -> None:
        """Replace what held for this pattern; nothing given: the pattern goes."""
        self._entries.pop(pattern, None)
        if behaviours:
            self._entries[pattern] = _entry(pattern, behaviours)
        self._arrange()

    def clear(self) -> None:
        self._entries.clear()
        self._arrange()

    def fired(
        self, names: Sequence[str], target: str, time_seconds: float
    ) -> list[tuple[Behaviour, float]]:
        """The behaviours that happen now, each with a number in [0, 1) for its own use."""
        if not self._entries:
            return []
        candidates = [*self._anywhere, *(e for name in names for e in self._of_host.get(name, ()))]
        fired: list[tuple[Behaviour, float]] = []
        for entry in candidates:
            if entry.matches(names, target):
                fired += [
                    each
                    for each in self._roll(entry, names[0], target)
                    if _is_time(each[0], time_seconds)
                ]
        return fired

    def _roll(self, entry: Entry, host: str, target: str) -> list[tuple[Behaviour, float]]:
        url = host + target
        entry.counts[host] += 1
        entry.counts[url] += 1
        fired: list[tuple[Behaviour, float]] = []
        for number, behaviour in enumerate(entry.behaviours):
            count = entry.counts[host if behaviour.per == "host" else url]
            if behaviour.times is not None and count > behaviour.times:
                continue
            if count % behaviour.every:
                continue
            key = (self._seed, Purpose.FAULTS, zlib.crc32(url.encode()), entry.counts[url], number)
            if fraction(*key) < behaviour.probability:
                fired.append((behaviour, fraction(*key, 1)))
        return fired

    def _arrange(self) -> None:
        self._of_host, self._anywhere = {}, []
        for entry in self._entries.values():
            if isinstance(entry.host, str):
                self._of_host.setdefault(entry.host, []).append(entry)
            else:
                self._anywhere.append(entry)


def _is_time(behaviour: Behaviour, time_seconds: float) -> bool:
    until = behaviour.until_seconds
    return time_seconds >= behaviour.after_seconds and (until is None or time_seconds < until)


def _entry(pattern: str, behaviours: Sequence[Behaviour]) -> Entry:
    host, slash, path = pattern.removeprefix("http://").partition("/")
    name = host.partition(":")[0].lower()
    plain = not any(sign in name for sign in "*?[")
    return Entry(
        host=name if plain else re.compile(fnmatch.translate(name)),
        target=re.compile(_translate(slash + path)) if slash else None,
        robots_too=not slash or "robots.txt" in path,
        behaviours=tuple(behaviours),
    )


def _translate(path: str) -> str:
    """Only `*` is a wildcard here: `?` and `[` are ordinary in a path and query."""
    return (
        "".join(".*" if part == "*" else re.escape(part) for part in re.split(r"(\*)", path)) + "$"
    )
