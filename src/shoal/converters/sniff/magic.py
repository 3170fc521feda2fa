"""How do files begin? Bytes that leave no doubt, each with the media type they stand for."""

import re

_MARKS = {
    "application/pdf": (b"%PDF-",),
    "application/zip": (b"PK\x03\x04", b"PK\x05\x06"),
    "application/x-ole-storage": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",),
    "application/rtf": (b"{\\rtf",),
    "application/x-msword-2": (b"\xdb\xa5\x2d\x00",),
    "application/vnd.wordperfect": (b"\xffWPC",),
    "application/x-mswrite": (b"\x31\xbe\x00\x00\x00\xab", b"\x32\xbe\x00\x00\x00\xab"),
    "application/onenote": (
        b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d",
        b"\xa1\x2f\xff\x43\xd9\xef\x76\x4c",
    ),
    "application/ms-tnef": (b"\x78\x9f\x3e\x22",),
    "application/vnd.lotus-1-2-3": (
        b"\x00\x00\x1a\x00",
        b"\x00\x00\x02\x00\x04\x04",
        b"\x00\x00\x02\x00\x06\x04",
    ),
    "application/x-quattropro-dos": (b"\x00\x00\x02\x00\x20\x51",),
    "application/x-quattropro-win": (b"\x00\x00\x02\x00\x01\x10", b"\x00\x00\x02\x00\x02\x10"),
    "application/vnd.ms-excel": (
        b"\x09\x00\x04\x00",
        b"\x09\x02\x06\x00",
        b"\x09\x04\x06\x00",
        b"\x09\x08\x08\x00\x00\x05",
        b"\x09\x08\x10\x00\x00\x06",
    ),
    "application/gzip": (b"\x1f\x8b",),
    "application/x-bzip2": (b"BZh",),
    "application/x-xz": (b"\xfd7zXZ\x00",),
    "application/zstd": (b"\x28\xb5\x2f\xfd",),
    "application/x-lz4": (b"\x04\x22\x4d\x18",),
    "application/x-compress": (b"\x1f\x9d",),
    "application/x-snappy-framed": (b"\xff\x06\x00\x00sNaPpY",),
    "application/x-lzip": (b"LZIP",),
    "application/x-lzma": (b"\x5d\x00\x00",),
    "application/x-7z-compressed": (b"7z\xbc\xaf\x27\x1c",),
    "application/vnd.rar": (b"Rar!\x1a\x07",),
    "application/vnd.debian.binary-package": (b"!<arch>\ndebian-binary",),
    "application/x-archive": (b"!<arch>\n",),
    "application/x-cpio": (b"070701", b"070702", b"070707", b"\xc7\x71", b"\x71\xc7"),
    "application/x-rpm": (b"\xed\xab\xee\xdb",),
    "application/vnd.ms-cab-compressed": (b"MSCF\x00\x00\x00\x00",),
    "application/vnd.ms-htmlhelp": (b"ITSF",),
    "application/applefile": (b"\x00\x05\x16\x00", b"\x00\x05\x16\x07"),
    "application/warc": (b"WARC/",),
    "application/x-ia-arc": (b"filedesc://",),
    "application/x-bplist": (b"bplist",),
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/gif": (b"GIF87a", b"GIF89a"),
    "image/tiff": (b"II*\x00", b"MM\x00*", b"II+\x00", b"MM\x00+", b"IIU\x00", b"IIRO", b"IIRS"),
    "image/jp2": (b"\x00\x00\x00\x0cjP  \r\n",),
    "image/jxl": (b"\x00\x00\x00\x0cJXL \r\n",),
    "image/vnd.adobe.photoshop": (b"8BPS",),
    "image/wmf": (b"\xd7\xcd\xc6\x9a", b"\x01\x00\x09\x00\x00\x03", b"\x02\x00\x09\x00\x00\x03"),
    "image/vnd.dwg": (b"AC10",),
    "image/vnd.dxf": (b"AutoCAD Binary DXF",),
    "image/x-icon": (b"\x00\x00\x01\x00",),
    "image/vnd.djvu": (b"AT&TFORM",),
    "application/postscript": (b"%!PS", b"\x04%!PS", b"\xc5\xd0\xd3\xc6"),
    "audio/mpeg": (b"ID3", b"APETAGEX"),
    "audio/flac": (b"fLaC",),
    "application/ogg": (b"OggS",),
    "audio/midi": (b"MThd",),
    "audio/basic": (b".snd",),
    "audio/x-ape": (b"MAC ",),
    "audio/x-wavpack": (b"wvpk",),
    "audio/x-musepack": (b"MP+", b"MPCK"),
    "audio/amr": (b"#!AMR",),
    "video/x-ms-asf": (b"0&\xb2u\x8ef\xcf\x11",),
    "video/x-matroska": (b"\x1aE\xdf\xa3",),
    "video/x-flv": (b"FLV\x01",),
    "application/x-shockwave-flash": (b"FWS", b"CWS", b"ZWS"),
    "font/ttf": (b"\x00\x01\x00\x00\x00", b"true\x00"),
    "font/otf": (b"OTTO\x00",),
    "font/collection": (b"ttcf\x00",),
    "font/woff": (b"wOFF",),
    "font/woff2": (b"wOF2",),
    "application/x-executable": (b"\x7fELF",),
    "application/vnd.microsoft.portable-executable": (b"MZ",),
    "application/java-vm": (b"\xca\xfe\xba\xbe",),
    "application/vnd.sqlite3": (b"SQLite format 3\x00",),
    "application/x-bittorrent": (b"d8:announce",),
    "application/x-netcdf": (b"CDF\x01", b"CDF\x02", b"CDF\x05"),
    "application/x-hdf5": (b"\x89HDF\r\n\x1a\n",),
}
_BY_FIRST: dict[int, list[tuple[bytes, str]]] = {}
for _mark, _kind in sorted(
    ((mark, kind) for kind, marks in _MARKS.items() for mark in marks),
    key=lambda item: -len(item[0]),
):
    _BY_FIRST.setdefault(_mark[0], []).append((_mark, _kind))

