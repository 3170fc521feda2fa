"""Which kind of text is it? Told by how it begins, where nobody said.

Only what hardly begins by chance: a mail's fields, `BEGIN:VCARD`, the first cue of subtitles. Light
markup looks like prose, so it is told by its name alone.
"""

import re

_MAIL_FIELD = re.compile(
    rb"^(From|To|Subject|Date|Message-ID|Received|MIME-Version|Return-Path|Content-Type):",
    re.IGNORECASE | re.MULTILINE,
)
_FIELD_LINE = re.compile(rb"[A-Za-z][\w-]{0,60}[ \t]*:|[ \t]+\S|>?From ")
_MBOX = re.compile(rb"From \S+.{0,60}\d{4}.{0,20}\r?\n[A-Za-z][\w-]*:")
_STARTS = (
    (b"BEGIN:VCARD", "text/vcard"),
    (b"BEGIN:VCALENDAR", "text/calendar"),
    (b"WEBVTT", "text/vtt"),
    (b"[Script Info]", "text/x-ssa"),
    (b"{\\rtf", "application/rtf"),
    (b"\\documentclass", "application/x-tex"),
    (b"\\documentstyle", "application/x-tex"),
    (b"%PDF-", "application/pdf"),
    (b"diff --git", "text/x-diff"),
    (b"@CT 0", "application/x-t602"),
    (b"@CT 1", "application/x-t602"),
    (b"@CT 2", "application/x-t602"),
    (b"ID;P", "text/x-sylk"),
    (b"TABLE\r\n0,1", "text/x-dif"),
    (b"TABLE\n0,1", "text/x-dif"),
)
_MHTML = re.compile(rb"^Content-Type:\s*multipart/related", re.IGNORECASE | re.MULTILINE)
_SAVED = re.compile(
    rb"^(?:Snapshot-Content-Location|From: <Saved by|X-MimeOLE|Content-Location):",
    re.IGNORECASE | re.MULTILINE,
)
_SRT = re.compile(rb"\s*\d{1,6}\r?\n\d{1,2}:\d\d:\d\d[,.]\d{1,3} --> ")
_JSON = re.compile(rb'\s*[\[{]\s*(?:["\[{\]}\d-]|true|false|null)')
_NOTEBOOK = re.compile(rb'"(?:nbformat|cell_type)"\s*:')
_JSON_FEED = b"jsonfeed.org/version/"


def text_kind(head: bytes) -> str:
    """A media type, or empty when it may be anything. `head` is the first few thousand bytes."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    for mark, kind in _STARTS:
        if start.startswith(mark):
            return kind
    if _MBOX.match(head):
        return "application/mbox"
    if _MHTML.search(head) and _SAVED.search(head):
        return "multipart/related"
    if is_mail(head):
        return "message/rfc822"
    if _SRT.match(head):
        return "application/x-subrip"
    if _JSON.match(start):
        if _NOTEBOOK.search(head):
            return "application/x-ipynb+json"
        return "application/feed+json" if _JSON_FEED in head else ""
    return ""


def is_mail(head: bytes) -> bool:
    """Begins with header fields, three of which only a mail has (two, when nothing else comes)."""
    fields, _, _ = head.replace(b"\r\n", b"\n").lstrip(b"\xef\xbb\xbf\n").partition(b"\n\n")
    lines = fields.split(b"\n")[:200]
    if not lines or not all(_FIELD_LINE.match(line) for line in lines[:-1] or lines):
        return False
    found = {name.lower() for name in _MAIL_FIELD.findall(fields)}
    return len(found) >= 3 or (len(found) == 2 and b"from" in found)
