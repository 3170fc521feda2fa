"""Which format is it? The declared media type, corrected by the bytes where they leave no doubt.

Much less than WHATWG's MIME Sniffing: a crawler runs nothing it reads, so it may believe the bytes.
Error pages are served as PDF, PDFs as HTML, and anything at all as octet-stream.
"""

import re

HTML = "text/html"
PLAIN = "text/plain"
BINARY = "application/octet-stream"

_SNIFFED_BYTES = 1024
_UNTOLD = frozenset(
    {"", BINARY, "binary/octet-stream", "unknown/unknown", "application/unknown", "*/*"}
    | {"application/force-download", "application/x-download", "content/unknown"}
)
_MAGIC = (
    (b"%PDF-", "application/pdf"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (b"%!PS-Adobe", "application/postscript"),
    (b"{\\rtf", "application/rtf"),
    (b"BZh", "application/x-bzip2"),
    (b"\xfd7zXZ\x00", "application/x-xz"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"OggS\x00", "application/ogg"),
    (b"ID3", "audio/mpeg"),
    (b"\x7fELF", "application/x-executable"),
)
_HTML_SIGNATURE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*"
    rb"<(?:!doctype\s+html|html|head|body|title|meta|script|style|link|table|div|h1|p|br|a)[\s/>]",
    re.IGNORECASE | re.DOTALL,
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MEDIA_TYPE = re.compile(r"[\w!#$&^.+-]{1,100}/[\w!#$&^.+*-]{1,100}")
_CHARSET = re.compile(r""";\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))""", re.IGNORECASE)


def declared_type(content_type: str) -> str:
    """`text/html` out of `Text/HTML; charset=…`; empty when there is no type in it."""
    name = content_type.partition(";")[0].strip().lower()
    return name if _MEDIA_TYPE.fullmatch(name) else ""


def declared_charset(content_type: str) -> str:
    match = _CHARSET.search(content_type[:1000])
    return next(group for group in match.groups() if group is not None) if match else ""


def media_type(content_type: str, body: bytes) -> str:
    declared = declared_type(content_type)
    head = body[:_SNIFFED_BYTES]
    magic = next((kind for mark, kind in _MAGIC if head.startswith(mark)), "")
    if declared in _UNTOLD:
        if magic:
            return magic
        if _HTML_SIGNATURE.match(head):
            return HTML
        return PLAIN if looks_like_text(head) else BINARY
    if is_textual(declared):
        return magic or declared
    # A binary type with a page for its body is somebody's error page.
    return HTML if not magic and _HTML_SIGNATURE.match(head) else declared


def looks_like_text(body: bytes) -> bool:
    head = body[:_SNIFFED_BYTES]
    return head.startswith(_WIDE_MARKS) or not _CONTROLS.search(head)


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
