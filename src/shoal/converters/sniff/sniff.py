"""Which format is it? Told by the bytes, then by the declared media type, then by the name.

Much less than WHATWG's MIME Sniffing: a crawler runs nothing it reads, so it may believe the bytes.
Error pages are served as PDF, PDFs as HTML, and anything at all as octet-stream or plain text.
"""

import re
from urllib.parse import unquote

from shoal.converters.formats import Format, by_media_type, by_name, canonical
from shoal.converters.sniff.magic import magic_kind
from shoal.converters.sniff.packages import OLE, XML, ZIP, ole_kind, xml_kind, zip_kind
from shoal.converters.sniff.text import text_kind

HTML = "text/html"
PLAIN = "text/plain"
BINARY = "application/octet-stream"

_SNIFFED_BYTES = 1024
_TEXT_BYTES = 8192
_LEAST_WIDE = 16
_UNTOLD = frozenset(
    {"", BINARY, "binary/octet-stream", "unknown/unknown", "application/unknown", "*/*"}
    | {"application/force-download", "application/x-download", "content/unknown"}
)
_WEAK = frozenset({PLAIN, XML, "text/xml", "application/json", "text/x-source"})
"""Declared for much that is more than that: the name may know better."""
_HTML_SIGNATURE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|link|table|div|h1|p|br|a)[\s/>]",
    re.IGNORECASE | re.DOTALL,
)
_CONTROLS = re.compile(rb"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f]")
"""Not of text, where backspaces (overstruck manuals) and escapes (colours) do stand."""
_BINARY_FAMILIES = frozenset({"zip", "ole", "iwork"})
_BINARY_KINDS = ("image/", "audio/", "video/", "font/", "application/pdf")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]{1,100}/[\w!#$&^.+*-]{1,100}")
_CHARSET = re.compile(r""";\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""", re.IGNORECASE)
_FILE_NAME = re.compile(
    r"""filename(\*)?\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))""", re.IGNORECASE
)


def declared_type(content_type: str) -> str:
    """`text/html` out of `Text/HTML; charset=…`; empty when there is no type in it."""
    name = content_type.partition(";")[0].strip().lower()
    return name if _MEDIA_TYPE.fullmatch(name) else ""


def declared_charset(content_type: str) -> str:
    match = _CHARSET.search(content_type[:1000])
    return next(group for group in match.groups() if group is not None) if match else ""


def file_name(content_disposition: str) -> str:
    """The name that a server gives a download (RFC 6266), without folders; often empty."""
    found = ""
    for star, quoted, bare in _FILE_NAME.findall(content_disposition[:2000]):
        if star:
            return unquote(bare.rpartition("'")[2]).rpartition("/")[2]
        found = found or re.sub(r"\\(.)", r"\1", quoted) or bare
    return found.rpartition("/")[2]


def media_type(content_type: str, body: bytes, name: str = "") -> str:
    declared = canonical(declared_type(content_type))
    head = body[:_SNIFFED_BYTES]
    if declared == HTML and head[:1] == b"<":
        return HTML  # nearly every page of the web
    if packed := magic_kind(body):
        return _of_magic(packed, declared, body, name)
    is_html = _HTML_SIGNATURE.match(head) is not None
    if declared in _UNTOLD:
        return _untold(body, name, is_html)
    if declared in _WEAK:
        return _refined(declared, body, name)
    if is_textual(declared):
        return declared
    # A binary type with a page for its body is somebody's error page.
    return HTML if is_html else declared


def _of_magic(packed: str, declared: str, body: bytes, name: str) -> str:
    """What begins like a package is what lies in it, or what it is said to be."""
    if packed == ZIP:
        packed = canonical(zip_kind(body))
    elif packed == OLE:
        packed = ole_kind(body)
    if packed not in (ZIP, OLE, "application/vnd.apple.iwork"):
        return packed
    told = by_media_type(declared)
    if told is not None and told.family == _family_of(packed):
        return declared
    named = by_name(name)
    if named is not None and named.family == _family_of(packed):
        return named.media_type
    return packed


def _family_of(kind: str) -> str:
    """Which formats a package of this kind may turn out to be."""
    return {ZIP: "zip", OLE: "ole", "application/vnd.apple.iwork": "iwork"}.get(kind, kind)


def _untold(body: bytes, name: str, is_html: bool) -> str:
    head = body[:_TEXT_BYTES]
    named = by_name(name)
    found = xml_kind(head)
    if found and found != XML:
        return HTML if found == "application/xhtml+xml" else found
    if named is not None and _fits(named, head, is_html):
        return _refined(named.media_type, body, "")
    if is_html:
        return HTML
    if found:
        return found
    if not looks_like_text(head):
        return BINARY
    return text_kind(head) or PLAIN


def _fits(named: Format, head: bytes, is_html: bool) -> bool:
    """Whether bytes may be what the name of their file says: a page saved as `.xls` is a page."""
    is_text = looks_like_text(head)
    if named.is_text:
        return is_text and not (is_html and named.media_type == PLAIN)
    has_marks = named.family in _BINARY_FAMILIES or named.media_type.startswith(_BINARY_KINDS)
    return not (is_text and has_marks) and not is_html


def _refined(declared: str, body: bytes, name: str) -> str:
    """Plain text, XML and JSON are also the carriers of other formats."""
    if declared not in _WEAK:
        return declared
    head = body[:_TEXT_BYTES]
    if declared in (XML, "text/xml"):
        return xml_kind(head) or declared
    named = by_name(name)
    if named is not None and named.is_text and named.media_type not in (HTML, PLAIN):
        return named.media_type
    return text_kind(head) or declared


def looks_like_text(body: bytes) -> bool:
    head = body[:_SNIFFED_BYTES]
    if head.startswith(_WIDE_MARKS) or not _CONTROLS.search(head):
        return True
    # UTF-16 without a mark: most of the letters of a page are below U+0100.
    zeros = max(head[::2].count(0), head[1::2].count(0))
    others = min(head[::2].count(0), head[1::2].count(0))
    return len(head) >= _LEAST_WIDE and zeros > 0.3 * len(head) and others == 0


_TEXTUAL = frozenset(
    {"application/json", "application/xml", "application/xhtml+xml", "application/javascript"}
    | {"application/ecmascript", "application/x-javascript", "application/ld+json"}
    | {"application/x-ndjson", "application/yaml", "application/x-yaml", "application/toml"}
    | {"application/csv", "application/sql", "application/x-sh", "application/x-tex"}
    | {"application/x-subrip", "message/rfc822", "image/svg+xml"}
)


def is_textual(kind: str) -> bool:
    """Whether a media type's bytes are characters."""
    return kind.startswith("text/") or kind in _TEXTUAL or kind.endswith(("+xml", "+json"))
