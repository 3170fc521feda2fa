"""Which characters are a feed's bytes, and where does it begin?

A charset is believed in the order of RFC 7303 (byte order mark, HTTP, XML declaration), but bytes
that are valid UTF-8 and not ASCII are UTF-8, whatever was declared: that is hardly ever chance, and
wrong declarations are common. The prologue is read by hand and left out: of a document type only
entities with short plain values are kept, so that none can grow, and no pattern here looks at more
than a bounded stretch (feedparser's own take quadratic time on blank lines before the root).
"""

import codecs
import re
from typing import NamedTuple

MAX_BYTES = 10 * 1024 * 1024
"""Of a feed, content encoding undone; the rest is left out."""
MAX_ENTITIES = 500

_MARKS = (
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
)
_UNMARKED = (
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0\0\0", "utf-32-le"),
    (b"\0<\0", "utf-16-be"),
    (b"<\0", "utf-16-le"),
    (b"\x4c\x6f\xa7\x94", "cp037"),
)
_DECLARED = re.compile(rb"<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}[\"']([\w.:-]{1,40})[\"']")
_CHARSET = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)
# Codecs that are no charsets (punycode, unicode_escape) can be slow, and mean something else.
_SOUND = re.compile(
    r"utf[-_]?(8|16|32)|utf-(16|32)-[bl]e|ascii|iso8859|cp\d|koi8|gb|big5|shift_jis|euc|"
    r"iso2022|johab|mac|tis|hp-roman|kz1048|ptcp154|hz"
)
_AS_ON_THE_WEB = {"ascii": "cp1252", "iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030"}
_ROOT = re.compile(r"<[A-Za-z_]")
_SUBSET_END = re.compile(r"\]\s{0,100}>")
_ENTITY = re.compile(
    r"<!ENTITY\s{1,20}([A-Za-z][\w.-]{0,50})\s{1,20}"
    r"(?:\"(&#\w{1,8};|[^\"&%<>]{0,60})\"|'(&#\w{1,8};|[^'&%<>]{0,60})')\s{0,20}>"
)
# A parser makes a hundred bytes of each attribute before anyone can count them.
_GIANT_TAG = re.compile(r"<[A-Za-z][^<>]{100000}")
_SPACE = re.compile(r"[\s\ufeff\0]*")


class Document(NamedTuple):
    """A feed as text, from its root element on."""

    text: str
    entities: dict[str, str]
    """What its document type defines, the values as written there."""
    is_netscape: bool = False
    """Whether that is the one of RSS 0.91 by Netscape."""


def decoded(body: bytes, content_type: str = "") -> str:
    """Never raises; what is no character becomes U+FFFD."""
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(charset, "replace")
    for start, charset in _UNMARKED:
        if body.startswith(start):
            return body.decode(charset, "replace")
    told = [match[1] for match in [_CHARSET.search(content_type[:500])] if match]
    told += [match[1].decode() for match in [_DECLARED.search(body, 0, 500)] if match]
    is_escaped = any(name.lower().startswith(("iso-2022", "hz")) for name in told)
    for charset in [*([] if is_escaped else ["utf-8"]), *map(_codec, told)]:
        try:
            return body.decode(charset)
        except (UnicodeDecodeError, LookupError):
            continue
    return body.decode(_last_resort(body), "replace")


def _codec(name: str) -> str:
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):
        return "utf-8"
    return _AS_ON_THE_WEB.get(found, found) if _SOUND.match(found) else "utf-8"


def _last_resort(body: bytes) -> str:
    """A UTF-8 text with a damaged or cut character has many that are whole."""
    text = body.decode("utf-8", "replace")
    damaged = text.count("\ufffd")
    others = sum(map(len, re.findall(rb"[\x80-\xff]+", body))) - damaged
    return "utf-8" if damaged * 4 <= others else "cp1252"


def document(text: str) -> Document:
    """The text without its prologue: declaration, comments, document type."""
    at, entities, is_netscape, has_type = 0, {}, False, False
    while True:
        space = _SPACE.match(text, at)
        at = space.end() if space else at
        if text.startswith("<!--", at):
            at = _after(text, "-->", at + 4)
        elif text.startswith("<?", at):
            at = _after(text, ">", at + 2)
        elif not has_type and text[at : at + 9].upper() == "<!DOCTYPE":
            has_type, end = True, _end_of_type(text, at)
            head = text[at:end]
            is_netscape = "netscape" in head[:1000].lower()
            entities = _entities(head)
            at = end
        else:
            break
    root = _ROOT.search(text, at)
    giant = _GIANT_TAG.search(text, root.start()) if root else None
    whole = text[root.start() : giant.start() if giant else None] if root else ""
    return Document(whole, entities, is_netscape)


def _after(text: str, end: str, at: int) -> int:
    found = text.find(end, at)
    return len(text) if found < 0 else found + len(end)


def _end_of_type(text: str, at: int) -> int:
    end, subset = text.find(">", at), text.find("[", at)
    if end < 0:
        return len(text)
    if subset < 0 or subset > end:
        return end + 1
    closed = _SUBSET_END.search(text, subset)
    return closed.end() if closed else end + 1


def _entities(head: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for match in _ENTITY.finditer(head):
        found.setdefault(match[1], match[2] or match[3] or "")
        if len(found) >= MAX_ENTITIES:
            break
    return found
