"""What does a site's robots.txt allow us? RFC 9309, with the leniency of Google's parser.

Parsing keeps only the group that speaks to our product token (or `*`), its patterns spelled for
comparison and sorted by precedence, so a verdict is the first rule that matches: most octets
first, Allow before Disallow on a tie (2.2.2). The file is read as octets, because a pattern in a
foreign charset still names the octets that such a URL has. Nothing in a file can make this raise.
"""

import math
import re
from collections.abc import Iterator
from enum import Enum
from http import HTTPStatus
from typing import NamedTuple

from shoal.model.record import Struct
from shoal.model.robots.patterns import matches, path_of, spell_path, spell_pattern
from shoal.model.robots.site_signals import MAX_SIGNALS, SiteSignal, read_signal

__all__ = [
    "ALLOW_ALL",
    "DISALLOW_ALL",
    "MAX_AGE_SECONDS",
    "MAX_BYTES",
    "MAX_REDIRECTS",
    "Access",
    "RobotsAnswer",
    "RobotsRules",
    "Rule",
    "meaning",
    "parse",
    "path_of",
]

MAX_BYTES = 500 * 1024
"""Section 2.5: a parsing limit of at least 500 KiB."""
MAX_REDIRECTS = 5
"""Section 2.3.1.2: follow at least five, also to another host; beyond that it is unavailable."""
MAX_AGE_SECONDS = 24 * 60 * 60
"""Section 2.4: a copy should not be used for longer, unless the file is unreachable."""
MAX_LINE_BYTES = 2083 * 8 - 1
"""Google's limit, eight times the longest URL of old browsers; the rest of the line is ignored."""
MAX_SITEMAPS = 1000


class Access(Enum):
    """What the HTTP status of robots.txt means for the site (2.3.1)."""

    PARSE = "parse"
    REDIRECT = "redirect"
    ALLOW = "allow"
    UNREACHABLE = "unreachable"


class Rule(NamedTuple):
    allow: bool
    pattern: str
    line_number: int


class RobotsAnswer(Struct, frozen=True, array_like=True):
    """The answer for one path, with the line that gave it; none when no rule matched."""

    allowed: bool
    line: int | None = None
    pattern: str | None = None


class RobotsRules(Struct, frozen=True, array_like=True):
    """The rules of one site for one agent; `rules` stand in order of precedence, see `parse`."""

    rules: tuple[Rule, ...] = ()
    crawl_delay: float | None = None
    """Seconds, as asked for; how much of it to grant is the politeness policy's question."""
    sitemaps: tuple[str, ...] = ()
    """As written, absolute or not, in the order of the file."""
    signals: tuple[SiteSignal, ...] = ()
    """What the group says about the use of pages; kept, not obeyed."""

    def verdict(self, path_and_query: str) -> RobotsAnswer:
        if path_and_query == "/robots.txt":
            return RobotsAnswer(allowed=True)  # implicitly allowed (2.2.2)
        path = spell_path(path_and_query)
        for rule in self.rules:
            spellings = path.for_allow if rule.allow else path.for_disallow
            for spelling in spellings:
                if matches(rule.pattern, spelling):
                    return RobotsAnswer(rule.allow, rule.line_number or None, rule.pattern)
        return RobotsAnswer(allowed=True)


ALLOW_ALL = RobotsRules()
DISALLOW_ALL = RobotsRules(rules=(Rule(allow=False, pattern="/", line_number=0),))
"""For an unreachable robots.txt. Line 0 is no line: its verdict names none."""


_MEANING_OF_CLASS = {2: Access.PARSE, 3: Access.REDIRECT, 4: Access.ALLOW}


