"""How does a value that a person wrote become a typed one, and text again?

Knows kinds of values, not which settings exist (that is sections.py). Everything is checked here,
at the edge, so that the rooms can trust what they are given. A refusal is one sentence that names
the setting and what was wrong. TOML 1.0 is read by the standard library; writing it back needs so
few shapes that a writer of ten lines does.
"""

import difflib
import ipaddress
import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from shoal.errors import UsageError

Value = int | float | str | tuple[str, ...] | None


class SettingKind(Enum):
    """What may be written for a setting: a word, how a refusal asks for it, what else will do."""

    COUNT = ("whole number", "a whole number", "")
    NUMBER = ("number", "a number", "")
    SECONDS = ("duration", "a number of seconds", " (or a text such as '90s', '15m', '2h' or '7d')")
    BYTES = ("size", "a number of bytes", " (or a text such as '20MB' or '1.5GiB')")
    TEXT = ("text", "a text", "")
    TEXTS = ("list of texts", "a list of texts", "")
    PATTERNS = ("list of patterns", "a list of regular expressions", "")
    CHOICE = ("choice", "one of its names", "")

    @property
    def word(self) -> str:
        return self.value[0]

    @property
    def wanted(self) -> str:
        return self.value[1]

    @property
    def hint(self) -> str:
        return self.value[2]


@dataclass(frozen=True, slots=True)
class Shape:
    """A narrower form that a text must have, and the words that ask for it."""

    fits: Callable[[str], bool]
    wanted: str


@dataclass(frozen=True, slots=True)
class Setting:
    """All there is to know about one setting, except its present value."""

    key: str
    kind: SettingKind
    default: Value
    help: str
    optional: bool = False
    choices: tuple[str, ...] = ()
    low: float = 0
    high: float = math.inf
    shape: Shape | None = None

    @property
    def type(self) -> str:
        return " · ".join(self.choices) if self.choices else self.kind.word

    @property
    def is_list(self) -> bool:
        return self.kind in (SettingKind.TEXTS, SettingKind.PATTERNS)

    @property
    def variable(self) -> str:
        """The environment variable that sets it, unless it is a list: no separator is safe."""
        return "SHOAL_" + self.key.replace(".", "_").upper()


