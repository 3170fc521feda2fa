"""What is set, to what, and who said so? The one configuration of Shoal.

Precedence: command line, then environment, then the collection's shoal.toml, then the default. What
is not known is refused, naming the nearest, because a misspelt limit that is silently ignored is no
limit. Which settings exist stands in sections.py, how a value is read in values.py.
"""

import types
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from shoal.config.sections import (
    ADDRESS,
    HOST,
    VERSION,
    Access,
    Agent,
    Archive,
    Crawl,
    Dedupe,
    Feeds,
    Fetch,
    Files,
    Frontier,
    Index,
    Politeness,
    Refresh,
    Search,
    Sitemaps,
    Understand,
    Url,
)
from shoal.config.values import (
    Setting,
    SettingKind,
    Value,
    as_toml,
    described,
    flat,
    how_back,
    line_of,
    nearest,
    read_file,
    read_value,
    read_variable,
)
from shoal.errors import UsageError

__all__ = [
    "FILE_NAME",
    "VERSION",
    "Agent",
    "Archive",
    "Config",
    "Crawl",
    "Dedupe",
    "Feeds",
    "Fetch",
    "Files",
    "Frontier",
    "Index",
    "Politeness",
    "Refresh",
    "Search",
    "Setting",
    "Sitemaps",
    "Understand",
    "Url",
    "load",
    "settings",
]

FILE_NAME = "shoal.toml"
NOT_SETTINGS = (
    *("SHOAL_DIR", "SHOAL_DATA", "SHOAL_VENV", "SHOAL_COMMAND", "SHOAL_FAULT"),
    *("SHOAL_CHROMIUM", "SHOAL_MAIL_PASSWORD"),
)
"""Variables of the commands and the tests: where the collection, the data, the libraries are, how
the command was called, at which point of the program a test wants it to die, which browser
draws pages, and the password of a mailbox."""
_SECRETS = "SHOAL_MAIL_PASSWORD_"
"""What the variables of single accounts begin with."""


_WITHOUT_FLAGS = (
    *("refresh.", "sitemaps.", "feeds.", "files.", "index.", "search.", "dedupe.", "understand."),
)
"""Sections without flags of their own: who sets one of these wrongly is told its whole name."""


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting, and where those that aren't defaults came from."""

    crawl: Crawl = field(default_factory=Crawl)
    politeness: Politeness = field(default_factory=Politeness)
    frontier: Frontier = field(default_factory=Frontier)
    agent: Agent = field(default_factory=Agent)
    fetch: Fetch = field(default_factory=Fetch)
    url: Url = field(default_factory=Url)
    archive: Archive = field(default_factory=Archive)
    understand: Understand = field(default_factory=Understand)
    dedupe: Dedupe = field(default_factory=Dedupe)
    index: Index = field(default_factory=Index)
    search: Search = field(default_factory=Search)
    refresh: Refresh = field(default_factory=Refresh)
    sitemaps: Sitemaps = field(default_factory=Sitemaps)
    feeds: Feeds = field(default_factory=Feeds)
    access: Access = field(default_factory=Access)
    files: Files = field(default_factory=Files)
    resolve: Mapping[str, str] = field(default_factory=dict)
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def with_(self, overrides: Mapping[str, object]) -> "Config":
        """With flags on top, by dotted key; None stands for a flag that wasn't given."""
        given = []
        for key, value in overrides.items():
            if value is not None:
                word = "resolve" if key.startswith("resolve.") else key.rpartition(".")[2]
                flag = "--" + word.replace("_", "-")
                name = f"--set {key}" if key.startswith(_WITHOUT_FLAGS) else flag
                given.append(_Given(key, value, origin=flag, name=name))
        return self._having(given)

    def value_of(self, key: str) -> Value:
        section, name = _known(key).key.split(".")
        value: Value = getattr(getattr(self, section), name)
        return value

    def origin_of(self, key: str) -> str:
        """`default`, `shoal.toml`, or the variable or flag that the value came from."""
        if not key.startswith("resolve."):
            _known(key)
        return self.origins.get(key, "default")

    def as_toml(self) -> str:
        """A shoal.toml that gives this very configuration, and says where each value came from."""
        from_whom = {key: f"  # from {origin}" for key, origin in self.origins.items()}
        keys = [each.key for each in settings()] + [f"resolve.{host}" for host in self.resolve]
        return self._written(keys, from_whom)

    def from_flags_as_toml(self) -> str:
        """A shoal.toml of what was said by flags alone: the start of a new collection's own."""
        return self._written([k for k, origin in self.origins.items() if origin[:2] == "--"], {})

    def _written(self, keys: Iterable[str], remarks: Mapping[str, str]) -> str:
        tables: dict[str, list[str]] = defaultdict(list)
        for key in keys:
            section, _, name = key.partition(".")
            if section == "resolve":
                line = f'"{name}" = "{self.resolve[name]}"'
            elif (value := self.value_of(key)) is None:
                line = f"# {name} is not set"
            else:
                line = f"{name} = {as_toml(_known(key).kind, value)}"
            tables[section].append(line + remarks.get(key, ""))
        return "\n".join(f"[{table}]\n" + "\n".join(rows) + "\n" for table, rows in tables.items())

    def _having(self, given: Iterable["_Given"]) -> "Config":
        changed: dict[str, dict[str, Value]] = defaultdict(dict)
        resolve, origins = dict(self.resolve), dict(self.origins)
        for each in given:
            if each.key.startswith("resolve."):
                host = each.key.removeprefix("resolve.").lower().rstrip(".")
                resolve[host] = _resolution(host, each)
                origins[f"resolve.{host}"] = each.origin
            else:
                known = _known(each.key, each.prefix)
                section, name = known.key.split(".")
                changed[section][name] = read_value(known, each.value, each.name)
                origins[known.key] = each.origin
        sections: dict[str, Any] = {
            section: replace(getattr(self, section), **values)
            for section, values in changed.items()
        }
        return replace(self, **sections, resolve=resolve, origins=origins)


