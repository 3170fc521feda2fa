"""What can a rule ask of a URL? Its host, domain, directory, scheme, extension, or a pattern.

A line is read once into a set of names or a pattern, and neighbouring lines of one kind share a
set: a list of 100,000 hosts costs one look-up per URL, not 100,000. Names are brought to the
canonical form that URLs have, so a rule may be written as people write (`deny host
Bücher.example`).
"""

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from shoal.config.values import described
from shoal.model.urls.url import Site, canonical, extension_of, site_of

MAX_LEVELS = 32
"""Of a directory or a domain in a rule; so deeper ones of a URL need not be looked at."""

_PATH = re.compile(r"[^:/?#]*:(?://[^/?#]*)?([^?#]*)")
_PATTERN_ERRORS = (re.error, OverflowError, RecursionError)


class Parts(NamedTuple):
    """A URL, taken apart once for all conditions."""

    url: str
    site: Site


def _hosts(parts: Parts) -> Iterator[str]:
    yield parts.site.host  # a rule without a port is for all of them
    yield parts.site.host_label


def _domains(parts: Parts) -> Iterator[str]:
    """`org`, `b.org`, `a.b.org` of `a.b.org`."""
    host, dot = parts.site.host, len(parts.site.host)
    for _ in range(MAX_LEVELS):
        dot = host.rfind(".", 0, dot)
        yield host[dot + 1 :]
        if dot < 0:
            return


def _directories(parts: Parts) -> Iterator[str]:
    """`/`, `/a/`, `/a/b/` of `/a/b`: a directory is itself in it, with or without its slash."""
    match = _PATH.match(parts.url)
    path = f"{match[1]}/" if match else "/"
    slash = -1
    for _ in range(MAX_LEVELS + 1):
        slash = path.find("/", slash + 1)
        if slash < 0:
            return
        yield path[: slash + 1]


def _host_name(word: str) -> str:
    url = canonical(f"http://{word}/") if re.fullmatch(r"[^/?#@\\*]+", word) else None
    if url is None:
        raise ValueError(f"{described(word)} is no host name; write one such as 'www.example.org'")
    return site_of(url).host_label.removesuffix(":443")


def _domain_name(word: str) -> str:
    name = _host_name(word.removeprefix("*").removeprefix("."))
    if name.count(".") >= MAX_LEVELS or re.search(r":[0-9]+\Z", name):
        raise ValueError(f"{described(word)} is no domain; write one such as 'example.org'")
    return name


def _directory_name(word: str) -> str:
    url = canonical(f"http://x{word}/") if re.fullmatch(r"/[^?#\\]*", word) else None
    if url is None:
        raise ValueError(f"{described(word)} is no directory; write one such as '/docs/'")
    path = url.removeprefix("http://x").rstrip("/") + "/"
    if path.count("/") > MAX_LEVELS:
        raise ValueError(f"a directory may have {MAX_LEVELS} levels; use a regex for deeper ones")
    return path


def _scheme_name(word: str) -> str:
    name = word.lower().removesuffix("://").removesuffix(":")
    if not re.fullmatch("[a-z][a-z0-9+.-]*", name):
        raise ValueError(f"{described(word)} is no scheme; write one such as 'https'")
    return name


def _extension_name(word: str) -> str:
    name = word.lower().removeprefix("*").removeprefix(".")
    if not re.fullmatch("[0-9a-z]{1,16}", name):
        raise ValueError(f"{described(word)} is no extension; write the last one, such as 'gz'")
    return name


class _ConditionKind(NamedTuple):
    """How the names of a condition are written, and which of them a URL has."""

    read: Callable[[str], str]
    names_of: Callable[[Parts], Iterable[str]]


_NAMED = {
    "host": _ConditionKind(_host_name, _hosts),
    "domain": _ConditionKind(_domain_name, _domains),
    "directory": _ConditionKind(_directory_name, _directories),
    "scheme": _ConditionKind(_scheme_name, lambda parts: (parts.site.scheme,)),
    "extension": _ConditionKind(_extension_name, lambda parts: (extension_of(parts.url),)),
}

KINDS = (*_NAMED, "regex")


class Group:
    """Neighbouring lines of one kind and one worth: 0 is deny and 1 allow, or it is a priority."""

    def __init__(self, worth: float, kind: str) -> None:
        self.worth = worth
        self.kind = kind
        self._named = _NAMED.get(kind)
        self._names: dict[str, int] = {}
        self._patterns: list[tuple[re.Pattern[str], int]] = []

    def add(self, argument: str, number: int) -> None:
        """Take in what follows the kind on a line; a ValueError says what is wrong with it."""
        if self._named is None:
            self._patterns.append((compiled(argument), number))
            return
        for word in argument.split():
            if word.startswith("#"):
                raise ValueError("a comment needs a line of its own, as a regex may hold a '#'")
            self._names.setdefault(self._named.read(word), number)

    def line_for(self, parts: Parts) -> int:
        """The number of the line that matches a URL; 0 if none does."""
        if self._named is None:
            return next((number for regex, number in self._patterns if regex.search(parts.url)), 0)
        names = self._names
        return next((names[name] for name in self._named.names_of(parts) if name in names), 0)


def compiled(text: str) -> re.Pattern[str]:
    """A person's pattern; a ValueError says what is wrong with it."""
    try:
        with warnings.catch_warnings():
            # `[[` may mean something else in a later Python; it does not in the one that runs.
            warnings.simplefilter("ignore", FutureWarning)
            return re.compile(text)
    except _PATTERN_ERRORS as error:
        raise ValueError(f"{described(text)} is no regular expression: {error}") from None
