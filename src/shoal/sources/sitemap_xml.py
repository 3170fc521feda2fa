"""Which tags stand in a stream of XML? A scanner for files that come from anyone, in any size.

No XML parser: entities can make a small file explode, and one stray `&` would cost all the rest of
a sitemap. Tags are found by one pattern of bounded length, comments and declarations are passed
over, only the character references of XML itself are undone. Memory is bounded by one chunk and
one value, time by the length of the text; nothing here raises.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_VALUE_CHARS = 5_000
"""Of an element's text, or of a tag's attributes: longer ones are nobody's URL."""
# Possessive: what can't become a tag is given up at once, not tried in every length.
_TOKEN = re.compile(
    rf"<(?:(/?)([A-Za-z_][\w.:-]{{0,100}}+)([^<>]{{0,{MAX_VALUE_CHARS}}}+)>|(!--)|(!\[CDATA\[))"
)
_MAX_TAG_CHARS = MAX_VALUE_CHARS + 200
_ATTRIBUTE = re.compile(r"""([A-Za-z_][\w.:-]{0,100}+)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#[xX]([0-9A-Fa-f]{1,6}));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_COMMENT_END, _CDATA_END = "-->", "]]>"
_SURROGATES = range(0xD800, 0xE000)
_LAST_CHARACTER = 0x10FFFF


class Tag(NamedTuple):
    name: str
    """As written, with its prefix."""
    is_end: bool
    raw: str
    """Its attributes as written: see `attributes`."""
    text: str
    """Of an end: what stands between the tag before and this one, trimmed and plain."""


class TagScanner:
    """Fed with text in pieces of any length: where they are cut makes no difference."""

    def __init__(self) -> None:
        self._rest = ""
        self._until = ""
        """Inside of a comment or of CDATA: what ends it."""
        self._parts: list[str] = []
        self._chars = 0

    def feed(self, piece: str) -> Iterator[Tag]:
        text, position = self._rest + piece, 0
        while True:
            if self._until:
                position = self._pass_over(text, position)
                if self._until:
                    return
            token = _TOKEN.search(text, position)
            if token is None:
                self._keep_tail(text, position)
                return
            self._take(text, position, token.start())
            position = token.end()
            if token[2] is None:
                self._until = _COMMENT_END if token[4] else _CDATA_END
                continue
            is_end = bool(token[1])
            yield Tag(token[2], is_end, token[3], self._value() if is_end else "")
            self._parts.clear()
            self._chars = 0

    def _pass_over(self, text: str, position: int) -> int:
        """To the end of a comment or of CDATA, which is text in which nothing is escaped."""
        end = text.find(self._until, position)
        stop = end if end >= 0 else max(position, len(text) - len(self._until) + 1)
        if self._until == _CDATA_END:
            raw = text[position : min(stop, position + MAX_VALUE_CHARS + 1)].replace("&", "&amp;")
            self._take(raw, 0, len(raw))
        if end < 0:
            self._rest = text[stop:]
            return stop
        self._until = ""
        return end + len(_CDATA_END)

    def _keep_tail(self, text: str, position: int) -> None:
        """What may be the beginning of a tag waits for the next piece."""
        start = text.rfind("<", position)
        if start < 0 or len(text) - start > _MAX_TAG_CHARS:
            start = len(text)
        self._take(text, position, start)
        self._rest = text[start:]

    def _take(self, text: str, start: int, end: int) -> None:
        if end > start and self._chars <= MAX_VALUE_CHARS:
            self._parts.append(text[start : min(end, start + MAX_VALUE_CHARS + 1)])
            self._chars += end - start

    def _value(self) -> str:
        if self._chars > MAX_VALUE_CHARS:
            return ""
        return plain("".join(self._parts))


def plain(text: str) -> str:
    """Trimmed, with the references undone that XML has by itself."""
    if "&" in text:
        text = _REFERENCE.sub(_character, text)
    return text.strip()


def attributes(raw: str) -> dict[str, str]:
    """By name, with its prefix; the first of a name counts."""
    found: dict[str, str] = {}
    for name, double, single in _ATTRIBUTE.findall(raw):
        found.setdefault(name, plain(double or single))
    return found


def _character(reference: re.Match[str]) -> str:
    if reference[1]:
        return _NAMED[reference[1]]
    code = int(reference[2]) if reference[2] else int(reference[3], 16)
    if not code or code in _SURROGATES or code > _LAST_CHARACTER:
        return "\N{REPLACEMENT CHARACTER}"
    return chr(code)
