"""Is a URL wanted, as far as its name tells? Scope, include and exclude, the rules file.

Asked in a child process for every link of every page, so what depends on the site alone is worked
out once per site and remembered, in bounded memory. The part of a reason before its colon is its
category, under which excluded URLs are counted. A seed is never refused: a person named it. A
local file is only taken below a local seed, whatever the scope, or any page of the web could name
files of this machine; and where a seed has moved is said by a server, so no move can add a scheme
or a directory of this machine (`with_root`).
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

from shoal.config.values import described
from shoal.errors import UsageError
from shoal.focus.conditions import compiled
from shoal.focus.rules import parse_rules
from shoal.focus.traps import Traps
from shoal.model.document import Document
from shoal.model.record import Struct, changed
from shoal.model.urls.url import MAX_URL, Site, registered_domain, site_of, twin

_WEB = ("http", "https")
_KINDS = ("host", "domain", "prefix", "any")
_MAX_REMEMBERED = 20_000
_MAX_HOST = 253
_MAX_ORIGIN = 300
_LOCAL_REASON = "scope: a local file that is not below a seed"
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*:(?://[^/?#]*)?")
# An escaped slash or NUL: what a file system makes of it is not what the name says.
_HIDDEN_PATH = re.compile("%(?:2F|00)", re.IGNORECASE)


class ScopeSettings(Struct, array_like=True, frozen=True):
    """A crawl's scope as it is stored and sent to child processes."""

    kind: Literal["host", "domain", "prefix", "any"] = "host"
    roots: list[str] = []
    """The seeds, canonical."""
    include: list[str] = []
    exclude: list[str] = []
    rules: str = ""
    """The text of a rules file."""
    schemes: tuple[str, ...] = _WEB
    """Beside those of the roots."""
    max_url_length: int = MAX_URL
    max_segments: int = 32
    max_parameters: int = 24
    latest_year: int = 0
    """Of a calendar's pages; 0: every year."""


class _Fence:
    """The directories that the URLs of a site must be below."""

    def __init__(self, directories: Iterable[str], reason: str, *, local: bool) -> None:
        self._directories = frozenset(directories)
        self._most_slashes = max(directory.count("/") for directory in self._directories)
        self._local = local
        self.reason = reason

    def holds(self, path: str) -> bool:
        if self._local and _HIDDEN_PATH.search(path):
            return False
        slash = -1
        for _ in range(self._most_slashes):
            slash = path.find("/", slash + 1)
            if slash < 0:
                return False
            if path[: slash + 1] in self._directories:
                return True
        return False


class _Verdict(NamedTuple):
    """What is known of all URLs of one site."""

    refusal: str = ""
    fence: _Fence | None = None