_BOXES = {
    **dict.fromkeys((b"M4A ", b"M4B ", b"M4P "), "audio/mp4"),
    b"qt  ": "video/quicktime",
    **dict.fromkeys((b"heic", b"heix", b"mif1", b"msf1", b"hevc", b"hevx", b"heim"), "image/heic"),
    **dict.fromkeys((b"avif", b"avis"), "image/avif"),
    **dict.fromkeys((b"3gp4", b"3gp5", b"3gp6", b"3g2a"), "video/3gpp"),
}
_RIFF = {b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo", b"WEBP": "image/webp"}
_FORM = {b"AIFF": "audio/aiff", b"AIFC": "audio/aiff"}
_OLD_QUICKTIME = (b"moov", b"mdat", b"wide", b"pnot", b"free", b"skip")
_FAR = (
    (8, b"0M3C", "application/x-prt"),
    (128, b"DICM", "application/dicom"),
    (257, b"ustar", "application/x-tar"),
    (32769, b"CD001", "application/x-iso9660-image"),
)
_PATTERNS = (
    (
        re.compile(rb"BM.{4}\x00\x00\x00\x00.\x00\x00\x00[\x0c\x28\x40\x6c\x7c]", re.DOTALL),
        "image/bmp",
    ),
    (
        re.compile(rb"(?:\xef\xbb\xbf)?(?:\s*999\r?\n[^\n]*\n)*\s*0\r?\nSECTION\r?\n\s*2\r?\n"),
        "image/vnd.dxf",
    ),
    (
        re.compile(rb"d(?:13:announce-list|7:comment|10:created by|13:creation date|4:info)"),
        "application/x-bittorrent",
    ),
    (re.compile(rb"[\s\x00]{0,100}%PDF-[12]\.\d"), "application/pdf"),
)


def magic_kind(body: bytes) -> str:
    """Empty when the first bytes could be anything's."""
    if not body:
        return ""
    for mark, kind in _BY_FIRST.get(body[0], ()):
        if body.startswith(mark):
            return kind
    return _far_marks(body)


def _far_marks(body: bytes) -> str:
    """Marks that stand a little way in."""
    for place, mark, kind in _FAR:
        if body.startswith(mark, place):
            return kind
    for pattern, kind in _PATTERNS:
        if pattern.match(body, 0, 2000):
            return kind
    return _media_kind(body)


def _media_kind(body: bytes) -> str:
    """Of containers that name what they hold, and of streams."""
    form = body[8:12]
    if body[4:8] == b"ftyp":
        return _BOXES.get(form, "video/mp4")
    if body[0] == 0 and body[4:8] in _OLD_QUICKTIME:
        return "video/quicktime"
    if body.startswith((b"RIFF", b"RF64", b"BW64")):
        return _RIFF.get(form, "")
    if body.startswith(b"FORM"):
        return _FORM.get(form, "")
    if body[:4] == b"\x01\x00\x00\x00" and body[40:44] == b" EMF":
        return "image/emf"
    if body[0] == 0xFF and len(body) > 2 and body[1] & 0xE6 == 0xE2 and body[2] & 0xF0 != 0xF0:
        return "audio/mpeg"
    is_adts = body[0] == 0xFF and body[1:2] in (b"\xf0", b"\xf1", b"\xf8", b"\xf9")
    return "audio/aac" if is_adts else ""