def meaning(status: int) -> Access:
    """What to do after robots.txt was answered with this status; 0 stands for no answer at all."""
    # The RFC counts 429 among the 4xx that open the whole site. Common practice, and ours, reads
    # "too many requests" as "not now": the site is left alone and asked again later.
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return Access.UNREACHABLE
    return _MEANING_OF_CLASS.get(status // 100, Access.UNREACHABLE)


def parse(body: bytes, product_token: str, max_bytes: int = MAX_BYTES) -> RobotsRules:
    """The rules for the agent whose product token this is: letters, `_` and `-` (2.2.1)."""
    token = product_token.lower()
    own, everyone = _Group(), _Group()
    sitemaps: list[str] = []
    in_rules = False
    for number, key, value in _records(_head(body, max_bytes)):
        if key is _Key.SITEMAP:
            if value and len(sitemaps) < MAX_SITEMAPS:
                sitemaps.append(value.decode("utf-8", "replace"))
        elif key is _Key.USER_AGENT:
            # Only a rule ends the list of a group's agents; any other line leaves it open (2.2.4).
            if in_rules:
                own.is_open = everyone.is_open = in_rules = False
            if _GLOBAL_TOKEN.match(value):
                everyone.open()
            elif _token_of(value) == token:
                own.open()
        elif key is _Key.CRAWL_DELAY:
            own.add_delay(value)
            everyone.add_delay(value)
        elif key in _SIGNALS:
            own.add_signal(key.value, value, number)
            everyone.add_signal(key.value, value, number)
        else:
            in_rules = True
            own.add_rule(key is _Key.ALLOW, value, number)
            everyone.add_rule(key is _Key.ALLOW, value, number)
    group = own if own.named else everyone
    rules = group.ordered_rules()
    return RobotsRules(rules, group.crawl_delay, tuple(sitemaps), tuple(group.signals))


class _Key(Enum):
    USER_AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    SITEMAP = "sitemap"
    CRAWL_DELAY = "crawl-delay"
    CONTENT_SIGNAL = "content-signal"
    CONTENT_USAGE = "content-usage"


_SIGNALS = (_Key.CONTENT_SIGNAL, _Key.CONTENT_USAGE)
# A key is known by how it begins, as in Google's parser; the misspellings are the frequent ones.
_KEYS = {
    **dict.fromkeys((b"user-agent", b"useragent", b"user agent"), _Key.USER_AGENT),
    b"allow": _Key.ALLOW,
    **dict.fromkeys((b"disallow", b"dissallow", b"dissalow"), _Key.DISALLOW),
    **dict.fromkeys((b"disalow", b"diasllow", b"disallaw"), _Key.DISALLOW),
    **dict.fromkeys((b"sitemap", b"site-map"), _Key.SITEMAP),
    **dict.fromkeys((b"crawl-delay", b"crawldelay", b"crawl delay"), _Key.CRAWL_DELAY),
    b"content-signal": _Key.CONTENT_SIGNAL,
    b"content-usage": _Key.CONTENT_USAGE,
}
_KEY = re.compile(b"|".join(sorted(_KEYS, reverse=True)))
_BYTE_ORDER_MARK = re.compile(rb"\xef(?:\xbb\xbf?)?")  # also one that was cut short
_GLOBAL_TOKEN = re.compile(rb"\*(?:\s|$)")
_TOKEN = re.compile(rb"[A-Za-z_-]+")
_SECONDS = re.compile(rb"[0-9]+(?:\.[0-9]*)?|\.[0-9]+")


class _Group:
    """The merged groups of one agent, while the file is read (2.2.1)."""

    def __init__(self) -> None:
        self.named = False
        self.is_open = False
        self.crawl_delay: float | None = None
        self.signals: list[SiteSignal] = []
        self._rules: list[tuple[int, Rule]] = []

    def open(self) -> None:
        self.named = self.is_open = True

    def add_rule(self, allow: bool, value: bytes, number: int) -> None:
        # A pattern that begins otherwise matches no path at all, and an empty one is none.
        if not self.is_open or not value.startswith((b"/", b"*")):
            return
        pattern = spell_pattern(value)
        spelling = pattern.for_allow if allow else pattern.for_disallow
        self._rules.append((pattern.octets, Rule(allow, spelling, number)))
        directory, slash, name = value.rpartition(b"/")
        if allow and slash and name.startswith(b"index.htm"):
            # Google's: who allows a directory's index page allows the directory itself.
            self.add_rule(allow, directory + b"/$", number)

    def add_delay(self, value: bytes) -> None:
        """A delay belongs to the agents named above it; of several the longest is kept."""
        if not self.is_open or not _SECONDS.fullmatch(value):
            return
        seconds = float(value)
        if math.isfinite(seconds):
            self.crawl_delay = max(seconds, self.crawl_delay or 0.0)

    def add_signal(self, name: str, value: bytes, number: int) -> None:
        if self.is_open and len(self.signals) < MAX_SIGNALS:
            signal = read_signal(name, value, number)
            if signal is not None:
                self.signals.append(signal)

    def ordered_rules(self) -> tuple[Rule, ...]:
        def precedence(weighed: tuple[int, Rule]) -> tuple[int, bool, int]:
            octets, rule = weighed
            return -octets, not rule.allow, rule.line_number

        return tuple(rule for _, rule in sorted(self._rules, key=precedence))


def _head(body: bytes, max_bytes: int) -> bytes:
    """At most so many bytes, in whole lines: half a rule would be another rule."""
    if len(body) <= max_bytes:
        return body
    head = body[: max_bytes + 1]  # one more, to see whether the last line ends here
    return head[: max(head.rfind(b"\n"), head.rfind(b"\r")) + 1]


def _records(body: bytes) -> Iterator[tuple[int, _Key, bytes]]:
    mark = _BYTE_ORDER_MARK.match(body)
    lines = body[mark.end() if mark else 0 :].splitlines()  # for bytes: LF, CR and CRLF only
    for number, line in enumerate(lines, start=1):
        record = line[:MAX_LINE_BYTES].partition(b"#")[0].strip()
        name, colon, value = record.partition(b":")
        if not colon:
            # Some forget the colon: taken when the line is two words.
            words = record.split()
            if len(words) != 2:
                continue
            name, value = words
        key = _KEY.match(name.strip().lower())
        if key:
            yield number, _KEYS[key[0]], value.strip()


def _token_of(value: bytes) -> str | None:
    token = _TOKEN.match(value)
    return token[0].decode("ascii").lower() if token else None
