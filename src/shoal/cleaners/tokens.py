"""What is tag and what is text in a page's source, and where does each stand?

Splits as the HTML Standard's tokenizer does (section 13.2.5), without building a tree: methods that
look for content need positions in the source. The tokens cover the source without gap or overlap,
whatever it is, and splitting takes linear time: patterns are possessive, and whatever is not closed
ends with the page, so that nothing is searched for twice. Not followed: `<!--<script>` in a script.
"""

import re
from collections.abc import Iterator
from enum import IntEnum
from html import unescape
from html.entities import html5
from typing import NamedTuple

_SPACE = r"\t\n\f\r "
_VALUE = rf"""(?:"[^"]*+(?:"|\Z)|'[^']*+(?:'|\Z)|[^{_SPACE}>"'][^{_SPACE}>]*+)"""
_NAME = rf"[^{_SPACE}/>][^{_SPACE}/>=]*+"
_EQUALS = rf"[{_SPACE}]*+=[{_SPACE}]*+"

_MARKUP = re.compile(
    rf"<(?:(/?+)([a-zA-Z][^{_SPACE}/>]*+)"
    rf"(?:[{_SPACE}/]++|{_NAME}(?:{_EQUALS}{_VALUE}?+)?+)*+>|(?=[a-zA-Z/!?]))"
)
"""A tag, or the beginning of something else that is no text."""
_CUT_OFF = re.compile(r"</?+[a-zA-Z]")
_TAG_NAME = re.compile(rf"<[a-zA-Z][^{_SPACE}/>]*+")
_ATTRIBUTE = re.compile(rf"({_NAME})(?:{_EQUALS}({_VALUE}?+))?+")
_COMMENT_END = re.compile(r"--!?>")
_REFERENCE = re.compile(
    r"&(?:#(?:[xX]0*+[0-9a-fA-F]{1,6}+(?![0-9a-fA-F])|0*+[0-9]{1,7}+(?![0-9]));?+"
    r"|([a-zA-Z][a-zA-Z0-9]*+(?:;|(?!=))))"
)
_HIDDEN = frozenset({"script", "style", "iframe", "noembed", "noframes"})
_RAW_ENDS = {
    name: re.compile(rf"</{name}(?=[{_SPACE}/>])", re.IGNORECASE)
    for name in (*sorted(_HIDDEN), "title", "textarea", "xmp")
}
_FOREIGN = frozenset({"svg", "math"})
"""Within these, XML's habits hold: `<title/>` is empty and CDATA sections exist."""
_SPECIAL = _FOREIGN | _RAW_ENDS.keys() | {"plaintext"}


class HtmlTokenKind(IntEnum):
    """What a stretch of source is."""

    TEXT = 0
    START = 1
    END = 2
    OTHER = 3
    """Comments, doctypes, CDATA, processing instructions, scripts, style sheets, a cut-off tag."""


_TEXT, _START, _END, _OTHER = HtmlTokenKind  # an enumeration's attributes are slow to look up


class Token(NamedTuple):
    """A stretch [start, end) of the source; a tag with its angle brackets."""

    kind: HtmlTokenKind
    name: str
    """The element in lower case; empty for TEXT and OTHER."""
    start: int
    end: int


def tokens(html: str) -> Iterator[Token]:
    """The whole source in order: tags, and what is between them."""
    position = 0
    foreign = 0
    while (markup := _MARKUP.search(html, position)) is not None:
        start, end = markup.span()
        if start > position:
            yield Token(_TEXT, "", position, start)
        ends, name = markup.groups()
        position = end
        if name is None:
            position = _end_of_other(html, start, foreign=foreign > 0)
            yield Token(_OTHER, "", start, position)
            continue
        name = name.lower()
        yield Token(_END if ends else _START, name, start, end)
        if name not in _SPECIAL:
            continue
        if ends:
            foreign -= foreign > 0 and name in _FOREIGN
        elif not (html.endswith("/>", start, end) and (foreign or name in _FOREIGN)):
            foreign += name in _FOREIGN
            position = _end_of_raw(html, end, name)
            if end < position:
                yield Token(_OTHER if name in _HIDDEN else _TEXT, "", end, position)
    if position < len(html):
        yield Token(_TEXT, "", position, len(html))


def attributes(tag: str) -> dict[str, str]:
    """The attributes of one start tag, given its source: names in lower case, the first wins."""
    found: dict[str, str] = {}
    opening = _TAG_NAME.match(tag)
    end = len(tag) - tag.endswith(">")
    for each in _ATTRIBUTE.finditer(tag, opening.end() if opening else 0, end):
        value = each[2] or ""
        if value[:1] in {'"', "'"}:
            value = value[1:-1] if value.endswith(value[0], 1) else value[1:]
        found.setdefault(each[1].lower(), _REFERENCE.sub(_referred, value))
    return found


def _end_of_other(html: str, start: int, *, foreign: bool) -> int:
    """Where a comment, a declaration or a tag that is cut off by the page's end stops."""
    if html.startswith("<!--", start):
        if html.startswith(("->", ">"), start + 4):
            return html.index(">", start) + 1
        close = _COMMENT_END.search(html, start + 4)
        return close.end() if close else len(html)
    if foreign and html.startswith("<![CDATA[", start):
        return _after(html, "]]>", start)
    return len(html) if _CUT_OFF.match(html, start) else _after(html, ">", start)


def _end_of_raw(html: str, start: int, name: str) -> int:
    if name in _FOREIGN:
        return start
    ending = _RAW_ENDS.get(name)
    close = ending.search(html, start) if ending else None
    return close.start() if close else len(html)


def _after(html: str, mark: str, start: int) -> int:
    found = html.find(mark, start)
    return found + len(mark) if found >= 0 else len(html)


def _referred(reference: re.Match[str]) -> str:
    """Within attributes `&copy=1` is part of an address, not a sign (13.2.5.73)."""
    name = reference[1]
    return html5.get(name, reference[0]) if name else unescape(reference[0])