NONE = "none"
SECOND_UNITS = {"": 1, "ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
BYTE_UNITS = {"": 1, "b": 1} | {
    letter + suffix: unit**power
    for power, letter in enumerate("kmgt", start=1)
    for suffix, unit in (("", 1000), ("b", 1000), ("i", 1024), ("ib", 1024))
}
LARGEST = {
    SettingKind.COUNT: 10**12,
    SettingKind.NUMBER: 10**9,
    SettingKind.SECONDS: 3650 * 86400,
    SettingKind.BYTES: 10**18,
}


def read_value(setting: Setting, value: object, name: str) -> Value:
    """The typed value, or a UsageError; `name` is what the person wrote it under."""
    if setting.optional and (value is None or _is_none(value)):
        return None
    match setting.kind:
        case SettingKind.TEXT | SettingKind.CHOICE:
            return _text(setting, value, name)
        case SettingKind.TEXTS | SettingKind.PATTERNS:
            return _texts(setting, value, name)
        case _:
            return _number(setting, value, name)


def _is_none(value: object) -> bool:
    """A limit that somebody set is lifted by this word."""
    return isinstance(value, str) and value.strip().lower() == NONE


def read_variable(setting: Setting, text: str) -> Value:
    """A value from the environment, where everything is text."""
    value: object = text
    if setting.kind in (SettingKind.COUNT, SettingKind.NUMBER):
        for convert in (int, float):
            try:
                value = convert(text)
                break
            except ValueError:
                continue
    return read_value(setting, value, setting.variable)


def _number(setting: Setting, value: object, name: str) -> int | float:
    if isinstance(value, str):
        units = {SettingKind.SECONDS: SECOND_UNITS, SettingKind.BYTES: BYTE_UNITS}.get(
            setting.kind, {}
        )
        found = _with_unit(value, units)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        found = value
    else:
        found = None
    whole = setting.kind is SettingKind.COUNT
    if found is None or not math.isfinite(found) or (whole and not isinstance(found, int)):
        wrong = f"{name} must be {setting.kind.wanted}, not {described(value)}"
        raise UsageError(wrong + setting.kind.hint)
    high = min(setting.high, LARGEST[setting.kind])
    if not setting.low <= found <= high:
        limits = f"between {setting.low:,} and {high:,}" if found > high else ""
        limits = limits or f"at least {setting.low:,}"
        raise UsageError(f"{name} must be {limits}, not {described(value)}")
    return float(found) if setting.kind in (SettingKind.SECONDS, SettingKind.NUMBER) else int(found)


def _with_unit(text: str, units: Mapping[str, float]) -> float | None:
    parts = re.fullmatch(r"\s*([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*([a-z]{0,3})\s*", text.lower())
    if parts is None or parts[2] not in units:
        return None
    return float(parts[1]) * units[parts[2]]


def _text(setting: Setting, value: object, name: str) -> str:
    if setting.choices:
        if value not in setting.choices:
            wanted = " or ".join(f"'{choice}'" for choice in setting.choices)
            raise UsageError(f"{name} must be {wanted}, not {described(value)}")
        return str(value)
    if not isinstance(value, str):
        raise UsageError(f"{name} must be {setting.kind.wanted}, not {described(value)}")
    _check_shape(setting, value, name)
    return value


def _texts(setting: Setting, value: object, name: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise UsageError(f"{name} must be {setting.kind.wanted}, not {described(value)}")
    for text in value:
        if not isinstance(text, str):
            raise UsageError(f"{name} must be {setting.kind.wanted}, but has {described(text)}")
        _check_shape(setting, text, name)
        if setting.kind is SettingKind.PATTERNS:
            _check_pattern(text, name)
    return tuple(value)


def _check_shape(setting: Setting, text: str, name: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError(f"{name} must be valid UTF-8, not {described(text)}") from None
    left_out = text == "" == setting.default
    if setting.shape is not None and not left_out and not setting.shape.fits(text):
        raise UsageError(f"{name} must be {setting.shape.wanted}, not {described(text)}")


def _check_pattern(text: str, name: str) -> None:
    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"{name}: {described(text)} is no regular expression: {error}") from None


def is_address(text: str) -> bool:
    """`192.0.2.1`, `192.0.2.1:8080`, `2001:db8::1` or `[2001:db8::1]:8080`."""
    bracketed = re.fullmatch(r"\[(?P<host>[^]]+)\](?::(?P<port>[0-9]{1,5}))?", text)
    parts = bracketed or re.fullmatch(r"(?P<host>[^:]+):(?P<port>[0-9]{1,5})", text)
    host, port = (parts["host"], parts["port"]) if parts else (text, None)
    try:
        version = ipaddress.ip_address(host).version
    except ValueError:
        return False
    return (port is None or 0 < int(port) < 65536) and (bracketed is None or version == 6)


def is_host(text: str) -> bool:
    """A name as it stands in a URL: ASCII, lower case, no scheme, no port."""
    return len(text) < 254 and bool(re.fullmatch(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", text))


def read_file(path: Path) -> dict[str, object]:
    """The file's tables; an absent file says nothing."""
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        return {}
    except NotADirectoryError:
        file = next((each for each in path.parents if each.exists()), path.parent)
        raise UsageError(f"{file} is a file, not a directory") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        why = str(error)
        if isinstance(error, UnicodeDecodeError):
            line = error.object[: error.start].count(b"\n") + 1
            why = f"Not UTF-8 (at line {line})"
        raise UsageError(
            f"{path.name} is not valid TOML: {why} (in {path.parent}); {how_back(path)}"
        ) from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}") from None


def how_back(path: Path) -> str:
    """How to get settings back from a file that is damaged."""
    return (
        "mend that line, or get the settings of the last crawl back with: "
        f"shoal repair --dir {path.parent}"
    )


def line_of(path: Path, names: Iterable[str]) -> int:
    """The first line of a settings file that sets one of these; 0 when none does."""
    wanted = {name.rpartition(".")[2] for name in names}
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        if line.partition("=")[0].strip().strip("[]\"'") in wanted:
            return number
    return 0


def flat(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """`{'a': {'b': 1}}` as `('a.b', 1)`: an unquoted host name in TOML is a path of tables."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def nearest(written: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, or nothing."""
    names = list(known)
    same_end = [n for n in names if n.rpartition(".")[2] == written.rpartition(".")[2]]
    close = same_end or difflib.get_close_matches(written, names, n=1, cutoff=0.6)
    return close[0] if close else ""


def described(value: object) -> str:
    """A value inside a sentence: as it was written, and not too long."""
    match value:
        case bool():
            return "true" if value else "false"
        case dict():
            return "a table"
        case list() | tuple():
            return "a list"
        case _:
            shown = repr(value) if isinstance(value, str) else str(value)
            return shown if len(shown) <= 80 else shown[:76] + "…" + shown[-1]


def as_toml(kind: SettingKind, value: Value) -> str:
    """A value as TOML writes it; sizes as a person would, where that is exact."""
    if isinstance(value, tuple):
        return "[" + ", ".join(_quoted(text) for text in value) + "]"
    if isinstance(value, str):
        return _quoted(value)
    if kind is SettingKind.BYTES and isinstance(value, int):
        for power, unit in ((4, "TB"), (3, "GB"), (2, "MB"), (1, "KB")):
            tenths, rest = divmod(value * 10, 1000**power)
            if tenths >= 10 and rest == 0:
                return f'"{tenths // 10}{f".{tenths % 10}" if tenths % 10 else ""}{unit}"'
    return repr(value)


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, but for DEL, which TOML wants escaped and JSON leaves.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


WEIGHED = ("content", "popularity", "location")
_WEIGHT = re.compile(r"\s*(\w+)\s*=\s*(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})\s*")


def weights_in(text: str) -> dict[str, float] | None:
    """The weight of each part of a value, 0 for one that is not named; None: it can't be read."""
    found = dict.fromkeys(WEIGHED, 0.0)
    for part in text.split(","):
        said = _WEIGHT.fullmatch(part)
        if said is None or said[1] not in found:
            return None
        found[said[1]] = float(said[2])
    return found if any(found.values()) else None


def as_weights(weights: Mapping[str, float]) -> str:
    """What `weights_in` reads."""
    return ",".join(f"{part}={weight}" for part, weight in weights.items())
