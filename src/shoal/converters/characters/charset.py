"""Which characters do the bytes mean? BOM, HTTP, the document itself, and only then a guess.

The order is WHATWG's ("determining the character encoding") and, for XML, that of RFC 7303: what is
declared is believed, by the first who says it. Without a declaration valid UTF-8 is UTF-8, since
nothing else looks like it by chance; statistics of letters decide the rest. On the web labels mean
what browsers take them to mean ("iso-8859-1" is windows-1252, "gb2312" gb18030), so a page can't
name a codec that is no charset; XML and files know more names and keep to registered charsets.
"""

import codecs
import re
from typing import Literal, NamedTuple

from shoal.converters.characters.codecs import as_browsers, as_registered
from shoal.converters.characters.guess import guess, guess_ebcdic
from shoal.converters.characters.labels import file_name_of, name_of
from shoal.converters.characters.wide import ebcdic, escaped, hidden_in_ascii, wide

PRESCAN_BYTES = 1024

TextKind = Literal["", "html", "xml", "text"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32be"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
    (b"\x84\x31\x95\x33", "gb18030"),
)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META = re.compile(rb"<meta[\s/]+", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    rb"""[\s/]*([^\s=/>"'][^\s=/>]*)\s*(?:=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?"""
)
_CHARSET_IN_CONTENT = re.compile(
    rb"""charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""", re.IGNORECASE
)
_XML_DECLARATION = re.compile(rb"""<\?xml\s[^>]*?\sencoding\s*=\s*["']([^"'>]*)["']""")
_EBCDIC_XML = b"\x4c\x6f\xa7\x94"
_WIDE_XML = (
    (b"<\0\0\0", "utf-32le"),
    (b"\0\0\0<", "utf-32be"),
    (b"<\0?\0", "utf-16le"),
    (b"\0<\0?", "utf-16be"),
)
_HTML = re.compile(
    rb"\s*(?:<!--|<!doctype\s+html|<(?:html|head|body|title|meta|script|div|p|table|a|h1)\b)",
    re.IGNORECASE,
)
_NON_ASCII = bytes(range(0x80, 0x100))
_CUT = re.compile(rb"(?:[\xe2-\xef][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{1,2})\Z")
_CUT_ANYWHERE = re.compile(rb"(?:[\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]{1,2})\Z")
_LONG = 1024
_LIE_FAULTS = 8
"""So many faults, and hardly a character that is right, and a declaration of UTF-8 is a lie."""


class Text(NamedTuple):
    text: str
    charset: str
    """The standard's name, lower case."""
    evidence: str
    """`bom`, `http`, `meta`, `xml`, `detector` (valid UTF-8 counts as detected) or `default`."""


def decode(data: bytes, declared: str = "", kind: TextKind = "", language: str = "") -> Text:
    """The text of a body whose Content-Type declares this charset, if any.

    `kind` is whose rules hold; when it is empty the bytes tell. `language` (of a Content-Language,
    of the document around) is a hint for the statistics; what a page says of itself is found.
    """
    for mark, charset in _BOMS:
        if data.startswith(mark):
            return Text(_read(data[len(mark) :], charset, "html")[0], charset, "bom")
    charset = name_of(declared)
    if charset == "utf-8":  # most of the web: nothing else needs to be known
        return _believed(data, charset, kind, "http")
    kind = kind or kind_of(data)
    if not charset and kind != "html":
        charset = file_name_of(declared)
    if charset:
        return _believed(data, charset, kind, "http")
    if data.startswith(b"<?xml") or kind == "html":
        charset = prescan(data[:PRESCAN_BYTES])
        if charset:
            evidence = "xml" if data.startswith(b"<?xml") else "meta"
            return _believed(data, charset, kind, evidence)
    elif kind == "xml" and (found := _unusual_xml(data)):
        return _believed(data, found, kind, "xml")
    if data.isascii() and not _needs_a_look(data, kind):
        return Text(data.decode("ascii"), "utf-8", "default")
    return _detected(data, kind, language)


def kind_of(data: bytes) -> TextKind:
    """Whose rules hold for these bytes: XML's, HTML's or none."""
    if data.startswith(b"<?xml") or data[:4] == _EBCDIC_XML:
        return "xml"
    if any(data.startswith(head) for head, _ in _WIDE_XML):
        return "xml"
    return "html" if _HTML.match(data, 0, PRESCAN_BYTES) or _META.search(data, 0, 1024) else "text"


