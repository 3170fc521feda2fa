"""Does a path pattern of robots.txt match a path? RFC 9309 sections 2.2.2 and 2.2.3.

Patterns and paths are brought to one spelling of percent-escapes and then compared octet by octet.
The RFC and the reference parser (Google's, with its published cases) differ on three points: the
RFC decodes escaped letters, escapes raw non-ASCII in the path, and takes `:` for `%3A` in a query;
the reference does not. Where they differ we take the answer that leaves the page alone: a Disallow
matches under the RFC's reading, an Allow only under the reading that both share.
"""

import re
from typing import NamedTuple

# What cannot stand raw in a URI (RFC 3986), and `*` and `$`, which in a path are plain octets and
# in a pattern are written %2A and %24 when meant literally (RFC 9309, 2.2.3). A `%` that starts no
# escape stays: `Disallow: /*%` is in real use and means any escape.
_STRAY = re.compile(r'%[0-9A-Fa-f]{2}|[\x00-\x20"$*<>\[\\\]^`{|}\x7f]')
_PLAIN = re.compile(rb"[A-Za-z0-9\-._~:/?#@!&'()+,;=]*")  # most patterns: nothing to respell
_HIGH = re.compile(r"[\x80-\xff]")
_UNRESERVED = re.compile(r"%(2[DE]|3[0-9]|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])")
# In a query these four delimit nothing, so RFC 9309's table takes raw and escaped for the same.
_QUERY_DATA = re.compile(r"%(3A|2F|3F|40)")
_AUTHORITY = re.compile(r"(?:[^/?;]*://)?[^/?;]*")


class Path(NamedTuple):
    """A path and query in every spelling that a rule may be compared with."""

    for_allow: tuple[str, ...]
    for_disallow: tuple[str, ...]


class Pattern(NamedTuple):
    for_allow: str
    for_disallow: str

    @property
    def octets(self) -> int:
        """The rule's weight: most octets win (2.2.2), counted in one spelling for both kinds."""
        return len(self.for_disallow)


def path_of(url: str) -> str:
    """Path and query of a URL, never raising: a URL without a path, or none at all, gives "/"."""
    rest = url.partition("#")[0].removeprefix("//")
    authority = _AUTHORITY.match(rest)
    rest = rest[authority.end() :] if authority else rest
    return rest if rest.startswith("/") else "/" + rest


def spell_path(path_and_query: str) -> Path:
    rooted = path_and_query if path_and_query.startswith("/") else "/" + path_and_query
    written = _STRAY.sub(_escape, rooted)
    octets = written.encode("utf-8", "surrogatepass").decode("latin-1")
    decoded = _decode_unreserved(_HIGH.sub(_escape, octets))
    loose = _decode_query_data(decoded)
    return Path((written,), (decoded,) if loose == decoded else (decoded, loose))


def spell_pattern(value: bytes) -> Pattern:
    if _PLAIN.fullmatch(value):
        return Pattern(value.decode("ascii"), value.decode("ascii"))
    text = value.decode("latin-1")  # one character per octet, so that broken UTF-8 keeps its octets
    pieces = text.removesuffix("$").split("*")
    written = _HIGH.sub(_escape, "*".join(_STRAY.sub(_escape, piece) for piece in pieces))
    written += "$" if text.endswith("$") else ""
    return Pattern(written, _decode_query_data(_decode_unreserved(written)))


def matches(pattern: str, path: str) -> bool:
    """Whether the pattern matches from the start of the path.

    Taking the leftmost place for each piece between stars is always right, so one pass without
    backtracking is enough, however many stars a hostile file has.
    """
    anchored = pattern.endswith("$")
    if "*" not in pattern:
        return path == pattern[:-1] if anchored else path.startswith(pattern)
    head, *pieces = pattern.removesuffix("$").split("*")
    if not path.startswith(head):
        return False
    at = len(head)
    tail = pieces.pop() if anchored else ""
    for piece in pieces:
        found = path.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return len(path) - len(tail) >= at and path.endswith(tail)


def _escape(match: re.Match[str]) -> str:
    found = match[0]
    return f"%{ord(found):02X}" if len(found) == 1 else found.upper()


def _decode_unreserved(text: str) -> str:
    return _UNRESERVED.sub(_unescape, text) if "%" in text else text


def _decode_query_data(text: str) -> str:
    before, mark, query = text.partition("?")
    return before + mark + _QUERY_DATA.sub(_unescape, query) if "%" in query else text


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16))
