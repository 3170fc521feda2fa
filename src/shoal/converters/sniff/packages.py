"""Which format is packed in it? A zip file, an OLE2 file, or XML, told by what lies in it.

A package is recognised by the first of its parts that only one format has. Only a little is read:
the directory of a zip file, the names in an OLE2 file, the first element of an XML file.
"""

import re

from shoal.converters.limits import DEFAULT_LIMITS
from shoal.converters.zip import Package

ZIP = "application/zip"
OLE = "application/x-ole-storage"
XML = "application/xml"

_OFFICE = "application/vnd.openxmlformats-officedocument."
_MAIN_PARTS = (
    (
        b"ms-excel.sheet.binary.macroEnabled",
        "application/vnd.ms-excel.sheet.binary.macroenabled.12",
    ),
    (b"ms-word.document.macroEnabled", "application/vnd.ms-word.document.macroenabled.12"),
    (b"ms-word.template.macroEnabled", "application/vnd.ms-word.template.macroenabled.12"),
    (b"ms-excel.sheet.macroEnabled", "application/vnd.ms-excel.sheet.macroenabled.12"),
    (b"ms-excel.template.macroEnabled", "application/vnd.ms-excel.template.macroenabled.12"),
    (b"ms-excel.addin.macroEnabled", "application/vnd.ms-excel.addin.macroenabled.12"),
    (
        b"ms-powerpoint.presentation.macroEnabled",
        "application/vnd.ms-powerpoint.presentation.macroenabled.12",
    ),
    (
        b"ms-powerpoint.slideshow.macroEnabled",
        "application/vnd.ms-powerpoint.slideshow.macroenabled.12",
    ),
    (b"wordprocessingml.document.main", _OFFICE + "wordprocessingml.document"),
    (b"wordprocessingml.template.main", _OFFICE + "wordprocessingml.template"),
    (b"presentationml.presentation.main", _OFFICE + "presentationml.presentation"),
    (b"presentationml.slideshow.main", _OFFICE + "presentationml.slideshow"),
    (b"presentationml.template.main", _OFFICE + "presentationml.template"),
    (b"spreadsheetml.sheet.main", _OFFICE + "spreadsheetml.sheet"),
    (b"spreadsheetml.template.main", _OFFICE + "spreadsheetml.template"),
    (b"ms-visio.drawing.macroEnabled", "application/vnd.ms-visio.drawing.macroenabled.12"),
    (b"ms-visio.", "application/vnd.ms-visio.drawing"),
    (b"ms-package.xps-fixeddocumentsequence", "application/vnd.ms-xpsdocument"),
    (b"oxps", "application/oxps"),
)
"""Content types of the part that makes an Office Open XML package what it is."""
_MEMBERS = (
    ("word/document.xml", _OFFICE + "wordprocessingml.document"),
    ("xl/workbook.xml", _OFFICE + "spreadsheetml.sheet"),
    ("xl/workbook.bin", "application/vnd.ms-excel.sheet.binary.macroenabled.12"),
    ("ppt/presentation.xml", _OFFICE + "presentationml.presentation"),
    ("visio/document.xml", "application/vnd.ms-visio.drawing"),
    ("fixeddocseq.fdseq", "application/vnd.ms-xpsdocument"),
    ("meta-inf/container.xml", "application/epub+zip"),
    ("index.apxl", "application/vnd.apple.keynote"),
    ("index.apxl.gz", "application/vnd.apple.keynote"),
    ("index.xml", "application/vnd.apple.iwork"),
    ("index.xml.gz", "application/vnd.apple.iwork"),
    ("index/document.iwa", "application/vnd.apple.iwork"),
    ("index.zip", "application/vnd.apple.iwork"),
    ("androidmanifest.xml", "application/vnd.android.package-archive"),
    ("doc.kml", "application/vnd.google-earth.kmz"),
    ("contents/header.xml", "application/hwp+zip"),
)
_STREAMS = (
    ("WordDocument", "application/msword"),
    ("Workbook", "application/vnd.ms-excel"),
    ("WORKBOOK", "application/vnd.ms-excel"),
    ("Book", "application/vnd.ms-excel"),
    ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ("PP40", "application/vnd.ms-powerpoint"),
    ("__properties_version1.0", "application/vnd.ms-outlook"),
    ("VisioDocument", "application/vnd.visio"),
    ("Quill", "application/vnd.ms-publisher"),
    ("BodyText", "application/x-hwp"),
    ("MatOST", "application/vnd.ms-works"),
    ("MM", "application/vnd.ms-works"),
    ("Props12", "application/vnd.ms-project"),
    ("Props14", "application/vnd.ms-project"),
    ("Props9", "application/vnd.ms-project"),
    ("Props", "application/vnd.ms-project"),
    ("NativeContent_MAIN", "application/x-quattro-pro"),
    ("PerfectOffice_MAIN", "application/vnd.wordperfect"),
    ("EncryptedPackage", "application/x-ooxml-protected"),
    ("StarWriterDocument", "application/vnd.stardivision.writer"),
    ("StarCalcDocument", "application/vnd.stardivision.calc"),
)
"""Names of streams and storages that one program's files have; the first found decides."""
_ENTRY_BYTES = 128
_DIRECTORY_BYTES = 200_000_000
_ELEMENT = re.compile(
    rb"<(?:[A-Za-z_][\w.-]{0,100}:)?([A-Za-z_][\w.-]{0,100})(?=[\s/>])([^>]{0,4000})"
)
_MOST_PROLOGUE = 50
"""Comments, instructions and declarations before the root element."""
_ROOTS = {
    b"html": "application/xhtml+xml",
    b"svg": "image/svg+xml",
    b"rss": "application/rss+xml",
    b"feed": "application/atom+xml",
    b"opml": "text/x-opml",
    b"kml": "application/vnd.google-earth.kml+xml",
    b"gpx": "application/gpx+xml",
    b"fictionbook": "application/x-fictionbook+xml",
    b"document-content": "application/vnd.oasis.opendocument.flat",
    b"worddocument": "application/vnd.ms-wordml",
    b"package": "application/vnd.ms-flat-opc",
    b"visiodocument": "application/vnd.visio.xml",
    b"workbook": "application/vnd.ms-spreadsheetml",
    b"plist": "application/x-plist",
    b"tmx": "application/x-tmx+xml",
    b"xliff": "application/xliff+xml",
    b"tt": "application/ttml+xml",
    b"tei": "application/tei+xml",
    b"math": "application/mathml+xml",
    b"topic": "application/dita+xml",
    b"concept": "application/dita+xml",
    b"resources": "application/x-android-strings+xml",
    b"xmpmeta": "application/rdf+xml",
    b"uof": "application/x-uof",
    b"abiword": "application/x-abiword",
}
_FLAT_ODF = re.compile(rb"""office:mimetype\s*=\s*["']([\w./+-]+)["']""")


