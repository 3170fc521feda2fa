"""Which URLs does a page name? Raw references become `Link`s: resolved, folded, judged, weighed.

What costs most in a crawl is work per link, so fragments and repeats go before anything is parsed,
and a plain path is not parsed at all. After this a link needs no more looking at: its URL is
canonical, its row key is made, the scope has spoken.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from shoal.model.link import Link, LinkSource, Rel
from shoal.model.urls.params import DEFAULT, ParamRules
from shoal.model.urls.rowkey import row_key
from shoal.model.urls.spelling import seen_row
from shoal.model.urls.url import canonical, seen_key
from shoal.ports import Prioritizer, Scope

_WEB = ("http://", "https://")
_NEVER_FETCHED = (
    *("mailto:", "javascript:", "data:", "tel:", "sms:", "fax:", "callto:", "skype:", "whatsapp:"),
    *("about:", "blob:", "vbscript:", "view-source:", "chrome:", "intent:", "market:", "magnet:"),
)
_SPACES = " \t\n\f\r"
# A path that is canonical as it stands: no empty or dot segment, no escape, query or parameter.
_NAME = "[A-Za-z0-9_~-][A-Za-z0-9_~.-]{0,200}"
_PLAIN_PATH = re.compile(rf"(?:/{_NAME}){{1,10}}/?")
_PLAIN_NAMES = re.compile(rf"{_NAME}(?:/{_NAME}){{0,9}}/?")
_PLAIN_URL = re.compile(rf"(https?://[a-z0-9.:-]{{1,260}})(?:/{_NAME}){{1,10}}/?")
_END_OF_PATH = re.compile("[?#]")
_MAX_FOLDER = 1_500
"""So that no URL put together from it and plain names is too long."""
_MAX_ORIGINS = 10_000
_MAX_REMEMBERED = 20_000
"""Of targets: the links of a site are mostly the same few, on page after page."""
# A target that is followed by one of its links is followed; the other marks are facts about it.
# (Plain integers: an enum's `&` costs more than all the rest of folding.)
_UNLESS_ALL = int(Rel.NOFOLLOW | Rel.UGC | Rel.SPONSORED | Rel.EMBED)

_NOT_OURS = int(Rel.NOFOLLOW | Rel.UGC | Rel.SPONSORED)
_MOST_MORE = 7
_MOST_MORE_BYTES = 1_000
"""Of texts beside the first, for one target of one page."""

Said = tuple[str, int]
"""What a page says of a target: anchor text and rel flags."""


class _Target(NamedTuple):
    """What is known of a canonical URL, whoever links to it."""

    key: str
    """Under which it and its twin are one, in the seen test."""
    row: bytes
    site_length: int
    seen: bytes
    """The row key of the seen test, where it is another than `row`."""
    refusal: str


class Hrefs:
    """The references of one page as written, repeats folded as they come, at most `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._found: dict[str, Said] = {}
        self.more: dict[str, tuple[str, ...]] = {}
        """What else the page says, by references that it says something else of."""

    def add(self, raw: str, text: str, rel: int) -> None:
        raw = raw.strip(_SPACES)
        if "#" in raw:
            page = raw.partition("#")[0]
            # A space before the mark is part of the path, one at the end is none.
            raw = page if not page or page[-1] > " " else raw
        if not raw:
            return  # the page itself
        known = self._found.get(raw)
        if known is not None:
            said = self._found[raw] = _folded(known, text, rel)
            if text != said[0] and not rel & _NOT_OURS & ~said[1]:
                self.more[raw] = _with(self.more.get(raw, ()), text, said[0])
        elif len(self._found) < self._limit:
            self._found[raw] = text, rel

    def __iter__(self) -> Iterator[tuple[str, Said]]:
        return iter(self._found.items())


def _folded(known: Said, text: str, rel: int) -> Said:
    first = known[1]
    flags = (first & rel & _UNLESS_ALL) | ((first | rel) & ~_UNLESS_ALL)
    return known[0] or text, flags


def _with(more: tuple[str, ...], text: str, first: str) -> tuple[str, ...]:
    """One text more beside the first, unless it is known or there are enough."""
    if not text or text == first or text in more or len(more) >= _MOST_MORE:
        return more
    size = sum(len(each.encode("utf-8", "replace")) for each in (*more, text))
    return (*more, text) if size <= _MOST_MORE_BYTES else more


class LinkMaker:
    """Makes links for one crawl: its scope, its priorities, its rules for URL parameters."""

    def __init__(
        self, scope: Scope, prioritizer: Prioritizer, params: ParamRules = DEFAULT
    ) -> None:
        self._scope = scope
        self._prioritizer = prioritizer
        self._params = params
        self._origins: set[str] = set()
        """Of canonical URLs met lately: with a plain path behind one there is nothing to do."""
        self._places: dict[str, tuple[str, str]] = {}
        """Origin and folder, by what stands before the last name in a base's path."""
        self._targets: dict[str, _Target] = {}
        """By canonical URL, those met lately."""

    def url(self, raw: str | bytes, base: str) -> str:
        """The canonical URL of a reference; empty when there is none to fetch."""
        url = canonical(raw, base, self._params)
        if url is None or (not url.startswith(_WEB) and url.startswith(_NEVER_FETCHED)):
            return ""
        return url

    def link(self, url: str, source: LinkSource, rel: int = 0, text: str = "") -> Link:
        return self._judged(url, row_key(url), source, (text, rel))

    def links(self, page_url: str, base: str, hrefs: Hrefs) -> list[Link]:
        """One link for each page that is named; none for `page_url` itself."""
        found: dict[str, Link] = {}
        own_key = seen_key(page_url)
        origin, folder = self._place(base)
        targets, worth = self._targets, self._prioritizer.priority
        more = hrefs.more
        for raw, (text, rel) in hrefs:
            url = _joined(raw, origin, folder)
            target = targets.get(url)
            if target is None:
                url = self._looked_at(raw, base, origin, folder)
                if not url:
                    continue
                target = targets.get(url) or self._remembered(url)
            key, row, site_length, seen, refusal = target
            known = found.get(key)
            if known is not None:
                known.text, known.rel = _folded((known.text, known.rel), text, rel)
                if not rel & _NOT_OURS & ~known.rel:
                    for each in (text, *more.get(raw, ())):
                        known.more = _with(known.more, each, known.text)
            elif key != own_key:
                priority = worth(url, LinkSource.LINK, text)
                link = found[key] = Link(
                    url, row, text, rel, refusal, priority, LinkSource.LINK, seen, site_length
                )
                if raw in more:
                    link.more = more[raw]
        return list(found.values())

    def _looked_at(self, raw: str, base: str, origin: str, folder: str) -> str:
        """The canonical URL of a reference that is met for the first time; empty for none."""
        if raw[0] == "/":
            url = origin + raw if origin and _PLAIN_PATH.fullmatch(raw) else ""
        elif raw.startswith(_WEB):
            url = self._absolute(raw)
        else:
            url = folder + raw if folder and _PLAIN_NAMES.fullmatch(raw) else ""
        return url or self.url(raw, base)

    def _remembered(self, url: str) -> _Target:
        row, site_length = _row_and_site(url)
        key = seen_key(url)
        seen = seen_row(row) if len(key) != len(url) else b""
        target = _Target(key, row, site_length, seen, self._scope.refuses(url))
        if len(url) < _MAX_FOLDER:  # so that what is remembered is small
            if len(self._targets) >= _MAX_REMEMBERED:
                self._targets.clear()
            self._targets[url] = target
        return target

    def _place(self, base: str) -> tuple[str, str]:
        """The origin of a page, and the folder that its relative references start from."""
        if not base.startswith(_WEB):
            return "", ""
        written = _END_OF_PATH.split(base, maxsplit=1)[0].rpartition("/")[0]
        place = self._places.get(written)
        if place is None:
            folder = self.url(".", base)
            is_plain = folder.endswith("/") and len(folder) < _MAX_FOLDER
            place = self.url("/", base)[:-1], folder if is_plain else ""
            if len(self._places) >= _MAX_ORIGINS:
                self._places.clear()
            if len(written) < _MAX_FOLDER:
                self._places[written] = place
        return place

    def _absolute(self, raw: str) -> str:
        """A reference that is a canonical URL as it stands; empty when it has to be looked at."""
        plain = _PLAIN_URL.fullmatch(raw)
        if plain is None:
            return ""
        if plain[1] in self._origins:
            return raw
        if self.url(raw, raw) == raw:
            if len(self._origins) >= _MAX_ORIGINS:
                self._origins.clear()
            self._origins.add(plain[1])
            return raw
        return ""

    def _judged(self, url: str, row: bytes, source: LinkSource, said: Said) -> Link:
        text, rel = said
        refusal = self._scope.refuses(url)
        priority = self._prioritizer.priority(url, source, text)
        return Link(url, row, text, rel, refusal, priority, source)


def _joined(raw: str, origin: str, folder: str) -> str:
    """The URL of a reference if it is one that was met before: a canonical URL that a reference
    makes with its page's origin or folder is what it leads to. Empty: it has to be looked at."""
    if raw[0] == "/":
        return origin + raw if raw[1:2] != "/" and origin else ""
    if raw.startswith(_WEB):
        return raw
    if folder and raw[0] != "?" and ":" not in raw:
        return folder + raw
    return ""


def _row_and_site(url: str) -> tuple[bytes, int]:
    """The row key of a canonical URL, and how much of it is the site's (0: not worked out)."""
    row = row_key(url)
    return row, len(row) - len(url) + url.find("/", 8) if url.startswith(_WEB) else 0
