"""Which URLs does a rules file want, and how much? One rule a line, the first match wins.

docs/rules.md is the language. A line that can't be read is a UsageError with its number: a rule
that is silently skipped would crawl what a person forbade. Ready-made sets stand in `sets/`,
written in the same language.
"""

import re
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from shoal.config.values import described, nearest
from shoal.errors import UsageError
from shoal.focus.conditions import KINDS, Group, Parts
from shoal.model.urls.url import site_of

MAX_RULES_BYTES = 8_000_000

_SUFFIX = ".rules"
_VERBS = ("allow", "deny", "priority", "default")
_CONDITIONS = (*KINDS, "depth")
_WORTH = re.compile(r"0(\.[0-9]{1,9})?|1(\.0{1,9})?|\.[0-9]{1,9}")
_DEPTH = re.compile(r">\s*([1-9][0-9]{0,8})")


class Rules:
    """A rules file as it was read. `max_depth` is a limit of the whole crawl, for the frontier."""

    def __init__(self) -> None:
        self._filters: list[Group] = []
        self._priorities: list[Group] = []
        self._lines: dict[int, str] = {}
        self._has_default = False
        self._default_deny = 0
        """The number of the line `default deny`; 0: what no line matches is allowed."""
        self.max_depth: int | None = None

    def refuses(self, url: str) -> str:
        """The line that denies a URL, in words; empty when none does."""
        worth, line = _first_match(self._filters, url)
        if not line:
            worth, line = 0.0, self._default_deny
        return f"rules: line {line} denies it ({self._lines[line]})" if line and not worth else ""

    @property
    def has_priorities(self) -> bool:
        return bool(self._priorities)

    def priority(self, url: str) -> float | None:
        """What the first matching `priority` line says; None if none does."""
        worth, line = _first_match(self._priorities, url)
        return worth if line else None

    def read(self, line: str, number: int) -> None:
        """Take in one line; a ValueError says what is wrong with it."""
        verb, rest = _first_word(line)
        match verb:
            case "allow" | "deny":
                self._add(self._filters, float(verb == "allow"), rest, number)
            case "priority":
                value, condition = _first_word(rest)
                self._add(self._priorities, _worth(value), condition, number)
            case "default":
                self._set_default(rest, number)
            case _:
                raise ValueError(f"{described(verb)} is no rule; {_hint(verb, _VERBS)}")
        self._lines[number] = line if len(line) <= 80 else line[:79] + "…"

    def _add(self, groups: list[Group], worth: float, condition: str, number: int) -> None:
        kind, argument = _first_word(condition)
        if kind not in _CONDITIONS:
            raise ValueError(f"{described(kind)} is no condition; {_hint(kind, _CONDITIONS)}")
        if not argument:
            raise ValueError(f"which {kind}? nothing follows the word")
        if kind == "depth":
            self._limit_depth(argument, may_limit=groups is self._filters and not worth)
            return
        if not groups or (groups[-1].worth, groups[-1].kind) != (worth, kind):
            groups.append(Group(worth, kind))
        groups[-1].add(argument, number)

    def _limit_depth(self, argument: str, may_limit: bool) -> None:
        limit = _DEPTH.fullmatch(argument)
        if limit is None or not may_limit:
            raise ValueError("a depth is only a limit; write 'deny depth > 5' (a seed has depth 1)")
        depth = int(limit[1])
        self.max_depth = depth if self.max_depth is None else min(depth, self.max_depth)

    def _set_default(self, verdict: str, number: int) -> None:
        if verdict not in ("allow", "deny"):
            raise ValueError("write 'default allow' or 'default deny'")
        if self._has_default:
            raise ValueError("there is a default already; keep one of them")
        self._has_default = True
        self._default_deny = number if verdict == "deny" else 0


def _first_match(groups: list[Group], url: str) -> tuple[float, int]:
    """The worth and the line number of the first match; line 0 is none."""
    if not groups:
        return 0.0, 0
    try:
        parts = Parts(url, site_of(url))
    except ValueError:  # no URL at all, so nothing that a line could be about
        return 0.0, 0
    for group in groups:
        line = group.line_for(parts)
        if line:
            return group.worth, line
    return 0.0, 0


def _first_word(text: str) -> tuple[str, str]:
    word, *rest = text.split(None, 1) or [""]
    return word, rest[0] if rest else ""


def _worth(text: str) -> float:
    if not _WORTH.fullmatch(text):
        raise ValueError(f"a priority is a number from 0 to 1, such as 0.8, not {described(text)}")
    return float(text)


def _hint(word: str, known: tuple[str, ...]) -> str:
    near = nearest(word.lower(), known)
    return f"did you mean {near!r}?" if near else f"there are {', '.join(known)}"


def parse_rules(text: str, name: str = "the rules") -> Rules:
    """The rules in a text; `name` is what a complaint calls it."""
    rules = Rules()
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        try:
            rules.read(line, number)
        except ValueError as error:
            raise UsageError(f"{name}, line {number}: {error}") from None
    return rules


def load_rules(name_or_path: str) -> str:
    """The text of a ready-made set (a name wins; `./name` is a file) or of a file, checked."""
    ready = {file.name.removesuffix(_SUFFIX): file for file in _sets()}
    source: Traversable = ready.get(name_or_path) or Path(name_or_path)
    shown = described(name_or_path)
    try:
        with source.open("rb") as stream:
            data = stream.read(MAX_RULES_BYTES + 1)
        text = data.decode("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError):
        known = ", ".join(sorted(ready))
        missing = f"there is no rules file {shown}, and no ready-made set of that name"
        raise UsageError(f"{missing} (there are: {known})") from None
    except OSError as error:
        raise UsageError(f"the rules file {shown} can't be read: {error.strerror}") from None
    except ValueError:  # not UTF-8, or a NUL in the name
        raise UsageError(f"the rules file {shown} can't be read: it is no UTF-8 text") from None
    if len(data) > MAX_RULES_BYTES:
        raise UsageError(f"the rules file {shown} is longer than {MAX_RULES_BYTES:,} bytes")
    parse_rules(text, source.name)
    return text


def ready_sets() -> list[str]:
    """The names of the sets that come with Shoal."""
    return sorted(file.name.removesuffix(_SUFFIX) for file in _sets())


def _sets() -> Iterator[Traversable]:
    sets = resources.files("shoal.focus").joinpath("sets")
    return (file for file in sets.iterdir() if file.name.endswith(_SUFFIX))