class CrawlScope:
    """The Scope of a crawl, made from settings alone, so that every process makes the same one."""

    def __init__(self, settings: ScopeSettings) -> None:
        if settings.kind not in _KINDS:
            kinds = ", ".join(_KINDS)
            raise UsageError(f"the scope is one of {kinds}, not {described(settings.kind)}")
        self.settings = settings
        self._include = _patterns(settings.include, "include")
        self._exclude = _patterns(settings.exclude, "exclude")
        self._rules = parse_rules(settings.rules)
        self._traps = Traps(settings.max_segments, settings.max_parameters, settings.latest_year)
        self._domain_of = lru_cache(_MAX_REMEMBERED)(registered_domain)
        self._verdicts: dict[str, _Verdict] = {}
        self._roots = {name for url in settings.roots for name in (url, twin(url)) if name}
        sites = {site_of(url) for url in settings.roots}
        self._schemes = {*settings.schemes, *(site.scheme for site in sites)}
        self._places = {self._place(site) for site in sites if site.scheme != "file"}
        self._fences = _fences(settings.roots)
        preposition, noun = (
            ("in", "domains of seeds") if settings.kind == "domain" else ("on", "hosts of seeds")
        )
        self._outside = f"scope: not {preposition} {_one_or_count(self._places, noun)}"

    @property
    def max_depth(self) -> int | None:
        """The limit that the rules set, for the frontier: a URL alone does not tell its depth."""
        return self._rules.max_depth

    def refuses(self, url: str) -> str:
        if url in self._roots:
            return ""
        if len(url) > self.settings.max_url_length:
            return f"length: longer than {self.settings.max_url_length:,} characters"
        found = _ORIGIN.match(url)
        if found is None:
            return "scheme: it has none"
        origin = found[0]
        verdict = self._verdicts.get(origin) or self._judge(origin)
        if verdict.refusal:
            return verdict.refusal
        if verdict.fence is not None and not verdict.fence.holds(url[len(origin) :]):
            return verdict.fence.reason
        trap = self._traps.refuses(url, len(origin))
        if trap:
            return trap
        for pattern in self._exclude:
            if pattern.search(url):
                return f"excluded: matches {_short(pattern.pattern)}"
        if self._include and not any(pattern.search(url) for pattern in self._include):
            return "included: matches none of the include patterns"
        return self._rules.refuses(url)

    def drops(self, document: Document) -> str:
        """Nothing is dropped for what it says: a seam for topics."""
        del document
        return ""

    def with_root(self, url: str) -> ScopeSettings:
        """The settings of this scope when a seed has moved to `url`."""
        old = self.settings
        scheme = site_of(url).scheme
        if url in self._roots or scheme == "file" or scheme not in self._schemes:
            return old
        return changed(old, roots=[*old.roots, url])

    def _judge(self, origin: str) -> _Verdict:
        verdict = self._verdict(site_of(origin))
        if len(origin) <= _MAX_ORIGIN:  # so that what is remembered is small
            if len(self._verdicts) >= _MAX_REMEMBERED:
                self._verdicts.clear()
            self._verdicts[origin] = verdict
        return verdict

    def _verdict(self, site: Site) -> _Verdict:
        if site.scheme not in self._schemes:
            return _Verdict(f"scheme: {_short(site.scheme)} is not crawled")
        if len(site.host) > _MAX_HOST:
            return _Verdict(f"length: a host name has at most {_MAX_HOST} characters")
        if site.scheme == "file":
            fence = self._fences.get(_fenced_site(site))
            return _Verdict("" if fence else _LOCAL_REASON, fence)
        if self.settings.kind == "prefix":
            fence = self._fences.get(_fenced_site(site))
            return _Verdict("" if fence else self._outside, fence)
        if self.settings.kind == "any" or self._place(site) in self._places:
            return _Verdict()
        return _Verdict(self._outside)

    def _place(self, site: Site) -> str:
        """What a site and a root have in common when the one is in the scope of the other."""
        return self._domain_of(site.host) if self.settings.kind == "domain" else site.host_label


def anywhere(settings: ScopeSettings) -> CrawlScope:
    """The same scope with no fence around the web: its patterns, rules and limits hold."""
    return CrawlScope(changed(settings, kind="any"))


def for_requisites(settings: ScopeSettings) -> CrawlScope:
    """For pictures, styles and scripts of pages, which stand anywhere and are no pages: what says
    which pages are wanted does not hold, what keeps URLs out does."""
    return CrawlScope(changed(settings, kind="any", include=[], rules=""))


def _fenced_site(site: Site) -> str:
    """Whose directories a site shares: http and https are one."""
    return site.host_label if site.scheme in _WEB else site.origin


def _fences(roots: Iterable[str]) -> dict[str, _Fence]:
    directories: defaultdict[str, set[str]] = defaultdict(set)
    for url in roots:
        origin = _ORIGIN.match(url)
        path = url[origin.end() :] if origin else ""
        directory = path.partition("?")[0].rpartition("/")[0] + "/"
        directories[_fenced_site(site_of(url))].add(directory)
    return {site: _fence(site, found) for site, found in directories.items()}


def _fence(site: str, directories: set[str]) -> _Fence:
    if site.startswith("file://"):
        return _Fence(directories, _LOCAL_REASON, local=True)
    reason = f"scope: not below {_one_or_count(directories, 'directories of seeds')}"
    return _Fence(directories, reason, local=False)


def _one_or_count(names: set[str], noun: str) -> str:
    return _short(next(iter(names))) if len(names) == 1 else f"one of the {len(names):,} {noun}"


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


def _patterns(texts: Iterable[str], name: str) -> list[re.Pattern[str]]:
    try:
        return [compiled(text) for text in texts]
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from None