def zip_kind(body: bytes) -> str:
    """Of a zip file: the format it is the package of, or that it is a zip file."""
    if body[30:38] == b"mimetype" and body.startswith(b"PK\x03\x04"):
        size = int.from_bytes(body[18:22], "little")
        start = 38 + int.from_bytes(body[28:30], "little")
        declared = body[start : start + min(size or 100, 100)]
        found = re.match(rb"[a-z]+/[\w.+-]+", declared)
        if found:
            return found[0].decode().removesuffix("PK")
    package = Package(body, DEFAULT_LIMITS)
    if "[Content_Types].xml" in package:
        kinds = package.read("[Content_Types].xml")
        for mark, kind in _MAIN_PARTS:
            if mark in kinds:
                return kind
    if "mimetype" in package:
        return package.read("mimetype")[:100].decode("ascii", "replace").strip()
    for member, kind in _MEMBERS:
        if member in package:
            return kind
    names = package.names
    if any(each.lower().endswith("index/document.iwa") for each in names):
        return "application/vnd.apple.iwork"
    if "META-INF/MANIFEST.MF" in package:
        return "application/java-archive"
    if len(names) == 1 and names[0].lower().endswith(".fb2"):
        return "application/x-zip-compressed-fb2"
    return ZIP


def ole_kind(body: bytes) -> str:
    """By the names in its directory, wherever that stands: entries are aligned."""
    entries = {
        body[start : start + length - 2]
        for start in range(512, min(len(body), _DIRECTORY_BYTES), _ENTRY_BYTES)
        if 4 <= (length := int.from_bytes(body[start + 64 : start + 66], "little")) <= 64
    }
    for name, kind in _STREAMS:
        if name.encode("utf-16-le") in entries:
            return _perfect_office(body) if name == "PerfectOffice_MAIN" else kind
    return OLE


def _perfect_office(body: bytes) -> str:
    """A text, or a spreadsheet: the same program's name for both."""
    is_text = b"\xffWPC" in body
    return "application/vnd.wordperfect" if is_text else "application/x-quattro-pro"


def xml_kind(head: bytes) -> str:
    """By the root element: `application/xml` when we do not know it, empty for what is no XML."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        head = head.decode("utf-16", "replace").encode()
    elif head.startswith((b"<\0?\0", b"\0<\0?")):
        codec = "utf-16-le" if head.startswith(b"<\0") else "utf-16-be"
        head = head.decode(codec, "replace").encode()
    root = _ELEMENT.match(head, _after_prologue(head))
    if root is None:
        return ""
    name, attributes = root[1].lower(), root[2]
    if name == b"document" and (found := _FLAT_ODF.search(attributes)):
        return found[1].decode() + "-flat-xml"
    if name == b"rdf" and b"purl.org/rss" in head:
        return "application/rss+xml"
    if name == b"article" and (
        b"JATS" in head or b"<front" in head or b"article-type" in attributes
    ):
        return "application/jats+xml"
    if name == b"package" and b"2006/xmlPackage" not in attributes:
        return XML
    if name == b"workbook" and b"office:spreadsheet" not in attributes:
        return XML
    if name == b"html" and not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<?xml"):
        return ""  # HTML, by its own rules
    return _ROOTS.get(name, XML)


def _after_prologue(head: bytes) -> int:
    """Where the first element may begin."""
    position = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    for _ in range(_MOST_PROLOGUE):
        while head[position : position + 1].isspace():
            position += 1
        if head.startswith(b"<?", position):
            end = head.find(b"?>", position)
            size = 2
        elif head.startswith(b"<!--", position):
            end = head.find(b"-->", position)
            size = 3
        elif head[position : position + 9].upper() == b"<!DOCTYPE":
            subset, end = head.find(b"[", position), head.find(b">", position)
            if 0 <= subset < end:
                end = head.find(b">", head.find(b"]", subset))
            size = 1
        else:
            break
        if end < 0:
            return len(head)
        position = end + size
    return position