@dataclass(frozen=True, slots=True)
class _Given:
    """A value that somebody gave: where it came from, and what a refusal calls it."""

    key: str
    value: object
    origin: str
    name: str
    prefix: str = ""


def load(
    directory: Path | None, overrides: Mapping[str, object], environ: Mapping[str, str]
) -> Config:
    """The configuration of a collection: defaults, its shoal.toml, the environment, the flags."""
    file = {} if directory is None else read_file(directory / FILE_NAME)
    try:
        from_file = [
            _Given(key, value, FILE_NAME, f"{FILE_NAME}: {key}", prefix=f"{FILE_NAME}: ")
            for key, value in _file_settings(file)
        ]
        Config()._having(from_file)
    except UsageError as error:
        raise _with_line(error, directory, file) from None
    from_environment = [
        _Given(each.key, read_variable(each, text), each.variable, each.variable)
        for each, text in _environment_settings(environ)
    ]
    return Config()._having(from_file + from_environment).with_(overrides)


def _with_line(error: UsageError, directory: Path | None, file: Mapping[str, object]) -> UsageError:
    """The same, with the line that it is about, where that can be told."""
    if directory is None:
        return error
    says = str(error).rstrip(".")
    named = [key for key, _ in flat(file) if key in says] or [
        section for section in file if f"[{section}]" in says
    ]
    line = line_of(directory / FILE_NAME, named) if named else 0
    at = f" (line {line} of {directory / FILE_NAME})" if line else ""
    return UsageError(f"{says}{at}; {how_back(directory / FILE_NAME)}")


def settings() -> Iterator[Setting]:
    """Every setting there is, in the file's order; [resolve] is a free table and not among them."""
    yield from _settings_by_key().values()


def _file_settings(tables: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    sections = {each.key.partition(".")[0] for each in settings()} | {"resolve"}
    for section, table in tables.items():
        if not isinstance(table, dict):
            yield section, table
        elif section == "resolve":
            yield from flat(table, "resolve.")
        elif section in sections:
            yield from ((f"{section}.{name}", value) for name, value in table.items())
        else:
            near = nearest(section, sections)
            hint = f"did you mean [{near}]?" if near else f"there are {', '.join(sorted(sections))}"
            raise UsageError(f"{FILE_NAME}: unknown section [{section}]; {hint}")


def _environment_settings(environ: Mapping[str, str]) -> Iterator[tuple[Setting, str]]:
    """An empty variable counts as not set, as everywhere in a shell."""
    by_variable = {each.variable: each for each in settings()}
    for variable, text in sorted(environ.items()):
        if not variable.startswith("SHOAL_") or variable in NOT_SETTINGS:
            continue
        if variable.startswith(_SECRETS):
            continue
        known = by_variable.get(variable)
        if known is None:
            keys = {each.key: each.variable for each in settings()}
            keys |= {name.removeprefix("SHOAL_").lower(): name for name in NOT_SETTINGS}
            near = nearest(variable.removeprefix("SHOAL_").lower().replace("_", ".", 1), keys)
            hint = f"did you mean {keys[near]}?" if near else "unset it"
            raise UsageError(f"unknown environment variable {variable}; {hint}")
        if known.is_list:
            raise UsageError(f"{variable} can't hold a list; set {known.key} in {FILE_NAME}")
        if text:
            yield known, text


def _known(key: str, prefix: str = "") -> Setting:
    found = _settings_by_key().get(key)
    if found is None:
        near = nearest(key, _settings_by_key())
        hint = f"did you mean '{near}'?" if near else "`shoal config show` lists what there is"
        raise UsageError(f"{prefix}unknown setting '{key}'; {hint}")
    return found


def _resolution(host: str, given: _Given) -> str:
    if not HOST.fits(host):
        raise UsageError(f"{given.name}: {described(host)} must be {HOST.wanted}")
    if not isinstance(given.value, str) or not ADDRESS.fits(given.value):
        raise UsageError(f"{given.name} must be {ADDRESS.wanted}, not {described(given.value)}")
    return given.value


@cache
def _settings_by_key() -> Mapping[str, Setting]:
    found = {}
    for section, part in get_type_hints(Config).items():
        if section not in ("resolve", "origins"):
            hints = get_type_hints(part, include_extras=True)
            for each in fields(part):
                key = f"{section}.{each.name}"
                found[key] = _setting(key, hints[each.name], each.default, each.metadata)
    return found


def _setting(key: str, hint: Any, default: Any, notes: Mapping[str, Any]) -> Setting:
    """A field's type says what may be written: `int | None` or nothing, a Literal is a choice."""
    optional = get_origin(hint) in (Union, types.UnionType)
    kind_hint = get_args(hint)[0] if optional else hint
    choices: tuple[str, ...] = ()
    if get_origin(kind_hint) is Annotated:
        kind = kind_hint.__metadata__[0]
    elif get_origin(kind_hint) is Literal:
        kind, choices = SettingKind.CHOICE, get_args(kind_hint)
    else:
        kind = {int: SettingKind.COUNT, float: SettingKind.NUMBER, str: SettingKind.TEXT}[kind_hint]
    return Setting(
        key=key,
        kind=kind,
        default=default,
        help=notes["help"],
        optional=optional,
        choices=choices,
        low=notes["low"],
        high=notes["high"],
        shape=notes["shape"],
    )