def prescan(head: bytes) -> str:
    """The charset that a meta element or an XML declaration names; empty when none does."""
    if head.startswith(b"<?xml"):
        declaration = _XML_DECLARATION.match(head)
        if declaration:
            return _not_wide(file_name_of(declaration[1].decode("ascii", "replace")))
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    for meta in _META.finditer(head):
        charset = _of_meta(head, meta.end())
        if charset:
            return "windows-1252" if charset == "x-user-defined" else _not_wide(charset)
    return ""


def _of_meta(head: bytes, position: int) -> str:
    attributes: dict[bytes, bytes] = {}
    while match := _ATTRIBUTE.match(head, position):
        value = next((group for group in match.groups()[1:] if group is not None), b"")
        attributes.setdefault(match[1].lower(), value)
        position = match.end()
    label = attributes.get(b"charset")
    if label is None and attributes.get(b"http-equiv", b"").strip().lower() == b"content-type":
        match = _CHARSET_IN_CONTENT.search(attributes.get(b"content", b""))
        label = match and next(group for group in match.groups() if group is not None)
    return name_of(label.decode("ascii", "replace")) if label else ""


def _not_wide(charset: str) -> str:
    """Whoever reads "utf-16" in ASCII bytes is not reading UTF-16 (the standard says so too)."""
    return "utf-8" if charset.startswith(("utf-16", "utf-32", "utf-7")) else charset


def _unusual_xml(data: bytes) -> str:
    """The charset of an XML document that does not begin in ASCII (XML 1.0, appendix F)."""
    for head, charset in _WIDE_XML:
        if data.startswith(head):
            return charset
    if data.startswith(_EBCDIC_XML):
        declaration = _XML_DECLARATION.match(data[:200].decode("cp037").encode("ascii", "replace"))
        named = declaration and file_name_of(declaration[1].decode("ascii", "replace"))
        return named if named and named.startswith("ibm") else "ibm037"
    return ""


def _believed(data: bytes, charset: str, kind: TextKind, evidence: str) -> Text:
    if charset == "utf-8":
        text = data.decode("utf-8", "replace")
        if "\ufffd" in text and _lies(data, text):
            return _detected(data, kind or kind_of(data), "")
        return Text(text, charset, evidence)
    text, name = _read(data, charset, kind)
    return Text(text, name, evidence)


def _read(data: bytes, charset: str, kind: TextKind) -> tuple[str, str]:
    return (as_browsers(data, charset), charset) if kind == "html" else as_registered(data, charset)


def _lies(data: bytes, text: str) -> bool:
    faults, whole = _utf_8_faults(data, text)
    return faults >= _LIE_FAULTS and whole * 4 < faults


def _utf_8_faults(data: bytes, text: str) -> tuple[int, int]:
    """(faults, characters beyond ASCII that are whole) of bytes read as UTF-8."""
    faults = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    return faults, len(text) - faults - len(data.translate(None, _NON_ASCII))


def _needs_a_look(data: bytes, kind: TextKind) -> bool:
    """Whether bytes within ASCII could mean others: zeros, escapes, or (in a file) UTF-7 and HZ."""
    return b"\0" in data or b"\x1b" in data or b"~{" in data or (kind == "text" and b"+" in data)


def _detected(data: bytes, kind: TextKind, language: str) -> Text:
    charset = wide(data)
    if not charset and data.isascii():
        charset = escaped(data) or hidden_in_ascii(data, kind)
        if not charset:
            return Text(data.decode("ascii"), "utf-8", "default")
    if not charset:
        text = data.decode("utf-8", "replace")
        if "\ufffd" not in text or _nearly_utf_8(data, text):
            return Text(text, "utf-8", "detector")
        mainframe = kind != "html" and ebcdic(data)
        charset = guess_ebcdic(data) if mainframe else guess(data, kind, language)
    text, name = _read(data, charset, kind)
    return Text(text, name, "detector")


def _nearly_utf_8(data: bytes, text: str) -> bool:
    """A body cut within a character, or foreign bytes pasted into a page, is still UTF-8."""
    faults, whole = _utf_8_faults(data, text)
    cut = _CUT if len(data) < _LONG else _CUT_ANYWHERE
    return faults * 3 < whole or (faults == 1 and cut.search(data, len(data) - 3) is not None)
