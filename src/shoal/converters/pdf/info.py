"""What does the file say of itself? Title, author, dates: the information dictionary, then XMP.

PDFium hands out the dictionary only. XMP is XML that stands uncompressed in the file, so that
programs that know nothing of PDF can find it (ISO 16684-1, 7.3): it is found by its packet's start.
"""

import re
from dataclasses import dataclass

from shoal.converters.pdf.library import Pdf, info, language
from shoal.converters.xml import Element, all_text, attribute, local, named, parse

_DATE = re.compile(
    r"(?:D:)?(\d{4})(?:(\d\d)(?:(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?)?)?(?:\s*(Z|[+-])(?:(\d\d)'?(\d\d)?)?)?"
)
_ISO = re.compile(
    r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?)?)?"
)
_XMP_START, _XMP_END = re.compile(rb"<(?:x:xmpmeta|rdf:RDF)\b"), b"</rdf:RDF>"
_XMP_BYTES, _PACKETS = 500_000, 8
_NO_TITLE = re.compile(
    r"(?i)untitled|(?:microsoft (?:word|powerpoint|excel) - .*)|.*\.(?:docx?|dvi|tex|qxd|indd|"
    r"pptx?|xlsx?|rtf|odt|pdf|ps|txt|html?|p65|fm|cdr|ai|eps)|[\W\d_]*|document\d*|title|slide \d+|"
    r"about:blank|https?://\S+|file:\S+|print|[\w.-]+[_.][\w.-]*|powerpoint presentation|"
    r"presentation\d*|book\d*|no title|none|null"
)


@dataclass(slots=True)
class About:
    title: str = ""
    author: str = ""
    description: str = ""
    keywords: str = ""
    published: str = ""
    modified: str = ""
    language: str = ""


def about(pdf: Pdf, body: bytes) -> About:
    found = About(
        info(pdf, "Title"),
        info(pdf, "Author"),
        info(pdf, "Subject"),
        info(pdf, "Keywords"),
        iso_date(info(pdf, "CreationDate")),
        iso_date(info(pdf, "ModDate")),
        language(pdf),
    )
    if not (found.title and found.author and found.published):
        _fill(found, xmp(body))
    if not sensible_title(found.title):
        found.title = ""
    return found


def sensible_title(title: str) -> bool:
    """Many are the name of the file it was made from, or of the program."""
    return bool(title) and not _NO_TITLE.fullmatch(title.strip())


def _fill(found: About, more: About) -> None:
    found.title = found.title or more.title
    found.author = found.author or more.author
    found.description = found.description or more.description
    found.keywords = found.keywords or more.keywords
    found.published = found.published or more.published
    found.modified = found.modified or more.modified
    found.language = found.language or more.language


def iso_date(text: str) -> str:
    """`D:20240131120000+01'00'` as `2024-01-31T12:00:00+01:00`; empty when it is no date."""
    match = _DATE.match(text.strip())
    if match is None:
        return (_ISO.fullmatch(text.strip()) is not None and text.strip()) or ""
    year, month, day, hour, minute, second, sign, off_hour, off_minute = match.groups()
    if _ISO.fullmatch(text.strip()) and len(text.strip()) > 4:
        return text.strip()
    if not 1 <= int(month or 1) <= 12 or not 1 <= int(day or 1) <= 31 or int(year) < 1900:
        return ""
    date = "-".join(part for part in (year, month, day) if part)
    if hour is None or int(hour) > 23 or int(minute) > 59:
        return date
    date += f"T{hour}:{minute}:{second or '00'}"
    if sign == "Z" or (sign and off_hour is None):
        return date + "Z"
    return date + (f"{sign}{off_hour}:{off_minute or '00'}" if sign else "")


def xmp(body: bytes) -> About:
    """Of the last packet that has a title or a maker: the document's own comes after those of its
    pictures, or has been rewritten at the end."""
    found = About()
    starts = [match.start() for match in _XMP_START.finditer(body)][-_PACKETS:]
    for start in starts:
        end = body.find(_XMP_END, start, start + _XMP_BYTES)
        root = parse(_whole(body[start : end + len(_XMP_END)])) if end > 0 else None
        if root is None:
            continue
        values: dict[str, str] = {}
        for element in named(root, "title", "creator", "description", "subject", "Keywords"):
            name = local(element)
            if name in values:  # the first counts; those within it would be read again and again
                continue
            items = [all_text(item).strip() for item in named(element, "li")]
            joined = ", ".join(item for item in items if item) or all_text(element).strip()
            values[name] = joined
        for name in ("CreateDate", "ModifyDate", "Keywords"):
            values.setdefault(name, _value(root, name))
        more = About(
            values.get("title", ""),
            values.get("creator", ""),
            values.get("description", ""),
            values.get("Keywords", "") or values.get("subject", ""),
            iso_date(values.get("CreateDate", "")),
            iso_date(values.get("ModifyDate", "")),
        )
        _fill(more, found)
        found = more
    return found


def _whole(packet: bytes) -> bytes:
    return packet + b"</x:xmpmeta>" if packet.startswith(b"<x:") else packet


def _value(root: Element, name: str) -> str:
    """As an element or as an attribute of a description."""
    for element in named(root, name):
        return all_text(element).strip()
    for element in named(root, "Description"):
        value = attribute(element, name)
        if value:
            return value
    return ""
