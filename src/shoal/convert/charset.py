"""Which characters do the bytes mean? BOM, HTTP, meta element, and only then a guess.

The order is WHATWG's ("determining the character encoding"): what is declared is believed, by the
first who says it. Without a declaration valid UTF-8 is UTF-8, since nothing else looks like it by
chance; a detector is asked for the rest. Labels mean what browsers take them to mean ("iso-8859-1"
is windows-1252), by the Encoding Standard's table, so a page can't name a codec that is no charset.
"""

import codecs
import re
from typing import NamedTuple

import cchardet

from shoal.convert.charset_labels import CODECS, name_of

PRESCAN_BYTES = 1024
_DETECTED_BYTES = 32_768
"""What the detector is shown; more costs time and hardly changes its mind."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16le"),
    (codecs.BOM_UTF16_BE, "utf-16be"),
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
_NON_ASCII = re.compile(rb"[\x80-\xff]")


class Text(NamedTuple):
    text: str
    charset: str
    """The standard's name, lower case."""
    evidence: str
    """`bom`, `http`, `meta`, `detector` (valid UTF-8 counts as detected) or `default`."""


def decode(data: bytes, declared: str = "") -> Text:
    """The text of a body whose Content-Type declares this charset, if any."""
    for mark, charset in _BOMS:
        if data.startswith(mark):
            return _read(data[len(mark) :], charset, "bom")
    charset = name_of(declared)
    if charset:
        return _read(data, charset, "http")
    charset = prescan(data[:PRESCAN_BYTES])
    if charset:
        return _read(data, charset, "meta")
    if data.isascii() and b"\x1b" not in data:  # ISO-2022 hides its characters behind escapes
        return Text(data.decode("ascii"), "utf-8", "default")
    return _detected(data)


def prescan(head: bytes) -> str:
    """The charset that a meta element or an XML declaration names; empty when none does."""
    if head.startswith(b"<?xml"):
        declaration = _XML_DECLARATION.match(head)
        if declaration:
            return _not_wide(name_of(declaration[1].decode("ascii", "replace")))
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    for meta in _META.finditer(head):
        charset = _of_meta(head, meta.end())
        if charset:
            return _not_wide(charset)
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
    return "utf-8" if charset.startswith("utf-16") else charset


def _detected(data: bytes) -> Text:
    first = _NON_ASCII.search(data)
    if first:
        text = data.decode("utf-8", "replace")
        faults = text.count("\ufffd")
        # A body cut within a character, or a foreign byte pasted into a page, is still UTF-8.
        if faults == 0 or faults * 20 < len(text.encode()) - len(text):
            return Text(text, "utf-8", "detector")
    start = max(0, first.start() - _DETECTED_BYTES // 8) if first else 0
    label = cchardet.detect(data[start : start + _DETECTED_BYTES])["encoding"]
    charset = name_of(label or "")
    if charset and charset != "utf-8":
        return _read(data, charset, "detector")
    return _read(data, "windows-1252", "default")


def _read(data: bytes, charset: str, evidence: str) -> Text:
    return Text(data.decode(CODECS[charset], "replace"), charset, evidence)
